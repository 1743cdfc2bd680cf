import { readFile } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ImageFile } from '../src/index.js';
import { openImage, pagesOutput, readImage, writeTogether } from '../src/node/index.js';
import { png, pngRows, temporaryFolder } from './fixtures.js';

const { path, save } = temporaryFolder();
const page = (value: number) =>
  png({ width: 4, height: 4, bits: 8, colourType: 2 }, pngRows(4, 8, new Array(48).fill(value)));
const stack = (...values: number[]) =>
  sharp(values.map(page), { join: { animated: true } }).tiff({ compression: 'lzw' });

/** Writes pages of one value each. */
async function written(name: string, values: readonly number[], whole: boolean, kind: Partial<ImageFile> = {}) {
  const output = pagesOutput(path(name), whole);
  for (const value of values) {
    const image = { width: 5, height: 3, planes: [new Float32Array(15).fill(value)], peak: 255 };
    const description = `ImageJ=1.54f\nimages=${values.length}\nunit=micron\n`;
    const metadata = { description, resolution: { x: 10000, y: 10000, unit: 'centimetre' } } as const;
    await output.add(image, { image, format: 'tiff', depth: 8, sample: 'uint', metadata, ...kind });
  }
  await writeTogether([await output.finish()]);
}

describe('an array of N×H×W', () => {
  const data = Int16Array.from({ length: 3 * 4 * 5 }, (_, i) => i - 30);
  const bytes = writeNpy({ type: 'i2', shape: [3, 4, 5], data });

  it('is a stack of pages where it is said to be, and comes back as one', async () => {
    const pages = await openImage(await save('stack.npy', bytes), { axes: 'NHW' });
    expect(pages.count).toBe(3);
    const output = pagesOutput(path('again.npy'), true);
    for (let i = 0; i < 3; i++) {
      const page = await pages.page(i);
      expect([...page.image.planes[0]]).toEqual([...data.slice(20 * i, 20 * (i + 1))]);
      await output.add(page.image, page);
    }
    await writeTogether([await output.finish()]);
    expect(new Uint8Array(await readFile(path('again.npy')))).toEqual(bytes);
  });

  it('of no pages is refused', async () => {
    const empty = writeNpy({ type: 'u1', shape: [0, 4, 5], data: new Uint8Array(0) });
    const open = openImage(await save('empty.npy', empty), { axes: 'NHW' });
    await expect(open).rejects.toThrow('must have at least one page');
  });

  it('takes pages of one size only', async () => {
    const page = await (await openImage(await save('stack.npy', bytes), { axes: 'NHW' })).page(0);
    const output = pagesOutput(path('mixed.npy'), true);
    await output.add(page.image, page);
    const other = { ...page.image, width: 10, height: 2 };
    await expect(output.add(other, page)).rejects.toThrow(
      /one size and type for an array, 4×5 of i2, but got "2×10 of i2"/,
    );
  });
});

describe('a TIFF of several pages', () => {
  it('is read page by page', async () => {
    const pages = await openImage(await save('stack.tif', await stack(10, 20, 30).toBuffer()));
    expect(pages.count).toBe(3);
    for (const [i, value] of [10, 20, 30].entries()) {
      const { image, depth } = await pages.page(i);
      expect({ depth, first: image.planes[2][15] }).toEqual({ depth: 8, first: value });
    }
  });

  it.each([
    ['8-bit', { depth: 8, sample: 'uint' }],
    ['signed', { depth: 16, sample: 'int' }],
    ['float', { depth: 32, sample: 'float' }],
  ] as const)('of %s samples is written, and read by others too', async (_, kind) => {
    await written('made.tif', [1, 2, 3], true, kind);
    const pages = await openImage(path('made.tif'));
    expect(pages.count).toBe(3);
    expect((await pages.page(2)).image.planes[0][14]).toBe(3);
    const { pages: others } = await sharp(await readFile(path('made.tif'))).metadata();
    expect(others).toBe(3);
  });

  it('keeps its description where all pages are written, and always the size of a pixel', async () => {
    await written('all.tif', [1, 2], true);
    await written('some.tif', [1, 2], false);
    const [all, some] = [await openImage(path('all.tif')), await openImage(path('some.tif'))];
    expect((await all.page(0)).metadata?.description).toContain('images=2');
    expect((await some.page(0)).metadata).toEqual({ resolution: { x: 10000, y: 10000, unit: 'centimetre' } });
    expect((await all.page(1)).metadata?.resolution?.x).toBe(10000);
  });

  it('is no single image', async () => {
    const file = await save('two.tif', await stack(1, 2).toBuffer());
    await expect(readImage(file)).rejects.toThrow(/must hold exactly one page.*save the page you want/);
  });

  it('whose chain of pages is a circle is not followed for ever', async () => {
    await written('circle.tif', [1], true);
    const bytes = await readFile(path('circle.tif'));
    const start = bytes.readUInt32LE(4);
    bytes.writeUInt32LE(start, start + 2 + 12 * bytes.readUInt16LE(start));
    await expect(readImage(await save('circle.tif', bytes))).rejects.toThrow('its pages run in a circle');
  });

  it('that ImageJ wrote without a directory for each page is refused, not read in part', async () => {
    await written('large.tif', [1], true);
    const bytes = await readFile(path('large.tif'));
    bytes.write('images=9', bytes.indexOf('images=1'), 'latin1');
    await expect(readImage(await save('large.tif', bytes))).rejects.toThrow(/must list its 9 images as pages/);
  });
});
