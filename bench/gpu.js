// The WebGPU engine beside PyTorch on the same GPU and the same patches: prints tables, and writes bench/results/gpu.json.
// usage: npm run bench:gpu [-- --most 20] [-- --pictures FOLDER] [-- --write-pictures FOLDER] [-- --no-peers] [-- --quick]
// --most n            problems of at most 2^n patches (default: 20)
// --pictures FOLDER   take patches from the grey .npy pictures in a folder, for a machine without the packages that read photographs
// --write-pictures    write those pictures, and end
// --no-peers          without PyTorch, which is looked for as python3 -c "import torch"
// --quick             small problems and few iterations, to see that it works
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shippedModel } from '../packages/ght/dist/denoisers/learned/shipped.js';
import { engines } from '../packages/ght/dist/engines/engines.js';
import { Gpu } from '../packages/ght/dist/engines/webgpu/gpu.js';
import { recipeOf } from '../packages/ght/dist/groups/recipes.js';
import {
  denseDictionary,
  gaussianDictionary,
  overcompleteDct,
  randomSource,
  readNpy,
  spectralNormSquared,
  writeNpy,
} from '../packages/ght/dist/index.js';
import { signalsIn } from '../packages/ght/dist/signal/signals.js';
import { flags } from './flags.js';

const asked = flags(import.meta.filename, {
  most: { type: 'string', default: '20' },
  pictures: { type: 'string' },
  'write-pictures': { type: 'string' },
  'no-peers': { type: 'boolean' },
  quick: { type: 'boolean' },
});
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const most = asked.quick ? 10 : Number(asked.most);
const sizes = asked.quick ? [10] : [14, 17, 20].filter((bits) => bits <= most);

/** Grey photographs, as `{ width, height, samples }`. */
async function photographs() {
  if (asked.pictures) {
    const files = readdirSync(asked.pictures).filter((name) => name.endsWith('.npy'));
    return files.sort().map((name) => {
      const { shape, data } = readNpy(readFileSync(join(asked.pictures, name)));
      return { width: shape[1], height: shape[0], samples: data };
    });
  }
  const { halved, paperSized } = await import('ght-lab');
  return [...(await halved()), ...(await paperSized())].map(({ image }) => ({
    width: image.width,
    height: image.height,
    samples: image.planes[0],
  }));
}

/** P patches of 8×8 in the order of the pictures: from every second place of every second row, then from those between. */
function patchesOf(pictures, P) {
  const Y = new Float32Array(64 * P);
  let p = 0;
  for (const { width, height, samples } of pictures)
    for (const [dx, dy] of [
      [0, 0],
      [1, 1],
      [0, 1],
      [1, 0],
    ])
      for (let y = dy; y <= height - 8; y += 2)
        for (let x = dx; x <= width - 8 && p < P; x += 2, p++)
          for (let n = 0; n < 64; n++) Y[64 * p + n] = samples[(y + (n >> 3)) * width + x + (n & 7)];
  if (p < P) throw new Error(`the pictures have ${p} patches, but ${P} are needed`);
  return Y;
}

const pictures = await photographs();
if (asked['write-pictures']) {
  mkdirSync(asked['write-pictures'], { recursive: true });
  for (const [i, { width, height, samples }] of pictures.entries()) {
    const bytes = writeNpy({ type: 'u1', shape: [height, width], data: Uint8Array.from(samples, Math.round) });
    writeFileSync(join(asked['write-pictures'], `${i}.npy`), bytes);
  }
  process.exit(0);
}

const gpu = engines.webgpu;
const state = await gpu.probe();
if (!state.available) {
  console.error(`no GPU: ${state.why}`);
  process.exit(1);
}
console.log(`${state.offers}\n`);

const D = overcompleteDct(8, 10);
const dense = gaussianDictionary(64, 256, 1);
const Y = patchesOf(pictures, 2 ** most);
const RHO = { qpm: 0.1, admm: 1 };
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rows = [];
const tell = (row) => {
  rows.push(row);
  console.log(
    Object.entries(row)
      .map(([name, value]) => (name === 'what' ? value : `${value} ${name}`))
      .join(', '),
  );
};

/** Runs work until it has been busy for a while, since an idle card has low clocks; then gives the median time. */
async function timed(run, { warm = 300, rounds = asked.quick ? 1 : 5 } = {}) {
  await run();
  for (const start = performance.now(); !asked.quick && performance.now() - start < warm; ) await run();
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** n more iterations in batches, as the solvers run them. */
async function iterations(loaded, solver, S, rho, n) {
  for (let done = 0; done < n; ) {
    const run = { first: done + 1, most: n - done, rho: () => rho, tolerance: 0, least: 0 };
    done += (await loaded.iterations(solver, S, run)).length;
  }
}

async function globalSolvers(name, dictionary, bits, s) {
  const P = 2 ** bits;
  const loading = performance.now();
  const loaded = await gpu.load(dictionary, signalsIn(Y.subarray(0, 64 * P), 64));
  const loadMs = performance.now() - loading;
  for (const solver of ['qpm', 'admm']) {
    loaded.reset();
    const n = asked.quick ? 4 : 100;
    const ms = (await timed(() => iterations(loaded, solver, s * P, RHO[solver], n))) / n;
    tell({
      what: `${solver} ${name}`,
      P: `2^${bits}`,
      'ms per iteration': ms.toFixed(4),
      'load ms': loadMs.toFixed(0),
    });
  }
  loaded.dispose();
}

async function pursuits(bits) {
  const P = 2 ** bits;
  const loaded = await gpu.load(D, signalsIn(Y.subarray(0, 64 * P), 64));
  const stop = { maxIterations: 100, tolerance: 0 };
  for (const [what, run] of [
    ['omp, 10 atoms', () => loaded.sweep('omp', 10, stop)],
    ['joint-omp, 10 per patch', () => loaded.jointOmp(10 * P)],
  ]) {
    const ms = await timed(run, { rounds: asked.quick ? 1 : 3 });
    tell({ what, P: `2^${bits}`, ms: ms.toFixed(2), 'ns per patch': ((1e6 * ms) / P).toFixed(2) });
  }
  loaded.dispose();
}

/** What one iteration takes on the CPU of the same machine, with all its threads. */
async function onCpu(bits) {
  const P = 2 ** bits;
  const loaded = await engines.wasm.load(D, signalsIn(Y.subarray(0, 64 * P), 64));
  for (const solver of ['qpm', 'admm']) {
    loaded.reset();
    const ms = await timed(() => loaded.iterate(solver, 10 * P, RHO[solver]), { rounds: 5 });
    tell({
      what: `${solver} 64×100, ${loaded.info.threads} threads of the CPU`,
      P: `2^${bits}`,
      'ms per iteration': ms.toFixed(4),
    });
  }
  loaded.dispose();
}

/** Bytes per second that a copy within the GPU's memory reads and writes: the ceiling of the iterations. */
async function copyRate() {
  const own = await Gpu.open();
  const room = own.room();
  const bytes = Math.min(2 ** (asked.quick ? 20 : 30), own.limits.maxBufferSize);
  const [from, to] = await own.allocated(() => [room.buffer(bytes), room.buffer(bytes)]);
  const copies = 20;
  const ms = await timed(async () => {
    const batch = own.batch();
    for (let i = 0; i < copies; i++) batch.copy(from, 0, to, 0, bytes);
    batch.submit();
    await own.done();
  });
  tell({ what: 'copy', bytes: `${bytes / 2 ** 20} MiB`, 'GB/s': ((2 * bytes * copies) / ms / 1e6).toFixed(0) });
  own.dispose();
}

/** A picture of so many pixels on each side, mirrored from a photograph in units of 25, and the same with noise of deviation 1. */
function pictureOf(side) {
  const { width, height, samples } = pictures[0];
  const random = randomSource(2);
  const mirror = (i, n) => (i % (2 * n) < n ? i % (2 * n) : 2 * n - 1 - (i % (2 * n)));
  const clean = Float32Array.from(
    { length: side * side },
    (_, i) => samples[mirror(Math.floor(i / side), height) * width + mirror(i % side, width)] / 25,
  );
  return { clean, noisy: clean.map((x) => x + random.normal()) };
}

/** PSNR in dB for a peak of 255/25. */
function psnr(clean, estimate) {
  const sum = clean.reduce((so, x, i) => so + (x - estimate[i]) ** 2, 0);
  return 10 * Math.log10(10.2 ** 2 / (sum / clean.length));
}

async function denoiserOf(engine, quality, pixels) {
  if (quality === 'learned') return engine.learned(await shippedModel(), pixels);
  return engine.denoiser(recipeOf(quality), pixels);
}

/** Denoising, beside the CPU at the smaller size. */
async function denoising(side, { beside }) {
  const { clean, noisy } = pictureOf(side);
  const tile = {
    width: side,
    height: side,
    channels: 1,
    *read(_c, into) {
      into.set(noisy);
      yield 1;
    },
  };
  for (const quality of ['fast', 'balanced', 'best', 'learned']) {
    const row = { what: `denoise ${quality}`, pixels: `${side}×${side}` };
    try {
      const denoiser = await denoiserOf(gpu, quality, side * side);
      const ms = await timed(() => denoiser.run(tile), { rounds: 5 });
      const dB = psnr(clean, (await denoiser.run(tile))[0]);
      Object.assign(row, { ms: ms.toFixed(1), 'PSNR dB': dB.toFixed(3) });
      if (beside) {
        const cpu = await denoiserOf(engines.wasm, quality, side * side);
        const theirs = await timed(() => cpu.run(tile), { warm: 0, rounds: 1 });
        const difference = dB - psnr(clean, (await cpu.run(tile))[0]);
        Object.assign(row, { 'CPU ms': theirs.toFixed(0), 'PSNR less that of the CPU': difference.toFixed(4) });
      }
    } catch (error) {
      row.failed = error.message;
    }
    tell(row);
  }
}

await copyRate();
for (const bits of sizes) await globalSolvers('64×100', D, bits, 10);
await globalSolvers(
  'dense 64×256',
  denseDictionary(64, 256, dense.atoms.data),
  Math.min(most, asked.quick ? 10 : 17),
  10,
);
for (const bits of sizes) await pursuits(bits);
await onCpu(sizes.at(-1));
for (const [i, side] of (asked.quick ? [64] : [1024, 4096]).entries()) await denoising(side, { beside: i === 0 });

const peers = [];
const hasTorch =
  !asked['no-peers'] &&
  spawnSync('python3', ['-c', 'import torch; assert torch.cuda.is_available()'], { stdio: 'ignore' }).status === 0;
if (hasTorch) {
  const folder = mkdtempSync(join(tmpdir(), 'ght-gpu-'));
  try {
    writeFileSync(join(folder, 'patches.npy'), writeNpy({ type: 'f4', shape: [2 ** most, 64], data: Y }));
    writeFileSync(
      join(folder, 'dictionary.npy'),
      writeNpy({ type: 'f4', shape: [100, 64], data: Float32Array.from(D.atoms.data) }),
    );
    const args = [here('peers/torch_ght.py'), folder, ...sizes.map(String)];
    const printed = execFileSync('python3', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1e8,
    });
    for (const line of printed.trim().split('\n')) {
      const peer = JSON.parse(line);
      peers.push(peer);
      const ours = rows.find(({ what, P }) => what === `${peer.solver} 64×100` && P === `2^${peer.bits}`);
      const ratio = ours ? `${(peer.ms / Number(ours['ms per iteration'])).toFixed(1)} times ours` : '';
      console.log(
        `PyTorch ${peer.form}  ${peer.solver}  2^${peer.bits}  ${peer.ms.toFixed(3)} ms per iteration  ${ratio}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
} else if (!asked['no-peers']) console.log('PyTorch with a GPU is not installed here: measured alone');

const date = new Date().toISOString().slice(0, 10);
const result = {
  date,
  node: process.version,
  cpu: cpus()[0]?.model.trim(),
  adapter: state.offers,
  norm: spectralNormSquared(D),
  rows,
  peers,
};
if (!asked.quick) writeFileSync(here('results/gpu.json'), `${JSON.stringify(result, null, 2)}\n`);
process.exit(0);
