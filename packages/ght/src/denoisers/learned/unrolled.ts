/**
 * Sparse coding with a convolutional dictionary, unrolled: K steps, each with matrices and thresholds of its own, which were learned
 * from photographs (`training/`). For a picture y with mean 0 and white noise of deviation 1:
 *
 *     r = y − fold(Bₖ₋₁ α)
 *     α = soft(α + Aₖ unfold(r), κₖ)        k = 1 … K, from α = 0
 *
 *     x = fold(D α)
 *
 * `unfold` takes the patches of 8×8 pixels that lie 2 pixels apart, `fold` adds patches where they were taken from, and both see
 * zeros outside the picture. soft(z, κ) = sign(z) max(|z| − κ, 0). The thresholds are in deviations of the noise, and nothing else
 * depends on it, so the result is scaled as picture and noise are scaled. Blocks of a large picture are done one by one
 * (`blocks.ts`).
 */
import type { Work } from '../../work.js';
import { type LearnedModel, PATCH, SAMPLES, STRIDE } from './model.js';

/** A picture whose sides are even. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Float64Array;
}

/** The denoised picture, as written above. */
export function* unrolled(model: LearnedModel, { width, height, data }: Picture): Work<Float64Array> {
  const { steps, atoms, A, B, D, kappa } = model;
  const sites = siteGrid(width, height);
  const y = sites.withRim(data);
  const alpha = new Float64Array(sites.places.length * atoms);
  const patch = new Float64Array(SAMPLES);
  let r = y;
  for (let k = 0; k < steps; k++) {
    const Ak = A.subarray(k * atoms * SAMPLES, (k + 1) * atoms * SAMPLES);
    const kappas = kappa.subarray(k * atoms, (k + 1) * atoms);
    const last = k === steps - 1;
    const synthesis = last ? D : B.subarray(k * atoms * SAMPLES, (k + 1) * atoms * SAMPLES);
    const next = last ? new Float64Array(y.length) : y.slice();
    const sign = last ? 1 : -1;
    for (const [s, place] of sites.places.entries()) {
      const code = alpha.subarray(s * atoms, (s + 1) * atoms);
      for (let n = 0; n < SAMPLES; n++) patch[n] = r[place + sites.offsets[n]];
      analyse(Ak, kappas, patch, code);
      synthesise(synthesis, code, patch);
      for (let n = 0; n < SAMPLES; n++) next[place + sites.offsets[n]] += sign * patch[n];
      yield (k + s / sites.places.length) / steps;
    }
    // Outside the picture are zeros, whatever patches were added there.
    r = sites.withRim(sites.withoutRim(next));
  }
  return sites.withoutRim(r);
}

/** α ← soft(α + A p, κ) for one patch p. */
function analyse(A: Float32Array, kappa: Float32Array, patch: Float64Array, code: Float64Array): void {
  for (let m = 0; m < code.length; m++) {
    let z = code[m];
    for (let n = 0; n < SAMPLES; n++) z += A[m * SAMPLES + n] * patch[n];
    code[m] = z - Math.max(-kappa[m], Math.min(kappa[m], z));
  }
}

/** p ← B α for one patch p. */
function synthesise(B: Float32Array, code: Float64Array, patch: Float64Array): void {
  patch.fill(0);
  for (let m = 0; m < code.length; m++) {
    const coefficient = code[m];
    if (coefficient === 0) continue;
    for (let n = 0; n < SAMPLES; n++) patch[n] += coefficient * B[m * SAMPLES + n];
  }
}

/** Pixels that a patch extends beyond its square of 2×2 pixels, above and to the left; below and to the right it is twice as many. */
const BEFORE = 2;
const AFTER = 4;

/** Where the patches of a picture lie in a copy with a rim of zeros. */
function siteGrid(width: number, height: number) {
  const row = width + BEFORE + AFTER;
  const columns = width / STRIDE;
  const inside = (x: number, y: number) => (y + BEFORE) * row + x + BEFORE;
  return {
    /** The first sample of every patch, row by row. */
    places: Int32Array.from({ length: columns * (height / STRIDE) }, (_, s) => {
      return STRIDE * Math.floor(s / columns) * row + STRIDE * (s % columns);
    }),
    /** From the first sample of a patch to each of its samples, in the order of the model. */
    offsets: Int32Array.from({ length: SAMPLES }, (_, n) => {
      const [square, phase] = [Math.floor(n / STRIDE ** 2), n % STRIDE ** 2];
      const squares = PATCH / STRIDE;
      const y = STRIDE * Math.floor(square / squares) + Math.floor(phase / STRIDE);
      return y * row + STRIDE * (square % squares) + (phase % STRIDE);
    }),
    withRim(data: Float64Array): Float64Array {
      const rimmed = new Float64Array(row * (height + BEFORE + AFTER));
      for (let y = 0; y < height; y++) rimmed.set(data.subarray(y * width, (y + 1) * width), inside(0, y));
      return rimmed;
    },
    withoutRim(rimmed: Float64Array): Float64Array {
      const data = new Float64Array(width * height);
      for (let y = 0; y < height; y++) data.set(rimmed.subarray(inside(0, y), inside(width, y)), y * width);
      return data;
    },
  };
}
