import { describe, expect, it } from 'vitest';
import { addEnlarged, halfAround, halfOf, halved } from '../../src/image/halves.js';
import { cut } from '../../src/image/rectangle.js';
import { finish } from '../../src/work.js';

const whole = (width: number, height: number) => ({ left: 0, top: 0, width, height });

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
      finish(
        addEnlarged(
          plane,
          whole(width, height),
          whole(width, height),
          new Float64Array(w * h).fill(3),
          whole(halfOf(width), halfOf(height)),
        ),
      );
      plane.forEach((value) => {
        expect(value).toBeCloseTo(5, 12);
      });
      const ramp = new Float64Array(width * height);
      // Coarse sample k lies at 2k + 1/2.
      const coarse = Float64Array.from(
        { length: w * h },
        (_, i) => 2 * (i % w) + 0.5 + 10 * (2 * Math.floor(i / w) + 0.5),
      );
      finish(
        addEnlarged(ramp, whole(width, height), whole(width, height), coarse, whole(halfOf(width), halfOf(height))),
      );
      for (let y = 4; y < height - 4; y++) {
        for (let x = 4; x < width - 4; x++) expect(ramp[y * width + x]).toBeCloseTo(x + 10 * y, 10);
      }
    }
  });

  it('one sample is spread by cubic convolution', () => {
    const coarse = new Float64Array(8);
    coarse[3] = 128;
    const row = new Float64Array(16);
    finish(addEnlarged(row, whole(16, 1), whole(16, 1), coarse, whole(halfOf(16), halfOf(1))));
    expect([...row.slice(3, 12)]).toEqual([-3, -9, 29, 111, 111, 29, -9, -3, 0]);
  });

  it('a part is enlarged from its part of the half plane, with the bits of the whole', () => {
    const size = { width: 37, height: 29 };
    const half = whole(halfOf(37), halfOf(29));
    const coarse = Float64Array.from({ length: half.width * half.height }, (_, i) => Math.sin(i * i));
    const plane = new Float64Array(37 * 29);
    finish(addEnlarged(plane, whole(37, 29), size, coarse, half));
    for (const at of [
      { left: 0, top: 0, width: 5, height: 4 },
      { left: 11, top: 8, width: 10, height: 9 },
      { left: 30, top: 21, width: 7, height: 8 },
    ]) {
      const around = halfAround(at, size);
      expect(around.width * around.height).toBeLessThan(120);
      const part = new Float64Array(at.width * at.height);
      finish(addEnlarged(part, at, size, cut(coarse, half, around), around));
      expect(part).toEqual(cut(plane, whole(37, 29), at));
    }
  });
});
