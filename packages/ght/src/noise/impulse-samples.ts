/**
 * Which samples of a plane are impulses, once it is known that there are some: the second half of the rule that `impulses.ts`
 * states.
 */
import type { Samples } from '../signal/image.js';
import type { Work } from '../work.js';
import type { Level, Sign } from './impulse-population.js';

/** How far around a sample its value is counted: 7×7 samples. */
const REACH = 3;
/** So many deviations more samples of one value than impulses explain are the picture's own. */
const DEVIATIONS = 4;
const RATE = +(process.env.RATE ?? 1);
/** Fewer good samples than this say nothing about the picture around them. */
const FEWEST_GOOD = 3;
/** A sample of any value must be so many scales of its neighbours away from their median. */
const SCALES = 5;
/** Samples between two yields. */
const SAMPLES_A_YIELD = 2 ** 14;

/** What a sample is taken for. */
const PICTURE = 0;
const SUSPECT = 1;

/** Adds the impulses of these values to `found`. */
export function* samplesOfLevels(
  plane: Samples,
  width: number,
  height: number,
  levels: readonly Level[],
  found: Set<number>,
): Work<void> {
  const state = new Uint8Array(plane.length);
  for (const { value, share } of levels) {
    for (let i = 0; i < plane.length; i++) {
      if (plane[i] === value && !isFrequent(plane, width, height, i, share)) state[i] = SUSPECT;
      if (i % SAMPLES_A_YIELD === 0) yield (0.5 * i) / plane.length;
    }
  }
  const shares = new Map(levels.map(({ value, share }) => [value, share]));
  const good: number[] = [];
  for (let i = 0; i < plane.length; i++) {
    if (i % SAMPLES_A_YIELD === 0) yield 0.5 + (0.5 * i) / plane.length;
    if (state[i] === PICTURE) continue;
    for (let reach = 1; reach <= REACH; reach++) {
      good.length = 0;
      around(width, height, i, reach, (j) => {
        if (state[j] === PICTURE) good.push(plane[j]);
      });
      if (good.length >= FEWEST_GOOD) break;
    }
    if (good.length === 0) continue;
    const m = medianOf(good);
    const distance = Math.abs(plane[i] - m);
    const s = good.reduce((sum, value) => sum + Math.abs(value - m), 0) / good.length;
    // Without division: s may be 0.
    if (distance > (s / RATE) * Math.log(0.5 / (shares.get(plane[i]) ?? 0))) found.add(i);
  }
}

/** Whether the value of sample i occurs around it more often than impulses alone would make it. */
function isFrequent(plane: Samples, width: number, height: number, i: number, share: number): boolean {
  let [count, all] = [0, 0];
  around(width, height, i, REACH, (j) => {
    all++;
    if (plane[j] === plane[i]) count++;
  });
  return count > all * share + DEVIATIONS * Math.sqrt(all * share * (1 - share)) + 1;
}

/** Adds the impulses of these signs, whatever their value, to `found`. */
export function* samplesOfAnyValue(
  plane: Samples,
  width: number,
  height: number,
  signs: readonly Sign[],
  found: Set<number>,
): Work<void> {
  const known = new Set(found);
  const scales = new Float64Array(plane.length);
  const distances = new Float64Array(plane.length);
  const good: number[] = [];
  for (let i = 0; i < plane.length; i++) {
    if (i % SAMPLES_A_YIELD === 0) yield i / plane.length;
    if (known.has(i)) continue;
    good.length = 0;
    around(width, height, i, 1, (j) => {
      if (j !== i && !known.has(j)) good.push(plane[j]);
    });
    if (good.length < FEWEST_GOOD) continue;
    const m = medianOf(good);
    distances[i] = plane[i] - m;
    const alike = good.filter((value) => Math.abs(value - plane[i]) < Math.abs(distances[i]) / 2).length;
    // The second greatest deviations are left out: other impulses may be among the neighbours.
    const deviations = good.map((value) => Math.abs(value - m)).sort((a, b) => a - b);
    scales[i] = deviations[Math.ceil(0.75 * deviations.length) - 1];
    if (alike > 1 || !signs.includes(Math.sign(distances[i]) as Sign)) distances[i] = 0;
  }
  const floor = typical(scales);
  for (let i = 0; i < plane.length; i++) {
    if (Math.abs(distances[i]) > SCALES * Math.max(scales[i], floor)) found.add(i);
  }
}

/** The median of a plane's values, from at most some thousands of them. */
function typical(values: Float64Array): number {
  const step = Math.ceil(values.length / 4096);
  return medianOf(Array.from({ length: Math.ceil(values.length / step) }, (_, k) => values[k * step]));
}

/** Calls `visit` for every sample of the square around sample i, as far as it lies in the plane. */
function around(width: number, height: number, i: number, reach: number, visit: (j: number) => void): void {
  const [x, y] = [i % width, Math.floor(i / width)];
  const [left, right] = [Math.max(0, x - reach), Math.min(width - 1, x + reach)];
  for (let row = Math.max(0, y - reach); row <= Math.min(height - 1, y + reach); row++) {
    for (let j = row * width + left; j <= row * width + right; j++) visit(j);
  }
}

/** The median; sorts what it is given. */
function medianOf(values: number[]): number {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}
