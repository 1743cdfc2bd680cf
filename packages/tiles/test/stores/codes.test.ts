import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import FileSystemStore from '@zarrita/storage/fs';
import { type Codes, denseDictionary, overcompleteDct, patchGrid } from 'ght';
import { type CodesLayout, codesStore, openCodes, zarrSink } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import * as zarr from 'zarrita';
import { filesIn, messageOf, sampled, temporaryFolder } from './fixtures.js';

const path = temporaryFolder();
const run = 'codes';
const grid = patchGrid(53, 37, 8);
const dictionary = overcompleteDct();
const layout: CodesLayout = { image: { grid, dictionary, peak: 255 }, planes: 2, tile: { columns: 3, rows: 2 } };

/** Codes of all patches of a plane: patch p has p mod 4 atoms. */
function planeCodes(plane: number): Codes {
  const indptr = Int32Array.from({ length: grid.count + 1 }, (_, p) =>
    Array.from({ length: p }, (_, q) => q % 4).reduce((a, b) => a + b, 0),
  );
  const total = indptr[grid.count];
  const indices = new Int32Array(total);
  for (let p = 0; p < grid.count; p++)
    for (let n = indptr[p]; n < indptr[p + 1]; n++) indices[n] = 7 * (n - indptr[p]) + p;
  return {
    L: 100,
    P: grid.count,
    indptr,
    indices,
    values: Float64Array.from(indices, (l, n) => l / 3 + n + plane / 7),
  };
}

/** The codes of a rectangle of patches, patch by patch. */
function part(codes: Codes, left: number, top: number, width: number, height: number): Codes {
  const patches = Array.from(
    { length: width * height },
    (_, i) => (top + Math.floor(i / width)) * grid.columns + left + (i % width),
  );
  const entries = patches.map((p) =>
    Array.from({ length: codes.indptr[p + 1] - codes.indptr[p] }, (_, n) => codes.indptr[p] + n),
  );
  const indptr = Int32Array.from(
    [0, ...entries].map((_, i) => entries.slice(0, i).reduce((sum, list) => sum + list.length, 0)),
  );
  const all = entries.flat();
  return {
    ...{ L: codes.L, P: patches.length, indptr },
    indices: Int32Array.from(all, (n) => codes.indices[n]),
    values: Float64Array.from(all, (n) => codes.values[n]),
  };
}

async function begun(name: string) {
  await zarrSink(path(name), { run, picture: sampled(53, 37).picture });
  return path(name);
}

async function written(name: string) {
  const folder = await begun(name);
  const store = await codesStore(folder, { run, layout });
  for (let plane = 0; plane < 2; plane++) {
    for (let row = 0; row * 2 < grid.rows; row++) {
      for (let column = 0; column * 3 < grid.columns; column++) {
        const size = [Math.min(3, grid.columns - 3 * column), Math.min(2, grid.rows - 2 * row)] as const;
        await store.write({ plane, row, column }, part(planeCodes(plane), 3 * column, 2 * row, ...size));
      }
    }
  }
  return folder;
}

describe('codes in a Zarr', () => {
  it('come back for any window of patches, across tiles and planes', async () => {
    const store = await openCodes(await written('whole.zarr'));
    expect([grid.columns, grid.rows]).toEqual([7, 5]);
    for (const [left, top, width, height] of [
      [0, 0, 7, 5],
      [2, 1, 3, 3],
      [6, 4, 1, 1],
      [0, 2, 7, 1],
    ]) {
      for (const plane of [0, 1]) {
        expect(await store.read(plane, { left, top, width, height })).toEqual(
          part(planeCodes(plane), left, top, width, height),
        );
      }
    }
  });

  it('have all that is needed to rebuild the image: grid, full scale and dictionary', async () => {
    const { layout: read } = await openCodes(await written('layout.zarr'));
    const { name: _, ...numbers } = dictionary;
    expect(read).toMatchObject({ ...layout, image: { ...layout.image, dictionary: numbers } });
    const folder = await begun('dense.zarr');
    const dense = denseDictionary(
      64,
      2,
      Float64Array.from({ length: 128 }, (_, i) => (i === 0 || i === 65 ? 1 : 0)),
    );
    await codesStore(folder, { run, layout: { ...layout, image: { ...layout.image, dictionary: dense } } });
    expect((await openCodes(folder)).layout.image.dictionary).toEqual(dense);
  });

  it('are plain Zarr arrays: counts as a picture of atoms per patch, indices and values per tile', async () => {
    const root = zarr.root(new FileSystemStore(await written('plain.zarr')));
    const counts = await zarr.get(await zarr.open(root.resolve('codes/counts'), { kind: 'array' }), [0, null, null]);
    expect(counts.shape).toEqual([5, 7]);
    expect(Array.from(counts.data as Uint32Array)).toEqual(Array.from({ length: 35 }, (_, p) => p % 4));
    const values = await zarr.get(await zarr.open(root.resolve('codes/tiles/1/0/0/values'), { kind: 'array' }), [null]);
    expect(Array.from(values.data as Float64Array)).toEqual(Array.from(part(planeCodes(1), 0, 0, 3, 2).values));
  });

  it('go on where a run was interrupted: a tile is there once its counts are', async () => {
    const folder = await written('interrupted.zarr');
    const tile = { plane: 0, row: 1, column: 2 };
    await rm(join(folder, 'codes/counts/c/0/1/2'));
    const store = await codesStore(folder, { run });
    expect(await store.has(tile)).toBe(false);
    expect(await store.has({ ...tile, column: 1 })).toBe(true);
    expect(await messageOf(() => store.read(0, { left: 0, top: 0, width: 7, height: 5 }))).toMatch(
      'codes/counts/c/0/1/2',
    );
    await store.write(tile, part(planeCodes(0), 6, 2, 1, 2));
    expect(await store.read(0, { left: 0, top: 0, width: 7, height: 5 })).toEqual(planeCodes(0));
  });

  it('that are damaged are refused by the name of the file', async () => {
    const folder = await written('damaged.zarr');
    const store = await openCodes(folder);
    const window = { left: 0, top: 0, width: 3, height: 2 };
    const name = 'codes/tiles/0/0/0/values/c/0';
    const bytes = await readFile(join(folder, name));
    await writeFile(join(folder, name), bytes.subarray(0, bytes.length / 2));
    expect(await messageOf(() => store.read(0, window))).toMatch(`must have intact files, which ${name} is not`);
    const other = 'codes/tiles/1/0/0/indices/zarr.json';
    await writeFile(join(folder, other), '{"shape": [1e12], "data_type": "int32"}');
    expect(await messageOf(() => store.read(1, window))).toMatch('must have intact files');
  });

  it('belong to the run of the picture, and to its tiles', async () => {
    const folder = await written('belongs.zarr');
    const before = await filesIn(folder);
    expect(await messageOf(() => codesStore(folder, { run: 'another', layout }))).toMatch(
      'must be a Zarr that was begun by the same run',
    );
    expect(await messageOf(() => codesStore(path('none.zarr'), { run, layout }))).toMatch(
      'must be a Zarr that was begun',
    );
    const store = await codesStore(folder, { run });
    const tile = { plane: 0, row: 0, column: 0 };
    expect(await messageOf(() => store.write(tile, planeCodes(0)))).toMatch('must be 100×6, as the tile is');
    expect(await messageOf(() => store.has({ ...tile, column: 9 }))).toMatch('must be one of the image');
    expect(await messageOf(() => store.read(0, { left: 0, top: 0, width: 8, height: 1 }))).toMatch('7×5 patches');
    expect(await messageOf(async () => openCodes(await begun('no-codes.zarr')))).toMatch('must have codes in it');
    expect(await filesIn(folder)).toEqual(before);
  });
});
