// Tables of measured numbers, drawn from the results that the benchmarks keep in bench/results/. A page of docs/ marks a table with
// a comment, `<!-- table: spams -->`, in the line above it. The site draws it anew, and a test compares the page with the results.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kept results by name, such as `spams`. */
export function readResults(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    names.map((name) => [name.replace('.json', ''), JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  );
}

const row = (cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
const table = (header, rows) => [row(header), `|${'---|'.repeat(header.length)}`, ...rows.map(row)].join('\n');
const whole = (value) => Math.round(value).toLocaleString('en-US');
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Joint OMP beside SPAMS: `node bench/spams.js`. */
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
function learning({ learning: { start, learners } }) {
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
}

/** Tiles beside the whole image: `npm run bench:scale`. */
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
  const words = {
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
        compared === '' ? '' : `${words[compared]} ${mean(rows.find(({ what }) => what === compared).psnr).toFixed(2)}`;
      return [name, psnrOf(/^noisy$/), psnrOf(/^balanced, (blind|tables read)$/), peer];
    }),
  );
}

const drawn = { spams, learning, scale, 'added-noise': addedNoise };

/** A page with its marked tables drawn from the results. */
export function fillTables(text, results) {
  return text.replace(/(<!-- table: ([\w-]+) -->\n)(?:\n|\|.*\n)*/g, (_, marker, name) => {
    const draw = drawn[name];
    if (!draw) throw new Error(`no table is named ${name}: choose one of ${Object.keys(drawn).join(', ')}`);
    return `${marker}\n${draw(results)}\n\n`;
  });
}
