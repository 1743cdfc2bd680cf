/** 300 dpi in are 300 dpi out, by readers that are not ours where there are any. */
import { readFile } from 'node:fs/promises';
import { fromArrayBuffer } from 'geotiff';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ImageFile } from '../src/index.js';
import { readImage, writeImage } from '../src/node/index.js';
import { temporaryFolder } from './fixtures.js';

const { path, save } = temporaryFolder();
const photo = () => sharp(Buffer.alloc(16 * 8 * 3, 90), { raw: { width: 16, height: 8, channels: 3 } });

/** The numbers of a TIFF's resolution, as another reader gives them. */
async function tiffTags(name: string) {
  const { buffer } = new Uint8Array(await readFile(path(name)));
  const tags = (await (await fromArrayBuffer(buffer)).getImage()).getFileDirectory();
  const value = async (tag: 'XResolution' | 'YResolution' | 'ResolutionUnit' | 'ImageDescription') =>
    (await tags.loadValue(tag)) as unknown;
  const quotient = async (tag: 'XResolution' | 'YResolution') => {
    const [a, b] = (await value(tag)) as ArrayLike<number> & Iterable<number>;
    return a / b;
  };
  return {
    ...{ x: await quotient('XResolution'), y: await quotient('YResolution') },
    ...{ unit: await value('ResolutionUnit'), description: await value('ImageDescription') },
  };
}

describe('300 dpi', () => {
  it.each(['png', 'jpeg', 'tiff', 'webp'] as const)(
    'of %s are kept in every format that can hold them',
    async (format) => {
      const bytes = await photo().withMetadata({ density: 300 }).toFormat(format, { compression: 'lzw' }).toBuffer();
      const read = await readImage(await save('in', bytes));
      for (const output of ['out.png', 'out.jpg', 'out.tif']) {
        await writeImage(path(output), read.image, read);
        expect([output, (await sharp(path(output)).metadata()).density]).toEqual([output, 300]);
      }
      // Of a WebP, which has it in its EXIF block, sharp tells nothing.
      await writeImage(path('out.webp'), read.image, read);
      const { resolution } = (await readImage(path('out.webp'))).metadata ?? {};
      expect({ ...resolution, x: Math.round(resolution?.x ?? 0) }).toMatchObject({ x: 300, unit: 'inch' });
      await writeImage(path('out.bmp'), read.image, read);
      expect((await readFile(path('out.bmp'))).readInt32LE(38)).toBe(11811);
    },
  );

  it('in inches are written to TIFF as the whole number they are', async () => {
    const bytes = await photo().withMetadata({ density: 300 }).jpeg().toBuffer();
    const read = await readImage(await save('in.jpg', bytes));
    await writeImage(path('out.tif'), read.image, read);
    expect(await tiffTags('out.tif')).toMatchObject({ x: 300, y: 300, unit: 2 });
  });

  it('are not made up where a file states none', async () => {
    const read = await readImage(await save('plain.png', await photo().png().toBuffer()));
    const none: ImageFile = { ...read, metadata: {} };
    await writeImage(path('none.tif'), none.image, none);
    expect((await readImage(path('none.tif'))).metadata?.resolution).toBeUndefined();
  });
});

describe('a resolution', () => {
  it('that differs across and down is turned with the image', async () => {
    const camera = await photo().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const jfif = Buffer.from('ffe000104a46494600010101000000000000', 'hex');
    jfif.writeUInt16BE(200, 12);
    jfif.writeUInt16BE(100, 14);
    const bytes = Buffer.concat([camera.subarray(0, 2), jfif, camera.subarray(2)]);
    const { image, metadata } = await readImage(await save('turned.jpg', bytes));
    expect([image.width, image.height]).toEqual([8, 16]);
    expect(metadata?.resolution).toEqual({ x: 100, y: 200, unit: 'inch' });
  });

  it('of a microscope is kept by ImageJ: pixels per micron in the tags, the unit in the description', async () => {
    const image = { width: 4, height: 2, planes: [new Uint16Array(8)], peak: 65535 };
    const description = 'ImageJ=1.54f\nunit=micron\nmin=0.0\nmax=255.0\n';
    const like: ImageFile = {
      ...{ image, format: 'tiff', depth: 16, sample: 'uint' },
      metadata: { description, resolution: { x: 62500, y: 31250, unit: 'centimetre' } },
    };
    await writeImage(path('cells.tif'), image, like);
    // As ImageJ itself writes a pixel of 0.16 × 0.32 microns.
    const stored = await tiffTags('cells.tif');
    expect(stored).toMatchObject({ x: 6.25, y: 3.125, unit: 1 });
    const read = await readImage(path('cells.tif'));
    expect(read.metadata?.resolution).toEqual({ x: 62500, y: 31250, unit: 'centimetre' });
    await writeImage(path('again.tif'), read.image, read);
    expect(await tiffTags('again.tif')).toEqual(stored);
    await writeImage(path('cells.png'), read.image, read);
    expect((await readImage(path('cells.png'))).metadata?.resolution?.x).toBe(62500);
  });

  it('of OME-XML is the size of a pixel, in its unit, and the description stays', async () => {
    const image = { width: 4, height: 2, planes: [new Uint16Array(8)], peak: 65535 };
    const description = `<?xml version="1.0" encoding="UTF-8"?><OME><Image><Pixels SizeX="4" SizeY="2" PhysicalSizeX="0.5"
      PhysicalSizeY="250" PhysicalSizeYUnit="nm" Type="uint16"/></Image></OME>`;
    const like: ImageFile = { image, format: 'tiff', depth: 16, sample: 'uint', metadata: { description } };
    await writeImage(path('ome.tif'), image, like);
    const read = await readImage(path('ome.tif'));
    expect(read.metadata?.description).toBe(description);
    expect(read.metadata?.resolution?.x).toBeCloseTo(20000, 6);
    expect(read.metadata?.resolution?.y).toBeCloseTo(40000, 6);
    await writeImage(path('ome.png'), read.image, read);
    // Pixels per metre.
    const png = await readFile(path('ome.png'));
    const at = png.indexOf('pHYs');
    expect([png.readUInt32BE(at + 4), png.readUInt32BE(at + 8), png[at + 12]]).toEqual([2_000_000, 4_000_000, 1]);
  });
});
