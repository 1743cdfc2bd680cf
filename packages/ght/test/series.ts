/** Made series: a picture with flat, shaded, edged and textured parts that moves by whole pixels. */
import type { Tile } from '../src/denoisers/denoiser.js';
import { randomSource } from '../src/index.js';

export interface SeriesOptions {
  readonly width: number;
  readonly height: number;
  readonly pages: number;
  /** Pixels to the right and down from page to page. */
  readonly motion?: readonly [number, number];
  /** The page from which on the picture is another one. */
  readonly cut?: number;
  /** The deviation of the noise; the picture has a range of about 20. */
  readonly sigma: number;
  readonly seed?: number;
}

/** The pages of a series, with noise. */
export function seriesOf({ width, height, pages, motion = [0, 0], cut = pages, sigma, seed = 3 }: SeriesOptions) {
  const random = randomSource(seed);
  return Array.from({ length: pages }, (_, page) =>
    Float64Array.from({ length: width * height }, (_value, i) => {
      const x = (i % width) + motion[0] * page;
      const y = Math.floor(i / width) + motion[1] * page;
      return scene(x, y, page >= cut ? 1 : 0) + (sigma > 0 ? sigma * random.normal() : 0);
    }),
  );
}

function scene(x: number, y: number, other: number): number {
  const [a, b] = other ? [y + 31, x + 17] : [x, y];
  const shade = 4 * Math.sin(a / 29) + 3 * Math.cos(b / 23);
  const box = Math.floor(a / 13) % 3 === 0 && Math.floor(b / 11) % 2 === 0 ? 7 : 0;
  const texture = Math.floor(b / 16) % 3 === 1 ? 3 * Math.sin(a * 0.9 + b * 0.35) * Math.cos(a * 0.13) : 0;
  return shade + box + texture;
}

/** The pages of planes as a tile. */
export function stackTile(planes: readonly (readonly Float64Array[])[], width: number) {
  const count = planes[0].length;
  const height = (count * planes[0][0].length) / width;
  return {
    ...{ width, height, channels: planes.length, pages: { count, kept: [0, count] } },
    *read(c: number, into: Float32Array | Float64Array) {
      for (const [p, page] of planes[c].entries()) into.set(page, p * page.length);
      yield 1;
    },
  } satisfies Tile;
}
