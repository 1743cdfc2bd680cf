// Joint OMP compared with SPAMS (its C++ OMP is order-recursive too): the same patches, one thread each, the same number of
// atoms per patch on average. Skipped where Python cannot import spams. Writes everything to bench/results/spams.json.
// usage: node bench/spams.js [--rounds 3] [--runs 3] [--patches 131072] [--python python3]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { overcompleteDct, solve } from 'ght';
import { writeNpy } from 'ght/npy';
import { halved, naturalPatches } from 'ght-lab';
import { engines } from '../packages/ght/dist/engines/engines.js';
import { signalsIn } from '../packages/ght/dist/image/signals.js';
import { flags } from './flags.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const text = (value) => ({ type: 'string', default: value });
const options = { rounds: text('3'), runs: text('3'), patches: text(String(2 ** 17)), python: text('python3') };
const { python, ...numbers } = flags(import.meta.filename, options);
const [rounds, runs, P] = [numbers.rounds, numbers.runs, numbers.patches].map(Number);

const D = overcompleteDct(8, 10);
const { N, L, atoms } = D;
const Y = Float32Array.from(naturalPatches(await halved(), P, 1));
const folder = mkdtempSync(join(tmpdir(), 'ght-bench-'));
const file = (name) => join(folder, `${name}.npy`);

/** CPU nanoseconds per patch: the machine is shared, and the wall clock would count what others do. */
async function cpuOf(run) {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return { cpu: ((user + system) * 1000) / P, rmse: result.rmse };
}

/** SPAMS with s atoms in every patch. */
function spams(s) {
  const args = [here('peers/spams_omp.py'), file('signals'), file('dictionary'), s, runs];
  const env = { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1' };
  return JSON.parse(
    execFileSync(python, args.map(String), { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
}

/** Joint OMP as `solve` runs it: options, loading, the solver, the codes as arrays. */
function whole(s) {
  return cpuOf(() => solve(D, Y, { solver: 'joint-omp', budget: { perPatch: s }, threads: 1, engine: 'wasm' }));
}

/** The better of two runs. */
const better = (a, b) => (a && a.cpu <= b.cpu ? a : b);

/** A row per number of atoms. The contenders take turns, and the best run of each counts. */
async function compare() {
  const rows = [];
  const loaded = await engines.wasm.load(D, signalsIn(Y, N), { threads: 1 });
  for (const s of [5, 10, 20, 30]) {
    let [peer, solver, all] = [];
    for (let round = 0; round < rounds; round++) {
      peer = better(peer, spams(s));
      for (let run = 0; run < runs; run++) {
        solver = better(solver, await cpuOf(async () => (await loaded.jointOmp(s * P))[0]));
        all = better(all, await whole(s));
      }
    }
    rows.push({ s, P, spams: peer, solver, solve: all });
  }
  loaded.dispose();
  return rows;
}

function print(rows) {
  const number = (value) => Math.round(value).toLocaleString('en-US');
  const ratio = (peer, own) => `${(peer.cpu / own.cpu).toFixed(2)}×`;
  const header = [
    's',
    'SPAMS, CPU ns',
    'joint OMP',
    'ratio',
    'all of solve',
    'ratio',
    'RMSE, SPAMS',
    'RMSE, joint OMP',
  ];
  const table = rows.map((row) => [
    ...[row.s, number(row.spams.cpu), number(row.solver.cpu), ratio(row.spams, row.solver)],
    ...[number(row.solve.cpu), ratio(row.spams, row.solve), row.spams.rmse.toFixed(2), row.solve.rmse.toFixed(2)],
  ]);
  for (const row of [header, header.map(() => '---'), ...table]) console.log(`| ${row.join(' | ')} |`);
}

try {
  writeFileSync(file('signals'), writeNpy({ type: 'f4', shape: [P, N], data: Y }));
  writeFileSync(file('dictionary'), writeNpy({ type: 'f4', shape: [L, N], data: Float32Array.from(atoms.data) }));
  const { missing } = spams(1);
  if (missing) console.log(`SPAMS skipped: ${missing}`);
  else {
    const rows = await compare();
    print(rows);
    const environment = { node: process.version, cpu: cpus()[0].model.trim(), load: loadavg()[0] };
    const results = here('results/spams.json');
    mkdirSync(dirname(results), { recursive: true });
    writeFileSync(results, `${JSON.stringify({ environment, rows }, null, 1)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
