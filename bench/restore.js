// How well and how fast images are restored: mean PSNR (clipped to 0 … 255) and seconds per megapixel of inpainting, deblurring and
// upscaling, and what OpenCV, scikit-image and total variation give for the same data in the same run; everything in bench/restore.json.
// usage: npm run bench:restore -- --images DIR [--images DIR …] [--task inpaint,deblur,upscale] [--quality fast,balanced,best]
//                                 [--skip n] [--count n] [--crop 192] [--threads n] [--no-peers] [--kernel K.npy …]
// Images become grey, and a square of --crop pixels is cut from the middle; 0 takes them whole. --skip leaves out the first images of a
// folder, on which constants may have been tuned. Inpainting: 20, 50 and 80% of the pixels missing at random, and text. Deblurring: the
// data are the inside of a larger blurred image, so the surroundings are unknown; σ is given; --kernel adds square kernels, such as
// Levin's, with σ 2.55. Upscaling: bytes reduced by bicubic interpolation, with a border of the factor left out of the PSNR; give Set5
// as --images with --crop 0 for the usual numbers.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deblur, diskKernel, gaussianKernel, inpaint, randomSource, upscale } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';
import { reductionOperator } from '../packages/ght/dist/operators/reduction.js';
import { finish } from '../packages/ght/dist/work.js';
import { flags } from './flags.js';
import { planesOf } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  task: { type: 'string', default: 'inpaint,deblur,upscale' },
  quality: { type: 'string', default: 'fast,balanced,best' },
  skip: { type: 'string', default: '0' },
  count: { type: 'string' },
  crop: { type: 'string', default: '192' },
  threads: { type: 'string', default: String(availableParallelism()) },
  'no-peers': { type: 'boolean', default: false },
  kernel: { type: 'string', multiple: true, default: [] },
});
const threads = Number(values.threads);
const crop = Number(values.crop);
const environment = { node: process.version, cpu: cpus()[0].model.trim(), threads, load: loadavg()[0] };
for (const [name, value] of Object.entries(environment)) console.log(`${name}: ${value}`);

/** What the project promises of `best`, in dB above the best of the named methods. */
const bars = {
  'inpaint 20%': { above: /^biharmonic/, by: 3 },
  'inpaint 50%': { above: /^biharmonic/, by: 3 },
  'inpaint 80%': { above: /^biharmonic/, by: 1.5 },
  'inpaint text': { above: /^biharmonic/, by: 3 },
  'deblur shake 19×19, σ 2.55': { above: /^TV/, by: 1.5 },
  'deblur Gauss 1.6, σ 1.41': { above: /^TV/, by: 0.9 },
  'deblur uniform 9×9, σ 1.41': { above: /^TV/, by: 0.9 },
  'deblur disk 4, σ 2.55': { above: /^TV/, by: 0.9 },
};

async function allImages() {
  const images = [];
  for (const folder of values.images) {
    const names = readdirSync(folder).filter((name) => /\.(png|jpe?g|tiff?|webp|bmp)$/i.test(name));
    const chosen = names.sort().slice(Number(values.skip));
    for (const name of chosen.slice(0, values.count ? Number(values.count) : chosen.length)) {
      images.push({ name: join(folder, name), image: luma(await planesOf(join(folder, name))) });
    }
  }
  return images;
}

/** Y of YCbCr as the literature has it for colour; grey as it is. */
function luma({ width, height, planes }) {
  const [r, g, b] = planes;
  const y = planes.length === 1 ? r : r.map((_, i) => 16 + (65.481 * r[i] + 128.553 * g[i] + 24.966 * b[i]) / 255);
  return { width, height, peak: 255, planes: [Float64Array.from(y)] };
}

/** The middle of an image, `width` × `height` pixels. */
function middle(image, width, height) {
  const [left, top] = [(image.width - width) >> 1, (image.height - height) >> 1];
  const plane = Float64Array.from({ length: width * height }, (_, i) => {
    return image.planes[0][(top + Math.floor(i / width)) * image.width + left + (i % width)];
  });
  return { width, height, peak: 255, planes: [plane] };
}

/** Each scenario makes data and the picture to compare with, and says how they are restored, here and by others. */
const scenarios = {
  inpaint: () =>
    ['20%', '50%', '80%', 'text'].map((name) => ({
      name,
      degrade(image, seed) {
        const clean = squared(image, crop, 0);
        const missing = name === 'text' ? text(clean) : random(clean, Number.parseInt(name, 10) / 100, seed);
        return { clean, data: { ...clean, planes: [clean.planes[0].map((v, i) => (missing[i] ? 0 : v))] }, missing };
      },
      restore: ({ data, missing }, options) => inpaint(data, missing, options),
      peer: ({ missing, data }) => ['inpaint', { missing: [data.height, data.width, missing] }, []],
    })),
  deblur: () =>
    [
      ['shake 19×19, σ 2.55', shake(19, 4), 2.55],
      ['Gauss 1.6, σ 1.41', gaussianKernel(1.6), Math.SQRT2],
      ['uniform 9×9, σ 1.41', { width: 9, height: 9, data: new Float64Array(81).fill(1) }, Math.SQRT2],
      ['disk 4, σ 2.55', diskKernel(4), 2.55],
      ...values.kernel.map((path) => [`${basename(path)}, σ 2.55`, kernelIn(path), 2.55]),
    ].map(([name, kernel, sigma]) => ({
      name,
      degrade(image, seed) {
        const reach = kernel.width >> 1;
        const big = squared(image, crop, reach);
        const { normal } = randomSource(seed);
        const seen = convolved(big, kernel);
        const data = { ...seen, planes: [seen.planes[0].map((value) => value + sigma * normal())] };
        return { clean: middle(big, big.width - 2 * reach, big.height - 2 * reach), data };
      },
      restore: ({ data }, options) => deblur(data, kernel, { ...options, sigma }),
      peer: () => ['deblur', { kernel: [kernel.height, kernel.width, kernel.data] }, [sigma]],
    })),
  upscale: () =>
    [2, 3, 4].map((factor) => ({
      name: `×${factor}`,
      border: factor,
      degrade(image) {
        const whole = squared(image, crop, 0);
        const [width, height] = [whole.width, whole.height].map((side) => side - (side % factor));
        const clean = middle(whole, width, height);
        const size = { width: width / factor, height: height / factor };
        const small = finish(reductionOperator(clean, size, 'bicubic').apply(clean.planes[0]));
        return { clean, data: { ...size, peak: 255, planes: [small.map(Math.round)] } };
      },
      restore: ({ data }, options) => upscale(data, factor, options),
      peer: () => ['upscale', {}, [factor]],
    })),
};

/** The kernel in a file, with odd sides. */
function kernelIn(path) {
  const { shape, data } = readNpy(readFileSync(path));
  return { width: shape[1], height: shape[0], data: Float64Array.from(data) };
}

function squared(image, side, reach) {
  if (side === 0) return image;
  return middle(image, Math.min(image.width, side + 2 * reach), Math.min(image.height, side + 2 * reach));
}

function random({ width, height }, share, seed) {
  const { uniform } = randomSource(seed);
  return Uint8Array.from({ length: width * height }, () => Number(uniform() < share));
}

/** Lines of letters, 2 pixels thick, 26 pixels apart. */
function text({ width, height }) {
  const glyphs = [
    '#####..#....#....#....#....#....#..',
    '#...##...##...#######...##...##...#',
    '######....#....####.#....#....#####',
  ];
  const missing = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [line, row, column] = [Math.floor(y / 26), (y % 26) >> 1, (x + 5 * Math.floor(y / 26)) >> 1];
      const letter = glyphs[(Math.floor(column / 7) + line) % 3];
      if (row < 7 && column % 7 < 5 && letter[5 * row + (column % 7)] === '#') missing[y * width + x] = 1;
    }
  }
  return missing;
}

/** The path of a camera in an unsteady hand, from a seeded random walk. */
function shake(side, seed) {
  const { normal } = randomSource(seed);
  const data = new Float64Array(side * side);
  let [x, y, vx, vy] = [0, 0, 0.4, 0.2];
  const path = [];
  for (let k = 0; k < 400; k++) {
    [vx, vy] = [0.97 * vx + 0.12 * normal(), 0.97 * vy + 0.12 * normal()];
    [x, y] = [x + 0.12 * vx, y + 0.12 * vy];
    path.push([x, y]);
  }
  const mean = [0, 1].map((axis) => path.reduce((sum, at) => sum + at[axis], 0) / path.length);
  for (const at of path) {
    const [column, row] = at.map((value, axis) => Math.round(value - mean[axis]) + (side >> 1));
    if (column >= 0 && column < side && row >= 0 && row < side) data[row * side + column]++;
  }
  return { width: side, height: side, data };
}

/** The part of a convolution that depends on nothing outside the image. */
function convolved({ width, height, planes }, { width: side, data }) {
  const sum = data.reduce((total, weight) => total + weight, 0);
  const [w, h] = [width - side + 1, height - side + 1];
  const plane = new Float64Array(w * h);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      let value = 0;
      for (let v = 0; v < side; v++) {
        for (let u = 0; u < side; u++) {
          value += data[v * side + u] * planes[0][(y + side - 1 - v) * width + x + side - 1 - u];
        }
      }
      plane[y * w + x] = value / sum;
    }
  }
  return { width: w, height: h, peak: 255, planes: [plane] };
}

async function measure(title, scenario, images) {
  const totals = new Map();
  for (const [i, { name, image }] of images.entries()) {
    const given = scenario.degrade(image, 1000 + i);
    const outcomes = [];
    for (const quality of values.quality.split(',')) {
      const [wall, used] = [performance.now(), process.cpuUsage()];
      const { image: restored } = await scenario.restore(given, { quality, threads });
      const seconds = (performance.now() - wall) / 1e3;
      const { user, system } = process.cpuUsage(used);
      const psnr = level(restored, given.clean, scenario.border);
      outcomes.push({ what: quality, psnr, seconds, cpu: (user + system) / 1e6 });
    }
    if (!values['no-peers']) outcomes.push(...peers(given, scenario));
    for (const outcome of outcomes) {
      runs.push({ title, name, ...outcome });
      const total = totals.get(outcome.what) ?? { psnr: 0, cpu: 0, seconds: 0, pixels: 0 };
      total.psnr += outcome.psnr / images.length;
      total.cpu += outcome.cpu;
      total.seconds += outcome.seconds;
      total.pixels += given.clean.width * given.clean.height;
      totals.set(outcome.what, total);
    }
  }
  print(title, totals, images.length);
}

function print(title, totals, count) {
  console.log(
    `\n${title}, ${count} images\n| | PSNR, dB | s per megapixel | CPU s per megapixel | CPU relative to the first |\n|---|---|---|---|---|`,
  );
  const [first] = totals.values();
  for (const [what, { psnr, cpu, seconds, pixels }] of totals) {
    const each = (value) => ((value * 1e6) / pixels).toFixed(2);
    console.log(`| ${what} | ${psnr.toFixed(2)} | ${each(seconds)} | ${each(cpu)} | ${(cpu / first.cpu).toFixed(3)} |`);
  }
  const best = totals.get('best')?.psnr;
  const least = values.images.every((folder) => /set5\/?$/i.test(folder)) ? set5Bars[title] : undefined;
  if (best !== undefined && least !== undefined) {
    console.log(`the bar of best is ${least}: ${best >= least ? 'reached' : 'MISSED'}`);
  }
  const bar = bars[title] ?? (title.startsWith('deblur') ? { above: /^TV/, by: 1.5 } : undefined);
  const others = [...totals].filter(([what]) => bar?.above.test(what)).map(([, { psnr }]) => psnr);
  if (best === undefined || others.length === 0) return;
  const gain = best - Math.max(...others);
  console.log(
    `best is ${gain.toFixed(2)} dB above ${bar.above.source.slice(1)}; the bar is ${bar.by}: ${gain >= bar.by ? 'reached' : 'MISSED'}`,
  );
}

/** The results of others on the same data, if they are installed; empty without Python. */
function peers(given, scenario) {
  const [task, arrays, numbers] = scenario.peer(given);
  const save = (name, height, width, data) => {
    const path = join(scratch, `${name}.npy`);
    writeFileSync(path, writeNpy({ type: 'f8', shape: [height, width], data: Float64Array.from(data) }));
    return path;
  };
  const { data, clean } = given;
  const paths = [save('data', data.height, data.width, data.planes[0])];
  paths.push(save('clean', clean.height, clean.width, clean.planes[0]));
  for (const [name, array] of Object.entries(arrays)) paths.push(save(name, ...array));
  const script = fileURLToPath(new URL('peers/restorers.py', import.meta.url));
  for (const python of ['/usr/bin/python3', 'python3']) {
    const { status, stdout } = spawnSync(python, [script, task, ...paths, ...numbers.map(String)], {
      encoding: 'utf8',
    });
    if (status === 0) return JSON.parse(stdout);
  }
  return [];
}

/** PSNR after clipping, without the border. */
function level(image, { width, height, planes }, border = 0) {
  let [sum, count] = [0, 0];
  for (let y = border; y < height - border; y++) {
    for (let x = border; x < width - border; x++, count++) {
      const value = Math.min(255, Math.max(0, image.planes[0][y * width + x]));
      sum += (value - planes[0][y * width + x]) ** 2;
    }
  }
  return 10 * Math.log10((255 ** 2 * count) / sum);
}

/** What the project promises of `best` on Set5, in dB. */
const set5Bars = { 'upscale ×2': 36.6, 'upscale ×3': 32.8, 'upscale ×4': 30.6 };

const runs = [];
const scratch = mkdtempSync(join(tmpdir(), 'ght-bench-'));
try {
  const images = await allImages();
  for (const task of values.task.split(',')) {
    for (const scenario of scenarios[task]()) await measure(`${task} ${scenario.name}`, scenario, images);
  }
} finally {
  rmSync(scratch, { recursive: true });
}
writeFileSync(fileURLToPath(new URL('restore.json', import.meta.url)), JSON.stringify({ environment, runs }, null, 1));
