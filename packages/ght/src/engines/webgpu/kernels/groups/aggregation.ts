/**
 * The weighted mean of all filtered patches at every pixel, Σ w y / Σ w. WGSL adds integers alone, and a sum of integers does not
 * depend on its order: so a run repeats to the bit, and tiles give the bits of the whole.
 *
 * The sums are integers of 64 bits in units of 2⁻²⁴: the weight of a sample is rounded to W = ⌊2²⁴ w⌉, and W y to an integer. A sum
 * is two words; the thread whose addition makes the lower one overflow adds 1 to the higher one. The higher word of Σ W y holds multiples of 2⁸ in
 * units of the noise. With w ≤ 1 and |y| < 2²⁰, the largest that a frame allows (`LEAST_NOISE` in denoisers/frame.ts), it would
 * take 2¹⁹ samples at one pixel to leave its 31 bits; a pixel has at most N (2 reach + 1)², for 8×8 patches and a reach of 29
 * 2¹⁷·⁸. Filters may overshoot the picture by as much as a factor of two.
 */
import { entryPoint } from '../../gpu.js';

/** One in the units of weights. */
const ONE = 2 ** 24;

/** The bindings of the four arrays of sums, from this number on. */
export function sumsFrom(binding: number): string {
  return `
@group(0) @binding(${binding}) var<storage, read_write> valuesLow: array<atomic<u32>>;
@group(0) @binding(${binding + 1}) var<storage, read_write> valuesHigh: array<atomic<u32>>;
@group(0) @binding(${binding + 2}) var<storage, read_write> weightsLow: array<atomic<u32>>;
@group(0) @binding(${binding + 3}) var<storage, read_write> weightsHigh: array<atomic<u32>>;

/** A number as an integer of two words, the lower one first: in two's complement. */
fn wordsOf(x: f32) -> vec2u {
  let whole = round(x);
  if (abs(whole) < ${2 ** 31}.0) {
    let i = i32(whole);
    return vec2u(bitcast<u32>(i), bitcast<u32>(i >> 31u));
  }
  let high = floor(abs(whole) * ${2 ** -32});
  let size = vec2u(u32(fma(high, ${-(2 ** 32)}.0, abs(whole))), u32(high));
  return select(size, vec2u(~size.x + 1u, ~size.y + u32(size.x == 0u)), whole < 0.0);
}

/** Adds a sample with its weight to the sums of a pixel. */
fn addSample(pixel: u32, weight: f32, value: f32) {
  let W = round(${ONE}.0 * weight);
  let w = u32(W);
  if (atomicAdd(&weightsLow[pixel], w) > ~w) { atomicAdd(&weightsHigh[pixel], 1u); }
  let y = wordsOf(W * value);
  let high = y.y + u32(atomicAdd(&valuesLow[pixel], y.x) > ~y.x);
  if (high != 0u) { atomicAdd(&valuesHigh[pixel], high); }
}`;
}

/** Threads of the kernels over all pixels of a plane. */
export const PIXEL_THREADS = 256;

/** Σ W y / Σ W. The sums are set to zero for the next pass. Buffers: the sums, the picture. */
export const combineKernel = `
@group(0) @binding(0) var<storage, read_write> valuesLow: array<u32>;
@group(0) @binding(1) var<storage, read_write> valuesHigh: array<u32>;
@group(0) @binding(2) var<storage, read_write> weightsLow: array<u32>;
@group(0) @binding(3) var<storage, read_write> weightsHigh: array<u32>;
@group(0) @binding(4) var<storage, read_write> picture: array<f32>;

fn floatOf(low: u32, high: u32) -> f32 { return fma(f32(high), ${2 ** 32}.0, f32(low)); }

${entryPoint(PIXEL_THREADS)}
  let i = group * ${PIXEL_THREADS}u + me;
  if (i >= arrayLength(&picture)) { return; }
  let low = valuesLow[i];
  let high = valuesHigh[i];
  // A negative sum is made positive first: a float would lose the last digits of its complement.
  let negative = (high >> 31u) == 1u;
  let value = select(floatOf(low, high), -floatOf(~low + 1u, ~high + u32(low == 0u)), negative);
  picture[i] = value / floatOf(weightsLow[i], weightsHigh[i]);
  valuesLow[i] = 0u;
  valuesHigh[i] = 0u;
  weightsLow[i] = 0u;
  weightsHigh[i] = 0u;
}`;

/** to ← share · to + (1 − share) · other. Buffers: the share, to, other. */
export const blendKernel = `
@group(0) @binding(0) var<uniform> share: vec4f;
@group(0) @binding(1) var<storage, read_write> to: array<f32>;
@group(0) @binding(2) var<storage, read> other: array<f32>;

${entryPoint(PIXEL_THREADS)}
  let i = group * ${PIXEL_THREADS}u + me;
  if (i >= arrayLength(&to)) { return; }
  to[i] = fma(share.x, to[i] - other[i], other[i]);
}`;
