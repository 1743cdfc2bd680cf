// Dictionary learning compared with SPAMS (trainDL, mode 5) and scikit-learn: the time to the same RMSE on unseen images.
// usage: npm run bench:learning -- [--images DIR …] [--patch 8] [--atoms 16,16] [--budget 10] [--threads 1] [--patches 65536]
//                                  [--iterations 30] [--batches 25,50,100,200,400,800,1600,3200] [--no-peers] [--no-scikit-learn]
//                                  [--results learning]
// Two of three images are for learning, the third is unseen; without --images they are six CC0 photographs at half size. All
// learn as many atoms from the same patches and from the DCT, for the same number of atoms per patch, each in its own process. The same
// coders measure every dictionary on the same unseen patches: joint OMP, and OMP with the same number of atoms in
// every patch. --batches are batches of 512 patches. Writes everything to bench/results/NAME.json.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denseDictionary, overcompleteDct, separableDictionary, solve } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';
import { halved, naturalPatches } from 'ght-lab';
import { flags } from './flags.js';
import { greyImages } from './images.js';

const text = (value) => ({ type: 'string', default: value });
const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true, default: [] },
  patch: text('8'),
  atoms: text('16,16'),
  results: text('learning'),
  budget: text('10'),
  threads: text('1'),
  patches: text('65536'),
  iterations: text('30'),
  batches: text('25,50,100,200,400,800,1600,3200'),
  'no-peers': { type: 'boolean', default: false },
  'no-scikit-learn': { type: 'boolean', default: false },
});
const [side, s, threads] = ['patch', 'budget', 'threads'].map((name) => +values[name]);
const [patches, iterations] = ['patches', 'iterations'].map((name) => +values[name]);
const atoms = values.atoms.split(',').map(Number);
const batches = { batch: 512, batches: values.batches.split(',').map(Number) };
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const D = separableDictionary(...atoms.map((count) => overcompleteDct(side, count).factors[0]));
const TEST_PATCHES = 8192;
const peerThreads = { OMP_NUM_THREADS: String(threads), OMP_WAIT_POLICY: 'passive', OPENBLAS_NUM_THREADS: '1' };
/** scikit-learn takes a minute of CPU time for a hundred batches. */
const SLOW_BATCHES = 50;

const images = values.images.length > 0 ? await greyImages(values.images, Number.POSITIVE_INFINITY) : await halved();
const unseen = images.filter((_, i) => i % 3 === 2);
if (unseen.length === 0) throw new Error(`--images must have at least 3 images, not ${images.length}`);
const test = naturalPatches(unseen, TEST_PATCHES, 2, side);
const scratch = mkdtempSync(join(tmpdir(), 'ght-bench-'));
const environment = {
  date: new Date().toISOString().slice(0, 10),
  ...{ node: process.version, cpu: cpus()[0].model.trim(), threads, load: loadavg()[0] },
};
for (const [name, value] of Object.entries(environment)) console.log(`${name}: ${value}`);

const learners = [];
try {
  const seen = images.filter((image) => !unseen.includes(image));
  const Y = Float32Array.from(naturalPatches(seen, patches, 1, side));
  const common = { training: join(scratch, 'training.npy'), initial: join(scratch, 'initial.npy'), s, threads };
  writeFileSync(common.training, writeNpy({ type: 'f4', shape: [patches, D.N], data: Y }));
  writeFileSync(common.initial, writeNpy({ type: 'f4', shape: [D.L, D.N], data: Float32Array.from(D.atoms.data) }));

  const own = { ...common, iterations, patch: side, atoms };
  await measure('GHT, dense', [process.execPath], here('learner.js'), { ...own, separable: false });
  await measure('GHT, separable', [process.execPath], here('learner.js'), { ...own, separable: true });
  if (!values['no-peers']) {
    const pythons = ['python3', '/usr/bin/python3'];
    const fewer = { ...batches, batches: batches.batches.filter((count) => count <= SLOW_BATCHES) };
    await measure('SPAMS', pythons, here('peers/spams_learn.py'), { ...common, ...batches });
    if (!values['no-scikit-learn'])
      await measure('scikit-learn', pythons, here('peers/sklearn_learn.py'), { ...common, ...fewer });
  }
} finally {
  rmSync(scratch, { recursive: true });
}
const start = await rmseOf(D.atoms.data);
report();
const results = here(`results/${values.results}.json`);
mkdirSync(dirname(results), { recursive: true });
const inDigits = (_, value) => (typeof value === 'number' ? Number(value.toFixed(4)) : value);
const setting = { s, patches, images: images.map(({ name }) => name), unseen: unseen.map(({ name }) => name) };
writeFileSync(results, `${JSON.stringify({ environment, ...setting, start, learners }, inDigits, 1)}\n`);

/** Runs a learner with the first of these programs that can, and measures its dictionaries; a missing one is named. */
async function measure(name, programs, script, settings) {
  const folder = mkdtempSync(join(scratch, 'learner-'));
  // Threads of BLAS inside the threads of a peer, and threads that wait busily, make SPAMS ten times slower.
  const env = { ...process.env, ...peerThreads };
  const runs = [];
  for (const program of programs) {
    const run = spawnSync(program, [script, JSON.stringify({ ...settings, folder })], { encoding: 'utf8', env });
    if (run.status === 0) {
      const { snapshots, ...about } = JSON.parse(run.stdout.trim().split('\n').at(-1));
      for (const snapshot of snapshots) {
        const { data } = readNpy(readFileSync(snapshot.file));
        Object.assign(snapshot, await rmseOf(Float64Array.from(data)));
        delete snapshot.file;
      }
      learners.push({ name, ...about, snapshots });
      return;
    }
    runs.push(run.stderr ?? String(run.error));
  }
  const missing = runs.every((error) => /ModuleNotFoundError|ENOENT/.test(error));
  if (!missing) throw new Error(`${name} failed:\n${runs.join('\n')}`);
  console.log(`${name}: not installed`);
}

/** The RMSE per unseen patch with these atoms, scaled to norm 1. */
async function rmseOf(atoms) {
  const data = atoms.slice();
  for (let l = 0; l < D.L; l++) {
    const atom = data.subarray(D.N * l, D.N * (l + 1));
    const norm = Math.hypot(...atom) || 1;
    for (let n = 0; n < D.N; n++) atom[n] /= norm;
  }
  const dictionary = denseDictionary(D.N, D.L, data);
  const by = async (solver) => (await solve(dictionary, test, { solver, budget: { perPatch: s }, threads })).rmse;
  return { joint: await by('joint-omp'), omp: await by('omp') };
}

/** Prints the course of every learner, and the time of each to every RMSE that SPAMS comes to. */
function report() {
  const table = (header, rows) =>
    console.log(`\n${[header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}`);
  console.log(`\nRMSE per unseen patch with the DCT: joint OMP ${start.joint.toFixed(2)}, OMP ${start.omp.toFixed(2)}`);
  table(
    ['learner', 'dictionaries', 'CPU s', 'wall s', 'joint OMP', 'OMP'],
    learners.map(({ name, snapshots }) => {
      const { cpu, wall, joint, omp } = snapshots.at(-1);
      return [name, snapshots.length, ...[cpu, wall, joint, omp].map((value) => value.toFixed(2))];
    }),
  );
  const spams = learners.find(({ name }) => name === 'SPAMS');
  if (!spams) return;
  const others = learners.filter((learner) => learner !== spams);
  for (const [coder, what] of [
    ['joint', 'joint OMP'],
    ['omp', 'OMP'],
  ]) {
    const cell = (learner, goal) => {
      const reached = learner.snapshots.find((each) => each[coder] <= goal[coder]);
      return reached ? `${reached.cpu.toFixed(2)} (${(goal.cpu / reached.cpu).toFixed(2)}×)` : 'not reached';
    };
    table(
      [`batches of SPAMS`, `RMSE by ${what}`, 'SPAMS, CPU s', ...others.map(({ name }) => `${name}, CPU s`)],
      spams.snapshots.map((goal) => [
        ...[goal.batches, goal[coder].toFixed(2), goal.cpu.toFixed(2)],
        ...others.map((learner) => cell(learner, goal)),
      ]),
    );
  }
}
