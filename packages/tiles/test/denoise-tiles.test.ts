import { describe, expect, it } from 'vitest';
import { denoiseTileSize, type Picture } from '../src/index.js';

const pictureOf = (width: number, height: number, channels: number): Picture => ({
  ...{ width, height, channels, alpha: false, sample: 'uint', depth: 8 },
});

describe('the tiles of a denoised image', () => {
  it.each([1, 3] as const)('are whole chunks of at most 512 MiB for a gigapixel of %i channels', async (channels) => {
    const size = await denoiseTileSize(pictureOf(40_000, 25_000, channels));
    expect([size.width % 512, size.height % 512]).toEqual([0, 0]);
    expect(size.tiles).toBe(Math.ceil(40_000 / size.width) * Math.ceil(25_000 / size.height));
    expect(size.tiles).toBeGreaterThan(10);
    expect(size.memoryBytes).toBeLessThanOrEqual(2 ** 29);
    // Tiles that are much smaller would spend most of their time on margins.
    expect(size.memoryBytes).toBeGreaterThan(2 ** 28);
  });

  it('are one for an image that is smaller than a tile', async () => {
    expect(await denoiseTileSize(pictureOf(300, 200, 1))).toMatchObject({ width: 300, height: 200, tiles: 1 });
  });

  it('are counted, not listed, for an image of 2³¹−1 squared pixels', async () => {
    const side = 2 ** 31 - 1;
    const size = await denoiseTileSize(pictureOf(side, side, 1));
    expect(size.tiles).toBe(Math.ceil(side / size.width) * Math.ceil(side / size.height));
    expect(size.memoryBytes).toBeLessThanOrEqual(2 ** 29);
  });

  it('follow the options and the chunks of the sink', async () => {
    const picture = pictureOf(40_000, 25_000, 1);
    const chunk = { width: 1000, height: 600 };
    const size = await denoiseTileSize(picture, { quality: 'fast' }, chunk);
    expect([size.width % chunk.width, size.height % chunk.height]).toEqual([0, 0]);
    expect(size.memoryBytes).toBeLessThan((await denoiseTileSize(picture)).memoryBytes);
  });
});
