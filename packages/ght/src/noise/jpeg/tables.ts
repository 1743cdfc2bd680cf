/** The quantisation tables of most JPEG files: those of annex K of the standard, scaled by a quality from 1 to 100. */

/** Steps for luma at quality 50, row by row. */
const LUMA = [
  ...[16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55],
  ...[14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62],
  ...[18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92],
  ...[49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99],
];

/** Steps for chroma at quality 50: a few different values, and 99 from the fourth diagonal on. */
const CHROMA = Array.from({ length: 64 }, (_, f) => {
  const [least, most] = [Math.min(f & 7, f >> 3), Math.max(f & 7, f >> 3)];
  const corner = [[17], [18, 21], [24, 26, 56], [47, 66]];
  return corner[most]?.[least] ?? 99;
});

const STANDARD = { luma: LUMA, chroma: CHROMA } as const;

/** The standard table at a quality from 1 to 100, as the library of the Independent JPEG Group (IJG) scales it. */
export function standardTable(kind: 'luma' | 'chroma', quality: number): Uint8Array {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return Uint8Array.from(STANDARD[kind], (step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

/** The distance of steps from a standard table: the mean |log ratio| over the steps that are known (not 0). */
export function distanceFrom(kind: 'luma' | 'chroma', quality: number, steps: ArrayLike<number>): number {
  let [sum, known] = [0, 0];
  standardTable(kind, quality).forEach((step, f) => {
    if (!(steps[f] > 0)) return;
    sum += Math.abs(Math.log(steps[f] / step));
    known++;
  });
  return known === 0 ? 0 : sum / known;
}

/** The quality whose standard table is nearest to these steps. */
export function nearestQuality(kind: 'luma' | 'chroma', steps: ArrayLike<number>): number {
  let nearest = { quality: 50, distance: Number.POSITIVE_INFINITY };
  for (let quality = 1; quality <= 100; quality++) {
    const distance = distanceFrom(kind, quality, steps);
    if (distance < nearest.distance) nearest = { quality, distance };
  }
  return nearest.quality;
}
