/** NaN in an image in tiles: the bits of the whole, however the tiles lie. */
import { denoise, type Image } from 'ght';
import { describe, expect, it } from 'vitest';
import { denoiseLarge } from '../src/denoise-large.js';
import { memorySink, memorySource, pictureOf } from '../src/memory.js';
import { noisyPicture } from './pictures.js';
import { tiled } from './tiled.js';

const [width, height] = [79, 66];

/** A rim whose corners have no known sample in their row and column, a block over several tiles, a column, single samples. */
const isHole = (i: number) => {
  const [x, y] = [i % width, Math.floor(i / width)];
  return y < 6 || x >= width - 9 || (x > 30 && x < 51 && y > 28 && y < 43) || x === 20 || (i * 7919) % 211 === 0;
};

/** A picture with holes in its second channel, or its only one. */
function withHoles(channels: number, kind: 'float32' | 'float64', smooth = false): Image {
  const image = noisyPicture(width, height, channels, kind, { smooth });
  const planes = image.planes.map((plane, c) =>
    c === (channels > 1 ? 1 : 0) ? plane.map((value, i) => (isHole(i) ? Number.NaN : value)) : plane,
  );
  return { ...image, planes };
}

describe('missing samples in tiles', () => {
  it.each([
    ['kept, in one of three channels', 3, 'float64', 'keep', 48],
    ['filled', 1, 'float64', 'fill', 33],
    ['filled, in one of three channels', 3, 'float32', 'fill', 64],
  ] as const)('are %s, with the bits of the whole', async (_, channels, kind, missing, tile) => {
    const image = withHoles(channels, kind);
    const given = channels === 3 ? { sigma: 12 } : {};
    const options = { quality: 'fast', missing, ...given } as const;
    const expected = await denoise(image, options);
    const { planes, report } = await tiled(image, options, tile);
    for (const [c, plane] of planes.entries()) expect(plane).toEqual(Float64Array.from(expected.image.planes[c]));
    expect(planes[channels > 1 ? 1 : 0].filter(Number.isNaN).length > 0).toBe(missing === 'keep');
    expect(report.noise).toEqual(expected.noise);
  });

  it('are kept and filled in an image of smooth noise with transparent pixels, as a user calls it', async () => {
    const image = {
      ...withHoles(1, 'float32', true),
      alpha: Float32Array.from({ length: width * height }, (_, i) => Number(i % 13 > 2)),
    };
    for (const missing of ['keep', 'fill'] as const) {
      const sink = memorySink(pictureOf(image), { width: 32, height: 32 });
      await denoiseLarge(memorySource(image), sink, { quality: 'fast', missing, tile: 32 });
      const expected = await denoise(image, { quality: 'fast', missing });
      expect(sink.planes).toEqual([Float32Array.from(expected.image.planes[0]), image.alpha]);
    }
  });

  it('without noise leave the known samples as they are', async () => {
    const image = withHoles(1, 'float64');
    const off = { sigma: 0, impulses: 'off', banding: 'off' } as const;
    const kept = await tiled(image, { ...off, missing: 'keep' }, 33);
    expect(kept.planes[0]).toEqual(image.planes[0]);
    const filled = await tiled(image, { ...off, missing: 'fill' }, 33);
    expect(
      filled.planes[0].every((value, i) => (isHole(i) ? Number.isFinite(value) : value === image.planes[0][i])),
    ).toBe(true);
  });

  it('are refused without the option, and if there is nothing else', async () => {
    await expect(tiled(withHoles(1, 'float64'), {}, 33)).rejects.toThrow(/option missing/);
    const nothing = { width, height, planes: [new Float32Array(width * height).fill(Number.NaN)], peak: 1 };
    await expect(tiled(nothing, { missing: 'keep' }, 33)).rejects.toThrow(/not NaN in every plane/);
  });
});
