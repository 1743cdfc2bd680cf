// How much is lost because the damage of a picture is not known: for each case the PSNR of the file, of the result without options,
// and of the result with the truth given. Writes everything to bench/results/diagnosis.json.
// usage: npm run bench:diagnosis -- [--clean DIR] [--polyu DIR] [--cases white,framed-panel] [--count 4] [--offset 0]
//                                   [--quality balanced] [--strength 1] [--crop 256] [--threads 1] [--each] [--keep FILE]
//                                   [--truth-strength 1]
// --clean is a folder of clean images; without it, six CC0 photographs are used. --polyu is a folder of pairs, *_real.* and *_mean.*,
// without which those cases are left out. --cases takes names or their beginnings. --count and --offset choose pictures in the order of
// their names, or of their texture for the texture cases; noise depends on the picture, not on the choice. --strength applies to
// denoising without options, --truth-strength to a spectrum that is given: low-pass noise of cameras does not average out over
// overlapping patches, so that above 1 may be better. --each prints every picture. --keep names another file for the JSON.
// PSNR is that of images rounded and clipped. "Truth given" is σ, gain and read noise, or the spectrum of the difference to the clean
// picture; for upscaling the reduction, and the file is enlarged by cubic interpolation. Seconds are CPU time.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoise, diagnose, readJpegInfo } from 'ght';
import { resolveDenoiseOptions } from '../packages/ght/dist/pipelines/denoise/options.js';
import { denoiseWhole } from '../packages/ght/dist/pipelines/denoise/whole.js';
import { cases } from './diagnosis-cases.js';
import { flags } from './flags.js';
import { cc0Photographs, cropped, meanOf, planesOf } from './images.js';
import { level, timed } from './outcome.js';

const values = flags(import.meta.filename, {
  clean: { type: 'string' },
  polyu: { type: 'string' },
  cases: { type: 'string', default: '' },
  count: { type: 'string', default: '4' },
  offset: { type: 'string', default: '0' },
  quality: { type: 'string', default: 'balanced' },
  strength: { type: 'string', default: '1' },
  'truth-strength': { type: 'string', default: '1' },
  crop: { type: 'string', default: '256' },
  threads: { type: 'string', default: '1' },
  each: { type: 'boolean', default: false },
  keep: { type: 'string', default: fileURLToPath(new URL('results/diagnosis.json', import.meta.url)) },
});
const { quality } = values;
const [count, offset, crop, threads] = [values.count, values.offset, values.crop, values.threads].map(Number);
const [strength, truthStrength] = [values.strength, values['truth-strength']].map(Number);
const environment = { node: process.version, cpu: cpus()[0].model.trim(), threads, load: loadavg()[0] };
/** The diagnosis may take this share of denoising. */
const MOST_SHARE = 0.15;

const wanted = values.cases.split(',').filter(Boolean);
const matches = (name, want) => name === want || name.startsWith(`${want}-`);
for (const want of wanted) {
  if (!cases.some(({ name }) => matches(name, want))) {
    throw new Error(`--cases: there is no case ${want}; use ${cases.map(({ name }) => name).join(', ')}`);
  }
}
const pictures = await allPictures();
const results = [];
for (const [name, value] of Object.entries({ ...environment, quality, strength, truthStrength, offset }))
  console.log(`${name}: ${value}`);
await warmUp();
console.log('\n| case | n | file | without options | truth given | median | gap | worst picture | bar | diagnosis |');
console.log(`|${'---|'.repeat(10)}`);
for (const each of cases) {
  if (wanted.length > 0 && !wanted.some((want) => matches(each.name, want))) continue;
  if (!pictures[each.pictures]) continue;
  const result = { name: each.name, bar: each.bar, pictures: [] };
  for (const { name, index, load } of pictures[each.pictures].slice(offset, offset + count)) {
    const sample = await each.make(await load(), index + 1);
    result.pictures.push({ name, ...(await (sample.restore ? restored(sample) : denoised(sample))) });
  }
  if (result.pictures.length === 0) continue;
  results.push(result);
  print(result);
}
const timedRows = results
  .flatMap((result) => result.pictures)
  .filter(({ changed, estimateCpu }) => changed && estimateCpu);
if (timedRows.length > 0) {
  const share = shareOf(timedRows);
  const verdict = share <= MOST_SHARE ? 'reached' : 'MISSED';
  console.log(`\nThe diagnosis takes ${percent(share)} of denoising; the bar is ${percent(MOST_SHARE)}: ${verdict}`);
}
mkdirSync(dirname(values.keep), { recursive: true });
const inDigits = (_, value) => (typeof value === 'number' ? Number(value.toFixed(4)) : value);
const settings = { quality, strength, truthStrength, count, offset, crop };
writeFileSync(values.keep, `${JSON.stringify({ environment, settings, cases: results }, inDigits, 1)}\n`);

/** The pictures that cases can use, in their order; each has its index for the seed, and is read when it is needed. */
async function allPictures() {
  const clean = (values.clean ? await cleanFolder(values.clean) : await cc0Photographs()).map(
    ({ name, image }, index) => {
      return { name, index, image: cornered(image), load: async () => cornered(image) };
    },
  );
  const byTexture = clean.toSorted((a, b) => texture(b.image) - texture(a.image));
  const none = Array.from({ length: offset + count }, (_, index) => ({
    name: `${index}`,
    index,
    load: async () => crop,
  }));
  const pairs = values.polyu ? realPairs(values.polyu) : undefined;
  return {
    ...{ clean, textured: byTexture, none },
    even: pairs?.filter(({ index }) => index % 2 === 0),
    odd: pairs?.filter(({ index }) => index % 2 === 1),
  };
}

async function cleanFolder(folder) {
  const names = readdirSync(folder).filter((name) => /\.(png|jpe?g|tiff?|webp)$/i.test(name));
  return Promise.all(names.sort().map(async (name) => ({ name, image: await planesOf(join(folder, name)) })));
}

function realPairs(folder) {
  const names = readdirSync(folder).filter((name) => /_real\.\w+$/i.test(name));
  return names.sort().map((name, index) => ({
    ...{ name, index },
    async load() {
      const bytes = readFileSync(join(folder, name));
      const [noisy, clean] = [await planesOf(bytes), await planesOf(meanOf(folder, name))];
      return { noisy, clean, jpeg: readJpegInfo(bytes) };
    },
  }));
}

/** A square that is not aligned with the 8×8 blocks of the JPEG that a picture may once have been. */
function cornered(image) {
  const [left, top] = [3, 5];
  const width = Math.min(crop, image.width - left);
  const height = Math.min(crop, image.height - top);
  return cropped(image, { left, top, width, height });
}

/** The 5% quantile of the deviation of 8×8 blocks: large if no area is flat. */
function texture({ width, height, planes: [plane] }) {
  const deviations = [];
  for (let top = 0; top + 8 <= height; top += 8) {
    for (let left = 0; left + 8 <= width; left += 8) {
      let [sum, squares] = [0, 0];
      for (let i = 0; i < 64; i++) {
        const value = plane[(top + (i >> 3)) * width + left + (i & 7)];
        sum += value;
        squares += value * value;
      }
      deviations.push(Math.sqrt(squares / 64 - (sum / 64) ** 2));
    }
  }
  return deviations.sort((a, b) => a - b)[Math.floor(deviations.length / 20)];
}

/** Compiles everything that is measured, so that the first case is not slower than the others. */
async function warmUp() {
  const image = await pictures.clean[0].load();
  await diagnose(image);
  await denoise(image, { quality, threads, sigma: 10 });
  await denoise(image, { quality, threads });
}

async function denoised({ noisy, clean, jpeg, given, model, mask }) {
  const estimate = await timed(() => diagnose(noisy, { jpeg }));
  const blind = await timed(() => denoise(noisy, { quality, threads, jpeg, strength }));
  // A model for each plane cannot be given as an option.
  const truthOptions = model ? { strength: truthStrength } : given;
  const settings = resolveDenoiseOptions(noisy.planes.length, { quality, threads, ...truthOptions });
  const truth = (given || model) && (await denoiseWhole(noisy, model ? { ...settings, given: { model } } : settings));
  const { changed, noise } = blind.result;
  return {
    ...{ file: level(noisy, clean, mask), blind: level(blind.result.image, clean, mask) },
    given: truth && level(truth.image, clean, mask),
    ...{ changed, found: changed ? noise.kind : 'none', confidence: estimate.result.confidence },
    surroundings: mask && !mask.every(Boolean) ? keptOutside(mask, noisy, blind.result.image) : undefined,
    ...{ estimateCpu: estimate.cpu, cpu: blind.cpu },
  };
}

async function restored({ file, clean, restore, given, mask }) {
  const { result, cpu } = await timed(() => restore({ threads }));
  const truth = await restore({ threads, ...given });
  return {
    ...{ file: level(file, clean, mask), blind: level(result.image, clean, mask) },
    ...{ given: level(truth.image, clean, mask), changed: true, cpu },
  };
}

/** Whether every pixel outside the mask is exactly as it was. */
function keptOutside(mask, before, after) {
  return after.planes.every((plane, c) => plane.every((value, i) => mask[i] || value === before.planes[c][i]));
}

function print({ name, bar, pictures }) {
  const compared = pictures.every(({ given }) => typeof given === 'number');
  // No difference to the clean picture is better than any number of dB.
  const dB = (value) => value ?? Number.POSITIVE_INFINITY;
  const distance = (row) =>
    compared ? dB(row.blind) - row.given : row.file === null ? dB(row.blind) : dB(row.blind) - row.file;
  const worst = pictures.toSorted((a, b) => distance(a) - distance(b))[0];
  const unchanged = pictures.filter(({ blind }) => blind === null).length;
  const kept = pictures.filter(({ surroundings }) => surroundings).length;
  const notes = [
    unchanged > 0 ? `${unchanged} exact` : '',
    worst.surroundings === undefined ? '' : `surroundings kept in ${kept}`,
  ];
  const timings = pictures.filter(({ changed, estimateCpu }) => changed && estimateCpu);
  const cells = [
    ...[name, pictures.length, shown(mean(pictures, 'file'))],
    [shown(mean(pictures, 'blind')), ...notes.filter(Boolean)].join(', '),
    compared ? shown(mean(pictures, 'given')) : '–',
    shown(median(pictures.map(({ blind }) => dB(blind)))),
    compared ? signed(mean(pictures, 'blind') - mean(pictures, 'given')) : '–',
    `${worst.name} ${[worst.file, worst.blind, worst.given]
      .filter((v) => v !== undefined)
      .map((v) => shown(dB(v)))
      .join(' → ')}`,
    bar ? verdict(bar, pictures) : '–',
    timings.length > 0 ? percent(shareOf(timings)) : '–',
  ];
  console.log(`| ${cells.join(' | ')} |`);
  if (!values.each) return;
  for (const { name: picture, file, blind, given, found, confidence } of pictures) {
    const levels = [file, blind, given].map((value) => (value === undefined ? '–' : shown(dB(value))));
    console.log(`    ${picture}: ${levels.join(' → ')} ${found ?? ''} ${confidence?.toFixed(2) ?? ''}`);
  }
}

/** Whether a case is as good as promised, and the promise. */
function verdict({ gap, gain, least }, pictures) {
  const dB = (value) => value ?? Number.POSITIVE_INFINITY;
  const [file, blind, given] = ['file', 'blind', 'given'].map((key) => mean(pictures, key));
  const checks = [
    gap !== undefined && [`within ${gap} of the truth`, blind >= given - gap],
    // Every picture must be at least as good as the file.
    gain !== undefined && [
      gain > 0 ? `${gain} above the file` : 'never below the file',
      blind >= file + gain && pictures.every((each) => dB(each.blind) >= dB(each.file)),
    ],
    least !== undefined && [`each at least ${least}`, pictures.every((each) => dB(each.blind) >= least)],
  ];
  return checks
    .filter(Boolean)
    .map(([text, isReached]) => `${text}: ${isReached ? 'reached' : 'MISSED'}`)
    .join('; ');
}

/** The mean over the pictures that differ from the clean one at all. */
function mean(pictures, key) {
  const finite = pictures.map((each) => each[key]).filter((value) => typeof value === 'number');
  return finite.length === 0 ? Number.POSITIVE_INFINITY : finite.reduce((sum, value) => sum + value, 0) / finite.length;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function shareOf(rows) {
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  return total('estimateCpu') / total('cpu');
}

function shown(value) {
  return Number.isFinite(value) ? value.toFixed(2) : '∞';
}

function signed(value) {
  return `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`;
}

function percent(share) {
  return `${(100 * share).toFixed(0)}%`;
}
