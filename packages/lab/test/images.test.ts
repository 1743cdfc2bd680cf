import { describe, expect, it } from 'vitest';
import { asGrey, busiestWindow, middles, naturalPatches, paperSized } from '../src/images.js';

const flatBut = (width: number, height: number, x: number, y: number, side: number) => {
  const plane = new Float32Array(width * height);
  for (let j = y; j < y + side; j++) for (let i = x; i < x + side; i++) plane[j * width + i] = (7 * i + 13 * j) % 255;
  return { width, height, planes: [plane], peak: 255 };
};

describe('the photographs', () => {
  it('have the sizes of the paper’s images', async () => {
    const sizes = (await paperSized()).map(({ image }) => [image.width, image.height]);
    expect(sizes).toEqual([
      [1024, 1024],
      [1360, 800],
      [1200, 880],
    ]);
  });
});

describe('images of the user', () => {
  it('become grey with full scale 255, whatever their depth', () => {
    const one = (value: number) => Float32Array.of(value, 0);
    const grey = asGrey({ width: 2, height: 1, planes: [one(65535), one(0), one(0)], peak: 65535 });
    expect(grey.peak).toBe(255);
    expect(grey.planes).toHaveLength(1);
    expect([...grey.planes[0]]).toEqual([expect.closeTo(0.299 * 255, 3), 0]);
    expect(asGrey({ width: 2, height: 1, planes: [one(3)], peak: 255 }).planes[0][0]).toBeCloseTo(3, 5);
  });
});

describe('natural patches', () => {
  it('are cut from the collection, the same for the same seed', () => {
    const collection = [{ name: 'ramp', source: '', image: flatBut(40, 30, 0, 0, 30) }];
    const [a, b, c] = [1, 1, 2].map((seed) => naturalPatches(collection, 50, seed));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    const { planes, width } = collection[0].image;
    // The first patch is a complete patch somewhere in the image.
    const found = Array.from({ length: 33 * 23 }, (_, i) => [i % 33, Math.floor(i / 33)]).some(([x, y]) =>
      a.subarray(0, 64).every((value, n) => value === planes[0][(y + (n >> 3)) * width + x + (n & 7)]),
    );
    expect(found).toBe(true);
  });
});

describe('windows', () => {
  it('the busiest one is where the image varies', () => {
    const window = busiestWindow(flatBut(256, 192, 96, 64, 64), 64);
    expect(window).toEqual({ left: 96, top: 64, width: 64, height: 64 });
  });

  it('of a small image is all of it', () => {
    expect(busiestWindow(flatBut(64, 72, 0, 0, 8), 192)).toEqual({ left: 0, top: 0, width: 64, height: 72 });
  });

  it('the middles of images are a quarter of each side in whole patches, at least 64', () => {
    const named = (width: number, height: number) => ({
      name: 'x',
      source: 's',
      image: flatBut(width, height, 0, 0, 8),
    });
    const sizes = middles([named(1024, 800), named(100, 64)]).map(({ image }) => [image.width, image.height]);
    expect(sizes).toEqual([
      [256, 200],
      [64, 64],
    ]);
  });
});
