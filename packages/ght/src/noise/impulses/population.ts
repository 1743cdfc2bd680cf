/**
 * Whether a plane has impulses, and of which kind: the first half of the rule in `impulses.ts`.
 */
import { type Limits, limitsOf, type Samples } from '../../image/image.js';
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
}

/** Per cell: the number of places where a sample of one sign could have stood out by g ≥ 1.5, and by g ≥ 4. */
interface Places {
  readonly near: Float64Array;
  readonly far: Float64Array;
}

type Row = Float64Array;

/** A plane, with its least and its greatest sample. */
interface Searched {
  readonly plane: Samples;
  readonly width: number;
  readonly height: number;
  readonly least: number;
  readonly greatest: number;
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
  const { least, most } = (yield* limitsOf(plane)) as Limits;
  const searched = { plane, width, height, least, greatest: most };
  let places: readonly Places[] | undefined;
  for (const [n, outliers] of (yield* outliersOf(searched)).entries()) {
    const frequent = frequentOf(outliers);
    // Places are only counted where something is beyond chance, which is nowhere in most planes.
    if (!frequent && tailsOf(outliers, undefined).length === 0) continue;
    places ??= yield* placesOf(searched);
    const { near, far } = places[n];
    const isLevel = frequent && isSpread(frequent.at, near, width, height);
    const value = isLevel ? frequent.value : undefined;
    if (isLevel) levels.push({ sign: outliers.sign, value: frequent.value, share: frequent.at.length / sum(near) });
    if (tailsOf(outliers, value).some((at) => isSpread(at, far, width, height))) signs.push(outliers.sign);
  }
  return { levels, signs };
}

/** All samples with g ≥ 1.5, dark and bright. */
function* outliersOf(searched: Searched): Work<Outliers[]> {
  const { width, least, greatest } = searched;
  const made = (sign: Sign): Outliers => ({ sign, at: [], value: [], nearest: [], ratio: [] });
  const [dark, bright] = [made(-1), made(1)];
  const candidates = new Int32Array(width);
  yield* eachRow(searched, (y, above, row, below) => {
    const count = candidatesOf(above, row, below, candidates);
    for (let n = 0; n < count; n++) {
      const x = candidates[n];
      const value = row[x];
      const min = leastAround(above, row, below, x);
      const max = greatestAround(above, row, below, x);
      const range = max - min;
      if (range === 0 || min === least || max === greatest) continue;
      if (min - value >= STANDS_OUT * range) add(dark, y * width + x, value, min, range);
      if (value - max >= STANDS_OUT * range) add(bright, y * width + x, value, max, range);
    }
  });
  return [dark, bright];
}

/** Calls `work` for every row but the ends. Three rows at a time are copied, so that it works on one type of array. */
function* eachRow(
  { plane, width, height }: Searched,
  work: (y: number, above: Row, row: Row, below: Row) => void,
): Work<void> {
  let [above, row, below] = [0, 1, 2].map((y) => Float64Array.from(plane.subarray(y * width, (y + 1) * width)));
  const rowsPerYield = Math.ceil(SAMPLES_PER_YIELD / width);
  for (let y = 1; y < height - 1; y++) {
    work(y, above, row, below);
    [above, row, below] = [row, below, above];
    if (y + 2 < height) below.set(plane.subarray((y + 2) * width, (y + 3) * width));
    if (y % rowsPerYield === 0) yield y / height;
  }
}

/**
 * The columns of a row at which a sample v may stand out, in `into`; returns their number. A sample that stands out from all neighbours by
 * 1.5 of their range R does so from the two, p and q, that are opposite to each other: (v − p)(v − q) ≥ 1.5 · 2.5 (p − q)². Few others do.
 */
function candidatesOf(above: Row, row: Row, below: Row, into: Int32Array): number {
  let count = 0;
  for (let x = 1; x < row.length - 1; x++) {
    const v = row[x];
    if (
      isApart(v, row[x - 1], row[x + 1]) &&
      isApart(v, above[x], below[x]) &&
      isApart(v, above[x - 1], below[x + 1]) &&
      isApart(v, above[x + 1], below[x - 1])
    ) {
      into[count++] = x;
    }
  }
  return count;
}

/** Whether v may be beyond both of two others by 1.5 of their distance. */
function isApart(v: number, p: number, q: number): boolean {
  // A little less than the factor, for rounding.
  return (v - p) * (v - q) >= 3.7 * (p - q) * (p - q);
}

/** The least of the eight neighbours of a sample. */
function leastAround(a: Row, row: Row, b: Row, x: number): number {
  return Math.min(a[x - 1], a[x], a[x + 1], row[x - 1], row[x + 1], b[x - 1], b[x], b[x + 1]);
}

/** The greatest of the eight neighbours of a sample. */
function greatestAround(a: Row, row: Row, b: Row, x: number): number {
  return Math.max(a[x - 1], a[x], a[x + 1], row[x - 1], row[x + 1], b[x - 1], b[x], b[x + 1]);
}

/** The places of dark and of bright samples that stand out. */
function* placesOf(searched: Searched): Work<Places[]> {
  const { width, height, least, greatest } = searched;
  const made = (): Places => ({ near: new Float64Array(CELLS * CELLS), far: new Float64Array(CELLS * CELLS) });
  const [dark, bright] = [made(), made()];
  const cellOfColumn = Uint8Array.from({ length: width }, (_, x) => Math.floor((x * CELLS) / width));
  yield* eachRow(searched, (y, above, row, below) => {
    const cellOfRow = CELLS * Math.floor((y * CELLS) / height);
    for (let x = 1; x < width - 1; x++) {
      const min = leastAround(above, row, below, x);
      const max = greatestAround(above, row, below, x);
      const range = max - min;
      if (range === 0 || min === least || max === greatest) continue;
      const cell = cellOfRow + cellOfColumn[x];
      if (min - least >= STANDS_OUT * range) dark.near[cell]++;
      if (min - least >= 4 * range) dark.far[cell]++;
      if (greatest - max >= STANDS_OUT * range) bright.near[cell]++;
      if (greatest - max >= 4 * range) bright.far[cell]++;
    }
  });
  return [dark, bright];
}

function add(outliers: Outliers, at: number, value: number, nearest: number, range: number): void {
  outliers.at.push(at);
  outliers.value.push(value);
  outliers.nearest.push(nearest);
  outliers.ratio.push(Math.abs(value - nearest) / range);
}

/** The value that impulses of one sign may have, and where they are; undefined if no value is beyond chance. */
function frequentOf({ at, value, nearest }: Outliers): { readonly value: number; readonly at: number[] } | undefined {
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
  if (!isBeyondChance(count, count + others, ONE_VALUE)) return undefined;
  return { value: level, at: at.filter((_, i) => value[i] === level) };
}

/** Where impulses of any value but one may be, if there are more of them than chance explains, for every factor a. */
function tailsOf({ at, value, ratio }: Outliers, level: number | undefined): number[][] {
  const others = at.map((_, i) => i).filter((i) => value[i] !== level);
  return RATIOS.flatMap((a) => {
    const near = others.filter((i) => ratio[i] >= a);
    const far = near.filter((i) => ratio[i] >= 2 * a);
    return isBeyondChance(far.length, near.length, TAIL) ? [far.map((i) => at[i])] : [];
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
