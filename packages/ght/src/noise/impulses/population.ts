/**
 * Whether a plane has impulses, and of which kind: the first half of the rule in `impulses.ts`.
 */
import type { Samples } from '../../image/image.js';
import type { Work } from '../../work.js';

/** The smallest g of a sample that stands out. */
const STANDS_OUT = 1.5;
/** Factors a: N(2a) is compared with N(a). */
const RATIOS = [2, 4];
/** N(2a)/N(a): the largest value without impulses, and the smallest that counts as impulses. */
const TAIL = { expected: 1 / 8, found: 1 / 3 };
/** K/(K + B): the largest value without impulses of one value, and the smallest that counts as such impulses. */
const ONE_VALUE = { expected: 1 / 2, found: 4 / 5 };
/** The logarithm of the probability of a false alarm per test. */
const LOG_FALSE_ALARM = Math.log(1e-6);
/** The smallest number of samples that counts as a population. */
const FEWEST = 12;
/** The number of cells that each side of the picture is divided into. */
const CELLS = 8;
/** Samples between two yields. */
const SAMPLES_PER_YIELD = 2 ** 15;

/** The sign of impulses: +1 if they are brighter than their neighbours, −1 if darker. */
export type Sign = 1 | -1;

/** The samples of one sign that stand out in a plane. */
interface Outliers {
  readonly sign: Sign;
  /** For each sample: its index, its value, the value of the nearest neighbour, and g. */
  readonly at: number[];
  readonly value: number[];
  readonly nearest: number[];
  readonly ratio: number[];
  /** Per cell: the number of places where a sample could have stood out by g ≥ 1.5, and by g ≥ 4. */
  readonly places: Float64Array;
  readonly farPlaces: Float64Array;
}

/** Impulses of one value, and their share of the samples. */
export interface Level {
  readonly sign: Sign;
  readonly value: number;
  readonly share: number;
}

/** Decides which values and which signs the impulses of a plane have. */
export function* populations(plane: Samples, width: number, height: number): Work<{ levels: Level[]; signs: Sign[] }> {
  const levels: Level[] = [];
  const signs: Sign[] = [];
  for (const outliers of yield* outliersOf(plane, width, height)) {
    const level = levelOf(outliers, width, height);
    if (level) levels.push(level);
    if (isHeavyTailed(outliers, level, width, height)) signs.push(outliers.sign);
  }
  return { levels, signs };
}

/** All samples with g ≥ 1.5, dark and bright. */
function* outliersOf(plane: Samples, width: number, height: number): Work<Outliers[]> {
  const made = (sign: Sign): Outliers => ({
    ...{ sign, at: [], value: [], nearest: [], ratio: [] },
    ...{ places: new Float64Array(CELLS * CELLS), farPlaces: new Float64Array(CELLS * CELLS) },
  });
  const dark = made(-1);
  const bright = made(1);
  const { least, greatest } = yield* extremes(plane);
  // Three rows at a time are copied, so that the inner loop works on one type of array.
  let [above, row, below] = [0, 1, 2].map((y) => Float64Array.from(plane.subarray(y * width, (y + 1) * width)));
  const cellOfColumn = Uint8Array.from({ length: width }, (_, x) => Math.floor((x * CELLS) / width));
  const rowsPerYield = Math.ceil(SAMPLES_PER_YIELD / width);
  for (let y = 1; y < height - 1; y++) {
    const cellOfRow = CELLS * Math.floor((y * CELLS) / height);
    for (let x = 1; x < width - 1; x++) {
      const n0 = above[x - 1];
      const n1 = above[x];
      const n2 = above[x + 1];
      const n3 = row[x - 1];
      const n4 = row[x + 1];
      const n5 = below[x - 1];
      const n6 = below[x];
      const n7 = below[x + 1];
      const min = Math.min(n0, n1, n2, n3, n4, n5, n6, n7);
      const max = Math.max(n0, n1, n2, n3, n4, n5, n6, n7);
      const range = max - min;
      if (range === 0 || min === least || max === greatest) continue;
      const cell = cellOfRow + cellOfColumn[x];
      const value = row[x];
      if (min - least >= STANDS_OUT * range) {
        dark.places[cell]++;
        if (min - least >= 4 * range) dark.farPlaces[cell]++;
        if (min - value >= STANDS_OUT * range) add(dark, y * width + x, value, min, range);
      }
      if (greatest - max >= STANDS_OUT * range) {
        bright.places[cell]++;
        if (greatest - max >= 4 * range) bright.farPlaces[cell]++;
        if (value - max >= STANDS_OUT * range) add(bright, y * width + x, value, max, range);
      }
    }
    [above, row, below] = [row, below, above];
    if (y + 2 < height) below.set(plane.subarray((y + 2) * width, (y + 3) * width));
    if (y % rowsPerYield === 0) yield y / height;
  }
  return [dark, bright];
}

function add(outliers: Outliers, at: number, value: number, nearest: number, range: number): void {
  outliers.at.push(at);
  outliers.value.push(value);
  outliers.nearest.push(nearest);
  outliers.ratio.push(Math.abs(value - nearest) / range);
}

function* extremes(plane: Samples): Work<{ least: number; greatest: number }> {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < plane.length; i++) {
    if (plane[i] < least) least = plane[i];
    if (plane[i] > greatest) greatest = plane[i];
    if (i % SAMPLES_PER_YIELD === 0) yield 0;
  }
  return { least, greatest };
}

/** The value that impulses of this sign have, if there are impulses of one value. */
function levelOf({ sign, at, value, nearest, places }: Outliers, width: number, height: number): Level | undefined {
  const counts = new Map<number, number>();
  for (const v of value) counts.set(v, (counts.get(v) ?? 0) + 1);
  let level = Number.NaN;
  let count = 0;
  for (const [v, n] of counts) if (n > count) [level, count] = [v, n];
  if (count < FEWEST) return undefined;
  let others = 0;
  value.forEach((v, i) => {
    if (v !== level && Math.abs(v - level) < Math.abs(v - nearest[i])) others++;
  });
  const there = at.filter((_, i) => value[i] === level);
  if (!isBeyondChance(count, count + others, ONE_VALUE)) return undefined;
  if (!isSpread(there, places, width, height)) return undefined;
  return { sign, value: level, share: count / sum(places) };
}

/** Whether there are impulses of any value, in addition to those of one value. */
function isHeavyTailed(
  { at, value, ratio, farPlaces }: Outliers,
  level: Level | undefined,
  width: number,
  height: number,
): boolean {
  const others = at.map((_, i) => i).filter((i) => value[i] !== level?.value);
  return RATIOS.some((a) => {
    const near = others.filter((i) => ratio[i] >= a);
    const far = near.filter((i) => ratio[i] >= 2 * a);
    if (!isBeyondChance(far.length, near.length, TAIL)) return false;
    return isSpread(
      far.map((i) => at[i]),
      farPlaces,
      width,
      height,
    );
  });
}

/** Whether k of n exceeds the expected share by more than chance explains. */
function isBeyondChance(
  k: number,
  n: number,
  { expected, found }: { readonly expected: number; readonly found: number },
): boolean {
  if (k < FEWEST || k < found * n) return false;
  const share = k / n;
  const divergence =
    share * Math.log(share / expected) + (share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - expected)));
  return -n * divergence < LOG_FALSE_ALARM;
}

/** Whether sites are spread over the cells like independent ones, given the number of possible places in each cell. */
function isSpread(sites: readonly number[], places: Float64Array, width: number, height: number): boolean {
  const counts = new Float64Array(places.length);
  for (const at of sites) {
    const [x, y] = [at % width, Math.floor(at / width)];
    counts[CELLS * Math.floor((y * CELLS) / height) + Math.floor((x * CELLS) / width)]++;
  }
  const rate = sites.length / sum(places);
  let [chiSquare, cells, expectedSum] = [0, 0, 0];
  counts.forEach((count, cell) => {
    const expected = rate * places[cell];
    if (expected < 0.5) return;
    chiSquare += (count - expected) ** 2 / expected;
    expectedSum += expected;
    cells++;
  });
  if (cells < CELLS) return false;
  const dispersion = chiSquare / (cells - 1);
  const deviation = Math.sqrt(2 / (cells - 1));
  // Whether a sample stands out depends on the picture around it. So the rate may vary too, here by up to 70%.
  return dispersion > 1 - 4 * deviation && dispersion < 1 + 4 * deviation + (0.5 * expectedSum) / cells;
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
