/**
 * The level of additive white Gaussian noise in an image, by the principal components of its weakly textured patches
 * (X. Liu, M. Tanaka and M. Okutomi, "Single-image noise level estimation for blind denoising", 2013).
 *
 * The patches of a picture span few dimensions; white noise spans all of them equally. So with y = x + e the smallest
 * eigenvalues of the covariance of the patches, Σ_y = Σ_x + σ²I, equal σ² where Σ_x has none; and they are closest to it
 * if only patches with little texture are used. The texture of a patch is the sum of its squared central differences,
 *
 *     ξ = yᵀAy,      under noise alone of mean σ² tr A and deviation σ² √2 ‖A‖_F
 *
 * and a patch is weakly textured if ξ ≤ σ²(tr A + z √2 ‖A‖_F). Since σ is unknown, it is first estimated from all patches
 * and then refined.
 *
 * Two things differ from the 2013 paper. The smallest eigenvalue of a sample covariance is too small, by several percent
 * here. So the eigenvectors are computed on one half of the picture, the variance along them is measured on the other
 * half, and vice versa. And the mean of the four smallest eigenvalues is used, which varies less than the smallest alone.
 */

import { InputError } from '../../errors.js';
import type { Image, Samples } from '../../image/image.js';
import { imageExponent, largestOf, shifted, shiftedImage } from '../../image/scale.js';
import { symmetricEigen } from '../../math/eigen.js';
import type { Matrix } from '../../math/matrix.js';
import { dot, matrix } from '../../math/matrix.js';
import { stretches, type Work } from '../../work.js';
import { clippedAt } from '../clipped.js';

/** The side of the patches. */
const SIDE = 7;
const SIZE = SIDE * SIDE;
/**
 * z: the number of deviations above the texture of pure noise up to which a patch counts as weakly textured. Tuned, with
 * SIDE and DIRECTIONS.
 */
const DEVIATIONS = 2.5;
/** How many of the smallest principal components are measured. */
const DIRECTIONS = 4;
/** σ² is refined on a few patches until it changes by less than 1%, then on many until it changes by less than 0.2%. */
const REFINEMENTS = [
  { rounds: 4, measured: 2048, settled: 0.01 },
  { rounds: 2, measured: 8192, settled: 0.002 },
] as const;
/**
 * The most patches examined, approximately. The second number is for planes in which fewer than `ENOUGH` patches of a half have little
 * texture among the first: more make no difference.
 */
const LOOKED_AT = [2 ** 16, 2 ** 18] as const;
const ENOUGH = 4096;
/** Patches of a covariance between two yields: a few milliseconds. */
const COVARIANCES_PER_YIELD = 1024;
/** The picture is split into two halves like a chessboard; this is the side of a square, in pixels. */
const SQUARE = 16;
/** With fewer patches per half than this, the fallback from second differences is more accurate. */
const FEWEST = 4 * SIZE;

/** tr A and √2 ‖A‖_F: the mean and the deviation of ξ for noise with σ = 1. */
const TEXTURE_OF_NOISE = (() => {
  const A = matrix(SIZE, SIZE);
  const difference = (i: number, j: number) => {
    for (const [a, b, sign] of [
      [i, i, 1],
      [j, j, 1],
      [i, j, -1],
      [j, i, -1],
    ]) {
      A.data[a * SIZE + b] += sign / 4;
    }
  };
  for (let a = 0; a < SIDE; a++) {
    for (let b = 1; b < SIDE - 1; b++) {
      difference(a * SIDE + b - 1, a * SIDE + b + 1);
      difference((b - 1) * SIDE + a, (b + 1) * SIDE + a);
    }
  }
  let trace = 0;
  for (let i = 0; i < SIZE; i++) trace += A.data[i * SIZE + i];
  return { mean: trace, deviation: Math.sqrt(2 * dot(A.data, 0, A.data, 0, SIZE * SIZE)) };
})();

/** A plane and its size. */
interface Plane {
  readonly samples: Samples;
  readonly width: number;
  readonly height: number;
}

/**
 * The standard deviation σ of additive white Gaussian noise in each plane, in the units of the samples. The result is
 * deterministic and follows the scale of the samples but not their offset; it is 0 for a constant plane. Samples clipped at
 * either end of the range are ignored if enough others remain, and so are those that `constant` marks.
 *
 * Relative error, root mean square over the 80 photographs of Set12 and BSD68 (`bench/noise.js`): 3.4%, 1.9%, 1.5%,
 * 1.1% and 0.8% for σ = 5, 10, 15, 25 and 50 of 255. Noise that a camera or a film has left in a picture is counted too.
 * For a plane too small to have many patches the estimate comes from its second differences alone, and mistakes more
 * texture for noise.
 */
export function* noiseEstimate(image: Image, constant?: Uint8Array): Work<number[]> {
  const { width, height } = image;
  if (width < 3 || height < 3) {
    const rule = 'must be at least 3×3 pixels to tell noise from picture';
    throw new InputError('image', rule, `${width}×${height}`, 'give a larger image, or the noise level itself');
  }
  const e = yield* imageExponent(image);
  const { planes } = e === 0 ? image : yield* shiftedImage(image, -e);
  const levels: number[] = [];
  for (const samples of planes) levels.push(shifted(yield* planeNoise({ samples, width, height }, constant), e));
  return levels;
}

function* planeNoise(plane: Plane, constant: Uint8Array | undefined): Work<number> {
  const [few, many] = LOOKED_AT.map((most) => positions(plane, most));
  const isLarge = few.length < many.length;
  const found = isLarge ? yield* noiseIn(plane, few, constant, ENOUGH) : undefined;
  const sigma = found ?? (yield* noiseIn(plane, many, constant, 0)) ?? (yield* fromSecondDifferences(plane));
  return yield* aboveRounding(plane.samples, sigma);
}

/** σ by the patches at some places; undefined if fewer of a half than `enough`, or than is needed at all, have little texture. */
function* noiseIn(
  plane: Plane,
  places: Int32Array,
  constant: Uint8Array | undefined,
  enough: number,
): Work<number | undefined> {
  const patches = yield* unclipped(plane, yield* varying(plane, places, constant));
  const texture = yield* texturesOf(plane, patches);
  const side = Uint8Array.from(patches, (at) => half(plane, at));
  function* measure(variance: number, least: number, most: number): Work<number | undefined> {
    const limit = variance * (TEXTURE_OF_NOISE.mean + DEVIATIONS * TEXTURE_OF_NOISE.deviation);
    const halves = halvesBelow(limit, patches, texture, side);
    if (Math.min(halves[0].length, halves[1].length) < least) return undefined;
    const first = yield* covariance(plane, thin(halves[0], most));
    const second = yield* covariance(plane, thin(halves[1], most));
    const there = leastVariance(first, second);
    yield 0;
    return (there + leastVariance(second, first)) / 2;
  }
  let variance = yield* measure(Number.POSITIVE_INFINITY, FEWEST, REFINEMENTS[0].measured);
  if (variance === undefined) return undefined;
  for (const [stage, { rounds, measured, settled }] of REFINEMENTS.entries()) {
    const least = stage === 0 ? FEWEST : Math.max(FEWEST, enough);
    for (let round = 0; round < rounds; round++) {
      const refined: number | undefined = yield* measure(variance, least, measured);
      if (refined === undefined && enough > 0) return undefined;
      if (refined === undefined) break;
      const change = Math.abs(refined - variance);
      variance = refined;
      if (change <= settled * refined) break;
    }
  }
  return Math.sqrt(Math.max(0, variance));
}

/** The patches with at most this texture, in both halves. */
function halvesBelow(
  limit: number,
  patches: Int32Array,
  texture: Float64Array,
  side: Uint8Array,
): readonly [Int32Array, Int32Array] {
  const calm = new Int32Array(patches.length);
  // From both ends, each half in its order.
  let first = 0;
  let second = patches.length;
  for (let i = 0; i < patches.length; i++) {
    if (texture[i] > limit) continue;
    if (side[i] === 0) calm[first++] = patches[i];
    else calm[--second] = patches[i];
  }
  return [calm.subarray(0, first), calm.subarray(second).reverse()];
}

/** The top left pixels of the patches examined: all of them, or as many as allowed, on a coarser grid. */
function positions({ width, height }: Plane, most: number): Int32Array {
  const [columns, rows] = [Math.max(0, width - SIDE + 1), Math.max(0, height - SIDE + 1)];
  const step = Math.max(1, Math.ceil(Math.sqrt((columns * rows) / most)));
  const all = new Int32Array(Math.ceil(columns / step) * Math.ceil(rows / step));
  for (let y = 0, n = 0; y < rows; y += step) for (let x = 0; x < columns; x += step) all[n++] = y * width + x;
  return all;
}

/** The patches outside areas without noise, if enough remain. */
function* varying(plane: Plane, patches: Int32Array, constant: Uint8Array | undefined): Work<Int32Array> {
  if (!constant) return patches;
  const others = yield* without({ ...plane, samples: constant }, patches, 1, 1);
  return others.length < 2 * FEWEST ? patches : others;
}

/**
 * The patches without a clipped sample, if enough remain. Where the range ends (a white sky, a black frame) there is less
 * noise than elsewhere, or none.
 */
function* unclipped(plane: Plane, patches: Int32Array): Work<Int32Array> {
  const { least, most } = yield* clippedAt(plane.samples);
  if (least === Number.NEGATIVE_INFINITY && most === Number.POSITIVE_INFINITY) return patches;
  const free = yield* without(plane, patches, least, most);
  return free.length < 8 * FEWEST ? patches : free;
}

/** The patches that have none of two values. */
function* without({ samples, width }: Plane, patches: Int32Array, least: number, most: number): Work<Int32Array> {
  const isFree = (at: number) => {
    for (let y = 0; y < SIDE; y++) {
      for (let i = at + y * width; i < at + y * width + SIDE; i++) {
        if (samples[i] === least || samples[i] === most) return false;
      }
    }
    return true;
  };
  const free = new Int32Array(patches.length);
  let count = 0;
  for (const [from, to] of stretches(patches.length)) {
    for (let i = from; i < to; i++) if (isFree(patches[i])) free[count++] = patches[i];
    yield to / patches.length;
  }
  return free.subarray(0, count);
}

/** ξ = yᵀAy of patches, row by row. */
function* texturesOf({ samples, width }: Plane, patches: Int32Array): Work<Float64Array> {
  const texture = new Float64Array(patches.length);
  // Sums along columns, which the patches of a row of patches share.
  const sums = { across: new Float64Array(width), down: new Float64Array(width) };
  let row = -1;
  for (const [from, to] of stretches(patches.length)) {
    for (let i = from; i < to; i++) {
      const y = Math.floor(patches[i] / width);
      if (y !== row) addSquares(samples, y * width, sums);
      row = y;
      texture[i] = textureAt(sums, patches[i] - y * width);
    }
    yield to / patches.length;
  }
  return texture;
}

/** The squares of the differences along rows and along columns, over the rows of a patch whose first row begins at `first`. */
function addSquares(
  samples: Samples,
  first: number,
  { across, down }: { readonly across: Float64Array; readonly down: Float64Array },
): void {
  const width = across.length;
  across.fill(0);
  down.fill(0);
  for (let a = 0, at = first; a < SIDE; a++, at += width) {
    for (let x = 1; x < width - 1; x++) {
      const difference = samples[at + x + 1] - samples[at + x - 1];
      across[x] += difference * difference;
    }
    if (a === 0 || a === SIDE - 1) continue;
    for (let x = 0; x < width; x++) {
      const difference = samples[at + width + x] - samples[at - width + x];
      down[x] += difference * difference;
    }
  }
}

function textureAt(
  { across, down }: { readonly across: Float64Array; readonly down: Float64Array },
  x: number,
): number {
  let sum = down[x] + down[x + SIDE - 1];
  for (let k = x + 1; k < x + SIDE - 1; k++) sum += across[k] + down[k];
  return sum / 4;
}

/** Which half of the picture a patch belongs to. */
function half({ width }: Plane, at: number): 0 | 1 {
  const y = Math.floor(at / width);
  const x = at - y * width;
  return ((Math.floor(x / SQUARE) + Math.floor(y / SQUARE)) % 2) as 0 | 1;
}

/** At most `most` of the patches, evenly spaced. */
function thin(patches: Int32Array, most: number): Int32Array {
  if (patches.length <= most) return patches;
  return new Int32Array(most).map((_, i) => patches[Math.floor(((i + 0.5) * patches.length) / most)]);
}

/** The covariance matrix of some patches. */
function* covariance({ samples, width }: Plane, patches: Int32Array): Work<Matrix> {
  const C = matrix(SIZE, SIZE);
  // With room for a row below the last one, which has no second one.
  const c = new Float64Array(SIZE * (SIZE + 1));
  // Four patches at a time, sample by sample, so that the matrix is traversed a quarter as often.
  const y = new Float64Array(4 * SIZE);
  const mean = new Float64Array(SIZE);
  // Any value near the samples works; the nearer it is, the smaller the rounding error.
  const origin = samples[patches[0]];
  for (let p = 0; p < patches.length; p += 4) {
    if (p % COVARIANCES_PER_YIELD === 0) yield p / patches.length;
    y.fill(0);
    for (let k = 0; k < 4 && p + k < patches.length; k++) {
      for (let a = 0, i = k; a < SIDE; a++) {
        const from = patches[p + k] + a * width;
        for (let b = 0; b < SIDE; b++, i += 4) y[i] = samples[from + b] - origin;
      }
    }
    addProducts(y, c, mean);
  }
  for (let i = 0; i < SIZE; i++) mean[i] /= patches.length;
  for (let i = 0; i < SIZE; i++) {
    for (let j = 0; j <= i; j++) {
      const value = c[i * SIZE + j] / patches.length - mean[i] * mean[j];
      C.data[i * SIZE + j] = value;
      C.data[j * SIZE + i] = value;
    }
  }
  return C;
}

/** Adds four vectors to their sum, and the lower triangle of their products to the sum of these: two rows at a time. */
function addProducts(y: Float64Array, c: Float64Array, sum: Float64Array): void {
  // One number each: lists would cost more time than the products.
  for (let i = 0; i < SIZE; i += 2) {
    const above = 4 * i;
    const below = i + 1 < SIZE ? above + 4 : above;
    const u0 = y[above];
    const u1 = y[above + 1];
    const u2 = y[above + 2];
    const u3 = y[above + 3];
    const v0 = y[below];
    const v1 = y[below + 1];
    const v2 = y[below + 2];
    const v3 = y[below + 3];
    sum[i] += u0 + u1 + u2 + u3;
    if (i + 1 < SIZE) sum[i + 1] += v0 + v1 + v2 + v3;
    for (let j = 0, n = 0, at = i * SIZE; j <= i + 1 && j < SIZE; j++, n += 4, at++) {
      const a0 = y[n];
      const a1 = y[n + 1];
      const a2 = y[n + 2];
      const a3 = y[n + 3];
      c[at] += u0 * a0 + u1 * a1 + u2 * a2 + u3 * a3;
      c[at + SIZE] += v0 * a0 + v1 * a1 + v2 * a2 + v3 * a3;
    }
  }
}

/** The mean of vᵀ C v over the eigenvectors v of the smallest eigenvalues of `basis`. */
function leastVariance(basis: Matrix, C: Matrix): number {
  const { vectors } = symmetricEigen(basis);
  let sum = 0;
  for (let k = SIZE - DIRECTIONS; k < SIZE; k++) {
    for (let j = 0; j < SIZE; j++) {
      sum += vectors.data[k * SIZE + j] * dot(C.data, j * SIZE, vectors.data, k * SIZE, SIZE);
    }
  }
  return sum / DIRECTIONS;
}

/**
 * σ from d = (1 −2 1)ᵀ(1 −2 1) * y, which is 0 for a linear gradient and has deviation 6σ for noise (J. Immerkær, "Fast
 * noise variance estimation", 1996). The median of |d| is used, so that a few edges do not matter.
 */
function* fromSecondDifferences(plane: Plane): Work<number> {
  const { samples, width, height } = plane;
  const row = (i: number) => samples[i - 1] - 2 * samples[i] + samples[i + 1];
  const size: number[] = [];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      size.push(Math.abs(row(i - width) - 2 * row(i) + row(i + width)));
    }
  }
  size.sort((a, b) => a - b);
  const middle = size.length >> 1;
  const median = size.length % 2 ? size[middle] : (size[middle - 1] + size[middle]) / 2;
  // The median of |x| for a normal x is 0.6745 of its deviation.
  return median / (6 * 0.6744897501960817);
}

/** The noise level, or 0 if the rounding of the samples alone could explain it. */
export function* aboveRounding(samples: Samples, sigma: number): Work<number> {
  return sigma > 1e-12 * (yield* largestOf(samples)) ? sigma : 0;
}
