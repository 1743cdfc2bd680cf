import type { Samples } from 'ght';
import type { SampleDepth, SampleKind } from './image-file.js';

/** The least and the greatest finite sample of some planes; without any, Infinity and −Infinity. */
export function rangeOf(planes: readonly Samples[]): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const plane of planes) {
    for (const value of plane) {
      if (!Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return [least, most];
}

/**
 * The value that counts as full scale: that of the type for integers of 8 and 16 bits, and for all others the range of the samples, or 1
 * if they are constant. `range` is called only if it is needed.
 */
export function fullScale(
  { sample, depth }: { readonly sample: SampleKind; readonly depth: SampleDepth },
  range: () => readonly [least: number, most: number],
): number {
  if (sample === 'uint' && depth <= 16) return 2 ** depth - 1;
  const [least, most] = range();
  return most > least ? most - least : 1;
}
