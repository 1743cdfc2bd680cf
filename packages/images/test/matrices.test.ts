/** Matrices from SciPy's files, and files that are refused. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isGhtError } from 'ght';
import { loadCodes, saveCodes } from 'ght/npy';
import { describe, expect, it } from 'vitest';
import { encodeMat, matrixPath, readMatrix } from '../src/node/index.js';
import { temporaryFolder } from './fixtures.js';

const { path, save } = temporaryFolder();
const golden = (name: string) => fileURLToPath(new URL(`matrices/${name}`, import.meta.url));
const [rows, cols] = [5, 7];
/** The matrix of make_matrices.py, column after column. */
const expected = (f: (value: number, i: number, j: number) => number) =>
  Array.from({ length: rows * cols }, (_, n) => {
    const [i, j] = [n % rows, Math.floor(n / rows)];
    return f(4 * i - 3 * j, i, j);
  });
const quarter = expected((value) => value + 0.25);
const some = expected((value, i, j) => ((i + j) % 3 === 0 ? value + 0.25 : 0));

async function refusal(text: string): Promise<string> {
  const error = await readMatrix(text, '--signals', 'Y').then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isGhtError(error)) throw error ?? new Error(`${text} was read`);
  expect(error.message).not.toContain('\n');
  return error.message;
}

describe('a matrix is read', () => {
  it.each([
    ...['double.mat', 'compressed.mat', 'single.mat', 'big_endian.mat', 'one.npz'].map((name) => [name, quarter]),
    ...['whole.mat', 'several.mat', 'several.mat:Y', 'arrays.npz', 'arrays.npz:Y'].map((name) => [
      name,
      expected((value) => value),
    ]),
    ...['int8', 'int16', 'int32', 'int64'].map((kind) => [`${kind}.mat`, expected((value) => value)]),
    ...['uint8', 'uint16', 'uint32', 'uint64'].map((kind) => [`${kind}.mat`, expected(Math.abs)]),
    ['logical.mat', expected((value) => Number(value > 0))],
    ...['sparse.mat', 'sparse_compressed.mat', 'csc.npz', 'csr.npz', 'coo.npz'].map((name) => [name, some]),
  ] as [string, number[]][])('from %s', async (name, values) => {
    const { data, ...shape } = await readMatrix(golden(name), '--signals', 'Y');
    expect(shape).toMatchObject({ rows, cols });
    expect([...data]).toEqual(values);
  });

  it('by its name', async () => {
    const { data, ...found } = await readMatrix(`${golden('several.mat')}:D`, '--signals', 'Y');
    expect(found).toEqual({ rows: cols, cols: rows, variable: 'D' });
    expect(data[1]).toBe(-3);
    expect(matrixPath('C:\\data\\a.mat:Y')).toEqual({ path: 'C:\\data\\a.mat', variable: 'Y' });
    expect(matrixPath('C:\\data\\a.npy')).toEqual({ path: 'C:\\data\\a.npy' });
  });

  it('as it was written, dense and sparse', async () => {
    const dense = { rows: 2, cols: 3, data: Float64Array.of(1, 2, 3, 4, 5, 0.5) };
    const file = await save('dense.mat', encodeMat('X', dense));
    expect(await readMatrix(file, '-o', 'X')).toEqual({ ...dense, variable: 'X' });
    const codes = await loadCodes(await readFile(golden('csc.npz')));
    const both = [await save('codes.mat', encodeMat('Z', codes)), await save('codes.npz', await saveCodes(codes))];
    for (const each of both) expect([...(await readMatrix(each, '-o', 'Z')).data]).toEqual(some);
  });
});

describe('a matrix is refused', () => {
  it.each([
    ['level4.mat', 'must be a MAT-file of level 5'],
    ['complex.mat', 'must hold a real matrix, and it has Y'],
    ['complex.mat:Y', 'save real(…) or imag(…)'],
    ['cube.mat:Y', 'Y has the shape (2, 3, 4)'],
    ['wide.mat', 'must hold 64-bit integers that float64 holds exactly in Y'],
    ['several.mat:note', 'must hold numbers in note, which is of the class char'],
    ['several.mat:X', 'must have the variable X, and it has note, Y, D, cells, s'],
    ['arrays.npz:X', 'must have the variable X, and it has Y, D'],
    ['bsr.npz', 'must hold a sparse matrix as csc, csr or coo, not bsr'],
  ])('%s', async (name, message) => {
    expect(await refusal(golden(name))).toContain(message);
  });

  it('without a name where several could be meant', async () => {
    const error = await readMatrix(golden('arrays.npz'), '--mask', 'M').catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/--mask must name one of its variables \(Y, D\), .*: write its name.*file:Y$/);
  });

  it('of v7.3, with the way to save it', async () => {
    const file = Buffer.alloc(600);
    file.write('MATLAB 7.3 MAT-file, Platform: GLNXA64'.padEnd(124));
    file.set([0, 2, 0x49, 0x4d], 124);
    expect(await refusal(await save('v73.mat', file))).toContain('save it with save -v7 in MATLAB');
    file.set([0x89, 0x48, 0x44, 0x46], 0);
    expect(await refusal(await save('bare.mat', file))).toContain('v7.3 (HDF5)');
  });

  it('cut short anywhere', async () => {
    for (const name of ['double.mat', 'compressed.mat', 'sparse.mat', 'big_endian.mat']) {
      const whole = await readFile(golden(name));
      for (let length = 1; length < whole.length; length += 37) {
        expect(await refusal(await save('cut.mat', whole.subarray(0, length)))).toContain('cut.mat');
      }
    }
  });

  it('with any byte damaged, or read, but never anything else', async () => {
    for (const name of ['double.mat', 'compressed.mat', 'sparse.mat', 'csc.npz', 'arrays.npz']) {
      const whole = await readFile(golden(name));
      for (let at = 0; at < Math.min(whole.length, 420); at += 17) {
        const damaged = Buffer.from(whole);
        damaged[at] ^= 1 << (at % 8);
        const file = join(path('.'), `damaged${name.slice(-4)}`);
        await writeFile(file, damaged);
        const error = await readMatrix(file, '--signals', 'Y').catch((reason: unknown) => reason);
        if (error instanceof Error && !isGhtError(error)) throw error;
        if (error instanceof Error) expect(error.message).not.toContain('\n');
      }
    }
  });

  it('as a bomb: small files that would fill the memory', async () => {
    const empty = { L: 60_000, P: 60_000, indptr: new Int32Array(60_001), indices: new Int32Array(0) };
    const bomb = encodeMat('Y', { ...empty, values: new Float64Array(0) });
    expect(await refusal(await save('bomb.mat', bomb))).toContain('must hold a matrix that fits in memory');
    const npz = await saveCodes({ ...empty, values: new Float64Array(0) });
    expect(await refusal(await save('bomb.npz', npz))).toContain('must hold a matrix that fits in memory');
    const compressed = await readFile(golden('compressed.mat'));
    // The compressed variable claims to be much larger than its bytes can be.
    const { deflateSync, inflateSync } = await import('node:zlib');
    const inside = inflateSync(compressed.subarray(136));
    inside.writeUInt32LE(2 ** 31, 4);
    const packed = deflateSync(inside);
    const tag = Buffer.alloc(8);
    tag.writeUInt32LE(15, 0);
    tag.writeUInt32LE(packed.length, 4);
    const claims = Buffer.concat([compressed.subarray(0, 128), tag, packed]);
    expect(await refusal(await save('claims.mat', claims))).toContain('must unpack to at most');
  });
});
