import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Picture, zarrSink, zarrSource } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import * as zarr from 'zarrita';
import {
  expectWindows,
  filesIn,
  messageOf,
  numbers,
  sampled,
  sampleTypes,
  temporaryFolder,
  writeAll,
} from './fixtures.js';

const path = temporaryFolder();
const run = 'run-1';
const chunk = 32;

describe('a picture in a Zarr', () => {
  it.each(sampleTypes)('comes back bit by bit: $sample $depth, odd sizes, with and without opacity', async (type) => {
    for (const [width, height, channels, alpha] of [
      [77, 45, 1, false],
      [33, 64, 3, true],
      [5, 3, 4, false],
    ] as const) {
      const picture = sampled(width, height, { channels, alpha }, type);
      const folder = path(`${type.sample}${type.depth}-${width}.zarr`);
      const sink = await zarrSink(folder, { run, picture: picture.picture, chunk });
      await writeAll(sink, picture, 64);
      await sink.finish();
      const source = await zarrSource(folder);
      expect(source.picture).toEqual(picture.picture);
      await expectWindows(source, picture);
    }
  });

  it('rounds to the nearest and clamps, as every file that is written', async () => {
    const { picture } = sampled(4, 1);
    const folder = path('rounded.zarr');
    const sink = await zarrSink(folder, { run, picture, chunk });
    await sink.write({ left: 0, top: 0, width: 4, height: 1 }, [Float64Array.of(-3, 0.5, 100.4, 300)]);
    await sink.finish();
    const window = { left: 0, top: 0, width: 4, height: 1 };
    expect(numbers(await (await zarrSource(folder)).read(window))).toEqual([[0, 1, 100, 255]]);
  });

  it('keeps profile, EXIF, resolution and description, and states the size of a pixel in micrometres', async () => {
    const metadata = {
      icc: Uint8Array.of(1, 2, 250),
      exif: Uint8Array.of(9, 0),
      resolution: { x: 254, y: 508, unit: 'inch' },
      description: 'ImageJ=1.54',
    } as const;
    const picture = sampled(70, 40, { channels: 3, metadata });
    const folder = path('metadata.zarr');
    const sink = await zarrSink(folder, { run, picture: picture.picture, chunk });
    await writeAll(sink, picture);
    await sink.finish();
    expect((await zarrSource(folder)).picture.metadata).toEqual(metadata);
    const { attributes } = JSON.parse(await readFile(join(folder, 'zarr.json'), 'utf8'));
    const [{ axes, datasets }] = attributes.ome.multiscales;
    expect(attributes.ome.version).toBe('0.5');
    expect(axes.map(({ name, unit }: Record<string, string>) => [name, unit])).toEqual([
      ['c', undefined],
      ['y', 'micrometer'],
      ['x', 'micrometer'],
    ]);
    expect(datasets[0].coordinateTransformations).toEqual([{ type: 'scale', scale: [1, 50, 100] }]);
    expect(datasets[1].coordinateTransformations).toEqual([
      { type: 'scale', scale: [1, 100, 200] },
      { type: 'translation', translation: [0, 25, 50] },
    ]);
  });

  it('is read by zarrita with the same samples, level by level, with named dimensions', async () => {
    const picture = sampled(70, 40, { channels: 3 });
    const folder = path('zarrita.zarr');
    const sink = await zarrSink(folder, { run, picture: picture.picture, chunk });
    await writeAll(sink, picture);
    await sink.finish();
    const { default: FileSystemStore } = await import('@zarrita/storage/fs');
    const root = zarr.root(new FileSystemStore(folder));
    const array = await zarr.open(root.resolve('0'), { kind: 'array' });
    expect([array.dimensionNames, array.shape, array.dtype]).toEqual([['c', 'y', 'x'], [3, 40, 70], 'uint8']);
    const { data } = await zarr.get(array, [1, null, null]);
    expect(Array.from(data as Uint8Array)).toEqual(Array.from(picture.planes[1]));
    expect((await zarr.open(root.resolve('2'), { kind: 'array' })).shape).toEqual([3, 10, 18]);
  });
});

describe('the levels of a pyramid', () => {
  const level = async (folder: string, number: number) => {
    const { default: FileSystemStore } = await import('@zarrita/storage/fs');
    const array = await zarr.open(zarr.root(new FileSystemStore(folder)).resolve(String(number)), { kind: 'array' });
    const { data, shape } = await zarr.get(array, [0, null, null]);
    return { samples: Array.from(data as unknown as ArrayLike<number>), shape };
  };
  /** Means of 2×2 by the definition. */
  const halved = (from: ArrayLike<number>, width: number, height: number, round: (mean: number) => number) => {
    const means: number[] = [];
    for (let y = 0; y < height; y += 2) {
      for (let x = 0; x < width; x += 2) {
        const inside = [
          [y, x],
          [y, x + 1],
          [y + 1, x],
          [y + 1, x + 1],
        ].filter(([r, c]) => r < height && c < width);
        means.push(round(inside.reduce((sum, [r, c]) => sum + from[r * width + c], 0) / inside.length));
      }
    }
    return means;
  };
  const halfToEven = (mean: number) =>
    mean - Math.floor(mean) === 0.5 ? 2 * Math.round(Math.floor(mean + 0.5) / 2 - 0.25) : Math.round(mean);

  it.each([sampleTypes[0], sampleTypes[3], sampleTypes[4]])(
    'are means of 2×2 samples, halves to even, exact at odd borders: $sample $depth',
    async (type) => {
      const picture = sampled(75, 49, {}, type);
      const folder = path(`pyramid-${type.sample}.zarr`);
      const sink = await zarrSink(folder, { run, picture: picture.picture, chunk });
      await writeAll(sink, picture);
      await sink.finish();
      const round = type.sample === 'float' ? Math.fround : halfToEven;
      const first = halved(picture.planes[0], 75, 49, round);
      expect(await level(folder, 1)).toEqual({ samples: first, shape: [25, 38] });
      expect(await level(folder, 2)).toEqual({ samples: halved(first, 38, 25, round), shape: [13, 19] });
      await expect(level(folder, 3)).rejects.toThrow();
    },
  );

  it('rounds 0.5 to 0, 1.5 to 2 and 2.5 to 2', async () => {
    const { picture } = sampled(34, 2);
    const folder = path('halves.zarr');
    const sink = await zarrSink(folder, { run, picture, chunk });
    const row = [0, 1, 1, 2, 2, 3, ...new Array(28).fill(0)];
    await sink.write({ left: 0, top: 0, width: 34, height: 2 }, [Float64Array.from([...row, ...row])]);
    await sink.finish();
    expect((await level(folder, 1)).samples.slice(0, 3)).toEqual([0, 2, 2]);
  });
});

describe('a run that is interrupted', () => {
  const picture = sampled(100, 70, { channels: 3 });
  const open = (folder: string, more: { picture?: Picture; run?: string } = { picture: picture.picture }) =>
    zarrSink(folder, { run, chunk, ...more });
  const left = { left: 0, top: 0, width: 64, height: 64 };
  const window = { left: 0, top: 0, width: 100, height: 70 };

  it('goes on with the chunks that are there, whichever process wrote them', async () => {
    const folder = path('continued.zarr');
    const first = await open(folder);
    const planes = (side: typeof left) => {
      return picture.planes.map((plane) =>
        Float64Array.from({ length: side.width * side.height }, (_, i) => {
          return plane[(side.top + Math.floor(i / side.width)) * 100 + side.left + (i % side.width)];
        }),
      );
    };
    await first.write(left, planes(left));
    const second = await open(folder, {});
    expect(await second.has(left)).toBe(true);
    expect(await second.has(window)).toBe(false);
    expect(await messageOf(() => second.finish())).toMatch(/must have all chunks.*0\/c\/0\/0\/2 is missing/);
    expect(await messageOf(() => zarrSource(folder))).toMatch(/^file must be finished/);
    await writeAll(second, picture);
    await second.finish();
    await expectWindows(await zarrSource(folder), picture);
    expect(await (await open(folder)).has(window)).toBe(true);
  });

  it('leaves the same bytes as one that is not', async () => {
    const [whole, twice] = [path('once.zarr'), path('twice.zarr')];
    for (const folder of [whole, twice]) {
      const sink = await open(folder);
      await writeAll(sink, picture);
      if (folder === twice) await writeAll(await open(folder), picture, 64);
      await sink.finish();
      await sink.finish();
    }
    const names = await filesIn(whole);
    expect(names.length).toBeGreaterThan(40);
    expect(await filesIn(twice)).toEqual(names);
    for (const name of names)
      expect(await readFile(join(twice, name)), name).toEqual(await readFile(join(whole, name)));
  });

  it('does not take a half chunk for a chunk, and removes it', async () => {
    const folder = path('half.zarr');
    const sink = await open(folder);
    await writeAll(sink, picture);
    const row = join(folder, '0/c/1/0');
    await rm(join(row, '1'));
    // The name of a temporary file of a process that is no more: of another machine, and old.
    const stray = join(row, '.1.ght-00000000-4194301-0123abcd.tmp');
    await writeFile(stray, 'half a chunk');
    await utimes(stray, 0, 0);
    expect(await sink.has(left)).toBe(false);
    expect(await messageOf(() => sink.finish())).toMatch('0/c/1/0/1 is missing');
    await writeAll(sink, picture);
    await sink.finish();
    expect((await filesIn(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await expectWindows(await zarrSource(folder), picture);
  });

  it('builds only the levels that are missing, and stops when aborted', async () => {
    const folder = path('levels.zarr');
    const sink = await open(folder);
    await writeAll(sink, picture);
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(sink.finish(controller.signal)).rejects.toThrow('enough');
    expect(await messageOf(() => zarrSource(folder))).toMatch('must be finished');
    await sink.finish();
    const { attributes } = JSON.parse(await readFile(join(folder, 'zarr.json'), 'utf8'));
    expect(attributes.ome.multiscales[0].datasets.map((level: { path: string }) => level.path)).toEqual([
      '0',
      '1',
      '2',
    ]);
  });

  it('never touches what is not its own', async () => {
    const folder = path('foreign');
    await mkdir(folder);
    await writeFile(join(folder, 'thesis.txt'), 'precious');
    expect(await messageOf(() => open(folder))).toMatch(/^output must be a new or empty folder.*thesis\.txt/);
    expect(await readdir(folder)).toEqual(['thesis.txt']);
    const other = path('other.zarr');
    await open(other, { picture: picture.picture, run: 'run-2' });
    const before = await filesIn(other);
    expect(await messageOf(() => open(other))).toMatch(/^output must be a new folder, or one of the same run/);
    expect(await messageOf(() => open(other, { picture: sampled(9, 9).picture, run: 'run-2' }))).toMatch(
      'must hold the picture of its run',
    );
    expect(await filesIn(other)).toEqual(before);
    await writeFile(path('a-file'), '');
    expect(await messageOf(() => open(path('a-file')))).toMatch('a file of this name is in the way');
    expect(await messageOf(() => open(path('not-begun'), {}))).toMatch('must be a Zarr that was begun');
  });

  it('refuses windows of half chunks, other sizes and chunks that no TIFF has', async () => {
    const sink = await open(path('windows.zarr'));
    const write = (window: typeof left, planes: Float64Array[]) => messageOf(() => sink.write(window, planes));
    const half = { left: 16, top: 0, width: 32, height: 32 };
    expect(await write(half, [])).toMatch('must begin and end at multiples of 32');
    expect(await write({ ...left, width: 128 }, [])).toMatch('must lie inside the image of 100×70 pixels');
    expect(await write({ ...left, width: 32 }, [new Float64Array(4)])).toMatch('must be 3 of 2048 samples each');
    expect(await messageOf(() => zarrSink(path('odd.zarr'), { run, picture: picture.picture, chunk: 100 }))).toMatch(
      'must be a multiple of 16',
    );
  });
});
