// Speed and memory, compared with peers in the same run: prints tables, and writes everything to bench/results.json.
// usage: npm run bench [-- --quick] [-- --no-peers]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { overcompleteDct } from 'ght';
import { writeNpy } from 'ght/npy';
import { spectralNormSquared } from 'ght/paper';
import { halved, naturalPatches } from 'ght-lab';
import { flags } from './flags.js';
import { CONSTANT_RHO, compareGiven, givenTable } from './given.js';

const asked = flags(import.meta.filename, { quick: { type: 'boolean' }, 'no-peers': { type: 'boolean' } });
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = (command, args, env = {}) =>
  JSON.parse(
    execFileSync(command, args, {
      encoding: 'utf8',
      env: { ...process.env, ...env },
      maxBuffer: 1e8,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );

const environment = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpu: cpus()[0].model.trim(),
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  load: loadavg()[0],
};
console.log(
  Object.entries(environment)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
);

const threads = environment.cores > 1 ? [1, 2] : [1];
const sizes = asked.quick ? [2 ** 12, 2 ** 14] : [2 ** 14, 2 ** 17, 2 ** 20];
const D = overcompleteDct(8, 10);

/** Multiplications and additions per iteration and patch with n atoms, as the kernels do them. */
const flops = (solver, n) => {
  const analysis = n > 12 ? 8 * n + 640 : 64 * n;
  return 2 * (analysis + 640 + 800 + (solver === 'admm' ? 4 : 3) * 64) + n;
};

// The load of the machine varies: every contender runs a few rounds, and its best round counts.
const ROUNDS = asked.quick ? 1 : 2;
const best = (measureOnce) => {
  const results = Array.from({ length: ROUNDS }, measureOnce);
  return results.reduce((a, b) => (b.wall < a.wall ? b : a));
};

const ours = [];
const measure = (solver, P, s, T) => {
  const iterations = solver === 'qpm' || solver === 'admm' ? (P > 2 ** 18 ? 14 : 40) : P > 2 ** 18 ? 1 : 3;
  const result = best(() => run(process.execPath, [here('measure.js'), solver, P, s, T, iterations].map(String)));
  ours.push(result);
  return result;
};
const number = (value, digits = 0) =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });
const table = (header, rows) =>
  console.log(
    `\n| ${header.join(' | ')} |\n|${'---|'.repeat(header.length)}\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`,
  );

const rows = [];
for (const solver of ['qpm', 'admm', 'omp', 'joint-omp']) {
  for (const P of sizes) {
    for (const T of threads) {
      const { wall, cpu, engineBytes, peakBytes } = measure(solver, P, 10, T);
      const speed = solver === 'qpm' || solver === 'admm' ? number(flops(solver, 10) / wall, 1) : '';
      rows.push([
        solver,
        `2^${Math.log2(P)}`,
        T,
        number(wall),
        number(cpu),
        speed,
        number(engineBytes),
        number(peakBytes),
      ]);
    }
  }
}
console.log(`\nengine: ${ours[0].engine.split(';')[0]}`);
table(
  [
    's = 10',
    'P',
    'threads',
    'ns per patch (and iteration)',
    'CPU ns',
    'GFLOP/s',
    'engine bytes per patch',
    'peak bytes per patch without Y',
  ],
  rows,
);

const small = sizes[Math.min(1, sizes.length - 1)] > 2 ** 14 ? 2 ** 14 : sizes[sizes.length - 1];
const budgets = asked.quick ? [5, 30] : [5, 10, 15, 20, 25, 30];
table(
  [`P = 2^${Math.log2(small)}, 1 thread, ns at s =`, ...budgets],
  ['qpm', 'admm', 'omp', 'joint-omp'].map((solver) => [
    solver,
    ...budgets.map((s) => number(measure(solver, small, s, 1).wall)),
  ]),
);

const filed = asked.quick ? 2 ** 14 : 2 ** 17;
const dense = ['qpm', 'admm'].flatMap((solver) =>
  threads.map((T) =>
    best(() => run(process.execPath, [here('measure.js'), solver, filed, 10, T, 40, 'dense'].map(String))),
  ),
);
table(
  [`a dense 64×100, P = 2^${Math.log2(filed)}, s = 10`, 'threads', 'ns per patch and iteration', 'CPU ns', 'GFLOP/s'],
  dense.map(({ solver, threads: T, wall, cpu }) => {
    const operations = 2 * (640 + 6400 + (solver === 'admm' ? 4 : 3) * 64) + 10;
    return [solver, T, number(wall), number(cpu), number(operations / wall, 1)];
  }),
);

const peers = [];
if (!asked['no-peers']) {
  const works = (command, module) => {
    try {
      execFileSync(command, ['-c', `import ${module}`], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  const python = (module) => ['python3', '/usr/bin/python3'].find((command) => works(command, module));
  const folder = mkdtempSync(join(tmpdir(), 'ght-bench-'));
  const [signals, dictionary] = [join(folder, 'Y.npy'), join(folder, 'D.npy')];
  const save = async (P) => {
    writeFileSync(
      signals,
      writeNpy({ type: 'f4', shape: [P, 64], data: Float32Array.from(naturalPatches(await halved(), P, 1)) }),
    );
    writeFileSync(dictionary, writeNpy({ type: 'f8', shape: [100, 64], data: D.atoms.data }));
  };
  try {
    const numpy = python('numpy');
    if (!numpy) console.log('\nNumPy: not installed');
    else {
      const compared = [];
      const P = sizes[sizes.length - 1];
      await save(P);
      for (const solver of ['qpm', 'admm']) {
        const rho = CONSTANT_RHO[solver] * spectralNormSquared(D);
        for (const dtype of ['float32', 'float64']) {
          for (const T of threads) {
            const args = [here('peers/numpy_ght.py'), signals, dictionary, solver, 10 * P, rho, 5, dtype].map(String);
            const peer = best(() => run(numpy, args, { OPENBLAS_NUM_THREADS: String(T) }));
            const own = ours.find((each) => each.solver === solver && each.P === P && each.threads === T);
            peers.push({ peer: `numpy ${dtype}`, solver, P, threads: T, ...peer, ratio: peer.wall / own.wall });
            compared.push([
              solver,
              dtype,
              T,
              number(peer.wall),
              number(own.wall),
              `${number(peer.wall / own.wall, 1)}×`,
            ]);
          }
        }
      }
      table([`P = 2^${Math.log2(P)}, s = 10`, 'NumPy', 'threads', 'NumPy, ns', 'GHT, ns', 'ratio'], compared);

      const given = await compareGiven({ P: filed, threads: threads.at(-1), rounds: 2 * ROUNDS, python: numpy });
      peers.push(...given);
      table(...givenTable(given));
    }
    const sklearn = python('sklearn');
    if (!sklearn) console.log('\nscikit-learn: not installed');
    else {
      await save(small);
      const compared = budgets.map((s) => {
        const peer = run(sklearn, [here('peers/sklearn_omp.py'), signals, dictionary, String(s)], {
          OPENBLAS_NUM_THREADS: '1',
        });
        const own = ours.findLast(
          (each) => each.solver === 'omp' && each.P === small && each.s === s && each.threads === 1,
        );
        peers.push({
          peer: 'scikit-learn',
          solver: 'omp',
          P: small,
          s,
          threads: 1,
          ...peer,
          ratio: peer.wall / own.wall,
        });
        return [s, number(peer.wall), number(own.wall), `${number(peer.wall / own.wall, 1)}×`];
      });
      table([`OMP, P = 2^${Math.log2(small)}, 1 thread, s`, 'scikit-learn, ns', 'GHT, ns', 'ratio'], compared);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const at = (solver, P, T) =>
  ours.find((each) => each.solver === solver && each.P === P && each.threads === T && each.s === 10);
const [least, most] = [sizes[0], sizes[sizes.length - 1]];
console.log('\nscaling');
for (const solver of ['qpm', 'admm']) {
  const flat = ours.filter((each) => each.solver === solver && each.P === small && each.threads === 1);
  const wall = (s) => flat.findLast((each) => each.s === s).wall;
  console.log(
    `${solver}: 2 threads ${number(at(solver, most, 1).wall / at(solver, most, threads.at(-1)).wall, 2)}× of one at the largest P; ` +
      `time per patch there ${number(at(solver, most, 1).wall / at(solver, least, 1).wall, 2)}× of that at the smallest; ` +
      `s = 30 takes ${number(wall(30) / wall(5), 2)}× of s = 5`,
  );
}
writeFileSync(here('results.json'), `${JSON.stringify({ environment, ours, dense, peers }, null, 1)}\n`);
console.log('\nwrote bench/results.json');
