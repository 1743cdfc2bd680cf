import type { Samples } from 'ght';

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

/** The largest finite value less the smallest, or 1 for a constant image: what counts as full scale of float data. */
export function fullScale(planes: readonly Samples[]): number {
  const [least, most] = rangeOf(planes);
  return most > least ? most - least : 1;
}
