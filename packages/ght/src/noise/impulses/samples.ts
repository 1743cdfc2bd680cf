/**
 * Which samples of a plane are impulses, if it has any: the second half of the rule in `impulses.ts`.
 */
import type { Samples } from '../../image/image.js';
import type { Work } from '../../work.js';
import type { Level, Sign } from './population.js';

/** The neighbourhood in which the value of a sample is counted: 3 samples in each direction, 7×7 in all. */
const REACH = 3;
/** A value that is more frequent than impulses explain by this many deviations belongs to the picture. */
const DEVIATIONS = 4;
/** The smallest number of good samples that describes the picture around a sample. */
const FEWEST_GOOD = 3;
/** The smallest distance of an impulse of any value from the median of its neighbours, in units of their scale. */
const SCALES = 5;
/** How many times impulses of any value are searched, each time without those found before. */
const ROUNDS = 3;
/** How far it depends on others whether a sample is an impulse: twice the neighbourhood, then one sample per round. */
export const SEARCH_REACH = 2 * REACH + ROUNDS;
/** Samples between two yields. */
const SAMPLES_PER_YIELD = 2 ** 14;

/** Marks the impulses of these values in `found`. */
export function* samplesOfLevels(
  plane: Samples,
  width: number,
  height: number,
  levels: readonly Level[],
  found: Uint8Array,
): Work<void> {
  const suspect = new Uint8Array(plane.length);
  for (const { value, share } of levels) {
    for (let i = 0; i < plane.length; i++) {
      if (plane[i] === value && !isFrequent(plane, width, height, i, share)) suspect[i] = 1;
      if (i % SAMPLES_PER_YIELD === 0) yield (0.5 * i) / plane.length;
    }
  }
  const shares = new Map(levels.map(({ value, share }) => [value, share]));
  const good = new Float64Array((2 * REACH + 1) ** 2);
  for (let i = 0; i < plane.length; i++) {
    if (i % SAMPLES_PER_YIELD === 0) yield 0.5 + (0.5 * i) / plane.length;
    if (suspect[i] === 0) continue;
    let count = 0;
    for (let reach = 1; reach <= REACH && count < FEWEST_GOOD; reach++) {
      count = gather(plane, width, height, i, reach, suspect, good);
    }
    if (count === 0) continue;
    const m = sortedMedian(good, count);
    let s = 0;
    for (let k = 0; k < count; k++) s += Math.abs(good[k] - m) / count;
    // Without division: s may be 0.
    if (2 * Math.abs(plane[i] - m) > s * Math.log(0.5 / (shares.get(plane[i]) ?? 0))) found[i] = 1;
  }
}

/** Whether the value of sample i occurs around it more often than impulses alone explain. */
function isFrequent(plane: Samples, width: number, height: number, i: number, share: number): boolean {
  const x = i % width;
  const y = (i - x) / width;
  const value = plane[i];
  const [from, to] = [Math.max(0, x - REACH), Math.min(width - 1, x + REACH)];
  let [count, all] = [0, 0];
  for (let row = Math.max(0, y - REACH); row <= Math.min(height - 1, y + REACH); row++) {
    for (let j = row * width + from; j <= row * width + to; j++) if (plane[j] === value) count++;
    all += to - from + 1;
  }
  return count > all * share + DEVIATIONS * Math.sqrt(all * share * (1 - share)) + 1;
}

/**
 * Marks the impulses of these signs, whatever their value, in `found`. Impulses among the neighbours hide others, so the search
 * is repeated without those found before. Returns the smallest scale of each round, which is the typical one of the plane. If these
 * are given, they are used: a part of a plane is searched by the scales of the whole.
 */
export function* samplesOfAnyValue(
  plane: Samples,
  width: number,
  height: number,
  signs: readonly Sign[],
  found: Uint8Array,
  floors?: readonly number[],
): Work<number[]> {
  const used: number[] = [];
  const scales = new Float64Array(plane.length);
  const distances = new Float64Array(plane.length);
  const good = new Float64Array(9);
  for (let round = 0; round < (floors?.length ?? ROUNDS); round++) {
    const known = found.slice();
    distances.fill(0);
    for (let i = 0; i < plane.length; i++) {
      if (i % SAMPLES_PER_YIELD === 0) yield (round + i / plane.length) / ROUNDS;
      if (known[i]) continue;
      const value = plane[i];
      known[i] = 1;
      const count = gather(plane, width, height, i, 1, known, good);
      known[i] = 0;
      if (count < FEWEST_GOOD) continue;
      const m = sortedMedian(good, count);
      const distance = value - m;
      let alike = 0;
      for (let k = 0; k < count; k++) {
        if (Math.abs(good[k] - value) < Math.abs(distance) / 2) alike++;
        good[k] = Math.abs(good[k] - m);
      }
      // The largest quarter is left out, because other impulses may be among the neighbours.
      sort(good, count);
      scales[i] = good[Math.ceil(0.75 * count) - 1];
      if (alike <= 1 && signs.includes(distance > 0 ? 1 : -1)) distances[i] = Math.abs(distance);
    }
    const floor = floors?.[round] ?? typical(scales);
    used.push(floor);
    let more = 0;
    for (let i = 0; i < plane.length; i++) {
      if (distances[i] <= SCALES * Math.max(scales[i], floor)) continue;
      found[i] = 1;
      more++;
    }
    // A part without impulses may still have some by the scale of the next round.
    if (more === 0 && !floors) break;
  }
  return used;
}

/** The median of the values, from a sample of at most a few thousand. */
function typical(values: Float64Array): number {
  const step = Math.ceil(values.length / 4096);
  const some = Float64Array.from({ length: Math.ceil(values.length / step) }, (_, k) => values[k * step]).sort();
  return some[some.length >> 1];
}

/** Collects the samples of the square around sample i that are not marked, and returns their number. */
function gather(
  plane: Samples,
  width: number,
  height: number,
  i: number,
  reach: number,
  marked: Uint8Array,
  into: Float64Array,
): number {
  const x = i % width;
  const y = (i - x) / width;
  const [from, to] = [Math.max(0, x - reach), Math.min(width - 1, x + reach)];
  let count = 0;
  for (let row = Math.max(0, y - reach); row <= Math.min(height - 1, y + reach); row++) {
    for (let j = row * width + from; j <= row * width + to; j++) if (marked[j] === 0) into[count++] = plane[j];
  }
  return count;
}

/** Sorts the first `count` values in place; insertion sort, because they are few. */
function sort(values: Float64Array, count: number): void {
  for (let k = 1; k < count; k++) {
    const value = values[k];
    let j = k;
    for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
    values[j] = value;
  }
}

/** Sorts the first `count` values and returns their median. */
function sortedMedian(values: Float64Array, count: number): number {
  sort(values, count);
  const middle = count >> 1;
  return count % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}
