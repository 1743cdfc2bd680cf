import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readImage, writeImage } from '../src/node/index.js';
import {
  displayP3,
  iccChunk,
  imageOf,
  linearGrey,
  pattern,
  png,
  pngRows,
  temporaryFolder,
  tiff,
  widened,
} from './fixtures.js';

const { path, save } = temporaryFolder();
const width = 11;
const height = 6;

const profileOf = async (name: string) => (await sharp(await readFile(path(name))).metadata()).icc;

describe('a profile', () => {
  it.each([
    { depth: 8, most: 255, outputs: ['out.png', 'out.tif', 'out.webp', 'out.jpg'] },
    { depth: 16, most: 65535, outputs: ['out.png', 'out.tif'] },
  ] as const)('of $depth-bit RGB is kept byte for byte and changes no sample', async ({ depth, most, outputs }) => {
    const icc = await displayP3();
    const gamma = Buffer.of(0, 1, 0x86, 0xa0); // gAMA 1.0: readers that heed it would change the samples
    const samples = pattern(width * height * 3, most);
    const chunks = [['gAMA', gamma], iccChunk(icc)] as const;
    const bytes = png({ width, height, bits: depth, colourType: 2 }, pngRows(height, depth, samples), chunks);
    const read = await readImage(await save('p3.png', bytes));
    expect(widened(read.image)).toEqual(imageOf(width, height, samples, false, most));
    for (const output of outputs) {
      await writeImage(path(output), read.image, read);
      expect(await profileOf(output), output).toEqual(icc);
      if (output !== 'out.jpg') expect((await readImage(path(output))).image, output).toEqual(read.image);
    }
  });

  it.each([8, 16] as const)(
    'of %i-bit grey is kept, and left out of WebP, which would make it colour',
    async (depth) => {
      const icc = linearGrey();
      const samples = pattern(width * height, 255);
      const bytes = png({ width, height, bits: depth, colourType: 0 }, pngRows(height, depth, samples), [
        iccChunk(icc),
      ]);
      const read = await readImage(await save('grey.png', bytes));
      expect(Array.from(read.image.planes[0])).toEqual(samples);
      for (const output of depth === 8 ? ['grey.png', 'grey.tif', 'grey.jpg'] : ['grey.png', 'grey.tif']) {
        await writeImage(path(output), read.image, read);
        expect(await profileOf(output), output).toEqual(icc);
      }
      if (depth === 16) return;
      await writeImage(path('grey.webp'), read.image, read);
      expect(await profileOf('grey.webp')).toBeUndefined();
    },
  );

  it('of a float TIFF is kept', async () => {
    const icc = await displayP3();
    const image = imageOf(2, 1, [0.5, 1.5, -2, 3, 4, 5], false, 7);
    const like = { image, format: 'tiff', depth: 32, sample: 'float', metadata: { icc } } as const;
    await writeImage(path('float.tif'), image, like);
    const read = await readImage(path('float.tif'));
    expect(Buffer.from(read.metadata?.icc ?? [])).toEqual(icc);
    expect(widened(read.image)).toEqual(image);
  });

  it('is left out when the result has other channels than it describes', async () => {
    const image = imageOf(2, 1, [1, 2], false, 255);
    const metadata = { icc: await displayP3() };
    for (const output of ['mismatch.png', 'mismatch.tif']) {
      await writeImage(path(output), image, { image, format: 'png', depth: 8, sample: 'uint', metadata });
      expect(await profileOf(output)).toBeUndefined();
    }
  });
});

/** What a viewer shows of the rows abc, def with each orientation, by the table of the EXIF standard. */
const shown: Readonly<Record<number, readonly string[]>> = {
  1: ['abc', 'def'],
  2: ['cba', 'fed'],
  3: ['fed', 'cba'],
  4: ['def', 'abc'],
  5: ['ad', 'be', 'cf'],
  6: ['da', 'eb', 'fc'],
  7: ['fc', 'eb', 'da'],
  8: ['cf', 'be', 'ad'],
};
const letters = Uint8Array.from(Buffer.from('abcdef'));

function rowsOf(image: { width: number; height: number; planes: readonly ArrayLike<number>[] }): string[] {
  const text = String.fromCharCode(...Array.from(image.planes[0]));
  return Array.from({ length: image.height }, (_, y) => text.slice(y * image.width, (y + 1) * image.width));
}

describe('orientation', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('%i is applied to the pixels of PNG, TIFF and WebP', async (orientation) => {
    const rgb = Uint8Array.from([...letters].flatMap((letter) => [letter, letter, letter]));
    for (const format of ['png', 'tiff', 'webp'] as const) {
      const input = sharp(rgb, { raw: { width: 3, height: 2, channels: 3 } }).withMetadata({ orientation });
      const bytes = await input.toFormat(format, { lossless: true, compression: 'none' }).toBuffer();
      const read = await readImage(await save('turned', bytes));
      expect(rowsOf(read.image), format).toEqual(shown[orientation]);
    }
    const floats = tiff(3, 2, Float32Array.from(letters), {
      258: [32],
      262: [1],
      274: [orientation],
      277: [1],
      339: [3],
    });
    expect(rowsOf((await readImage(await save('turned', floats))).image)).toEqual(shown[orientation]);
  });

  it.each(['again.png', 'again.jpg', 'again.webp', 'again.tif'])('is not applied again to %s', async (output) => {
    const grey = sharp(new Uint8Array(16 * 8).fill(90), { raw: { width: 16, height: 8, channels: 1 } });
    const bytes = await grey.toColourspace('b-w').withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const read = await readImage(await save('phone.jpg', bytes));
    expect([read.image.width, read.image.height]).toEqual([8, 16]);
    await writeImage(path(output), read.image, read);
    const again = await readImage(path(output));
    expect([again.image.width, again.image.height]).toEqual([8, 16]);
    expect((await sharp(path(output)).metadata()).orientation ?? 1).toBe(1);
  });
});

describe('three channels of a TIFF', () => {
  it('are bands where the file calls them grey, and stay so', async () => {
    for (const [photometric, bands] of [
      [1, true],
      [2, undefined],
    ] as const) {
      const given = tiff(2, 1, Uint8Array.of(1, 2, 3, 4, 5, 6), { 258: [8, 8, 8], 262: [photometric], 277: [3] });
      const read = await readImage(await save('bands.tif', given));
      expect(read.metadata?.bands).toBe(bands);
      await writeImage(path('again.tif'), read.image, read);
      const again = await readImage(path('again.tif'));
      expect(again.metadata?.bands).toBe(bands);
      expect(again.image.planes).toEqual(read.image.planes);
    }
  });
});

describe('the tables of a JPEG', () => {
  const made = (orientation: number, quality = 75) => {
    const samples = Uint8Array.from({ length: 37 * 26 * 3 }, (_, i) => (31 * i) % 251);
    const picture = sharp(samples, { raw: { width: 37, height: 26, channels: 3 } });
    return picture.withMetadata({ orientation }).jpeg({ quality }).toBuffer();
  };

  it('come with the image', async () => {
    const { jpeg } = await readImage(await save('tables.jpg', await made(1)));
    // Annex K at quality 75: half of 16, 11, 10, 16 and of 17, 18, 24, 47, rounded.
    expect(Array.from(jpeg?.luma ?? []).slice(0, 4)).toEqual([8, 6, 5, 8]);
    expect(Array.from(jpeg?.chroma ?? []).slice(0, 4)).toEqual([9, 9, 12, 24]);
    expect(jpeg?.subsampling).toEqual([2, 2]);
    expect(jpeg?.origin ?? [0, 0]).toEqual([0, 0]);
  });

  it('are turned with it, and its grid too', async () => {
    const upright = await readImage(await save('tables.jpg', await made(1)));
    const turned = await readImage(await save('tables.jpg', await made(6)));
    expect([turned.image.width, turned.image.height]).toEqual([26, 37]);
    expect(turned.jpeg?.luma[8]).toBe(upright.jpeg?.luma[1]);
    expect(turned.jpeg?.luma[16]).toBe(upright.jpeg?.luma[2]);
    // The last two of 26 rows have become the first columns.
    expect(turned.jpeg?.origin).toEqual([2, 0]);
  });

  it('are not made up for other formats', async () => {
    const png = await sharp(await made(1))
      .png()
      .toBuffer();
    expect('jpeg' in (await readImage(await save('tables.png', png)))).toBe(false);
  });
});

describe('EXIF', () => {
  it.each(['exif.png', 'exif.jpg', 'exif.webp'])('is kept in %s', async (output) => {
    const exif = { IFD0: { Copyright: 'Ada Example', Make: 'Lens Works' } };
    for (const input of ['jpeg', 'png', 'webp'] as const) {
      const raw = sharp(Buffer.alloc(8 * 8 * 3, 100), { raw: { width: 8, height: 8, channels: 3 } });
      const bytes = await raw.withExif(exif).toFormat(input).toBuffer();
      const read = await readImage(await save('camera', bytes));
      await writeImage(path(output), read.image, read);
      const kept = (await sharp(path(output)).metadata()).exif?.toString('latin1');
      expect(kept, input).toContain('Ada Example');
      expect(kept, input).toContain('Lens Works');
    }
  });
});
