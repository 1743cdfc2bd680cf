/** What ImageJ writes into a TIFF of one image: lookup tables, and its private tags. */
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { type ImageFile, imageJOf, imageJStack } from '../src/index.js';
import { readImage, writeImage } from '../src/node/index.js';
import { temporaryFolder } from './fixtures.js';

const { path } = temporaryFolder();
const image = { width: 16, height: 16, planes: [Uint8Array.from({ length: 256 }, (_, i) => i)], peak: 255 };
const described = (metadata: ImageFile['metadata']): ImageFile => ({
  ...{ image, format: 'tiff', depth: 8, sample: 'uint' },
  metadata: { description: 'ImageJ=1.54f\nimages=1\n', ...metadata },
});
/** From black over red to yellow. */
const fire = Array.from(
  { length: 768 },
  (_, i) => 257 * [Math.min(255, 2 * i), Math.max(0, 2 * (i - 256) - 256), 0][i >> 8],
);

describe('an image of ImageJ', () => {
  it('with a lookup table has its samples, and the table again', async () => {
    await writeImage(path('fire.tif'), image, described({ lookup: fire }));
    const file = await readImage(path('fire.tif'));
    expect(file.image.planes).toEqual(image.planes);
    expect(file.metadata?.lookup).toEqual(fire);
    // Others see the colours.
    const { data, info } = await sharp(await readFile(path('fire.tif')))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info.channels).toBe(3);
    expect([...data.subarray(3 * 100, 3 * 101)]).toEqual([200, 0, 0]);
  });

  it('with the palette of a colour picture is that picture', async () => {
    const jumping = Array.from({ length: 768 }, (_, i) => 257 * ((i * 97) % 256));
    await writeImage(path('colours.tif'), image, described({ lookup: jumping }));
    const file = await readImage(path('colours.tif'));
    expect(file.image.planes).toHaveLength(3);
    expect(file.image.planes[0][5]).toBe((5 * 97) % 256);
    expect(file.metadata?.lookup).toBeUndefined();
  });

  it('keeps its labels, ranges and tables', async () => {
    const channels = [{ colour: '00FF00', range: [3, 77] as const }];
    const { description, imageJ } = imageJOf({ axes: [], channels, labels: ['one µ'] }, 'micrometer');
    await writeImage(path('tags.tif'), image, described({ description, imageJ }));
    const { metadata } = await readImage(path('tags.tif'));
    expect(metadata).toMatchObject({ description, imageJ });
    expect(imageJStack(description, 1, metadata?.imageJ)).toEqual({ axes: [], channels, labels: ['one µ'] });
  });

  it('loses private tags that are damaged, and not its samples', async () => {
    const { description, imageJ } = imageJOf({ axes: [], labels: ['one'] }, undefined);
    const bytes = imageJ?.bytes.slice() ?? new Uint8Array(0);
    bytes.fill(255, 0, 4);
    await writeImage(
      path('bad.tif'),
      image,
      described({ description, imageJ: { counts: imageJ?.counts ?? [], bytes } }),
    );
    const file = await readImage(path('bad.tif'));
    expect(file.metadata?.imageJ).toBeUndefined();
    expect(file.image.planes).toEqual(image.planes);
  });

  it('of three bands stays one of bands', async () => {
    const planes = [0, 1, 2].map((c) => Uint8Array.from({ length: 256 }, (_, i) => (i + 50 * c) & 255));
    await writeImage(path('bands.tif'), { ...image, planes }, described({ bands: true }));
    const file = await readImage(path('bands.tif'));
    expect(file.metadata?.bands).toBe(true);
    expect(file.image.planes).toEqual(planes);
    await writeImage(path('colour.tif'), { ...image, planes }, described({}));
    expect((await readImage(path('colour.tif'))).metadata?.bands).toBeUndefined();
  });
});
