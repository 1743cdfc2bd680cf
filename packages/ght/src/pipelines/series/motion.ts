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
import type { Samples } from '../../image/image.js';
import type { Size } from '../../image/rectangle.js';
import type { Work } from '../../work.js';

/** The side of a block. */
const BLOCK = 32;
/** What a deviation of one pixel costs, in variances of the noise per sample. */
const PRICE = 0.2;
/** The displacements along one axis. */
const SIDE = 2 * MOTION + 1;

/** The motion from one page to the next, in the first of the planes that are denoised. */
export function* motionOf(
  before: Samples,
  after: Samples,
  { width, height }: Size,
  { scales: [scale] }: Frame,
): Work<Motion> {
  const [columns, rows] = [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)];
  const whole = new Float64Array(SIDE * SIDE);
  const blocks: Float64Array[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const differences = new Float64Array(SIDE * SIDE);
      const [left, top] = [column * BLOCK, row * BLOCK];
      const [right, bottom] = [Math.min(width, left + BLOCK), Math.min(height, top + BLOCK)];
      for (let i = 0; i < differences.length; i++) {
        const [dx, dy] = [(i % SIDE) - MOTION, Math.floor(i / SIDE) - MOTION];
        const [from, to] = [Math.max(left, -dx), Math.min(right, width - dx)];
        const [first, last] = [Math.max(top, -dy), Math.min(bottom, height - dy)];
        let sum = 0;
        for (let y = first; y < last; y++) {
          const [a, b] = [y * width, (y + dy) * width + dx];
          for (let x = from; x < to; x++) {
            const difference = after[b + x] - before[a + x];
            sum += difference * difference;
          }
        }
        const count = Math.max(0, to - from) * Math.max(0, last - first);
        differences[i] = count > 0 ? sum / (count * scale * scale) : Number.POSITIVE_INFINITY;
        whole[i] += differences[i] / (rows * columns);
      }
      blocks.push(differences);
    }
    yield (row + 1) / rows;
  }
  const all = least(whole, [0, 0], PRICE / blocks.length);
  const motions = blocks.map((differences) => least(differences, all, PRICE));
  return {
    block: BLOCK,
    columns,
    x: Float64Array.from(motions, ([x]) => x),
    y: Float64Array.from(motions, ([, y]) => y),
  };
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
