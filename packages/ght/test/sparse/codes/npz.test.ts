import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGhtError } from '../../../src/errors.js';
import type { Codes } from '../../../src/sparse/codes/codes.js';
import { type NpyArray, writeNpy, writeNpyText } from '../../../src/sparse/codes/npy.js';
import { loadCodes, saveCodes } from '../../../src/sparse/codes/npz.js';
import { unzip, zip } from '../../../src/sparse/codes/zip.js';

const golden = new URL('../../golden/', import.meta.url);
const python = ['/usr/bin/python3', 'python3'].find(
  (name) => spawnSync(name, ['-c', 'import scipy.sparse']).status === 0,
);

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('was not refused'),
    (reason) => reason,
  );
  if (isGhtError(error, 'input')) return error.message;
  throw error;
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const codesArbitrary: fc.Arbitrary<Codes> = fc.integer({ min: 1, max: 12 }).chain((L) =>
  fc
    .array(fc.uniqueArray(fc.tuple(fc.nat(L - 1), finite), { selector: ([atom]) => atom }), { maxLength: 8 })
    .map((columns) => {
      const entries = columns.flatMap((column) => column.toSorted(([a], [b]) => a - b));
      let end = 0;
      return {
        L,
        P: columns.length,
        indptr: Int32Array.from([0, ...columns.map((column) => (end += column.length))]),
        indices: Int32Array.from(entries, ([atom]) => atom),
        values: Float64Array.from(entries, ([, value]) => value),
      };
    }),
);

/** Patch 0 uses the atoms 1 and 3 of 4, patch 1 none, patch 2 the atom 0. */
const small: Codes = {
  L: 4,
  P: 3,
  indptr: Int32Array.of(0, 2, 2, 3),
  indices: Int32Array.of(1, 3, 0),
  values: Float64Array.of(0.5, -2, 7),
};

/** The file of `small` with some of its arrays replaced, or removed if null. */
function file(changes: Record<string, NpyArray | string | null>): Promise<Uint8Array> {
  const arrays: Record<string, NpyArray | string | null> = {
    indices: { type: 'i4', shape: [3], data: small.indices },
    indptr: { type: 'i4', shape: [4], data: small.indptr },
    format: 'csc',
    shape: { type: 'i8', shape: [2], data: Float64Array.of(4, 3) },
    data: { type: 'f8', shape: [3], data: small.values },
    ...changes,
  };
  const entries = Object.entries(arrays).flatMap(([name, array]) => {
    if (array === null) return [];
    return [{ name: `${name}.npy`, bytes: typeof array === 'string' ? writeNpyText(array) : writeNpy(array) }];
  });
  return zip(entries);
}

function ints(...numbers: number[]): NpyArray {
  return { type: 'i4', shape: [numbers.length], data: Int32Array.from(numbers) };
}

function floats(...numbers: number[]): NpyArray {
  return { type: 'f8', shape: [numbers.length], data: Float64Array.from(numbers) };
}

describe('files of SciPy', () => {
  const { files, ...matrices } = JSON.parse(readFileSync(new URL('codes.json', golden), 'utf8'));

  it.each(Object.keys(files))('%s is read as SciPy reads it', async (name) => {
    const { rows, cols, indptr, indices, values } = matrices[files[name]];
    expect(await loadCodes(readFileSync(new URL(name, golden)))).toEqual({
      L: rows,
      P: cols,
      indptr: Int32Array.from(indptr),
      indices: Int32Array.from(indices),
      values: Float64Array.from(values),
    });
  });

  it('hold the same arrays, byte for byte and in the same order, as those saved here', async () => {
    const theirs = readFileSync(new URL('codes_float64.npz', golden));
    const ours = await saveCodes(await loadCodes(theirs));
    expect([...(await unzip(ours))]).toEqual([...(await unzip(theirs))]);
  });

  it.skipIf(!python)('saved here are read by SciPy (needs a python3 with SciPy)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ght-npz-'));
    const check = fileURLToPath(new URL('check_npz.py', golden));
    try {
      for (const codes of [small, ...fc.sample(codesArbitrary, { numRuns: 3, seed: 1 })]) {
        const path = join(folder, 'codes.npz');
        writeFileSync(path, await saveCodes(codes));
        const read = JSON.parse(execFileSync(python as string, [check, path], { encoding: 'utf8' }));
        const { L, P, indptr, indices, values } = codes;
        const expected = { format: 'csc', shape: [L, P], dtype: 'float64', indptr: [...indptr], indices: [...indices] };
        expect(read).toEqual({ ...expected, data: [...values] });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('saveCodes', () => {
  it('writes files that loadCodes reads back', async () => {
    await fc.assert(
      fc.asyncProperty(codesArbitrary, async (codes) => {
        expect(await loadCodes(await saveCodes(codes))).toEqual(codes);
      }),
    );
  });

  it('writes the same bytes for the same codes', async () => {
    expect(await saveCodes(small)).toEqual(await saveCodes(structuredClone(small)));
  });

  it('rejects codes that it could not load', async () => {
    expect(await refusal(saveCodes({ ...small, values: Float64Array.of(1, Number.NaN, 1) }))).toMatch(
      /codes\.values\[1\]/,
    );
    expect(await refusal(saveCodes({ ...small, indices: Int32Array.of(3, 1, 0) }))).toMatch(/codes\.indices\[1\]/);
    expect(await refusal(saveCodes({ ...small, L: 3 }))).toMatch(/codes\.indices\[1\] must be an atom, from 0 to 2/);
  });
});

describe('loadCodes', () => {
  it('sorts the atoms of a patch', async () => {
    const codes = await loadCodes(await file({ indices: ints(3, 1, 0), data: floats(-2, 0.5, 7) }));
    expect(codes).toEqual(small);
  });

  it('reads an empty matrix', async () => {
    const shape: NpyArray = { type: 'i8', shape: [2], data: Float64Array.of(4, 0) };
    const { P, indptr } = await loadCodes(await file({ shape, indptr: ints(0), indices: ints(), data: floats() }));
    expect([P, indptr]).toEqual([0, Int32Array.of(0)]);
  });

  it.each<[string, Record<string, NpyArray | string | null>, RegExp]>([
    ['rows', { format: 'csr' }, /codes\.format must be 'csc'.*got "csr": call \.tocsc\(\)/],
    ['coordinates', { format: 'coo', indptr: null }, /call \.tocsc\(\)/],
    ['no format', { format: null }, /must hold the array format, but got "indices\.npy, .*save_npz/],
    ['no data', { data: null }, /codes must hold the array data/],
    ['a number as format', { format: ints(1) }, /codes\.format must be a single string/],
    ['three lengths', { shape: ints(4, 3, 1) }, /codes\.shape must be two numbers/],
    ['a negative length', { shape: ints(-4, 3) }, /codes\.shape must be atoms × patches.*-4×3/],
    ['a short indptr', { indptr: ints(0, 3) }, /codes\.indptr must hold 4 numbers/],
    ['an indptr from 1', { indptr: ints(1, 2, 2, 3) }, /codes\.indptr must begin with 0/],
    ['a falling indptr', { indptr: ints(0, 2, 1, 3) }, /codes\.indptr\[2\] must be at least 2, but got 1/],
    ['spare indices', { indices: ints(1, 3, 0, 0) }, /codes\.indices must hold the 3 numbers.*\.prune\(\)/],
    ['too few values', { data: floats(1) }, /codes\.data must hold the 3 numbers/],
    ['an atom too many', { indices: ints(1, 4, 0) }, /codes\.indices\[1\] must be an atom, from 0 to 3, but got 4/],
    ['a negative atom', { indices: ints(1, -1, 0) }, /codes\.indices\[1\] must be an atom/],
    ['an atom twice', { indices: ints(3, 3, 0) }, /codes\.indices\[1\] must be above 3.*patch 0.*\.sum_duplicates\(\)/],
    ['NaN', { data: floats(1, Number.NaN, 2) }, /codes\.data\[1\] must be a finite number, but got NaN/],
    ['infinity', { data: floats(1, 2, Number.NEGATIVE_INFINITY) }, /codes\.data\[2\].*-Infinity/],
    ['whole numbers as data', { data: ints(1, 2, 3) }, /codes\.data must have the type f8 or f4.*astype\('float64'\)/],
    ['fractions as indices', { indices: floats(1, 3, 0) }, /codes\.indices must have the type i4 or i8/],
    ['a matrix as data', { data: { ...floats(1, 2, 3), shape: [3, 1] } }, /codes\.data must have one dimension/],
  ])('refuses %s', async (_, changes, message) => {
    expect(await refusal(file(changes).then(loadCodes))).toMatch(message);
  });

  it('returns codes or an error for a file with any byte changed, or cut anywhere', async () => {
    const bytes = await saveCodes(small);
    const damage = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255), cut: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, value, cut }) => {
        const damaged = cut ? bytes.slice(0, at) : bytes.with(at, value);
        try {
          expect(await loadCodes(damaged)).toEqual(small);
        } catch (error) {
          if (!isGhtError(error, 'input')) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Little-endian numbers; each digit of `widths` is the number of bytes of one value. */
function record(widths: string, ...values: number[]): number[] {
  const bytes = (value: number, n: number) => Array.from({ length: Number(widths[n]) }, (_, k) => value / 256 ** k);
  return values.flatMap(bytes).map((value) => Math.floor(value) % 256);
}

/** An archive of one stored file, `a` with `hello`, with all its numbers in ZIP64 records, and a comment of 2 bytes. */
function zip64(size = 5): Uint8Array {
  const ones = 0xffffffff;
  const name = [...'a'].map((letter) => letter.charCodeAt(0));
  const data = [...'hello'].map((letter) => letter.charCodeAt(0));
  const common = record('222224442', 45, 0, 0, 0, 33, 0x3610a686, ones, ones, 1);
  const header = [...record('4', 0x04034b50), ...common, ...record('2', 20), ...name];
  const file = [...header, ...record('2288', 1, 16, 5, 5), ...data];
  const central = [...record('42', 0x02014b50, 45), ...common, ...record('222244', 32, 0, 0, 0, 0, ones), ...name];
  // Another extra field comes before that of ZIP64, and must be skipped.
  const directory = [...central, ...record('2222888', 9, 0, 1, 24, size, 5, 0)];
  const end64 = record('4822448888', 0x06064b50, 44, 45, 45, 0, 0, 1, 1, directory.length, file.length);
  const locator = record('4484', 0x07064b50, 0, file.length + directory.length, 1);
  const end = record('422224422', 0x06054b50, 0, 0, 0xffff, 0xffff, ones, ones, 2, 0x2121);
  return Uint8Array.from([...file, ...directory, ...end64, ...locator, ...end]);
}

describe('zip', () => {
  it('writes files that unzip reads back, with any names', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const entries = fc.uniqueArray(fc.record({ name, bytes: fc.uint8Array({ maxLength: 300 }) }), {
      selector: (e) => e.name,
    });
    await fc.assert(
      fc.asyncProperty(entries, async (list) => {
        const files = await unzip(await zip(list));
        expect([...files]).toEqual(list.map(({ name, bytes }) => [name, bytes]));
      }),
    );
  });

  it('refuses the same name twice', async () => {
    const entry = { name: 'a', bytes: new Uint8Array() };
    expect(await refusal(zip([entry, entry]))).toMatch(/^entries must be fewer.*no two the same/);
  });
});

describe('unzip', () => {
  const zeros = new Uint8Array(64e6);
  /** Where the directory of an archive without a comment begins. */
  const directory = (bytes: Uint8Array) => new DataView(bytes.buffer).getUint32(bytes.length - 6, true);
  const patched = (bytes: Uint8Array, at: number, value: number[]) => {
    const copy = bytes.slice();
    copy.set(value, at);
    return copy;
  };

  it('reads ZIP64 records, and a comment at the end', async () => {
    expect(new TextDecoder().decode((await unzip(zip64())).get('a'))).toBe('hello');
  });

  it('rejects data that is not an archive', async () => {
    expect(await refusal(unzip(new Uint8Array(), 'codes'))).toMatch(/^codes must be a whole ZIP archive/);
    expect(await refusal(unzip(new Uint8Array(1000)))).toMatch(/^archive must be a whole ZIP archive/);
  });

  it('stops unpacking beyond the declared size', async () => {
    const bytes = await zip([{ name: 'bomb', bytes: zeros }]);
    expect((await unzip(bytes)).get('bomb')?.length).toBe(zeros.length);
    const message = await refusal(unzip(patched(bytes, directory(bytes) + 24, record('4', 100))));
    expect(message).toMatch(/^archive\/bomb must unpack to the 100 bytes/);
    expect(Number(/got "(\d+) or more"/.exec(message)?.[1])).toBeLessThan(20e6);
  });

  it('refuses absurd sizes before unpacking', async () => {
    const bytes = await zip([{ name: 'a', bytes: zeros.subarray(0, 1000) }]);
    const absurd = patched(bytes, directory(bytes) + 24, record('4', 2 ** 31 - 1));
    expect(await refusal(unzip(absurd))).toMatch(/a size that its \d+ packed bytes can hold, but got 2147483647/);
    expect(await refusal(unzip(zip64(2 ** 52)))).toMatch(/a size that its 5 packed bytes can hold/);
  });

  it('refuses encrypted entries, other methods, wrong sums and overlaps, each by name', async () => {
    const bytes = await zip(['a', 'b'].map((name) => ({ name, bytes: Uint8Array.of(1, 2, 3) })));
    const at = directory(bytes);
    expect(await refusal(unzip(patched(bytes, at + 8, [1])))).toMatch(/^archive\/a must not be encrypted/);
    expect(await refusal(unzip(patched(bytes, at + 10, [14])))).toMatch(/stored \(0\) or deflated \(8\), but got 14/);
    expect(await refusal(unzip(patched(bytes, at + 16, [0, 0])))).toMatch(/^archive\/a must have the CRC-32/);
    expect(await refusal(unzip(patched(bytes, at + 24, [4])))).toMatch(/must unpack to the 4 bytes.*but got 3/);
    expect(await refusal(unzip(patched(bytes, 31, [0xff])))).toMatch(/^archive\/a must be intact deflate data/);
    expect(await refusal(unzip(patched(bytes, at + 47 + 42, [0])))).toMatch(/two names/);
    expect(await refusal(unzip(patched(bytes, at + 47 + 46, [0x61])))).toMatch(/two names/);
    const twice = patched(patched(bytes, at + 47 + 42, [0]), at + 47 + 46, [0x61]);
    expect(await refusal(unzip(twice))).toMatch(/two entries that overlap at byte 0/);
  });
});
