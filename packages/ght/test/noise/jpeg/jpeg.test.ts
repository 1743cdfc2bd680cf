import fc from 'fast-check';
import sharp, { type JpegOptions } from 'sharp';
import { describe, expect, it } from 'vitest';
import { decorrelate, readJpegInfo } from '../../../src/index.js';
import { jpegQuality, jpegSteps } from '../../../src/noise/jpeg/jpeg.js';
import type { JpegInfo } from '../../../src/noise/model.js';

/** The first rows of the tables of annex K, and the formula with which the IJG library scales them. */
const lumaRow = [16, 11, 10, 16, 24, 40, 51, 61];
const lumaColumn = [16, 12, 14, 14, 18, 24, 49, 72];
const chromaRow = [17, 18, 24, 47, 99, 99, 99, 99];
const scaled = (steps: readonly number[], quality: number) => {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return steps.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
};
const rowOf = (table: ArrayLike<number> | undefined) => Array.from(table ?? []).slice(0, 8);
const columnOf = (table: ArrayLike<number>) => Array.from({ length: 8 }, (_, v) => table[8 * v]);

const photo = (width = 32, height = 24, channels: 1 | 3 = 3) => {
  const samples = Uint8Array.from({ length: width * height * channels }, (_, i) => (37 * i + (i >> 5)) % 256);
  return sharp(samples, { raw: { width, height, channels } });
};
const colour = async (options: JpegOptions = {}) => new Uint8Array(await photo().jpeg(options).toBuffer());
const grey = async () => new Uint8Array(await photo(32, 24, 1).toColourspace('b-w').jpeg({ quality: 60 }).toBuffer());

/** Where a marker of the file begins. */
const markerAt = (bytes: Uint8Array, marker: number) =>
  bytes.findIndex((b, i) => b === 0xff && bytes[i + 1] === marker);

describe('readJpegInfo', () => {
  it.each([20, 50, 75, 92, 100])('reads the tables of quality %i from zigzag order', async (quality) => {
    const info = readJpegInfo(await colour({ quality }));
    expect(rowOf(info?.luma)).toEqual(scaled(lumaRow, quality));
    expect(columnOf(info?.luma ?? [])).toEqual(scaled(lumaColumn, quality));
    expect(rowOf(info?.chroma)).toEqual(scaled(chromaRow, quality));
  });

  it('reads baseline and progressive files alike, and their subsampling', async () => {
    expect(readJpegInfo(await colour())?.subsampling).toEqual([2, 2]);
    expect(readJpegInfo(await colour({ progressive: true }))?.subsampling).toEqual([2, 2]);
    expect(readJpegInfo(await colour({ chromaSubsampling: '4:4:4' }))?.subsampling).toEqual([1, 1]);
  });

  it.each([
    ['4:2:2', 0x21, [2, 1]],
    ['4:4:0', 0x12, [1, 2]],
    ['4:1:1', 0x41, [4, 1]],
    ['chroma finer than luma', 0x00, undefined],
  ] as const)('recognises %s by the sampling factors', async (_, sampling, subsampling) => {
    const bytes = await colour();
    const frame = markerAt(bytes, 0xc0);
    bytes[frame + 11] = sampling;
    expect(readJpegInfo(bytes)?.subsampling).toEqual(subsampling);
  });

  it('follows the table selectors of the components', async () => {
    const bytes = await colour({ quality: 75 });
    const frame = markerAt(bytes, 0xc0);
    expect([12, 15, 18].map((at) => bytes[frame + at])).toEqual([0, 1, 1]);
    [1, 0, 0].forEach((table, i) => {
      bytes[frame + 12 + 3 * i] = table;
    });
    const info = readJpegInfo(bytes);
    expect(rowOf(info?.luma)).toEqual(scaled(chromaRow, 75));
    expect(rowOf(info?.chroma)).toEqual(scaled(lumaRow, 75));
    // Different tables for Cb and Cr: their root mean square.
    bytes[frame + 15] = 1;
    expect(readJpegInfo(bytes)?.chroma?.[0]).toBeCloseTo(Math.sqrt((8 ** 2 + 9 ** 2) / 2), 12);
    bytes[frame + 15] = 3;
    expect(readJpegInfo(bytes)).toBeUndefined();
  });

  it('reads tables of 16 bits', async () => {
    const bytes = await colour({ quality: 75 });
    const table = markerAt(bytes, 0xdb);
    const steps = [...bytes.subarray(table + 5, table + 69)];
    const wide = [0xff, 0xdb, 0, 131, 0x10, ...steps.flatMap((step) => [1, step])];
    const info = readJpegInfo(Uint8Array.from([...bytes.subarray(0, table), ...wide, ...bytes.subarray(table + 69)]));
    expect(rowOf(info?.luma)).toEqual(scaled(lumaRow, 75).map((step) => 256 + step));
    expect(rowOf(info?.chroma)).toEqual(scaled(chromaRow, 75));
  });

  it('has no chroma for a grey file', async () => {
    const info = readJpegInfo(await grey());
    expect(rowOf(info?.luma)).toEqual(scaled(lumaRow, 60));
    expect(info && Object.keys(info)).toEqual(['luma']);
  });

  it('refuses what is not grey or YCbCr of 8 bits', async () => {
    const cmyk = await photo().toColourspace('cmyk').jpeg().toBuffer();
    expect(readJpegInfo(new Uint8Array(cmyk))).toBeUndefined();
    expect(readJpegInfo(new Uint8Array(await photo().png().toBuffer()))).toBeUndefined();
    const frameByte = async (at: number, value: number) => {
      const bytes = await colour();
      bytes[markerAt(bytes, 0xc0) + at] = value;
      return readJpegInfo(bytes);
    };
    expect(await frameByte(4, 8)).toBeDefined();
    expect(await frameByte(4, 12)).toBeUndefined();
    expect(await frameByte(1, 0xc3)).toBeUndefined();
  });

  it('refuses R, G, B that a file does not call YCbCr', async () => {
    const plain = await colour();
    const named = (ids: string, marker: readonly number[]) => {
      const bytes = Uint8Array.from([0xff, 0xd8, ...marker, ...plain.subarray(markerAt(plain, 0xdb))]);
      const frame = markerAt(bytes, 0xc0);
      [...ids].forEach((id, i) => {
        bytes[frame + 10 + 3 * i] = id.charCodeAt(0);
      });
      return readJpegInfo(bytes);
    };
    const jfif = [0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0];
    const adobe = (transform: number) => [0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform];
    expect(named('RGB', [])).toBeUndefined();
    expect(named('abc', [])).toBeDefined();
    expect(named('RGB', jfif)).toBeDefined();
    expect(named('abc', adobe(0))).toBeUndefined();
    expect(named('RGB', adobe(1))).toBeDefined();
  });

  it('never throws on damaged bytes, and returns complete tables or nothing', async () => {
    const files = [await colour(), await colour({ progressive: true }), await grey()];
    const damage = fc.array(fc.tuple(fc.nat(700), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.nat(800), damage, (file, length, changes) => {
        const bytes = file.slice(0, length);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        const info = readJpegInfo(bytes);
        for (const table of info ? [info.luma, info.chroma ?? info.luma] : []) {
          expect(table.length).toBe(64);
          expect(Array.from(table).every((step) => step >= 1)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
    expect(readJpegInfo(files[0].slice(0, markerAt(files[0], 0xda)))).toBeUndefined();
  });

  it('reads a bounded part of a file that has no samples', () => {
    let reads = 0;
    const endless = new Proxy(new Uint8Array(2 ** 24).fill(0xff), {
      get(target, key) {
        reads++;
        return key === '1' ? 0xd8 : Reflect.get(target, key, target);
      },
    });
    expect(readJpegInfo(endless)).toBeUndefined();
    expect(reads).toBeLessThan(10 * 2 ** 14);
  });

  it('turns tables, sampling and grid with the picture', async () => {
    const bytes = new Uint8Array(await photo(37, 26).jpeg({ quality: 75 }).toBuffer());
    const upright = readJpegInfo(bytes) as JpegInfo;
    const transposed = Array.from({ length: 64 }, (_, f) => upright.luma[8 * (f & 7) + (f >> 3)]);
    bytes[markerAt(bytes, 0xc0) + 11] = 0x21;
    const origins = [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => readJpegInfo(bytes, orientation)?.origin ?? [0, 0]);
    // 37 columns leave 5 for the last block, 26 rows leave 2.
    expect(origins.map(String)).toEqual(['0,0', '5,0', '5,2', '0,2', '0,0', '2,0', '2,5', '0,5']);
    expect(Array.from(readJpegInfo(bytes, 3)?.luma ?? [])).toEqual(Array.from(upright.luma));
    expect(readJpegInfo(bytes, 3)?.subsampling).toEqual([2, 1]);
    expect(Array.from(readJpegInfo(bytes, 6)?.luma ?? [])).toEqual(transposed);
    expect(readJpegInfo(bytes, 6)?.subsampling).toEqual([1, 2]);
  });
});

describe('jpegSteps', () => {
  const table = (f: (u: number, v: number) => number) => Array.from({ length: 64 }, (_, n) => f(n & 7, n >> 3));
  const info: JpegInfo = { luma: table((u, v) => 10 + u + 8 * v), chroma: table((u, v) => 20 + u + 8 * v) };

  it('is the luma table for a grey image, in its units', () => {
    expect(jpegSteps(info, 1).map((steps) => [...steps])).toEqual([info.luma]);
    expect([...jpegSteps(info, 1, 257)[0]]).toEqual(Array.from(info.luma, (step) => 257 * step));
  });

  it('matches the errors of Y, Cb and Cr in luma and chroma planes', () => {
    // The root of the summed squares of one unit of each, converted by the matrix of the decoder.
    const planesOf = (y: number, cb: number, cr: number) =>
      decorrelate(
        [y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb].map((value) => Float64Array.of(value)),
      ).map(([value]) => value);
    const [, blue, red] = [planesOf(1, 0, 0), planesOf(0, 1, 0), planesOf(0, 0, 1)];
    const [luma, first, second] = jpegSteps(info, 3);
    expect(luma[9]).toBeCloseTo(planesOf(1, 0, 0)[0] * info.luma[9], 9);
    expect(first[9]).toBeCloseTo(Math.hypot(blue[1], red[1]) * 29, 9);
    expect(second[9]).toBeCloseTo(Math.hypot(blue[2], red[2]) * 29, 9);
    expect([first[0] / 20, second[0] / 20].map((factor) => factor.toFixed(3))).toEqual(['1.598', '1.531']);
  });

  it.each([
    [[2, 2], 2],
    [[2, 1], Math.SQRT2],
    [[1, 2], Math.SQRT2],
    [[4, 1], 2],
  ] as const)('spreads chroma that covers %j pixels', ([h, v], factor) => {
    const whole = jpegSteps(info, 3)[1];
    const steps = jpegSteps({ ...info, subsampling: [h, v] }, 3)[1];
    expect(steps[8 + 1] / whole[8 * v + h]).toBeCloseTo(factor, 9);
    expect([steps[8 / h - 1] > 0, steps[8 / h] > 0 && h > 1]).toEqual([true, false]);
    expect([steps[8 * (8 / v - 1)] > 0, steps[(8 * 8) / v] > 0 && v > 1]).toEqual([true, false]);
  });

  it('has no chroma steps for a grey JPEG', () => {
    const [, first, second] = jpegSteps({ luma: info.luma }, 3);
    expect([...first, ...second].every((step) => step === 0)).toBe(true);
  });
});

describe('jpegQuality', () => {
  it.each([5, 30, 75, 90, 97])('recovers quality %i', async (quality) => {
    expect(jpegQuality(readJpegInfo(await colour({ quality })) as JpegInfo)).toBe(quality);
  });

  it('is close for tables that are not standard', async () => {
    const { luma } = readJpegInfo(await colour({ quality: 75 })) as JpegInfo;
    const other = Array.from(luma, (step, f) => Math.round(step * (f % 2 ? 1.2 : 0.85)));
    expect(Math.abs(jpegQuality({ luma: other }) - 75)).toBeLessThan(5);
  });
});
