/**
 * How a page moves from the page before it, as far as noise lets one see it. The motion of the page as a whole is that for which all
 * samples differ least; that of a block of samples is the displacement d with the least
 *
 *     mean of (after(x + d) − before(x))² + PRICE · ‖d − whole‖²
 *
 * so a block moves like the page unless its samples say otherwise. The page as a whole has the price of one block, from standing still. Between pixels, d is the minimum of a parabola. The motions depend on
 * both pages alone, so they are the same for any tile and any window.
 */
import type { Motion } from '../../denoisers/denoiser.js';
import type { Frame } from '../../denoisers/frame.js';
import { MOTION } from '../../denoisers/groups/volumes.js';
import { gridCell, gridOf, grown, type Rectangle, type Size } from '../../image/rectangle.js';
import { drive, type Watch, type Work } from '../../work.js';
import type { Pair, ReadPair } from './page.js';

/** The side of a block. */
const BLOCK = 32;
/** What a deviation of one pixel costs, in variances of the noise per sample. */
const PRICE = 0.2;
/** The displacements along one axis. */
const SIDE = 2 * MOTION + 1;

/** The motion from one page to the next. The parts consist of whole blocks. */
export async function motionOf(
  read: ReadPair,
  parts: readonly Rectangle[],
  size: Size,
  { scales }: Frame,
  { signal }: Watch,
): Promise<Motion> {
  const [columns, rows] = [Math.ceil(size.width / BLOCK), Math.ceil(size.height / BLOCK)];
  const blocks: Float64Array[] = [];
  for (const part of parts) {
    const at = grown(part, MOTION, size);
    const differences = differencesIn(await read(at), at, part, size, scales);
    for (const [b, found] of (await drive(differences, { signal })).entries()) {
      const { left, top } = gridCell(part, { width: BLOCK, height: BLOCK }, b);
      blocks[((part.top + top) / BLOCK) * columns + (part.left + left) / BLOCK] = found;
    }
  }
  const whole = new Float64Array(SIDE * SIDE);
  for (const found of blocks) for (const [i, each] of found.entries()) whole[i] += each / (rows * columns);
  const all = least(whole, [0, 0], PRICE / blocks.length);
  const motions = blocks.map((differences) => least(differences, all, PRICE));
  return {
    block: BLOCK,
    columns,
    x: Float64Array.from(motions, ([x]) => x),
    y: Float64Array.from(motions, ([, y]) => y),
  };
}

/** The mean squared differences of the blocks of a part for every displacement, in variances of the noise, over all planes. */
function* differencesIn(
  pair: Pair,
  at: Rectangle,
  part: Rectangle,
  { width, height }: Size,
  scales: readonly number[],
): Work<Float64Array[]> {
  // Arrays of one type are read several times faster.
  const [before, after] = pair.map((planes) => planes.map((plane) => new Float64Array(plane)));
  const blocks: Float64Array[] = [];
  for (const cell of gridOf(part, { width: BLOCK, height: BLOCK })) {
    const differences = new Float64Array(SIDE * SIDE);
    const [left, top] = [part.left + cell.left, part.top + cell.top];
    const [right, bottom] = [left + cell.width, top + cell.height];
    for (let i = 0; i < differences.length; i++) {
      const [dx, dy] = [(i % SIDE) - MOTION, Math.floor(i / SIDE) - MOTION];
      const [from, to] = [Math.max(left, -dx), Math.min(right, width - dx)];
      const [first, last] = [Math.max(top, -dy), Math.min(bottom, height - dy)];
      const count = Math.max(0, to - from) * Math.max(0, last - first);
      if (count === 0) differences[i] = Number.POSITIVE_INFINITY;
      else {
        for (const [c, plane] of before.entries()) {
          const sum = squaredDifferences(plane, after[c], at, { from, to, first, last, dx, dy });
          differences[i] += sum / (count * scales[c] * scales[c]) / before.length;
        }
      }
    }
    blocks.push(differences);
    yield (top - part.top) / part.height;
  }
  return blocks;
}

/** The sum of squared differences of samples, from column `from` to before `to` and from row `first` to before `last`. */
function squaredDifferences(
  before: Float64Array,
  after: Float64Array,
  at: Rectangle,
  { from, to, first, last, dx, dy }: Readonly<Record<'from' | 'to' | 'first' | 'last' | 'dx' | 'dy', number>>,
): number {
  let [even, odd] = [0, 0];
  // Two sums do not wait for each other. Indices are whole numbers, as far as the compiler can know: others are slow.
  const shift = (dy * at.width + dx) | 0;
  for (let y = first; y < last; y++) {
    const start = ((y - at.top) * at.width - at.left + from) | 0;
    const end = (start + to - from) | 0;
    let i = start;
    for (; i < end - 1; i = (i + 2) | 0) {
      const one = after[(i + shift) | 0] - before[i];
      const other = after[(i + shift + 1) | 0] - before[(i + 1) | 0];
      even += one * one;
      odd += other * other;
    }
    if (i < end) even += (after[(i + shift) | 0] - before[i]) ** 2;
  }
  return even + odd;
}

/** The displacement with the least price. */
function least(differences: Float64Array, [x, y]: readonly [number, number], price: number): readonly [number, number] {
  const prices = differences.map(
    (each, i) => each + price * (((i % SIDE) - MOTION - x) ** 2 + (Math.floor(i / SIDE) - MOTION - y) ** 2),
  );
  let best = 0;
  for (const [i, each] of prices.entries()) if (each < prices[best]) best = i;
  const [column, row] = [best % SIDE, Math.floor(best / SIDE)];
  const along = (at: number, step: number) =>
    at - MOTION + (at === 0 || at === SIDE - 1 ? 0 : vertex(prices[best - step], prices[best], prices[best + step]));
  return [along(column, 1), along(row, SIDE)];
}

/** Where the parabola through values at −1, 0 and 1 has its minimum, if the one in the middle is the least. */
function vertex(a: number, b: number, c: number): number {
  const curvature = a - 2 * b + c;
  return curvature > 0 && Number.isFinite(curvature) ? (a - c) / (2 * curvature) : 0;
}

/** The motion of the means of 2×2 samples. */
export function halvedMotion({ block, columns, x, y }: Motion): Motion {
  const half = (values: ArrayLike<number>) => Float64Array.from(values, (value) => value / 2);
  return { block: block / 2, columns, x: half(x), y: half(y) };
}
