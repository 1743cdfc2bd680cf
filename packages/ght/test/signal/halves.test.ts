import { describe, expect, it } from 'vitest';
import { addEnlarged, halfOf, halved } from '../../src/signal/halves.js';
import { finish } from '../../src/work.js';

describe('a plane at half its size', () => {
  it('has the means of 2×2 samples, and at an odd edge of those that exist', () => {
    const plane = Float64Array.of(1, 3, 10, 5, 7, 20, 100, 200, 1000);
    expect([halfOf(3), halfOf(4)]).toEqual([2, 2]);
    expect([...finish(halved(plane, 3, 3))]).toEqual([4, 15, 150, 1000]);
  });

  it('is enlarged exactly for constants and ramps', () => {
    for (const [width, height] of [
      [12, 10],
      [11, 9],
    ]) {
      const [w, h] = [halfOf(width), halfOf(height)];
      const plane = new Float64Array(width * height).fill(2);
      finish(addEnlarged(plane, width, height, new Float64Array(w * h).fill(3)));
      plane.forEach((value) => {
        expect(value).toBeCloseTo(5, 12);
      });
      const ramp = new Float64Array(width * height);
      // Coarse sample k lies at 2k + 1/2.
      const coarse = Float64Array.from(
        { length: w * h },
        (_, i) => 2 * (i % w) + 0.5 + 10 * (2 * Math.floor(i / w) + 0.5),
      );
      finish(addEnlarged(ramp, width, height, coarse));
      for (let y = 4; y < height - 4; y++) {
        for (let x = 4; x < width - 4; x++) expect(ramp[y * width + x]).toBeCloseTo(x + 10 * y, 10);
      }
    }
  });

  it('one sample is spread by cubic convolution', () => {
    const coarse = new Float64Array(8);
    coarse[3] = 128;
    const row = new Float64Array(16);
    finish(addEnlarged(row, 16, 1, coarse));
    expect([...row.slice(3, 12)]).toEqual([-3, -9, 29, 111, 111, 29, -9, -3, 0]);
  });
});
