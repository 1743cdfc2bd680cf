import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fromFile } from 'geotiff';
import { readImage } from 'ght-images/node';
import { joinTiff, openSource, zarrSink } from 'ght-tiles';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  expectWindows,
  filesIn,
  joined,
  messageOf,
  numbers,
  sampled,
  sampleTypes,
  temporaryFolder,
  writeAll,
} from './fixtures.js';

const path = temporaryFolder();
const metadata = {
  icc: new Uint8Array(Buffer.from('000000000000000000000000000000005247422020', 'hex')),
  resolution: { x: 1000.5, y: 500, unit: 'centimetre' },
  description: 'a slide',
} as const;

/** A picture in a finished Zarr. */
async function finished(name: string, picture = sampled(70, 50), chunk = 32): Promise<string> {
  const sink = await zarrSink(path(name), { run: name, picture: picture.picture, chunk });
  await writeAll(sink, picture);
  await sink.finish();
  return path(name);
}

describe.each([false, true])('a joined TIFF (BigTIFF: %s)', (bigTiff) => {
  it.each(sampleTypes)('is read bit by bit by geotiff and by our reader: $sample $depth', async (type) => {
    for (const [channels, alpha] of [
      [1, false],
      [3, true],
      [4, false],
    ] as const) {
      const picture = sampled(75, 49, { channels, alpha, metadata }, type);
      const name = `${bigTiff}-${type.sample}${type.depth}-${channels}`;
      const file = path(`${name}.tif`);
      await joinTiff(await finished(`${name}.zarr`, picture), file, { bigTiff });
      expect((await readFile(file)).readUInt16LE(2)).toBe(bigTiff ? 43 : 42);
      const tiff = await fromFile(file);
      const rasters = await (await tiff.getImage(0)).readRasters();
      expect(numbers(Array.from(rasters as unknown as ArrayLike<number>[]))).toEqual(numbers(picture.planes));
      tiff.close();
      const { image, sample, depth, metadata: kept } = await readImage(file);
      expect(numbers(image.alpha ? [...image.planes, image.alpha] : image.planes)).toEqual(numbers(picture.planes));
      expect([sample, depth, image.alpha !== undefined]).toEqual([type.sample, type.depth, alpha]);
      expect({ ...kept, icc: Uint8Array.from(kept?.icc ?? []) }).toEqual(metadata);
    }
  });

  it.each([sampleTypes[0], sampleTypes[1]])(
    'is read bit by bit by sharp, with its levels: $sample $depth',
    async (type) => {
      const picture = sampled(75, 49, { channels: 3 }, type);
      const file = path(`sharp-${bigTiff}-${type.depth}.tif`);
      const folder = await finished(`sharp-${bigTiff}-${type.depth}.zarr`, picture);
      await joinTiff(folder, file, { bigTiff });
      const depth = type.depth === 8 ? 'uchar' : 'ushort';
      const space = type.depth === 8 ? 'srgb' : 'rgb16';
      const raw = async (subifd: number) => {
        const { data, info } = await sharp(file, { subifd })
          .toColourspace(space)
          .raw({ depth })
          .toBuffer({ resolveWithObject: true });
        const samples = type.depth === 8 ? data : new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
        return { width: info.width, height: info.height, red: Array.from(samples).filter((_, i) => i % 3 === 0) };
      };
      expect(await raw(-1)).toEqual({ width: 75, height: 49, red: Array.from(picture.planes[0]) });
      const level = await raw(1);
      expect([level.width, level.height]).toEqual([19, 13]);
      const { planes } = await smallest(folder, 2);
      expect(level.red).toEqual(planes);
      expect((await sharp(file).metadata()).pages).toBe(1);
    },
  );
});

/** The first plane of a level of a Zarr, read by zarrita. */
async function smallest(folder: string, level: number): Promise<{ planes: number[] }> {
  const [zarr, { default: FileSystemStore }] = [await import('zarrita'), await import('@zarrita/storage/fs')];
  const array = await zarr.open(zarr.root(new FileSystemStore(folder)).resolve(String(level)), { kind: 'array' });
  const { data } = await zarr.get(array, [0, null, null]);
  return { planes: Array.from(data as unknown as ArrayLike<number>) };
}

describe('joining', () => {
  it('gives the same bytes every time', async () => {
    const folder = await finished('same.zarr', sampled(300, 200, { channels: 3 }));
    await joinTiff(folder, path('same-1.tif'));
    await joinTiff(folder, path('same-2.tif'));
    expect(await readFile(path('same-2.tif'))).toEqual(await readFile(path('same-1.tif')));
  });

  it('leaves what was there when it is aborted or fails, and no temporary file', async () => {
    const folder = await finished('kept.zarr');
    const file = path('kept.tif');
    await writeFile(file, 'precious');
    const temporaries = async () => (await readdir(path('.'))).filter((name) => name.endsWith('.tmp'));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(joinTiff(folder, file, { signal })).rejects.toThrow('enough');
    await writeFile(`${folder}/0/c/0/1/1`, 'no chunk');
    expect(await messageOf(() => joinTiff(folder, file))).toMatch(
      /^zarr must have intact chunks, which 0\/c\/0\/1\/1 is not/,
    );
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(await temporaries()).toEqual([]);
  });

  it('refuses what is not finished, and places that cannot be written', async () => {
    const picture = sampled(70, 50);
    await zarrSink(path('begun.zarr'), { run: 'begun', picture: picture.picture, chunk: 32 });
    expect(await messageOf(() => joinTiff(path('begun.zarr'), path('never.tif')))).toMatch(
      'must be a picture that is written to its end',
    );
    expect(await messageOf(() => joinTiff(path('nowhere'), path('never.tif')))).toMatch('must be a picture');
    const folder = await finished('unwritable.zarr');
    expect(await messageOf(() => joinTiff(folder, path('no/folder/x.tif')))).toMatch(
      /^output must be writable \(ENOENT\)/,
    );
  });

  it('reads as a source again, for the next run', async () => {
    const picture = sampled(90, 70, { channels: 3, alpha: true, metadata }, sampleTypes[1]);
    await joined(picture, path('again.tif'));
    const source = await openSource(path('again.tif'));
    expect(source.picture).toEqual(picture.picture);
    await expectWindows(source, picture);
    await source.close();
    expect((await filesIn(path('again.tif.joined.zarr'))).length).toBeGreaterThan(4);
  });
});
