/**
 * Brightnesses that agree on the level of the noise: texture is seldom even, and seldom the same at several brightnesses. A bin with uneven
 * blocks far below such a level is not believed: it is a highlight that was compressed, next to edges.
 */
import type { Flattest } from './flat-blocks.js';

/**
 * At least this share of the bins agrees: with R up to `ratio`, and levels within a factor. A bin is doubtful if its R is larger than
 * `doubtful`, and its level lower by a factor of `below`.
 */
const AGREED = { ratio: 1.3, share: 0.4, factor: 1.5, doubtful: 2, below: 2.5 } as const;

/** Whether each bin is doubtful, given the levels of all bins. */
export function doubtfulBins(bins: readonly Flattest[], level: readonly number[]): boolean[] {
  const even = [...bins.keys()].filter((b) => bins[b].ratio <= AGREED.ratio && level[b] > 0);
  const agreeing = (a: number) =>
    even.filter((b) => level[b] >= level[a] && level[b] <= AGREED.factor * level[a]).length;
  const found = even.filter((b) => agreeing(b) >= Math.max(2, AGREED.share * bins.length));
  const agreed = found.length > 0 ? Math.min(...found.map((b) => level[b])) : 0;
  return bins.map(({ ratio }, b) => ratio > AGREED.doubtful && AGREED.below * level[b] < agreed);
}
