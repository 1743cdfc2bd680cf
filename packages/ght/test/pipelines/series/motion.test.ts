import { expect, it } from 'vitest';
import { allOf } from '../../../src/image/rectangle.js';
import { motionOf } from '../../../src/pipelines/series/motion.js';
import { seriesOf } from '../../series.js';

const [width, height] = [150, 110];
const frame = { centres: [0], scales: [1] };
const between = (...pair: readonly [before: Float64Array, after: Float64Array]) =>
  motionOf(async () => [[pair[0]], [pair[1]]], [allOf({ width, height })], { width, height }, frame, {});
const motionsOf = async (motion: readonly [number, number]) => {
  const [before, after] = seriesOf({ width, height, pages: 2, motion, sigma: 1 });
  return between(before, after);
};

it('finds the motion of every block from page to page in the noise, and none in what stands still', async () => {
  for (const motion of [
    [0, 0],
    [2, -1],
    [-3, 3],
  ] as const) {
    const { block, columns, x, y } = await motionsOf(motion);
    expect([columns, x.length]).toEqual([Math.ceil(width / block), columns * Math.ceil(height / block)]);
    // The picture moves against the window that is seen of it.
    for (const [axis, found] of [x, y].entries()) {
      for (const each of Array.from(found)) expect(Math.abs(each + motion[axis]), `${motion}`).toBeLessThan(0.5);
    }
  }
});

it('lets a block move by itself', async () => {
  const still = { width, height, pages: 2, sigma: 0.3 };
  const [before, after] = seriesOf(still);
  const [, moved] = seriesOf({ ...still, motion: [3, 0] });
  const isIn = (i: number) => i % width >= 32 && i % width < 96 && i / width >= 32 && i / width < 96;
  const mixed = after.map((value, i) => (isIn(i) ? moved[i] : value));
  const { columns, x } = await between(before, mixed);
  for (let b = 0; b < x.length; b++) {
    const [column, row] = [b % columns, Math.floor(b / columns)];
    const isInside = column >= 1 && column <= 2 && row >= 1 && row <= 2;
    expect(Math.abs(x[b] + (isInside ? 3 : 0)), `block ${column}, ${row}`).toBeLessThan(0.6);
  }
});
