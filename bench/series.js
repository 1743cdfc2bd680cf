// Denoising of series: PSNR and time, next to page by page, and to OpenCV's fastNlMeansDenoisingMulti if python3 has cv2.
//
//     npm run bench:series [-- --quick]       --quick: one photograph, the series of the bars alone
//
// Writes bench/results/series.json. The series are made from CC0 photographs and from solids; noise has a fixed seed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoise, denoiseSeries, psnr, randomSource } from 'ght';
import { cc0Photographs } from './images.js';

const [WIDTH, HEIGHT, PAGES, SIGMA] = [256, 176, 9, 25];
const quick = process.argv.includes('--quick');
const results = fileURLToPath(new URL('results/series.json', import.meta.url));

const photographs = (await cc0Photographs()).map(({ name, image }) => ({ name, image: grey(image) }));
const chosen = photographs.slice(0, quick ? 1 : 3);
const white = (sigma) => (value, random) => value + sigma * random.normal();
const pages = (make) => Array.from({ length: PAGES }, (_, t) => make(t));

/** The kinds of series: for each photograph, or once. */
const kinds = [
  {
    name: 'panned by 1.5 pixels per page',
    of: ({ image }) => pages((t) => view(image, 90 + 1.3 * t, 30 + 0.75 * t, 0)),
  },
  { name: 'static', of: ({ image }) => pages(() => view(image, 90, 30, 0)) },
  { name: 'unrelated pages', once: () => pages((t) => unrelated(t)) },
  { name: 'rotating by 1° per page', of: ({ image }) => pages((t) => view(image, 90, 30, (t * Math.PI) / 180)) },
  {
    ...{
      name: 'panned, σ from 15 to 35 by page',
      noise: (value, random, t) => white(15 + (20 * ((3 * t) % PAGES)) / (PAGES - 1))(value, random),
    },
    of: ({ image }) => pages((t) => view(image, 90 + 1.3 * t, 30 + 0.75 * t, 0)),
  },
  { name: 'slices of a volume of solids', once: () => pages((t) => slice(t)) },
  {
    ...{ name: 'Poisson, panned', noise: poisson(2, 5), options: { noise: 'poisson-gaussian' } },
    of: ({ image }) => pages((t) => view(image, 90 + 1.3 * t, 30 + 0.75 * t, 0)),
  },
  {
    ...{ name: 'Poisson, static', noise: poisson(2, 5), options: { noise: 'poisson-gaussian' } },
    of: ({ image }) => pages(() => view(image, 90, 30, 0)),
  },
];

const opencv = openCv();
const rows = [];
for (const { name, of, once, noise = white(SIGMA), options } of quick ? kinds.slice(0, 3) : kinds) {
  for (const quality of options || quick ? ['balanced'] : ['fast', 'balanced', 'best']) {
    const clean = once ? [once()] : chosen.map(of);
    const sum = { single: 0, series: 0, opencv: 0, singleCpu: 0, seriesCpu: 0, opencvCpu: 0, depth: 0 };
    for (const [s, series] of clean.entries()) {
      const random = randomSource(7 + s);
      const noisy = series.map((plane, t) => image(plane.map((value) => noise(value, random, t))));
      // Sigma is known to all where one number describes it.
      const given = options ?? (noise.length === 2 && !name.includes('by page') ? { sigma: SIGMA } : {});
      const settings = { quality, threads: 1, ...given };
      const single = await timed(async () => {
        const all = [];
        for (const page of noisy) all.push((await denoise(page, settings)).image.planes[0]);
        return all;
      });
      let depth = 0;
      const together = await timed(async () => {
        const all = [];
        for await (const page of denoiseSeries(noisy, settings)) {
          all.push(page.image.planes[0]);
          depth += page.series.depthMean / PAGES;
        }
        return all;
      });
      sum.single += quality_(single.result, series);
      sum.series += quality_(together.result, series);
      sum.singleCpu += single.cpu;
      sum.seriesCpu += together.cpu;
      sum.depth += depth;
      if (opencv && quality === 'balanced') {
        const other = opencv(noisy.map(({ planes }) => planes[0]));
        sum.opencv += Math.max(...other.map(({ planes }) => quality_(planes, series)));
        sum.opencvCpu += other[0].seconds;
      }
    }
    const row = { name, quality };
    for (const [key, value] of Object.entries(sum)) row[key] = value / clean.length;
    if (!opencv || quality !== 'balanced') for (const key of ['opencv', 'opencvCpu']) delete row[key];
    rows.push(row);
    console.log(
      `${name.padEnd(34)} ${quality.padEnd(9)} page by page ${row.single.toFixed(2)} dB, series ${row.series.toFixed(2)} dB (${(row.series - row.single).toFixed(2)}), ` +
        `${row.depth.toFixed(1)} pages, ${(row.seriesCpu / row.singleCpu).toFixed(2)} times the time` +
        (row.opencv ? `; OpenCV ${row.opencv.toFixed(2)} dB` : ''),
    );
  }
}
const streamed = quick ? undefined : await longStream();
if (!quick) {
  const environment = { node: process.version, arch: process.arch, date: new Date().toISOString().slice(0, 10) };
  writeFileSync(
    results,
    `${JSON.stringify({ environment, pages: PAGES, size: [WIDTH, HEIGHT], rows, streamed }, null, 2)}\n`,
  );
}

/** A long stream: its memory does not depend on its length. */
async function longStream() {
  const count = 400;
  async function* stream() {
    const random = randomSource(3);
    for (let t = 0; t < count; t++) {
      const plane = view(chosen[0].image, 60 + (t % 60), 30, 0);
      yield image(plane.map((value) => white(SIGMA)(value, random)));
    }
  }
  let least = Infinity;
  let most = 0;
  for await (const { page } of denoiseSeries(stream(), { sigma: SIGMA, quality: 'fast', threads: 1 })) {
    const { rss } = process.memoryUsage();
    if (page >= 50) [least, most] = [Math.min(least, rss), Math.max(most, rss)];
  }
  const mebibytes = (bytes) => Math.round(bytes / 2 ** 20);
  console.log(`a stream of ${count} pages: from ${mebibytes(least)} to ${mebibytes(most)} MiB after page 50`);
  return { pages: count, least: mebibytes(least), most: mebibytes(most) };
}

async function timed(run) {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: (user + system) / 1e6 };
}

function quality_(planes, clean) {
  return planes.reduce((sum, plane, t) => sum + psnr(clean[t], plane, 255) / planes.length, 0);
}

function image(plane) {
  return { width: WIDTH, height: HEIGHT, planes: [plane], peak: 255 };
}

function grey({ width, height, planes }) {
  const plane = planes[0].map((_, i) => planes.reduce((sum, each) => sum + each[i], 0) / planes.length);
  return { width, height, plane };
}

/** A window of a picture that begins at (x, y), turned about its middle; between pixels, bilinear. Beyond the picture, mirrored. */
function view({ width, height, plane }, x, y, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const mirrored = (at, length) => {
    const period = 2 * (length - 1);
    const within = ((at % period) + period) % period;
    return within < length ? within : period - within;
  };
  const at = (u, v) => plane[mirrored(v, height) * width + mirrored(u, width)];
  return Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
    const [dx, dy] = [(i % WIDTH) - WIDTH / 2, Math.floor(i / WIDTH) - HEIGHT / 2];
    const [u, v] = [x + WIDTH / 2 + cos * dx - sin * dy, y + HEIGHT / 2 + sin * dx + cos * dy];
    const [left, top] = [Math.floor(u), Math.floor(v)];
    const [a, b] = [u - left, v - top];
    const above = (1 - a) * at(left, top) + a * at(left + 1, top);
    const below = (1 - a) * at(left, top + 1) + a * at(left + 1, top + 1);
    return (1 - b) * above + b * below;
  });
}

function unrelated(t) {
  const { image } = photographs[t % photographs.length];
  return view(image, t < photographs.length ? 40 : 200, t < photographs.length ? 20 : 60, 0);
}

/** A slice of a volume of ellipsoids of different brightness. */
function slice(t) {
  const random = randomSource(11);
  const between = (least, most) => least + (most - least) * random.uniform();
  const solids = Array.from({ length: 40 }, () => ({
    centre: [between(0, WIDTH), between(0, HEIGHT), between(-20, 30)],
    radii: [between(6, 40), between(6, 40), between(6, 30)],
    value: between(-60, 80),
  }));
  return Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
    const place = [i % WIDTH, Math.floor(i / WIDTH), 1.5 * t];
    const inside = ({ centre, radii }) => radii.reduce((sum, r, k) => sum + ((place[k] - centre[k]) / r) ** 2, 0) < 1;
    const sum = solids.filter(inside).reduce((all, { value }) => all + value, 90);
    return Math.min(245, Math.max(10, sum));
  });
}

/** Noise of photons with this gain, and read noise; that of many photons is nearly normal. */
function poisson(gain, read) {
  return (value, random) => value + Math.sqrt(gain * Math.max(0, value) + read ** 2) * random.normal();
}

/** Runs fastNlMeansDenoisingMulti over pages for several strengths; undefined without OpenCV. */
function openCv() {
  const found = ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['-c', 'import cv2']).status === 0);
  if (!found) {
    console.log('OpenCV is skipped: python3 has no cv2 (Debian: apt-get install python3-opencv)');
    return undefined;
  }
  const script = fileURLToPath(new URL('peers/opencv_series.py', import.meta.url));
  return (noisy) => {
    const folder = mkdtempSync(join(tmpdir(), 'ght-series-'));
    try {
      const all = new Float32Array(noisy.length * WIDTH * HEIGHT);
      for (const [t, plane] of noisy.entries()) all.set(plane, t * WIDTH * HEIGHT);
      writeFileSync(join(folder, 'noisy.bin'), all);
      const run = spawnSync(found, [script, folder, String(noisy.length), String(HEIGHT), String(WIDTH)], {
        encoding: 'utf8',
      });
      if (run.status !== 0) throw new Error(run.stderr);
      return JSON.parse(run.stdout).map(({ file, seconds }) => {
        const bytes = new Uint8Array(readFileSync(join(folder, file)));
        return {
          seconds,
          planes: noisy.map((_, t) => Float32Array.from(bytes.subarray(t * WIDTH * HEIGHT, (t + 1) * WIDTH * HEIGHT))),
        };
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}
