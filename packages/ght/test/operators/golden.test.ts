import { describe, expect, it } from 'vitest';
import { diskKernel, gaussianKernel, motionKernel } from '../../src/index.js';
import { biharmonic } from '../../src/operators/biharmonic.js';
import { resampled } from '../../src/operators/reduction.js';
import { cubicResampling, reduction } from '../../src/operators/resampling.js';
import { finish } from '../../src/work.js';
import { golden } from '../golden/golden.js';

interface GoldenPlane {
  readonly width: number;
  readonly height: number;
  readonly data: readonly number[];
}

const { picture, resized, missing, biharmonic: bent } = golden('restore.json');
const plane = Float64Array.from(picture.data);
const apart = (a: Float64Array, b: readonly number[]) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

describe('resampling', () => {
  it.each(resized as GoldenPlane[])('to $width×$height is that of imresize', ({ width, height, data }) => {
    const [V, H] = [cubicResampling(picture.height, height), cubicResampling(picture.width, width)];
    expect(apart(finish(resampled(plane, V, H)), data)).toBeLessThan(1e-8);
  });

  it('by area takes the mean of the pixels that a pixel covers', () => {
    const [V, H] = [reduction(18, 6, 'area'), reduction(24, 16, 'area')];
    const reduced = finish(resampled(plane, V, H));
    // Pixel (1, 0) covers the columns 1.5 to 3, and the rows 0 to 2.
    const mean = [0, 1, 2].reduce((sum, y) => sum + (0.5 * plane[24 * y + 1] + plane[24 * y + 2]) / 4.5, 0);
    expect(reduced[1]).toBeCloseTo(mean, 10);
  });
});

describe('the start of inpainting', () => {
  it('is the least bent picture, as a direct solver finds it', () => {
    const holes = Uint8Array.from(missing);
    const known = plane.map((value, i) => (holes[i] ? 0 : value));
    const filled = finish(biharmonic(known, picture, holes));
    expect(apart(filled, bent.data)).toBeLessThan(0.05);
    filled.forEach((value, i) => {
      if (!holes[i]) expect(value).toBe(plane[i]);
    });
  });
});

describe('kernels', () => {
  const moments = ({ width, data }: { width: number; data: ArrayLike<number> }) => {
    const [weights, reach] = [Array.from(data), Math.floor(width / 2)];
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const mean = (f: (x: number, y: number) => number) =>
      weights.reduce((total, w, i) => total + w * f((i % width) - reach, Math.floor(i / width) - reach), 0) / sum;
    return {
      x: mean((x) => x),
      y: mean((_, y) => y),
      xx: mean((x) => x * x),
      yy: mean((_, y) => y * y),
      xy: mean((x, y) => x * y),
    };
  };

  it('of a Gaussian has its variance', () => {
    const { x, y, xx, yy } = moments(gaussianKernel(1.6));
    expect([x, y]).toEqual([expect.closeTo(0, 12), expect.closeTo(0, 12)]);
    // Cut at three deviations, it has lost 3% of its variance.
    expect(Math.abs(xx / 1.6 ** 2 - 1)).toBeLessThan(0.04);
    expect(yy).toBeCloseTo(xx, 12);
  });

  it('of a disk has the variance r²/4 along each side, and that of a pixel', () => {
    for (const radius of [1, 2.5, 4]) expect(moments(diskKernel(radius)).xx).toBeCloseTo(radius ** 2 / 4, 0);
    expect(diskKernel(4).width).toBe(9);
  });

  it('of a motion lies along its angle, counted against the clock', () => {
    const along = moments(motionKernel(15, 0));
    expect(along.xx).toBeGreaterThan(50 * along.yy);
    const rising = moments(motionKernel(15, 45));
    // Rows are counted downwards, so a line that rises to the right has a negative covariance.
    expect(rising.xy / rising.xx).toBeLessThan(-0.9);
    expect(moments(motionKernel(15, 90)).yy).toBeCloseTo(along.xx, 6);
  });
});
