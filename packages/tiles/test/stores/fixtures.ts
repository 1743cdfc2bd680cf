import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GhtError, Image, Samples } from 'ght';
import type { ImageFile } from 'ght-images';
import { encodeImage } from 'ght-images/node';
import { joinTiff, type Picture, type Rectangle, type Sink, type Source, zarrSink } from 'ght-tiles';
import { afterAll, beforeAll, expect } from 'vitest';

/** A folder for the files of one test file. */
export function temporaryFolder() {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ght-stores-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return (name: string) => join(folder, name);
}

/** Sample types with numbers that show lost bits, signs and clamping. */
export const sampleTypes = [
  { sample: 'uint', depth: 8, at: (i: number) => (i * 40503 + 77) % 256 },
  { sample: 'uint', depth: 16, at: (i: number) => (i * 40503 + 77) % 65536 },
  { sample: 'uint', depth: 32, at: (i: number) => (i * 2654435761) % 4294967296 },
  { sample: 'int', depth: 16, at: (i: number) => ((i * 40503 + 77) % 65536) - 32768 },
  { sample: 'float', depth: 32, at: (i: number) => Math.fround(Math.sin(i) * 10 ** ((i % 9) - 4)) },
  { sample: 'float', depth: 64, at: (i: number) => Math.sin(i) / 3 },
] as const;

/** A picture and its planes. */
export interface Sampled {
  readonly picture: Picture;
  readonly planes: readonly Samples[];
}

/** A picture of a type, with planes that differ. */
export function sampled(
  width: number,
  height: number,
  { channels = 1, alpha = false, metadata }: Partial<Pick<Picture, 'channels' | 'alpha' | 'metadata'>> = {},
  type: (typeof sampleTypes)[number] = sampleTypes[0],
): Sampled {
  const { sample, depth } = type;
  const planes = Array.from({ length: channels + (alpha ? 1 : 0) }, (_, plane) =>
    Float64Array.from({ length: width * height }, (_, i) => type.at(i + 1001 * plane)),
  );
  return { picture: { width, height, channels, alpha, sample, depth, ...(metadata && { metadata }) }, planes };
}

/** The samples of a window of a picture, as plain numbers. */
export function windowOf({ picture, planes }: Sampled, { left, top, width, height }: Rectangle): number[][] {
  return planes.map((plane) =>
    Array.from({ length: width * height }, (_, i) => {
      return plane[(top + Math.floor(i / width)) * picture.width + left + (i % width)];
    }),
  );
}

/** Samples as plain numbers: a source gives them as narrow as they are. */
export function numbers(planes: readonly ArrayLike<number>[]): number[][] {
  return planes.map((plane) => Array.from(plane));
}

/** Expects windows inside, across borders of chunks and at the edges to have the samples of the picture. */
export async function expectWindows(source: Source, sampledPicture: Sampled): Promise<void> {
  const { width, height } = sampledPicture.picture;
  const third = { left: Math.floor(width / 3), top: Math.floor(height / 3) };
  const windows = [
    { left: 0, top: 0, width, height },
    { left: width - 1, top: height - 1, width: 1, height: 1 },
    { ...third, width: Math.ceil(width / 2), height: Math.ceil(height / 2) },
  ];
  for (const window of windows) {
    expect(numbers(await source.read(window)), JSON.stringify(window)).toEqual(windowOf(sampledPicture, window));
  }
}

/** The image as the writers of whole files take it. */
export function imageFileOf({ picture, planes }: Sampled): ImageFile {
  const { width, height, alpha, sample, depth, metadata } = picture;
  const image: Image = {
    ...{ width, height, peak: 255, planes: alpha ? planes.slice(0, -1) : planes },
    ...(alpha && { alpha: planes.at(-1) }),
  };
  return { image, format: 'tiff', sample, depth, ...(metadata && { metadata }) };
}

/** The bytes of a striped TIFF or another whole file. */
export function encoded(
  picture: Sampled,
  format: 'tiff' | 'png' | 'npy' | 'bmp' | 'webp' = 'tiff',
): Promise<Uint8Array> {
  const file = imageFileOf(picture);
  return encodeImage(file.image, format, file);
}

/** Writes all windows of a side to a sink. */
export async function writeAll(sink: Sink, picture: Sampled, side = sink.chunk.width): Promise<void> {
  const { width, height } = picture.picture;
  for (let top = 0; top < height; top += side) {
    for (let left = 0; left < width; left += side) {
      const window = { left, top, width: Math.min(side, width - left), height: Math.min(side, height - top) };
      await sink.write(
        window,
        windowOf(picture, window).map((plane) => Float64Array.from(plane)),
      );
    }
  }
}

/** The message of the error that work ends with. */
export async function messageOf(work: () => Promise<unknown>): Promise<string> {
  return work().then(
    () => 'no error',
    (error: GhtError) => error.message,
  );
}

/** All files in a folder, sorted. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

/** A tiled TIFF of a picture, made through a Zarr. */
export async function joined(picture: Sampled, file: string, run = 'joined', chunk = 32): Promise<void> {
  const folder = `${file}.${run}.zarr`;
  const sink = await zarrSink(folder, { run, picture: picture.picture, chunk });
  await writeAll(sink, picture);
  await sink.finish();
  await joinTiff(folder, file);
}
