// How well and how fast the denoisers are: mean PSNR per folder and seconds per megapixel, and what others need for the same
// noisy images in the same run; everything in bench/denoise.json.
// usage: npm run bench:denoise -- --images DIR [--images DIR …] [--sigma 15,25,50] [--quality fast,balanced,best,learned,finest]
//                                 [--count n] [--half first|second] [--threads n] [--no-peers] [--auto]
// Noise is Gaussian, neither rounded nor clipped, with one seed per image and σ, the same for all. The noise level is given, or
// estimated with --auto. Nothing is clipped before it is measured. The first half of a folder, by name, may be used for tuning.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoise, psnr, randomSource } from 'ght';
import { writeNpy } from 'ght/npy';
import { flags } from './flags.js';
import { planesOf } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  sigma: { type: 'string', default: '15,25,50' },
  quality: { type: 'string', default: 'fast,balanced,best,learned,finest' },
  count: { type: 'string' },
  half: { type: 'string' },
  threads: { type: 'string', default: String(availableParallelism()) },
  'no-peers': { type: 'boolean', default: false },
  auto: { type: 'boolean', default: false },
});
const threads = Number(values.threads);
const environment = { node: process.version, cpu: cpus()[0].model.trim(), threads, load: loadavg()[0] };
console.log(
  Object.entries(environment)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
);

const runs = [];
const scratch = mkdtempSync(join(tmpdir(), 'ght-bench-'));
try {
  for (const folder of values.images) await measureFolder(folder);
} finally {
  rmSync(scratch, { recursive: true });
}
writeFileSync(fileURLToPath(new URL('denoise.json', import.meta.url)), JSON.stringify({ environment, runs }, null, 1));

async function measureFolder(folder) {
  const names = readdirSync(folder)
    .filter((name) => /\.(png|jpe?g|tiff?|webp)$/i.test(name))
    .sort();
  const middle = Math.ceil(names.length / 2);
  const half = values.half === 'first' ? [0, middle] : values.half === 'second' ? [middle] : [0];
  const chosen = names.slice(...half).slice(0, values.count ? Number(values.count) : names.length);
  const title = `${folder}, ${chosen.length} images${values.half ? `, ${values.half} half` : ''}`;
  console.log(
    `\n${title}\n| | σ | PSNR, dB | s per megapixel | CPU s per megapixel | CPU relative to the first |\n|---|---|---|---|---|---|`,
  );
  for (const sigma of values.sigma.split(',').map(Number)) {
    const totals = new Map();
    for (const name of chosen) {
      const clean = await planesOf(join(folder, name));
      const seed = 1000 * sigma + names.indexOf(name) + 1;
      const noisy = withNoise(clean, sigma, seed);
      const outcomes = [];
      for (const quality of values.quality.split(',')) outcomes.push(await ours(quality, noisy, clean, sigma));
      if (!values['no-peers']) outcomes.push(...peers(noisy, clean, sigma));
      for (const outcome of outcomes) {
        runs.push({ folder, name, sigma, width: clean.width, height: clean.height, ...outcome });
        const total = totals.get(outcome.what) ?? { psnr: 0, seconds: 0, cpu: 0, pixels: 0 };
        total.psnr += outcome.psnr / chosen.length;
        total.seconds += outcome.seconds;
        total.cpu += outcome.cpu;
        total.pixels += clean.width * clean.height;
        totals.set(outcome.what, total);
      }
    }
    const [first] = totals.values();
    for (const [what, { psnr: level, seconds, cpu, pixels }] of totals) {
      const each = (value) => ((value * 1e6) / pixels).toFixed(2);
      const ratio = (cpu / first.cpu).toFixed(2);
      console.log(`| ${what} | ${sigma} | ${level.toFixed(2)} | ${each(seconds)} | ${each(cpu)} | ${ratio} |`);
    }
  }
}

async function ours(quality, noisy, clean, sigma) {
  const [wall, used] = [performance.now(), process.cpuUsage()];
  const { image, noise } = await denoise(noisy, { sigma: values.auto ? 'auto' : sigma, quality, threads });
  const seconds = (performance.now() - wall) / 1e3;
  const { user, system } = process.cpuUsage(used);
  const estimated = values.auto ? { estimate: noise.kind === 'white' ? noise.sigma : noise.kind } : {};
  return { what: quality, psnr: level(image, clean), seconds, cpu: (user + system) / 1e6, ...estimated };
}

/** The results of scikit-image and OpenCV, if installed, on the same noisy image; empty without Python. */
function peers(noisy, clean, sigma) {
  const paths = [noisy, clean].map(({ width, height, planes }, i) => {
    const data = Float32Array.from({ length: width * height * planes.length }, (_, n) => {
      return planes[n % planes.length][Math.floor(n / planes.length)];
    });
    const path = join(scratch, `${i}.npy`);
    writeFileSync(path, writeNpy({ type: 'f4', shape: [height, width, planes.length], data }));
    return path;
  });
  const script = fileURLToPath(new URL('peers/denoisers.py', import.meta.url));
  for (const python of ['/usr/bin/python3', 'python3']) {
    const { status, stdout } = spawnSync(python, [script, ...paths, String(sigma)], { encoding: 'utf8' });
    if (status === 0) return JSON.parse(stdout);
  }
  return [];
}

function withNoise(image, sigma, seed) {
  const random = randomSource(seed);
  return { ...image, planes: image.planes.map((plane) => plane.map((value) => value + sigma * random.normal())) };
}

function level(image, clean) {
  const all = ({ planes }) =>
    Float32Array.from({ length: planes.length * planes[0].length }, (_, i) => {
      return planes[Math.floor(i / planes[0].length)][i % planes[0].length];
    });
  return psnr(all(image), all(clean), 255);
}
