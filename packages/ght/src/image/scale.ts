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
    for (let i = from; i < to; i++) most = Math.max(most, Math.abs(values[i]));
    yield to / values.length;
  }
  return most;
}

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
