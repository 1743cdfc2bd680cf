import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGhtError } from '../../../src/errors.js';
import {
  type NpyArray,
  type NpyType,
  readNpy,
  readNpyText,
  writeNpy,
  writeNpyText,
} from '../../../src/sparse/codes/npy.js';

const golden = new URL('../../golden/', import.meta.url);

interface Golden {
  shape: number[];
  dtype: string;
  fortran_order: boolean;
  values: (number | boolean)[];
}

/** A .npy file from its parts, to test what NumPy does not write. */
function file(header: string, data: Iterable<number> = [], version = 1): Uint8Array {
  const text = new TextEncoder().encode(header);
  const length = version === 1 ? [text.length & 255, text.length >> 8] : [text.length & 255, text.length >> 8, 0, 0];
  return Uint8Array.of(0x93, ...new TextEncoder().encode('NUMPY'), version, 0, ...length, ...text, ...data);
}

function dict(descr: string, shape: string, fortran = 'False'): string {
  return `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isGhtError(error, 'input')) return error.message;
    throw error;
  }
  throw new Error('was not refused');
}

const numbers: Record<NpyType, (length: number) => fc.Arbitrary<NpyArray['data']>> = {
  f4: (n) => fc.float32Array({ minLength: n, maxLength: n }),
  f8: (n) => fc.float64Array({ minLength: n, maxLength: n }),
  i1: (n) => fc.int8Array({ minLength: n, maxLength: n }),
  i2: (n) => fc.int16Array({ minLength: n, maxLength: n }),
  i4: (n) => fc.int32Array({ minLength: n, maxLength: n }),
  i8: (n) => fc.array(fc.maxSafeInteger(), { minLength: n, maxLength: n }).map((list) => Float64Array.from(list)),
  u1: (n) => fc.uint8Array({ minLength: n, maxLength: n }),
  u2: (n) => fc.uint16Array({ minLength: n, maxLength: n }),
  u4: (n) => fc.uint32Array({ minLength: n, maxLength: n }),
  u8: (n) => fc.array(fc.maxSafeNat(), { minLength: n, maxLength: n }).map((list) => Float64Array.from(list)),
  b1: (n) => fc.uint8Array({ minLength: n, maxLength: n, max: 1 }),
};

const arrays: fc.Arbitrary<NpyArray> = fc
  .tuple(fc.constantFrom(...(Object.keys(numbers) as NpyType[])), fc.array(fc.nat(4), { maxLength: 4 }))
  .chain(([type, shape]) =>
    numbers[type](shape.reduce((n, length) => n * length, 1)).map((data) => ({ type, shape, data })),
  );

describe('half floats', () => {
  it('are read as float32, which holds each of them', () => {
    // numpy.array([1, -2, 65504, 2**-24, 6.1e-5, inf, -inf, nan], 'float16').tobytes(), and big-endian.
    const bits = [0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x7c00, 0xfc00, 0x7e00];
    const values = [1, -2, 65504, 2 ** -24, 2 ** -14, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    const little = bits.flatMap((half) => [half & 255, half >> 8]);
    const big = bits.flatMap((half) => [half >> 8, half & 255]);
    for (const [descr, bytes] of [
      ['<f2', little],
      ['>f2', big],
    ] as const) {
      const { type, shape, data } = readNpy(file(dict(descr, '(2, 4)'), bytes));
      expect({ type, shape, data }).toEqual({ type: 'f4', shape: [2, 4], data: Float32Array.from(values) });
    }
  });
});

describe('files of NumPy', () => {
  const files: Record<string, Golden> = JSON.parse(readFileSync(new URL('npy.json', golden), 'utf8'));

  it.each(Object.entries(files))('%s is read as NumPy reads it', (name, { shape, dtype, values }) => {
    const array = readNpy(readFileSync(new URL(name, golden)));
    expect(array.type).toBe(dtype.slice(1));
    expect(array.shape).toEqual(shape);
    const exact =
      array.data instanceof Float32Array ? values.map((value) => Math.fround(Number(value))) : values.map(Number);
    expect([...array.data]).toEqual(exact);
  });

  const ours = Object.entries(files).filter(([, { dtype, fortran_order }]) => dtype[0] !== '>' && !fortran_order);
  it.each(ours)('%s is written byte for byte as NumPy writes it', (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(name, golden)));
    expect(writeNpy(readNpy(bytes))).toEqual(bytes);
  });
});

describe('readNpy', () => {
  it('reads back what writeNpy wrote', () => {
    fc.assert(
      fc.property(arrays, (array) => {
        expect(readNpy(writeNpy(array))).toEqual(array);
      }),
    );
  });

  it('has the bytes of a Uint8Array where a canvas gave a Uint8ClampedArray, and only for u1', () => {
    const bytes = [0, 7, 255];
    const clamped = Uint8ClampedArray.from(bytes);
    const written = writeNpy({ type: 'u1', shape: [3], data: clamped });
    expect(written).toEqual(writeNpy({ type: 'u1', shape: [3], data: Uint8Array.from(bytes) }));
    expect(refusal(() => writeNpy({ type: 'b1', shape: [3], data: clamped }))).toContain('must be a Uint8Array');
  });

  it('finds the numbers at a multiple of 64 bytes', () => {
    fc.assert(fc.property(arrays, (array) => (writeNpy(array).length - array.data.byteLength) % 64 === 0));
  });

  it.each([1, 2, 3])('reads format version %i.0', (version) => {
    expect(readNpy(file(dict('|u1', '(3,)'), [7, 8, 9], version)).data).toEqual(Uint8Array.of(7, 8, 9));
  });

  it('converts Fortran order of three dimensions to C order', () => {
    const shape = [2, 3, 4];
    const inFile: number[] = [];
    for (let k = 0; k < 4; k++) for (let j = 0; j < 3; j++) for (let i = 0; i < 2; i++) inFile.push(i * 12 + j * 4 + k);
    const array = readNpy(file(dict('|i1', '(2, 3, 4)', 'True'), inFile));
    expect(array).toEqual({ type: 'i1', shape, data: Int8Array.from({ length: 24 }, (_, i) => i) });
  });

  it('reads either byte order of 64-bit integers, and those beyond 2^53 that float64 holds', () => {
    expect(readNpy(file(dict('>i8', '()'), [255, 255, 255, 255, 255, 255, 255, 254])).data[0]).toBe(-2);
    expect(readNpy(file(dict('<u8', '()'), [0, 0, 0, 0, 0, 0, 0, 128])).data[0]).toBe(2 ** 63);
  });

  it('reads headers of other writers: any key order, double quotes, Python 2 lengths', () => {
    const header = `{"shape": (1L, 2L), "fortran_order": False, "descr": "|u1"}`;
    expect(readNpy(file(header, [1, 2]))).toEqual({ type: 'u1', shape: [1, 2], data: Uint8Array.of(1, 2) });
  });

  it('copies from a view into a larger buffer, at any address', () => {
    const bytes = writeNpy({ type: 'f8', shape: [2], data: Float64Array.of(1.5, -2) });
    const pool = Buffer.concat([Buffer.of(0), bytes, Buffer.of(0)]);
    const array = readNpy(pool.subarray(1, -1));
    pool.fill(0);
    expect(array.data).toEqual(Float64Array.of(1.5, -2));
  });

  it('reads any nonzero byte of a boolean as 1', () => {
    expect(readNpy(file(dict('|b1', '(3,)'), [0, 1, 255])).data).toEqual(Uint8Array.of(0, 1, 1));
  });

  const good = dict('|u1', '(2,)');
  it.each<[string, Uint8Array, RegExp]>([
    ['no bytes', new Uint8Array(), /^photo must be a \.npy file/],
    ['another file', Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]), /but got "50 4b 03 04 00 00".*numpy\.save/],
    ['a file cut in the magic', file(good).subarray(0, 9), /whole \.npy file.*copy the whole file/],
    ['a file cut in the header', file(good).subarray(0, 40), /its header ends at byte \d+/],
    ['an unknown version', file(good, [1, 2], 4), /version 1\.0, 2\.0 or 3\.0, but got "4\.0"/],
    ['a header too long', file(good + ' '.repeat(10_000), [1, 2]), /header of at most 10000 bytes/],
    ['data cut short', file(good, [1]), /the 2 bytes its shape \(2\) needs, but got "1 bytes".*cut short/],
    ['data too long', file(good, [1, 2, 3]), /must end after the 2 bytes.*one array per file/],
    ['objects', file(dict('|O', '(2,)')), /must hold float16, float32.*but got "\|O": Python objects are never read/],
    ['complex numbers', file(dict('<c16', '(2,)')), /array\.real and array\.imag/],
    ['strings', file(dict('<U3', '(2,)')), /but got "<U3": save numbers/],
    ['quadruple floats', file(dict('<f16', '(2,)')), /astype\('float64'\)/],
    ['dates', file(dict('<M8[ns]', '(2,)')), /astype\('float64'\)/],
    ['a wide type without byte order', file(dict('|f8', '()'), new Array(8).fill(0)), /must hold float16/],
    ['structures', file(`{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }`), /structured/],
    ['sizes beyond 2^53', file(dict('<f8', '(4503599627370496, 4503599627370496)')), /fewer than 2\^53 bytes/],
    ['a length beyond 2^53', file(dict('<f8', '(99999999999999999999,)')), /lengths below 2\^53/],
    ['65 dimensions', file(dict('|u1', `(${'1, '.repeat(65)})`), [1]), /at most 64 lengths/],
    ['a negative length', file(dict('|u1', '(-2,)')), /a header with 'descr'/],
    ['a shape that is not a tuple', file(dict('|u1', '(2)'), [1, 2]), /a header with 'descr'/],
    ['a missing key', file(`{'descr': '|u1', 'shape': (2,), }`, [1, 2]), /a header with 'descr'/],
    ['a key twice', file(`{'descr': '|u1', 'descr': '|u1', 'shape': (2,)}`, [1, 2]), /a header with 'descr'/],
    ['an unknown key', file(good.replace('}', `'x': True}`), [1, 2]), /a header with 'descr'/],
    ['code', file(`__import__('os')`), /a header with 'descr'/],
    ['an inexact integer', file(dict('<i8', '()'), [1, 0, 0, 0, 0, 0, 32, 0]), /exactly, but got 9007199254740993/],
  ])('refuses %s', (_, bytes, message) => {
    expect(refusal(() => readNpy(bytes, 'photo'))).toMatch(message);
  });

  it('refuses a file cut anywhere', () => {
    const bytes = writeNpy({ type: 'f4', shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) });
    for (let length = 0; length < bytes.length; length++) refusal(() => readNpy(bytes.subarray(0, length)));
  });

  it('reads or refuses any header, and never fails otherwise', () => {
    const pieces = fc.constantFrom(
      ...`{|}|'descr'|:|'<f8'|'shape'|(|)|,|1|2L|'fortran_order'|True|False|[| |"`.split('|'),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        try {
          readNpy(file(parts.join('')));
        } catch (error) {
          expect(isGhtError(error, 'input')).toBe(true);
        }
      }),
    );
  });
});

describe('writeNpy', () => {
  const data = Float64Array.of(1, 2);
  it.each<[string, NpyArray, RegExp]>([
    ['an unknown type', { type: 'toString' as NpyType, shape: [2], data }, /array\.type must be one of f4/],
    ['a shape of another size', { type: 'f8', shape: [3], data }, /array\.data must hold as many numbers/],
    ['a broken shape', { type: 'f8', shape: [1.5], data }, /array\.shape must be at most 64 whole numbers/],
    ['data of another type', { type: 'f4', shape: [2], data }, /array\.data must be a Float32Array/],
    ['a fraction as an integer', { type: 'i8', shape: [1], data: Float64Array.of(0.5) }, /whole numbers.*got 0\.5/],
    ['a sign as unsigned', { type: 'u8', shape: [1], data: Float64Array.of(-1) }, /from 0 and below/],
    ['2^63 as int64', { type: 'i8', shape: [1], data: Float64Array.of(2 ** 63) }, /but got 9223372036854776000/],
    ['2 as a boolean', { type: 'b1', shape: [1], data: Uint8Array.of(2) }, /0 or 1.*got 2/],
  ])('refuses %s', (_, array, message) => {
    expect(refusal(() => writeNpy(array))).toMatch(message);
  });
});

describe('strings', () => {
  it('are read as bytes and as either order of UTF-32, without their padding', () => {
    expect(readNpyText(writeNpyText('csc'), 'format')).toBe('csc');
    expect(
      readNpyText(
        file(
          dict('|S4', '()'),
          [...'csr\0'].map((c) => c.charCodeAt(0)),
        ),
        'format',
      ),
    ).toBe('csr');
    expect(readNpyText(file(dict('<U1', '()'), [0x63, 0, 0, 0]), 'format')).toBe('c');
    expect(readNpyText(file(dict('>U1', '()'), [0, 0, 0, 0x63]), 'format')).toBe('c');
  });

  it('are rejected if there are several or none', () => {
    expect(refusal(() => readNpyText(file(dict('|S1', '(2,)'), [1, 2]), 'format'))).toMatch(/single string/);
    expect(refusal(() => readNpyText(file(dict('<f8', '()')), 'format'))).toMatch(/^format must be a single string/);
    expect(refusal(() => readNpyText(file(dict('|S3', '()')), 'format'))).toMatch(/cut short/);
  });
});
