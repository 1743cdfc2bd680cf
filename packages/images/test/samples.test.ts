/** Signed, wide and half samples, and the axes of arrays. */
import { readFile } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import { describe, expect, it } from 'vitest';
import { checkFormat, readArray, readImage, writeImage } from '../src/node/index.js';
import { temporaryFolder, tiff } from './fixtures.js';

const { path, save } = temporaryFolder();

describe('integers that PNG does not hold', () => {
  it.each([
    ['int16', Int16Array.of(-32768, -1, 5, 32767), 'i2', 16, 'int', 65535],
    ['uint32', Uint32Array.of(0, 7, 70000, 4294967295), 'u4', 32, 'uint', 4294967295],
    ['int32', Int32Array.of(-2147483648, 0, 1, 9), 'i4', 32, 'int', 2147483657],
  ] as const)('%s are read exactly and written back the same', async (_, data, type, depth, sample, peak) => {
    const array = { type, shape: [2, 2], data } as const;
    const format = sample === 'int' ? 2 : 1;
    const directory = { 258: [depth], 262: [1], 277: [1], 339: [format] };
    for (const [name, bytes] of [
      ['in.npy', writeNpy(array)],
      ['in.tif', tiff(2, 2, data, directory)],
    ] as const) {
      const read = await readImage(await save(name, bytes));
      expect(read).toMatchObject({ depth, sample });
      expect(read.image.peak).toBe(peak);
      expect([...read.image.planes[0]]).toEqual([...data]);
      await writeImage(path('out.npy'), read.image, read);
      expect(await readArray(path('out.npy'))).toEqual(array);
      await writeImage(path('out.tif'), read.image, read);
      const again = await readImage(path('out.tif'));
      expect([again.depth, again.sample, ...again.image.planes[0]]).toEqual([depth, sample, ...data]);
      expect(() => checkFormat('out.png', read.image, read)).toThrow(
        /holds (signed|32-bit) samples, which PNG does not/,
      );
    }
  });

  it('are rounded and clamped to their own range', async () => {
    const image = { width: 3, height: 1, planes: [Float64Array.of(-40000, 1.5, 40000)], peak: 65535 };
    await writeImage(path('clamped.npy'), image, { image, format: 'npy', depth: 16, sample: 'int' });
    expect((await readArray(path('clamped.npy'))).data).toEqual(Int16Array.of(-32768, 2, 32767));
  });
});

describe('half floats', () => {
  it('of .npy and TIFF are read exactly, and written as float32', async () => {
    const halves = Uint16Array.of(0x3c00, 0xc000, 0x3555, 0x0001);
    const values = [1, -2, 0.333251953125, 2 ** -24];
    const header = "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }";
    const npy = Buffer.concat([
      Buffer.from(`\x93NUMPY\x01\0${String.fromCharCode(header.length)}\0${header}`, 'latin1'),
      Buffer.from(halves.buffer),
    ]);
    const directory = { 258: [16], 262: [1], 277: [1], 339: [3] };
    for (const bytes of [npy, tiff(2, 2, halves, directory)]) {
      const read = await readImage(await save('half', bytes));
      expect(read).toMatchObject({ depth: 32, sample: 'float' });
      expect([...read.image.planes[0]]).toEqual(values);
    }
  });
});

describe('an array of three dimensions', () => {
  const array = (shape: readonly number[]) => {
    const length = shape.reduce((product, n) => product * n, 1);
    return writeNpy({ type: 'u2', shape, data: Uint16Array.from({ length }, (_, i) => i) });
  };

  it.each([
    [3, 8, 10],
    [1, 8, 10],
    [8, 10, 5],
    [3, 8, 3],
  ])('%i×%i×%i is refused, with the ways to say what it is', async (...shape) => {
    const file = await save('axes.npy', array(shape));
    await expect(readImage(file)).rejects.toThrow(
      `the shape ${shape.join('×')} leaves open, but got "${file}": set axes to HWC, CHW or NHW`,
    );
    const { planes } = (await readImage(file, { axes: 'CHW' })).image;
    expect(planes).toHaveLength(shape[0]);
  });

  it('is read in the order that is said, and written back in it', async () => {
    const bytes = array([3, 2, 5]);
    const read = await readImage(await save('chw.npy', bytes), { axes: 'CHW' });
    expect([read.image.width, read.image.height]).toEqual([5, 2]);
    expect([...read.image.planes[1]]).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    await writeImage(path('out.npy'), read.image, read);
    expect(new Uint8Array(await readFile(path('out.npy')))).toEqual(bytes);
  });

  it('is H×W×C where only that makes sense', async () => {
    const { image } = await readImage(await save('hwc.npy', array([8, 10, 3])));
    expect([image.width, image.height, image.planes.length, image.planes[1][1]]).toEqual([10, 8, 3, 4]);
  });
});

describe('the white level', () => {
  it('is what it is said to be, such as 12 bits in 16', async () => {
    const bytes = writeNpy({ type: 'u2', shape: [1, 2], data: Uint16Array.of(0, 4095) });
    expect((await readImage(await save('deep.npy', bytes), { peak: 4095 })).image.peak).toBe(4095);
  });
});
