/** Samples of images that are too large to be looked at as a whole. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sampledPlanes, sampleLayout } from '../../src/image/sample.js';

const length = fc.integer({ min: 1, max: 900 });

it('an image up to the limit is its own sample', () => {
  const planes = [new Uint8Array(64 * 50)];
  const layout = sampleLayout({ width: 64, height: 50 }, 3200);
  expect(layout).toMatchObject({ whole: true, size: { width: 64, height: 50 } });
  expect(sampledPlanes(planes, { width: 64, height: 50 }, layout)).toBe(planes);
});

it('a larger one has windows of 512×512 pixels, spread evenly', () => {
  const { size, whole, windows } = sampleLayout({ width: 100_000, height: 50_000 }, 2 ** 24);
  expect(whole).toBe(false);
  expect(size).toEqual({ width: 11 * 512, height: 5 * 512 });
  const columns = [...new Set(windows.map(({ from }) => from.left / 512))];
  expect(columns).toEqual([8, 26, 44, 62, 79, 97, 115, 132, 150, 168, 186]);
  expect(new Set(windows.map(({ from }) => from.top / 512)).size).toBe(5);
});

it('any image: windows are inside, do not overlap, keep the grid of 16 pixels and fill the sample', () => {
  fc.assert(
    fc.property(length, length, fc.integer({ min: 1, max: 100_000 }), (width, height, pixels) => {
      const { size, windows, whole } = sampleLayout({ width, height }, pixels);
      const values = Float64Array.from({ length: width * height }, (_, i) => i + 1);
      const [sample] = sampledPlanes([values], { width, height }, { size, windows, whole });
      expect(sample).toHaveLength(size.width * size.height);
      // Every sample is a pixel of the image, and no pixel is there twice.
      expect(new Set(sample).size).toBe(sample.length);
      expect(sample.every((value) => value >= 1)).toBe(true);
      if (windows.length > 1) expect(sample.length).toBeLessThanOrEqual(pixels);
      for (const { from, to } of windows) {
        expect([from.left % 16, from.top % 16, to.left % 16, to.top % 16]).toEqual([0, 0, 0, 0]);
        expect(sample[to.top * size.width + to.left]).toBe(from.top * width + from.left + 1);
      }
    }),
    { numRuns: 60 },
  );
});
