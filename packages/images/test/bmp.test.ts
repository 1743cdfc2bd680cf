import { describe, expect, it } from 'vitest';
import { encodeBmp, toRaster } from '../src/index.js';
import { readImage, writeImage } from '../src/node/index.js';
import { imageOf, pattern, temporaryFolder, widened } from './fixtures.js';

const { path, save } = temporaryFolder();

/** A bitmap by the letter of the specification: a header of 40 bytes, what follows it, and rows from the bottom up. */
function bmp(
  header: { width: number; height: number; bits: number; compression?: number; used?: number },
  between: readonly number[],
  rows: readonly (readonly number[])[],
): Buffer {
  const { width, height, bits, compression = 0, used = 0 } = header;
  const start = 54 + between.length;
  const head = Buffer.alloc(54);
  head.write('BM', 0, 'latin1');
  head.writeUInt32LE(start, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(width, 18);
  head.writeInt32LE(height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(bits, 28);
  head.writeUInt32LE(compression, 30);
  head.writeInt32LE(11811, 38);
  head.writeInt32LE(11811, 42);
  head.writeUInt32LE(used, 46);
  const padded = rows.map((row) => [...row, ...new Array((4 - (row.length % 4)) % 4).fill(0)]);
  return Buffer.concat([head, Buffer.from(between), ...padded.map((row) => Buffer.from(row))]);
}

const planesOf = async (bytes: Uint8Array) => {
  const { image, ...rest } = await readImage(await save('file', bytes));
  return { ...rest, planes: image.planes.map((plane) => [...plane]), alpha: image.alpha && [...image.alpha] };
};

describe('a bitmap', () => {
  it('of 24 bits is read from its last row, blue before red, with its resolution', async () => {
    const bottom = [1, 2, 3, 4, 5, 6];
    const top = [10, 20, 30, 40, 50, 60];
    const { planes, format, depth, metadata } = await planesOf(
      bmp({ width: 2, height: 2, bits: 24 }, [], [bottom, top]),
    );
    expect({ planes, format, depth }).toEqual({
      ...{ format: 'bmp', depth: 8 },
      planes: [
        [30, 60, 3, 6],
        [20, 50, 2, 5],
        [10, 40, 1, 4],
      ],
    });
    expect(metadata?.resolution).toEqual({ x: 118.11, y: 118.11, unit: 'centimetre' });
  });

  it('of negative height begins with its first row', async () => {
    const { planes } = await planesOf(
      bmp(
        { width: 1, height: -2, bits: 24 },
        [],
        [
          [1, 1, 1],
          [2, 2, 2],
        ],
      ),
    );
    expect(planes[0]).toEqual([1, 2]);
  });

  it('with a palette has the colours it names, grey as one channel', async () => {
    const grey = [0, 0, 0, 0, 200, 200, 200, 0];
    const bilevel = await planesOf(bmp({ width: 3, height: 1, bits: 1, used: 2 }, grey, [[0b01000000]]));
    expect(bilevel.planes).toEqual([[0, 200, 0]]);
    const colours = [1, 2, 3, 0, 4, 5, 6, 0];
    const four = await planesOf(bmp({ width: 3, height: 1, bits: 4, used: 2 }, colours, [[0x10, 0x10]]));
    expect(four.planes).toEqual([
      [6, 3, 6],
      [5, 2, 5],
      [4, 1, 4],
    ]);
  });

  it('of 16 and 32 bits goes by its masks, and has no alpha unless they name it', async () => {
    const five = await planesOf(bmp({ width: 1, height: 1, bits: 16 }, [], [[0xff, 0x7f]]));
    expect(five.planes).toEqual([[255], [255], [255]]);
    const masks = [0, 0xf8, 0, 0, 0xe0, 7, 0, 0, 0x1f, 0, 0, 0];
    const six = await planesOf(bmp({ width: 1, height: 1, bits: 16, compression: 3 }, masks, [[0xe0, 0x07]]));
    expect(six.planes).toEqual([[0], [255], [0]]);
    const plain = await planesOf(bmp({ width: 1, height: 1, bits: 32 }, [], [[1, 2, 3, 0]]));
    expect([plain.planes, plain.alpha]).toEqual([[[3], [2], [1]], undefined]);
  });

  it.each([
    ['grey', 1, false],
    ['colour', 3, false],
    ['colour with alpha', 4, true],
  ] as const)('of %s comes back as it was written', async (_, channels, alpha) => {
    const image = imageOf(5, 3, pattern(15 * channels, 255), alpha, 255);
    await writeImage(path('again.bmp'), image, { image, format: 'png', depth: 8, sample: 'uint' });
    expect(widened((await readImage(path('again.bmp'))).image)).toEqual(image);
  });

  it('that is compressed or cut short is refused in words', async () => {
    const runs = bmp({ width: 1, height: 1, bits: 8, compression: 1 }, [0, 0, 0, 0], [[1]]);
    await expect(planesOf(runs)).rejects.toThrow(/intact BMP file \(RLE 8 compression is not read\)/);
    const image = imageOf(5, 3, pattern(45, 255), false, 255);
    const whole = encodeBmp(toRaster(image, 'uint', 8));
    await expect(planesOf(whole.subarray(0, -1))).rejects.toThrow(/ends before its last row/);
  });
});
