/**
 * Samples in other units, scaled by powers of two so that nothing is rounded: for computations whose squares, or whose
 * float32 values, would overflow or underflow for samples far from 1.
 */
import { finish, stretches, type Work } from '../work.js';
import { GREATEST, type Image, mapped, refuseBadNumber, type Samples } from './image.js';

/** max |values|. */
export function* largestOf(values: Samples): Work<number> {
  let most = 0;
  for (const [from, to] of stretches(values.length)) {
    most = Math.max(most, largestWithin(values, from, to));
    yield to / values.length;
  }
  return most;
}

/** max |values| of one stretch. */
function largestWithin(values: Samples, from: number, to: number): number {
  if (values instanceof Float32Array) return largestFloat(values, from, to);
  let most = 0;
  for (let i = from; i < to; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}

/**
 * max |values| of float32 values, by their bits: without the sign these are integers in the same order, and those of a NaN
 * are larger than all others. There are four maxima, since each one waits for the one before it; declared one by one, since
 * a list of them makes the loop twice as slow.
 */
function largestFloat(values: Float32Array, from: number, to: number): number {
  const bits = new Int32Array(values.buffer, values.byteOffset + 4 * from, to - from);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i < bits.length - 3; i += 4) {
    a = Math.max(a, bits[i] & MAGNITUDE);
    b = Math.max(b, bits[i + 1] & MAGNITUDE);
    c = Math.max(c, bits[i + 2] & MAGNITUDE);
    d = Math.max(d, bits[i + 3] & MAGNITUDE);
  }
  for (; i < bits.length; i++) a = Math.max(a, bits[i] & MAGNITUDE);
  return new Float32Array(Int32Array.of(Math.max(a, b, c, d)).buffer)[0];
}

/** The bits of a float32 value without its sign. */
const MAGNITUDE = 0x7fffffff;

/** max |samples|; rejects the first sample that is NaN, infinite or almost infinite, and `where` names it. */
export function* largestFinite(samples: Samples, where: (index: number) => string): Work<number> {
  // A NaN anywhere makes the maximum NaN, so good samples are read once.
  const most = yield* largestOf(samples);
  if (!(most <= GREATEST)) yield* refuseBadNumber(samples, where);
  return most;
}

/** {@link largestOf} without yielding, for few values. */
export function largest(values: Samples): number {
  return finish(largestOf(values));
}

/** The exponent of the unit for values up to `most`: 0 (unchanged) if `most` is from 2^least to 2^greatest. */
export function unitExponent(most: number, least: number, greatest: number): number {
  const e = most > 0 ? Math.floor(Math.log2(most)) : 0;
  return e >= least && e <= greatest ? 0 : e;
}

/** value · 2^e, in two steps, since 2^e itself may overflow. */
export function shifted(value: number, e: number): number {
  const half = Math.trunc(e / 2);
  return value * 2 ** half * 2 ** (e - half);
}

/** A positive value times 2^e, clamped so that it stays positive and finite. */
export function shiftedPositive(value: number, e: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(Number.MIN_VALUE, shifted(value, e)));
}

/** The exponent of the unit in which an image is measured and denoised; 0 for all usual images. */
export function* imageExponent({ planes }: Image): Work<number> {
  let most = 0;
  for (const plane of planes) most = Math.max(most, yield* largestOf(plane));
  return imageUnit(most);
}

/** {@link imageExponent} of an image with samples up to `most`. */
export function imageUnit(most: number): number {
  return unitExponent(most, -40, 40);
}

/** The image with every sample and its peak times 2^e, in float64. */
export function* shiftedImage(image: Image, e: number): Work<Image> {
  const planes: Samples[] = [];
  for (const plane of image.planes) planes.push(yield* mapped(plane, (value) => shifted(value, e)));
  return { ...image, planes, peak: shiftedPositive(image.peak, e) };
}
