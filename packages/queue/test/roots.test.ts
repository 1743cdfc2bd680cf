/** A process opens only what lies in its roots, whatever a name says. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGhtError } from 'ght';
import type { Sink, Source } from 'ght-tiles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Files, nameInRoots, parseMemory, parseRoots, rootedPlaces } from '../src/index.js';
import { errorOf } from './stage.js';

let folder: string;
let root: string;
/** Places that only say which path they were asked for. */
const files: Files = {
  source: async (path) => path as unknown as Source,
  sink: async (path) => path as unknown as Sink,
  scratch: async (path) => path as unknown as Awaited<ReturnType<Files['scratch']>>,
};

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ght-roots-')));
  root = join(folder, 'data');
  for (const name of ['data/inner', 'data2', 'elsewhere']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['data/a.tif', 'data2/b.tif', 'elsewhere/secret']) writeFileSync(join(folder, name), '');
  symlinkSync('../../elsewhere', join(root, 'inner/out'));
  symlinkSync('../elsewhere/secret', join(root, 'secret.tif'));
  symlinkSync('../elsewhere/new', join(root, 'dangling'));
  symlinkSync('inner', join(root, 'within'));
  symlinkSync(root, join(folder, 'link-to-data'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('names in roots', () => {
  const places = () => rootedPlaces({ roots: { data: root }, files })('run');

  it('are paths below the folder of the root, there or not yet there', async () => {
    expect(await places().source('data:a.tif')).toBe(join(root, 'a.tif'));
    expect(await places().sink('data:inner/new/clean.zarr')).toBe(join(root, 'inner/new/clean.zarr'));
    expect(await places().scratch('data:inner/./x')).toBe(join(root, 'inner/x.run.scratch'));
    await expect(places().scratch('data:../x')).rejects.toThrow('must lie inside its root');
    await expect(places().scratch('data:inner/out/x')).rejects.toThrow('must lie inside its root');
  });

  it('may pass links that stay inside, and roots that are links themselves', async () => {
    expect(await places().source('data:within/x.tif')).toBe(join(root, 'inner/x.tif'));
    const linked = rootedPlaces({ roots: { data: join(folder, 'link-to-data') }, files })('run');
    expect(await linked.source('data:a.tif')).toBe(join(root, 'a.tif'));
  });

  it.each([
    ['data:../data2/b.tif'],
    ['data:inner/../../elsewhere/secret'],
    ['data:inner\\..\\..\\elsewhere'],
    ['data:/etc/passwd'],
    ['data:C:\\windows'],
    ['data:'],
    ['data:.'],
    ['data:a.tif\0.png'],
    ['data:secret.tif'],
    ['data:inner/out/secret'],
    ['data:inner/out/new.zarr'],
    ['data:dangling'],
    ['data:dangling/chunk'],
  ])('refuse %j, for reading and for writing', async (name) => {
    for (const kind of ['source', 'sink'] as const) {
      const error = await errorOf(places()[kind](name));
      expect(isGhtError(error, 'input'), `${kind} ${error}`).toBe(true);
      expect(error.message).toMatch(/^image must lie inside its root/);
    }
  });

  it.each([['other:a.tif'], ['a.tif'], ['/etc/passwd'], ['file:///etc/passwd'], ['toString:x'], ['__proto__:x'], ['']])(
    'refuse %j, which names no root of this process',
    async (name) => {
      const error = await errorOf(places().source(name));
      expect(isGhtError(error, 'environment')).toBe(true);
      expect(error.message).toContain('must be root:path with a root of this process (data)');
    },
  );

  it('open addresses only if they begin with an allowed one', async () => {
    const http = ['https://slides.example', 'http://lab.example:8080/public'];
    const allowed = rootedPlaces({ roots: { data: root }, http, files })('run');
    expect(await allowed.source('https://slides.example/a.tif')).toBe('https://slides.example/a.tif');
    expect(await allowed.source('HTTP://lab.example:8080/public/b.tif')).toBe('http://lab.example:8080/public/b.tif');
    const refused = [
      ...['http://slides.example/a.tif', 'https://slides.example.evil.example/a.tif', 'https://x@slides.example/a.tif'],
      ...['http://lab.example:8080/public/../private/b.tif', 'http://lab.example:8080/publications', 'https://'],
    ];
    for (const name of refused) {
      const error = await errorOf(allowed.source(name));
      expect(isGhtError(error, 'environment'), name).toBe(true);
      expect(error.message).toContain('https://slides.example/, http://lab.example:8080/public/');
    }
    await expect(places().source('https://slides.example/a.tif')).rejects.toThrow('that this process allows (none)');
    await expect(allowed.sink('https://slides.example/a.tif')).rejects.toThrow('must be root:path');
    const any = rootedPlaces({ roots: { data: root }, http: ['https://'], files })('run');
    expect(await any.source('https://x.example/')).toBe('https://x.example/');
  });
});

describe('arguments', () => {
  it('--root name=folder, any number of them', () => {
    expect(parseRoots([`data=${root}`, `out=${folder}/data2`])).toEqual({ data: root, out: join(folder, 'data2') });
    expect(parseRoots([])).toEqual({});
    for (const bad of ['data', '=x', 'data=', `d=${root}`, `a b=${root}`, `http=${root}`]) {
      expect(
        isGhtError(
          catching(() => parseRoots([bad])),
          'option',
        ),
        bad,
      ).toBe(true);
    }
    expect(catching(() => parseRoots([`data=${root}`, `data=${folder}`])).message).toMatch(/must have each name once/);
    const missing = catching(() => parseRoots([`data=${folder}/missing`]));
    expect(missing.message).toMatch(/^root data must be a folder that is there, but got ".*missing"/);
  });

  it('--memory with a unit', () => {
    expect(['2G', '512M', '1.5g', '64KiB', '1TB'].map(parseMemory)).toEqual([
      ...[2 * 1024 ** 3, 512 * 1024 ** 2, 1.5 * 1024 ** 3, 65536, 1024 ** 4],
    ]);
    for (const bad of ['2', 'G', '0G', '-1G', '2 G', '1e3M', '']) {
      expect(
        isGhtError(
          catching(() => parseMemory(bad)),
          'option',
        ),
        bad,
      ).toBe(true);
    }
  });

  it('paths become names in the root that holds them', () => {
    const roots = { data: root, other: join(folder, 'data2') };
    expect(nameInRoots(roots, join(root, 'inner/new.zarr'))).toBe('data:inner/new.zarr');
    expect(nameInRoots(roots, join(folder, 'link-to-data/a.tif'))).toBe('data:a.tif');
    expect(nameInRoots(roots, join(folder, 'data2/b.tif'))).toBe('other:b.tif');
    expect(nameInRoots(roots, 'https://slides.example/a.tif')).toBe('https://slides.example/a.tif');
    for (const outside of [join(folder, 'elsewhere/secret'), root, join(root, 'secret.tif')]) {
      expect(catching(() => nameInRoots(roots, outside)).message).toContain(`must lie in a root (data=${root}, `);
    }
  });
});

function catching(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  return new Error('it did not fail');
}
