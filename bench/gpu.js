// The WebGPU engine compared with PyTorch on the same GPU and the same patches: prints tables. The whole benchmark writes bench/results/gpu.json.
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
import { recipeOf } from '../packages/ght/dist/denoisers/groups/recipes.js';
import { shippedModel } from '../packages/ght/dist/denoisers/learned/shipped.js';
import { engines } from '../packages/ght/dist/engines/engines.js';
import { entryPoint, Gpu } from '../packages/ght/dist/engines/webgpu/gpu.js';
import { signalsIn } from '../packages/ght/dist/image/signals.js';
import { denseDictionary, gaussianDictionary, overcompleteDct, randomSource } from '../packages/ght/dist/index.js';
import { readNpy, writeNpy } from '../packages/ght/dist/npy.js';
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
  console.error(`no GPU: ${state.reason}`);
  process.exit(1);
}
console.log(`${state.offers}\n`);

/** The name of D in the tables. */
const SEPARABLE = '64×100';
const D = overcompleteDct(8, 10);
const dense = gaussianDictionary(64, 256, 1);
const Y = patchesOf(pictures, 2 ** most);
const RHO = { qpm: 0.1, admm: 1 };
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** A number with at most four digits after the point, in the tables and in the file. */
const inDigits = (_, value) => (typeof value === 'number' ? Number(value.toFixed(4)) : value);

/** Prints rows of one kind below each other, and returns them. */
function printed(title, rows) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const cells = (row) =>
    names.map((name) => (typeof row[name] === 'number' ? String(inDigits('', row[name])) : (row[name] ?? '')));
  const table = [names, ...rows.map(cells)];
  const widths = names.map((_, i) => Math.max(...table.map((line) => line[i].length)));
  const isNumber = (i) => rows.some((row) => typeof row[names[i]] === 'number');
  const line = (texts) =>
    texts.map((text, i) => (isNumber(i) ? text.padStart(widths[i]) : text.padEnd(widths[i]))).join('   ');
  console.log(`${title}\n${table.map((texts) => `  ${line(texts).trimEnd()}`).join('\n')}\n`);
  return rows;
}

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
    const run = { first: done + 1, most: n - done, terms: () => ({ S, rho }), tolerance: 0, least: 0 };
    done += (await loaded.iterations(solver, run)).length;
  }
}

/** Milliseconds per iteration of QPM and ADMM for 2^bits patches and 10 atoms per patch. */
async function iterationTimes(name, dictionary, bits) {
  const P = 2 ** bits;
  const loading = performance.now();
  const loaded = await gpu.load(dictionary, signalsIn(Y.subarray(0, 64 * P), 64));
  const loadMs = performance.now() - loading;
  const rows = [];
  for (const solver of ['qpm', 'admm']) {
    loaded.reset();
    const n = asked.quick ? 4 : 100;
    const ms = (await timed(() => iterations(loaded, solver, 10 * P, RHO[solver], n))) / n;
    rows.push({ solver, dictionary: name, bits, ms, loadMs });
  }
  loaded.dispose();
  return rows;
}

/** Milliseconds of OMP and joint OMP for 10 atoms per patch. */
async function pursuitTimes(bits) {
  const P = 2 ** bits;
  const loaded = await gpu.load(D, signalsIn(Y.subarray(0, 64 * P), 64));
  const stop = { maxIterations: 100, tolerance: 0 };
  const rows = [];
  for (const [solver, run] of [
    ['omp', () => loaded.sweep('omp', 10, stop)],
    ['joint-omp', () => loaded.jointOmp(10 * P)],
  ]) {
    const ms = await timed(run, { rounds: asked.quick ? 1 : 3 });
    rows.push({ solver, bits, ms, nsPerPatch: (1e6 * ms) / P });
  }
  loaded.dispose();
  return rows;
}

/** What one iteration takes on the CPU of the same machine, with all its threads. */
async function iterationTimesOnCpu(bits) {
  const P = 2 ** bits;
  const loaded = await engines.wasm.load(D, signalsIn(Y.subarray(0, 64 * P), 64));
  const rows = [];
  for (const solver of ['qpm', 'admm']) {
    loaded.reset();
    const ms = await timed(() => loaded.iterate(solver, 10 * P, RHO[solver]), { rounds: 5 });
    rows.push({ solver, bits, threads: loaded.info.threads, ms });
  }
  loaded.dispose();
  return rows;
}

/** Vectors of 16 bytes that a thread copies, and threads of a workgroup. */
const [COPIED, COPIERS] = [4, 256];
const each = Array.from({ length: COPIED }, (_, i) => i);
const copyKernel = `
@group(0) @binding(0) var<storage, read> input: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4f>;
${entryPoint(COPIERS)}
  let first = ${COPIED * COPIERS}u * group + me;
  if (first >= arrayLength(&input)) { return; }
  ${each.map((i) => `let x${i} = input[first + ${i * COPIERS}u];`).join(' ')}
  ${each.map((i) => `output[first + ${i * COPIERS}u] = x${i};`).join(' ')}
}`;

/** Gigabytes per second that a kernel reads and writes which only copies: the ceiling of the iterations. */
async function copyRate() {
  const own = await Gpu.open();
  const scope = own.scope();
  const perGroup = 16 * COPIED * COPIERS;
  const { maxBufferSize, maxStorageBufferBindingSize } = own.limits;
  const most = Math.min(2 ** (asked.quick ? 20 : 30), maxBufferSize, maxStorageBufferBindingSize);
  const groups = Math.floor(most / perGroup);
  const bytes = groups * perGroup;
  const [input, output] = await own.allocated(() => [scope.buffer(bytes), scope.buffer(bytes)]);
  const kernel = await own.kernel(copyKernel, 'copy');
  const buffers = kernel.bind({ input, output });
  const copies = 20;
  const ms = await timed(async () => {
    const batch = own.batch();
    for (let i = 0; i < copies; i++) batch.run(kernel, buffers, groups);
    batch.submit();
    await own.done();
  });
  own.dispose();
  return { MiB: bytes / 2 ** 20, GBs: (2 * bytes * copies) / ms / 1e6 };
}

/** A picture with this number of pixels on each side, mirrored from a photograph in units of 25, and the same with noise of deviation 1. */
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

/** A picture as a tile for the denoisers. */
const tileOf = (samples, side) => ({
  ...{ width: side, height: side, channels: 1 },
  *read(_c, into) {
    into.set(samples);
    yield 1;
  },
});

/** Denoising with an engine: milliseconds, and the PSNR in dB. */
async function denoisingTimes(engine, side, options) {
  const { clean, noisy } = pictureOf(side);
  const tile = tileOf(noisy, side);
  const rows = [];
  for (const quality of ['fast', 'balanced', 'best', 'learned']) {
    try {
      const denoiser = await denoiserOf(engine, quality, side * side);
      const ms = await timed(() => denoiser.run(tile), options);
      rows.push({ quality, side, ms, psnr: psnr(clean, (await denoiser.run(tile))[0]) });
    } catch (error) {
      rows.push({ quality, side, failed: error.message });
    }
  }
  return rows;
}

/** PyTorch on the same GPU and the same patches; an empty list where it is not installed. */
function torchTimes() {
  const found = spawnSync('python3', ['-c', 'import torch; assert torch.cuda.is_available()'], { stdio: 'ignore' });
  if (found.status !== 0) {
    console.log('PyTorch with a GPU is not installed here: measured alone\n');
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'ght-gpu-'));
  try {
    const atoms = Float32Array.from(D.atoms.data);
    writeFileSync(join(folder, 'patches.npy'), writeNpy({ type: 'f4', shape: [2 ** most, 64], data: Y }));
    writeFileSync(join(folder, 'dictionary.npy'), writeNpy({ type: 'f4', shape: [100, 64], data: atoms }));
    const lines = execFileSync('python3', [here('peers/torch_ght.py'), folder, ...sizes.map(String)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1e8,
    });
    return lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The time of PyTorch divided by ours, per solver, size and form. */
function ratiosOf(ours, peers) {
  return peers.map(({ solver, form, bits, ms }) => {
    const own = ours.find((row) => row.solver === solver && row.bits === bits && row.dictionary === SEPARABLE);
    return { solver, bits, form, ratio: ms / own.ms };
  });
}

const inTurn = async (list, measure) => {
  const rows = [];
  for (const each of list) rows.push(...(await measure(each)));
  return rows;
};

// The CPU comes last: while its threads end, the GPU is measured too slow.
const [copy] = printed('Copy', [await copyRate()]);
const problems = [
  ...sizes.map((bits) => [SEPARABLE, D, bits]),
  ['dense 64×256', denseDictionary(64, 256, dense.atoms.data), Math.min(most, 17)],
];
const ours = printed('Iterations, ms each', await inTurn(problems, (problem) => iterationTimes(...problem)));
const pursuits = printed('Pursuits', await inTurn(sizes, pursuitTimes));
const sides = asked.quick ? [64] : [1024, 4096];
const denoising = printed('Denoising', await inTurn(sides, (side) => denoisingTimes(gpu, side)));
const peers = asked['no-peers'] ? [] : torchTimes();
if (peers.length > 0) printed('PyTorch', peers);
const ratios = ratiosOf(ours, peers);
if (ratios.length > 0) printed('PyTorch, times ours', ratios);
const onCpu = {
  iterations: printed('Iterations on the CPU', await iterationTimesOnCpu(sizes.at(-1))),
  denoising: printed('Denoising on the CPU', await denoisingTimes(engines.wasm, sides[0], { warm: 0, rounds: 1 })),
};

const environment = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpu: cpus()[0]?.model.trim(),
  adapter: state.offers,
};
const result = { environment, copy, iterations: ours, pursuits, denoising, peers, ratios, onCpu };
// The tables in the docs need all of it.
const isWhole = !asked.quick && most >= 20 && peers.length > 0 && denoising.every(({ failed }) => !failed);
if (isWhole) writeFileSync(here('results/gpu.json'), `${JSON.stringify(result, inDigits, 1)}\n`);
else console.log('bench/results/gpu.json is left as it is: that was not the whole benchmark');
process.exit(0);
