// Fits the constants of packages/ght/src/operators/find-reduction.ts: photographs are reduced in known ways, and the shape of their
// spectrum is regressed on what is known. Prints the weights, and how often they are right on the pictures that were not used.
// usage: node bench/reductions.js [--clean DIR] [--count 34]
// --clean is a folder of clean images, of which the first `count` are used to fit and the others to check; six CC0 photographs are always
// used to fit.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { backwardSubstitute, cholesky, forwardSubstitute } from '../packages/ght/dist/math/cholesky.js';
import { matrix } from '../packages/ght/dist/math/matrix.js';
import { meanPower, spectrumShape } from '../packages/ght/dist/operators/find-reduction.js';
import { reductionOperator } from '../packages/ght/dist/operators/reduction.js';
import { finish } from '../packages/ght/dist/work.js';
import { asBytes, interleaved } from './defects.js';
import { flags } from './flags.js';
import { cc0Photographs, cropped, planesOf } from './images.js';

const values = flags(import.meta.filename, {
  clean: { type: 'string' },
  count: { type: 'string', default: '34' },
});
const count = Number(values.count);
/** Gaussians in pixels of the small picture. */
const WIDTHS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/** How much a reduction counts in the regression of aliasing; wide Gaussians are distinguished by their width. */
const WEIGHTS = { bicubic: 3, lanczos: 1, area: 3, 'gaussian 0.3': 1, 'gaussian 0.4': 0.5 };
const isAliased = (name) => name === 'area' || name === 'gaussian 0.3';
/** The same for the regression of single samples. */
const POINT_WEIGHTS = { points: 2, area: 1.5, bicubic: 1, 'gaussian 0.3': 0.5 };
const RIDGE = 1;

const own = (await cc0Photographs()).map(({ image }) => image);
const others = values.clean ? await folder(values.clean) : [];
const fitting = await rowsOf([...own, ...others.slice(0, count)]);
const checking = await rowsOf(others.slice(count));

const regression = (weights, isOne) => {
  const known = fitting.filter(({ name }) => name in weights);
  return logisticFit(known.map(({ name, x }) => ({ x, y: isOne(name) ? 1 : 0, weight: weights[name] })));
};
const aliasing = regression(WEIGHTS, isAliased);
const points = regression(POINT_WEIGHTS, (name) => name === 'points');
const gaussians = fitting.filter(({ width }) => width > 0);
const width = leastSquares(gaussians.map(({ width, x }) => ({ x, y: width, weight: 1 })));
const shown = (weights, digits) => `[${weights.map((each) => Number(each.toFixed(digits))).join(', ')}]`;
console.log(`ALIASING = ${shown(aliasing, 2)}\nPOINTS = ${shown(points, 2)}\nWIDTH = ${shown(width, 4)}`);
console.log(
  '\n| reduction | n | probability of aliasing, 10% 50% 90% | of single samples | width |\n|---|---|---|---|---|',
);
for (const name of new Set(fitting.map((row) => row.name))) {
  const rows = (checking.length > 0 ? checking : fitting).filter((row) => row.name === name);
  const probabilities = (weights) => rows.map(({ x }) => 1 / (1 + Math.exp(-affine(weights, x))));
  const widths = rows.map(({ x }) => affine(width, x));
  const cells = [probabilities(aliasing), probabilities(points), widths].map(quantiles);
  console.log(`| ${name} | ${rows.length} | ${cells.join(' | ')} |`);
}

async function folder(path) {
  const names = readdirSync(path).filter((name) => /\.(png|jpe?g|tiff?|webp)$/i.test(name));
  return Promise.all(names.sort().map((name) => planesOf(join(path, name))));
}

/** The shapes of the spectra of the middles of pictures, in two sizes, reduced by 2 and by 3 in all ways. */
async function rowsOf(pictures) {
  const rows = [];
  for (const picture of pictures) {
    for (const side of [240, 120]) {
      const grey = middle(picture, side);
      for (const factor of [2, 3]) {
        for (const { name, width, reduce } of reductions(factor)) {
          const small = await reduce(grey, side / factor);
          const plane = Float64Array.from(small.planes[0]);
          rows.push({ name, width, x: spectrumShape(finish(meanPower([plane], small))) });
        }
      }
    }
  }
  return rows;
}

function reductions(factor) {
  const by = (blur) => async (image, side) => {
    const size = { width: side, height: side };
    const small = finish(reductionOperator(image, size, blur).apply(Float64Array.from(image.planes[0])));
    return asBytes({ ...size, planes: [small], peak: 255 });
  };
  const lanczos = async (image, side) => {
    const raw = { width: image.width, height: image.height, channels: 1 };
    const small = sharp(interleaved(image), { raw }).resize(side, side, { kernel: 'lanczos3' }).greyscale();
    return { width: side, height: side, planes: [new Uint8Array(await small.raw().toBuffer())], peak: 255 };
  };
  const gaussians = WIDTHS.map((width) => {
    return { name: `gaussian ${width}`, width, reduce: by({ gaussian: width * factor }) };
  });
  const points = async ({ width, planes: [plane] }, side) => {
    const at = (i) => Math.floor((i + 0.5) * factor);
    const samples = Uint8Array.from(
      { length: side ** 2 },
      (_, i) => plane[at(Math.floor(i / side)) * width + at(i % side)],
    );
    return { width: side, height: side, planes: [samples], peak: 255 };
  };
  const windows = { bicubic: by('bicubic'), lanczos, area: by('area'), points };
  return [...Object.entries(windows).map(([name, reduce]) => ({ name, width: 0, reduce })), ...gaussians];
}

function middle(image, side) {
  const { planes } = cropped(image, {
    ...{ left: (image.width - side) >> 1, top: (image.height - side) >> 1, width: side, height: side },
  });
  const [r, g, b] = planes.length === 3 ? planes : [planes[0], planes[0], planes[0]];
  const luma = Float64Array.from(r, (_, i) => 0.299 * r[i] + 0.587 * g[i] + 0.114 * b[i]);
  return asBytes({ width: side, height: side, planes: [luma], peak: 255 });
}

/** Logistic regression by Newton's method, as least squares with new weights in each step; the last weight is the constant. */
function logisticFit(rows) {
  let weights = new Array(rows[0].x.length + 1).fill(0);
  for (let k = 0; k < 25; k++) {
    const again = rows.map(({ x, y, weight }) => {
      const t = affine(weights, x);
      const p = 1 / (1 + Math.exp(-t));
      const slope = Math.max(1e-6, p * (1 - p));
      return { x, y: t + (y - p) / slope, weight: weight * slope };
    });
    weights = leastSquares(again);
  }
  return weights;
}

/** Weighted least squares with a ridge on standardised features; the last weight is the constant. */
function leastSquares(rows) {
  const n = rows[0].x.length;
  const mean = (of) => rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const centres = Array.from({ length: n }, (_, i) => mean(({ x }) => x[i]));
  const spreads = centres.map((centre, i) => Math.sqrt(mean(({ x }) => (x[i] - centre) ** 2)));
  const standard = (x) => [...x.map((each, i) => (each - centres[i]) / spreads[i]), 1];
  const A = matrix(n + 1, n + 1);
  const b = new Float64Array(n + 1);
  for (const { x, y, weight } of rows) {
    const z = standard(x);
    for (let i = 0; i <= n; i++) {
      b[i] += weight * z[i] * y;
      for (let j = 0; j <= n; j++) A.data[i * (n + 1) + j] += weight * z[i] * z[j];
    }
  }
  for (let i = 0; i < n; i++) A.data[i * (n + 2)] += RIDGE;
  const C = cholesky(A);
  forwardSubstitute(C, b);
  backwardSubstitute(C, b);
  const weights = centres.map((_, i) => b[i] / spreads[i]);
  return [...weights, b[n] - weights.reduce((sum, each, i) => sum + each * centres[i], 0)];
}

function affine(weights, x) {
  return x.reduce((sum, each, i) => sum + weights[i] * each, weights[x.length]);
}

function quantiles(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return [0.1, 0.5, 0.9].map((q) => sorted[Math.floor(q * (sorted.length - 1))].toFixed(2)).join(' ');
}
