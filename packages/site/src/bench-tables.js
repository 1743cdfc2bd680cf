// Tables of measured numbers, drawn from the results that the benchmarks keep in bench/results/. A page of docs/ marks a table with
// a comment, `<!-- table: spams -->`, in the line above it. The site draws it again, and a test compares the page with the results.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kept results by name, such as `spams`. */
export function readResults(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    names.map((name) => [name.replace('.json', ''), JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  );
}

const row = (cells) => `| ${cells.join(' | ')} |`.replace(/\| {2}(?=\|)/g, '| ');
const table = (header, rows) => [row(header), `|${'---|'.repeat(header.length)}`, ...rows.map(row)].join('\n');
const whole = (value) => Math.round(value).toLocaleString('en-US');
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Joint OMP compared with SPAMS: `node bench/spams.js`. */
function spams({ spams: { rows } }) {
  return table(
    ['s', 'SPAMS, CPU ns', 'joint OMP', 'ratio', 'all of solve', 'ratio', 'RMSE, SPAMS', 'RMSE, joint OMP'],
    rows.map(({ s, spams: peer, solver, solve }) => [
      ...[s, whole(peer.cpu), whole(solver.cpu), `${(peer.cpu / solver.cpu).toFixed(2)}×`],
      ...[whole(solve.cpu), `${(peer.cpu / solve.cpu).toFixed(2)}×`],
      ...[peer.rmse.toFixed(2), solver.rmse.toFixed(2)],
    ]),
  );
}

/** The CPU time of every learner to each error that SPAMS comes to: `npm run bench:learning`. */
const learning = (name) => (results) => {
  const { start, learners } = results[name];
  const peer = learners.find(({ name }) => name === 'SPAMS');
  const others = learners.filter((learner) => learner !== peer);
  const cell = ({ snapshots }, goal) => {
    const reached = snapshots.find(({ joint }) => joint <= goal.joint);
    return reached ? `${reached.cpu.toFixed(2)} (${(goal.cpu / reached.cpu).toFixed(2)}×)` : 'not reached';
  };
  return table(
    ['batches of SPAMS', `RMSE (DCT ${start.joint.toFixed(2)})`, 'SPAMS', ...others.map(({ name }) => name)],
    peer.snapshots.map((goal) => [
      ...[goal.batches, goal.joint.toFixed(2), goal.cpu.toFixed(2)],
      ...others.map((learner) => cell(learner, goal)),
    ]),
  );
};

/** Servers with 16 requests at once: `npm run bench:serve`. */
function serve({ serve: { rows } }) {
  const ms = (value) => (value === undefined ? '' : `${whole(value)} ms`);
  return table(
    [
      ...['server', '16 images of', 'main thread busy, at most', 'timers slip', 'those of an idle process'],
      ...['another request waits, median', 'at most', 'CPU s per image', 'on the main thread'],
    ],
    rows
      .filter(({ requests }) => requests === 16)
      .map(({ server, image, busyMs, slipMs, controlSlipMs, waitMs, cpuPerRequest, mainCpuPerRequest }) => [
        ...[server, image, ms(busyMs), ms(slipMs), ms(controlSlipMs), ms(waitMs.median), ms(waitMs.most)],
        ...[cpuPerRequest.toFixed(2), mainCpuPerRequest.toFixed(3)],
      ]),
  );
}

/** Series compared with page by page: `npm run bench:series`. */
function series({ series: { rows } }) {
  return table(
    ['', 'quality', 'page by page', 'series', 'pages followed through', 'CPU time', 'OpenCV'],
    rows.map(({ name, quality, single, series: together, depth, singleCpu, seriesCpu, opencv }) => [
      ...[name, `\`${quality}\``, single.toFixed(2), together.toFixed(2), depth.toFixed(1)],
      ...[`${(seriesCpu / singleCpu).toFixed(2)}×`, opencv?.toFixed(2) ?? ''],
    ]),
  );
}

/** Tiles compared with the whole image: `npm run bench:scale`. */
function scale({ scale: results }) {
  const names = { fast: '`fast`', balanced: '`balanced`', 'joint-omp': 'joint OMP' };
  return table(
    ['', 'megapixels', 'tiled', 'whole', 'ratio', 'peak memory, tiled / whole', 'bits'],
    Object.entries(names).map(([key, name]) => {
      const { megapixels, tiled, whole: untiled, ratio, equal } = results[key];
      return [
        ...[name, megapixels, `${tiled.cpu.toFixed(1)} s`, `${untiled.cpu.toFixed(1)} s`, ratio.toFixed(2)],
        ...[`${tiled.peakMiB} / ${untiled.peakMiB} MiB`, equal ? 'equal' : 'different'],
      ];
    }),
  );
}

/** Denoising without options, where the noise is known because it was added: `npm run bench:real`. */
function addedNoise({ real: { tables } }) {
  const kinds = [
    ...[5, 15, 25, 50].map((sigma) => [`white, σ = ${sigma}`, `white noise, σ = ${sigma};`, 'balanced, σ told']),
    ...[70, 90].map((q) => [`white, σ = 15, then JPEG ${q}`, `noise of σ = 15, then JPEG ${q};`, 'balanced, σ told']),
    ['σ = 20, blurred by a Gaussian of 1 pixel', 'noise of σ = 20, blurred', 'NLM, OpenCV, h = 10'],
    ['salt and pepper, 5%', 'salt and pepper', 'balanced, impulses off'],
    ['row banding of σ = 10', 'banding of σ = 10', 'balanced, banding off'],
    ...[70, 90].map((q) => [`none, JPEG ${q}`, `no noise, JPEG ${q}`, '']),
  ];
  const labels = {
    'balanced, σ told': 'σ given',
    'NLM, OpenCV, h = 10': 'NLM, OpenCV 4.6, h = 10, the best of four',
    'balanced, impulses off': '`--impulses off`',
    'balanced, banding off': '`--banding off`',
  };
  return table(
    ['', 'noisy', 'no option', 'compare'],
    kinds.map(([name, title, compared]) => {
      const { rows } = tables.find((each) => each.title.startsWith(title));
      const psnrOf = (pattern) => mean(rows.find(({ what }) => pattern.test(what)).psnr).toFixed(2);
      const peer =
        compared === ''
          ? ''
          : `${labels[compared]} ${mean(rows.find(({ what }) => what === compared).psnr).toFixed(2)}`;
      return [name, psnrOf(/^noisy$/), psnrOf(/^balanced, (blind|tables read)$/), peer];
    }),
  );
}

/** What is lost because the damage of a picture is not known: `npm run bench:diagnosis`. */
function diagnosis({ diagnosis: { cases } }) {
  // No difference to the clean picture is better than any number of dB.
  const level = (pictures, key) => {
    const found = pictures.map((picture) => picture[key]).filter((value) => value !== undefined);
    if (found.length === 0) return '';
    const finite = found.filter((value) => value !== null);
    return finite.length === 0 ? 'exact' : mean(finite).toFixed(2);
  };
  return table(
    ['', 'pictures', 'file', 'no option', 'truth given'],
    cases.map(({ name, pictures }) => [
      ...[`\`${name}\``, pictures.length],
      ...['file', 'blind', 'given'].map((key) => level(pictures, key)),
    ]),
  );
}

const solverNames = { qpm: 'QPM', admm: 'ADMM', omp: 'OMP', 'joint-omp': 'joint OMP' };
/** A number with three significant digits, such as 0.0719, 17.9 or 1,544. */
const inThree = (value) => (value >= 100 ? whole(value) : value.toPrecision(3));
const times = (theirs, ours) => `${inThree(theirs)} (${(theirs / ours).toFixed(1)}×)`;

/** An iteration on a GPU compared with PyTorch and the CPU: `npm run bench:gpu`. */
function gpuIterations({ gpu: { iterations, peers, onCpu } }) {
  const separable = ({ dictionary }) => dictionary === '64×100';
  const cell = (rows, ours, form) => {
    const found = rows.find(
      (row) => separable(ours) && row.solver === ours.solver && row.bits === ours.bits && row.form === form,
    );
    return found ? times(found.ms, ours.ms) : '';
  };
  const bySolver = Object.keys(solverNames).flatMap((solver) => iterations.filter((row) => row.solver === solver));
  return table(
    [
      'ms per iteration',
      'D',
      'P',
      'GHT',
      'PyTorch, compiled',
      'PyTorch',
      `CPU, ${onCpu.iterations[0].threads} threads`,
    ],
    bySolver.map((row) => [
      ...[solverNames[row.solver], row.dictionary, `2^${row.bits}`, inThree(row.ms)],
      ...[cell(peers, row, 'compiled'), cell(peers, row, 'plain'), cell(onCpu.iterations, row)],
    ]),
  );
}

/** OMP and joint OMP on a GPU: `npm run bench:gpu`. */
function gpuPursuits({ gpu: { pursuits } }) {
  const bySolver = Object.keys(solverNames).flatMap((solver) => pursuits.filter((row) => row.solver === solver));
  return table(
    ['10 atoms per patch', 'P', 'ms', 'ns per patch'],
    bySolver.map(({ solver, bits, ms, nsPerPatch }) => [
      ...[solverNames[solver], `2^${bits}`, inThree(ms), inThree(nsPerPatch)],
    ]),
  );
}

/** Denoising on a GPU and on the CPU: `npm run bench:gpu`. */
function gpuDenoising({ gpu: { denoising, onCpu } }) {
  const sides = [...new Set(denoising.map(({ side }) => side))];
  const qualities = [...new Set(denoising.map(({ quality }) => quality))];
  const find = (rows, quality, side) => rows.find((row) => row.quality === quality && row.side === side);
  const time = ({ ms }) => (ms === undefined ? 'failed' : inThree(ms));
  const cpuSide = onCpu.denoising[0].side;
  return table(
    [
      ...['ms', ...sides.map((side) => `${side}×${side}`)],
      ...[`${cpuSide}×${cpuSide}, CPU, ${onCpu.iterations[0].threads} threads`, 'PSNR, GPU', 'CPU'],
    ],
    qualities.map((quality) => {
      const [own, cpu] = [find(denoising, quality, cpuSide), find(onCpu.denoising, quality, cpuSide)];
      return [
        ...[`\`${quality}\``, ...sides.map((side) => time(find(denoising, quality, side)))],
        ...[times(cpu.ms, own.ms), own.psnr.toFixed(3), cpu.psnr.toFixed(3)],
      ];
    }),
  );
}

/** What the GPU engine should reach, and what it does: `npm run bench:gpu`. */
function gpuGoals({ gpu: { iterations, pursuits, denoising, ratios } }) {
  const largest = (rows, solver) => rows.find((row) => row.solver === solver && row.bits === 20);
  const perMegapixel = (quality) => {
    const { ms, side } = denoising.find((row) => row.quality === quality);
    return (1e6 * ms) / side ** 2;
  };
  const most = [
    ['QPM, 2^20 patches, ms per iteration', 0.35, largest(iterations, 'qpm').ms],
    ['ADMM, 2^20 patches, ms per iteration', 0.6, largest(iterations, 'admm').ms],
    ['OMP, 2^20 patches, ns per patch', 8, largest(pursuits, 'omp').nsPerPatch],
    ['joint OMP, 2^20 patches, ms', 120, largest(pursuits, 'joint-omp').ms],
    ['`balanced`, ms per megapixel', 20, perMegapixel('balanced')],
    ['`learned`, ms per megapixel', 40, perMegapixel('learned')],
  ].map(([what, goal, value]) => [what, `at most ${goal}`, inThree(value), value <= goal ? 'yes' : 'no']);
  const faster = ['qpm', 'admm'].map((solver) => {
    const values = ratios.filter((row) => row.solver === solver && row.form === 'compiled').map(({ ratio }) => ratio);
    const [least, highest] = [Math.min(...values), Math.max(...values)];
    const range = `${least.toFixed(1)} to ${highest.toFixed(1)}`;
    return [
      `${solverNames[solver]}, times as fast as compiled PyTorch`,
      'at least 8',
      range,
      least >= 8 ? 'yes' : 'no',
    ];
  });
  return table(['', 'goal', 'measured', 'met'], [...most, ...faster]);
}

const drawn = {
  ...{ spams, learning: learning('learning'), 'learning-large': learning('learning-large') },
  ...{ scale, serve, series, diagnosis, 'added-noise': addedNoise },
  ...{ 'gpu-iterations': gpuIterations, 'gpu-pursuits': gpuPursuits },
  ...{ 'gpu-denoising': gpuDenoising, 'gpu-goals': gpuGoals },
};

/** A page with its marked tables drawn from the results. */
export function fillTables(text, results) {
  return text.replace(/(<!-- table: ([\w-]+) -->\n)(?:\n|\|.*\n)*/g, (_, marker, name) => {
    const draw = drawn[name];
    if (!draw) throw new Error(`no table is named ${name}: choose one of ${Object.keys(drawn).join(', ')}`);
    return `${marker}\n${draw(results)}\n\n`;
  });
}
