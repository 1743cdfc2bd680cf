// Quality of denoising without any options: real pairs of a noisy and a clean photograph, and clean images with noise of many
// kinds, compared with OpenCV's non-local means if it is installed. Writes everything to bench/results/real.json.
// usage: npm run bench:real -- [--polyu DIR] [--cc DIR] [--kodak-like DIR] [--count n] [--quality fast,balanced,best]
//                              [--sigma 5,15,25,50] [--threads n] [--no-peers]
// --polyu and --cc are folders of pairs, *_real.* and *_mean.*; --kodak-like is a folder of clean images; --count takes n
// of each, evenly by name. The PSNR is that of rounded and clipped images, averaged over images. Seconds are CPU time.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoise, diagnose, readJpegInfo } from 'ght';
import { writeNpy } from 'ght/npy';
import { asBytes, asJpeg, interleaved, withBanding, withBlurred, withSaltAndPepper, withWhite } from './defects.js';
import { flags } from './flags.js';
import { meanOf, planesOf } from './images.js';
import { level, timed } from './outcome.js';

const values = flags(import.meta.filename, {
  polyu: { type: 'string' },
  cc: { type: 'string' },
  'kodak-like': { type: 'string' },
  count: { type: 'string' },
  quality: { type: 'string', default: 'fast,balanced,best' },
  sigma: { type: 'string', default: '5,15,25,50' },
  threads: { type: 'string', default: String(availableParallelism()) },
  'no-peers': { type: 'boolean', default: false },
});
const threads = Number(values.threads);
const qualities = values.quality.split(',');
const environment = { node: process.version, cpu: cpus()[0].model.trim(), threads, load: loadavg()[0] };
const results = fileURLToPath(new URL('results/real.json', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ght-bench-'));
/** Every table: its title, and for each row its name, the PSNR of each image, and other measurements. */
const tables = [];
/** Whether OpenCV is installed: known after the first call. */
let opencv = !values['no-peers'];

try {
  for (const [name, value] of Object.entries(environment)) console.log(`${name}: ${value}`);
  for (const set of ['polyu', 'cc']) if (values[set]) await realPairs(set, values[set]);
  if (values['kodak-like']) await cleanImages(values['kodak-like']);
} finally {
  rmSync(scratch, { recursive: true });
}
mkdirSync(dirname(results), { recursive: true });
const inDigits = (_, value) => (typeof value === 'number' ? Number(value.toFixed(4)) : value);
writeFileSync(results, `${JSON.stringify({ environment, tables }, inDigits, 1)}\n`);

/** Pairs of photographs of a still scene: a single exposure, and the mean of many. */
async function realPairs(set, folder) {
  const names = chosen(folder, /_real\.\w+$/i);
  const table = newTable(`${set}, ${names.length} pairs`, names);
  for (const name of names) {
    const bytes = readFileSync(join(folder, name));
    const [noisy, clean] = [await planesOf(bytes), await planesOf(meanOf(folder, name))];
    const read = readJpegInfo(bytes);
    noise(table, noisy, clean);
    for (const quality of qualities) {
      if (read) await ours(table, `${quality}, tables read`, noisy, clean, { quality, jpeg: read });
      await ours(table, `${quality}, tables ${read ? 'not read' : 'unknown'}`, noisy, clean, { quality });
    }
    await ours(table, 'balanced, strength 1.4', noisy, clean, { jpeg: read, strength: 1.4 });
    peers(table, noisy, clean, [3, 5]);
  }
  print(table);
}

/** Clean images: unchanged, and with noise of many kinds. */
async function cleanImages(folder) {
  const names = chosen(folder, /\.(png|jpe?g|tiff?|webp)$/i);
  const images = [];
  for (const name of names) images.push(await planesOf(join(folder, name)));
  const on = `${basename(folder)}, ${images.length} images`;
  const each = async (title, measure) => {
    const table = newTable(`${title}; ${on}`, names);
    for (const [i, clean] of images.entries()) await measure(table, clean, i + 1);
    print(table);
  };

  for (const sigma of values.sigma.split(',').map(Number)) {
    await each(`white noise, σ = ${sigma}`, async (table, clean, seed) => {
      const noisy = withWhite(clean, sigma, 1000 * sigma + seed);
      noise(table, noisy, clean);
      await ours(table, 'balanced, blind', noisy, clean, {});
      await ours(table, 'balanced, σ told', noisy, clean, { sigma });
    });
  }
  for (const quality of [70, 90]) {
    await each(`noise of σ = 15, then JPEG ${quality}`, async (table, clean, seed) => {
      const file = await asJpeg(withWhite(clean, 15, seed), quality);
      const noisy = await planesOf(file);
      noise(table, noisy, clean);
      await ours(table, 'balanced, tables read', noisy, clean, { jpeg: readJpegInfo(file) });
      await ours(table, 'balanced, tables not read', noisy, clean, {});
      await ours(table, 'balanced, σ told', noisy, clean, { sigma: 15 });
    });
    await each(`no noise, JPEG ${quality}`, async (table, clean) => {
      const file = await asJpeg(clean, quality);
      const noisy = await planesOf(file);
      noise(table, noisy, clean);
      await ours(table, 'balanced, tables read', noisy, clean, { jpeg: readJpegInfo(file) });
    });
  }
  await each('no noise', async (table, clean) => {
    await ours(table, 'balanced, blind', asBytes(clean), clean, {});
  });
  await each('noise of σ = 20, blurred by a Gaussian of one pixel', async (table, clean, seed) => {
    const noisy = asBytes(withBlurred(clean, 20, seed));
    noise(table, noisy, clean);
    await ours(table, 'balanced, blind', noisy, clean, {});
    peers(table, noisy, clean, [5, 10, 20, 30]);
  });
  await each('salt and pepper, 5%', async (table, clean, seed) => {
    const noisy = asBytes(withSaltAndPepper(clean, 0.05, seed));
    noise(table, noisy, clean);
    await ours(table, 'balanced, blind', noisy, clean, {});
    await ours(table, 'balanced, impulses off', noisy, clean, { impulses: 'off' });
  });
  await each('banding of σ = 10', async (table, clean, seed) => {
    const noisy = asBytes(withBanding(clean, 10, seed));
    noise(table, noisy, clean);
    await ours(table, 'balanced, blind', noisy, clean, {});
    await ours(table, 'balanced, banding off', noisy, clean, { banding: 'off' });
  });
  await each('cost, on noise of σ = 20 that is blurred', async (table, clean, seed) => {
    const noisy = asBytes(withBlurred(clean, 20, seed));
    await ours(table, 'balanced, white σ told', noisy, clean, { sigma: 20, impulses: 'off', banding: 'off' });
    await ours(table, 'balanced, blind', noisy, clean, {});
    const { seconds, cpu } = await timed(() => diagnose(noisy));
    add(table, { what: 'the estimate alone', seconds, cpu }, noisy);
  });
  const [white, blind, estimate] = tables[tables.length - 1].rows.map(({ cpu }) => cpu);
  const share = `${((100 * estimate) / white).toFixed(0)}%`;
  console.log(`\nCPU of white noise: blind takes ${(blind / white).toFixed(2)} times as much, the estimate ${share}`);
}

function chosen(folder, pattern) {
  const names = readdirSync(folder).filter((name) => pattern.test(name));
  if (names.length === 0) throw new Error(`${folder} holds no images of this kind: ${pattern}`);
  const count = Math.min(names.length, values.count ? Number(values.count) : names.length);
  names.sort();
  return Array.from({ length: count }, (_, i) => names[Math.floor((i * names.length) / count)]);
}

function newTable(title, images) {
  const table = { title, images, rows: [] };
  tables.push(table);
  return table;
}

/** Adds the result of one contender on one image to its row. */
function add({ rows }, { what, psnr = null, seconds = 0, cpu = 0, kind }, { width, height }) {
  if (!rows.some((each) => each.what === what)) {
    rows.push({ what, psnr: [], seconds: 0, cpu: 0, megapixels: 0, kinds: {} });
  }
  const row = rows.find((each) => each.what === what);
  row.psnr.push(psnr);
  row.seconds += seconds;
  row.cpu += cpu;
  row.megapixels += (width * height) / 1e6;
  if (kind) row.kinds[kind] = (row.kinds[kind] ?? 0) + 1;
}

function noise(table, noisy, clean) {
  add(table, { what: 'noisy', psnr: level(noisy, clean) }, clean);
}

async function ours(table, what, noisy, clean, options) {
  const { result, ...took } = await timed(() => denoise(noisy, { quality: 'balanced', threads, ...options }));
  const kind = result.changed ? result.noise.kind : 'none';
  add(table, { what, psnr: level(result.image, clean), ...took, kind }, clean);
}

/** OpenCV on the same image, at several strengths. If it is not installed, it is left out, with one message. */
function peers(table, noisy, clean, strengths) {
  if (!opencv) return;
  const paths = [noisy, clean].map((image, i) => {
    const path = join(scratch, `${i}.npy`);
    const shape = [image.height, image.width, image.planes.length];
    writeFileSync(path, writeNpy({ type: 'u1', shape, data: interleaved(image) }));
    return path;
  });
  const script = fileURLToPath(new URL('peers/opencv_nlm.py', import.meta.url));
  for (const python of ['/usr/bin/python3', 'python3']) {
    const { status, stdout } = spawnSync(python, [script, ...paths, ...strengths.map(String)], { encoding: 'utf8' });
    if (status !== 0) continue;
    for (const outcome of JSON.parse(stdout)) add(table, outcome, clean);
    return;
  }
  opencv = false;
  console.log('\nOpenCV is not installed: non-local means is left out');
}

function print({ title, rows }) {
  const noisy = rows.find(({ what }) => what === 'noisy');
  const mean = ({ psnr }) => {
    const finite = psnr.filter((value) => value !== null);
    return finite.length === 0 ? undefined : finite.reduce((sum, value) => sum + value, 0) / finite.length;
  };
  console.log(
    `\n${title}\n| | PSNR, dB | lowest | gain | CPU s per megapixel | taken for |\n|---|---|---|---|---|---|`,
  );
  for (const row of rows) {
    const value = mean(row);
    const same = row.psnr.filter((each) => each === null).length;
    const finite = row.psnr.filter((each) => each !== null);
    const cells = [
      row.what,
      [value?.toFixed(2), same > 0 && row.kinds.none ? `${same} unchanged` : undefined].filter(Boolean).join(', ') ||
        '–',
      finite.length === 0 ? '–' : Math.min(...finite).toFixed(2),
      value === undefined || !noisy || row === noisy ? '–' : (value - mean(noisy)).toFixed(2),
      row.cpu === 0 ? '–' : (row.cpu / row.megapixels).toFixed(2),
      Object.entries(row.kinds)
        .map(([kind, times]) => `${kind} ${times}`)
        .join(', ') || '–',
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
