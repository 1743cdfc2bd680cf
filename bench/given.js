// `ght solve` with a dictionary from a .npy file, compared with NumPy on the same numbers. `npm run bench` includes it.
// usage: node bench/given.js [--rounds 4] [--threads 2] [--patches 131072] [--python python3]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, overcompleteDct } from 'ght';
import { writeNpy } from 'ght/npy';
import { spectralNormSquared } from 'ght/paper';
import { halved, naturalPatches } from 'ght-lab';
import { flags } from './flags.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A constant ρ in units of ‖D‖₂², as in the paper: NumPy factors its matrix once. */
export const CONSTANT_RHO = { qpm: 0.05, admm: 0.15 };

/** The entries of a dictionary with its atoms in another order, in which they are no Kronecker product. */
export function otherOrder({ N, L, atoms }) {
  const entries = new Float64Array(N * L);
  for (let l = 0; l < L; l++) entries.set(atoms.data.subarray(N * l, N * (l + 1)), N * ((7 * l + 3) % L));
  return entries;
}

/** The rows of a matrix as columns. */
function transposed(data, rows, columns) {
  const out = new Float32Array(data.length);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) out[j * rows + i] = data[i * columns + j];
  return out;
}

/** The median of the iterations of the command, in ns per patch, and what it says about its engine. */
function solveOnce(folder, dictionary, solver, P, threads) {
  const history = join(folder, 'history.json');
  const printed = execFileSync(
    process.execPath,
    [
      ...[here('../packages/cli/bin/ght.js'), 'solve', '--json', '--solver', solver, '--threads', String(threads)],
      ...[
        '--signals',
        join(folder, 'signals.npy'),
        '--dictionary',
        join(folder, `${dictionary}.npy`),
        '--budget',
        '10',
      ],
      ...['--rho', String(CONSTANT_RHO[solver]), '--max-iterations', '40', '--tolerance', '0', '--growth', 'off'],
      ...['-o', join(folder, 'codes.npz'), '--history', history],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ends = JSON.parse(readFileSync(history, 'utf8')).map(({ ms }) => ms);
  // The first iterations search for the threshold, so they are not counted.
  const steps = ends.slice(5).map((ms, i) => ms - ends[i + 4]);
  const median = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)];
  return { wall: (1e6 * median) / P, engine: describe(JSON.parse(printed).engine).join('; ') };
}

/**
 * Times of `ght solve` with a matrix that is separable and with one that is not (the same atoms in another order), and of
 * NumPy in float32. The machine is shared, so the contenders take turns, and the best round of each counts.
 */
export async function compareGiven({ P, threads, rounds, python }) {
  const D = overcompleteDct(8, 10);
  const { N, L, atoms } = D;
  const shuffled = Float32Array.from(otherOrder(D));
  const folder = mkdtempSync(join(tmpdir(), 'ght-bench-'));
  const file = (name) => join(folder, `${name}.npy`);
  const save = (name, shape, data) => writeFileSync(file(name), writeNpy({ type: 'f4', shape, data }));
  try {
    const Y = Float32Array.from(naturalPatches(await halved(), P, 1));
    save('signals', [N, P], transposed(Y, P, N));
    save('separable', [N, L], transposed(atoms.data, L, N));
    save('dense', [N, L], transposed(shuffled, L, N));
    save('signals-by-row', [P, N], Y);
    save('dense-by-row', [L, N], shuffled);
    const results = [];
    for (const solver of ['qpm', 'admm']) {
      const rho = CONSTANT_RHO[solver] * spectralNormSquared(D);
      const numpy = [here('peers/numpy_ght.py'), file('signals-by-row'), file('dense-by-row'), solver, 10 * P, rho, 8];
      const least = { separable: Number.POSITIVE_INFINITY, dense: Number.POSITIVE_INFINITY };
      let [peer, engine] = [Number.POSITIVE_INFINITY, {}];
      for (let round = 0; round < rounds; round++) {
        for (const name of ['separable', 'dense']) {
          const own = solveOnce(folder, name, solver, P, threads);
          least[name] = Math.min(least[name], own.wall);
          engine = { ...engine, [name]: own.engine };
        }
        const env = { ...process.env, OPENBLAS_NUM_THREADS: String(threads) };
        const printed = execFileSync(python, [...numpy, 'float32'].map(String), { encoding: 'utf8', env });
        peer = Math.min(peer, JSON.parse(printed).wall);
      }
      for (const name of ['separable', 'dense']) {
        const times = { wall: peer, own: least[name], ratio: peer / least[name] };
        results.push({ peer: 'numpy float32', solver, dictionary: name, engine: engine[name], P, threads, ...times });
      }
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The header and rows of a table of such results. */
export function givenTable(results) {
  const number = (value) => Math.round(value).toLocaleString('en-US');
  return [
    [
      `ght solve, P = 2^${Math.log2(results[0].P)}, s = 10`,
      'matrix',
      'threads',
      'NumPy float32, ns',
      'GHT, ns',
      'ratio',
    ],
    results.map(({ solver, dictionary, threads, wall, own, ratio }) => [
      ...[solver, dictionary, threads, number(wall), number(own), `${ratio.toFixed(1)}×`],
    ]),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const text = (value) => ({ type: 'string', default: value });
  const options = { rounds: text('4'), threads: text('2'), patches: text(String(2 ** 17)), python: text('python3') };
  const { rounds, threads, patches, python } = flags(import.meta.filename, options);
  const results = await compareGiven({ P: Number(patches), threads: Number(threads), rounds: Number(rounds), python });
  const [header, rows] = givenTable(results);
  for (const row of [header, header.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
  for (const { solver, dictionary, engine } of results) console.log(`${solver}, ${dictionary}: ${engine}`);
}
