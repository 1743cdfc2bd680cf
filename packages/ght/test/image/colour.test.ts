import { expect, it } from 'vitest';
import { decorrelate, recorrelate } from '../../src/image/colour.js';

const rgb = [Float64Array.from([10, 200, 30]), Float64Array.from([20, 180, 30]), Float64Array.from([90, 160, 30])];
const energy = (planes: readonly ArrayLike<number>[]) =>
  planes.reduce((sum, plane) => sum + Array.from(plane).reduce((s, value) => s + value * value, 0), 0);

it('the colour transform is invertible and keeps the energy', () => {
  const back = recorrelate(decorrelate(rgb));
  back.forEach((plane, c) => {
    plane.forEach((value, i) => {
      expect(value).toBeCloseTo(rgb[c][i], 10);
    });
  });
  expect(energy(decorrelate(rgb))).toBeCloseTo(energy(rgb), 8);
});

it('grey in three equal channels has no chroma', () => {
  const [luma, first, second] = decorrelate([rgb[0], rgb[0], rgb[0]]);
  expect(luma[1]).toBeCloseTo(200 * Math.sqrt(3), 10);
  expect(Math.max(...first.map(Math.abs), ...second.map(Math.abs))).toBeLessThan(1e-12);
});

it('leaves any other number of planes unchanged', () => {
  expect(decorrelate(rgb.slice(0, 2))).toEqual(rgb.slice(0, 2));
});
