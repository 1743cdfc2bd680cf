/**
 * The smaller levels of a picture: each sample is the mean of 2×2 samples of the level before, of each plane by itself. At odd borders
 * it is the mean of the samples that exist. Integers are rounded to the nearest, halves to the even one. Every chunk depends on four
 * chunks alone, so the levels have the same bits whatever the tiles were.
 */

import { join } from 'node:path';
import { InputError } from 'ght';
import type { RasterSamples } from 'ght-images';
import { removeStrays } from 'ght-images/node';
import { ChunkFiles } from './chunk-files.js';
import { planesOf, someAtOnce } from './windows.js';
import type { ZarrFolder } from './zarr-chunks.js';
import { type Level, levelDocument, levelsOf, type ZarrRecord } from './zarr-layout.js';

/** Builds all levels whose chunks are not there yet, or are damaged. Refuses a picture that lacks chunks or has damaged ones. */
export async function buildPyramid(folder: ZarrFolder, record: ZarrRecord, signal?: AbortSignal): Promise<void> {
  const { picture, chunk } = record;
  const levels = levelsOf(picture, chunk);
  await checkComplete(folder, record);
  const chunks = new ChunkFiles(folder, record);
  // The others are read for the next level.
  if (levels.length === 1) {
    for (const { plane, row, column } of places(levels[0], record)) await chunks.read(0, plane, row, column);
  }
  for (let level = 1; level < levels.length; level++) {
    await folder.writeJson(`${level}/zarr.json`, levelDocument(picture, levels[level], chunk));
    await someAtOnce(
      places(levels[level], record),
      async ({ plane, row, column }) => {
        // Also if the chunk is there already, so that a damaged one it was made from is noticed.
        const samples = chunks.empty();
        const read = (y: number, x: number) => chunks.read(level - 1, plane, y, x);
        await halve(samples, { row, column }, levels[level - 1], record, read);
        if (await chunks.isIntact(level, plane, row, column)) return;
        await chunks.write(level, plane, row, column, samples);
      },
      signal,
    );
  }
}

interface Place {
  readonly plane: number;
  readonly row: number;
  readonly column: number;
}

/** The places of all chunks of a level. */
function* places({ width, height }: Level, { picture, chunk }: ZarrRecord): Generator<Place> {
  for (let plane = 0; plane < planesOf(picture); plane++) {
    for (let row = 0; row * chunk < height; row++) {
      for (let column = 0; column * chunk < width; column++) yield { plane, row, column };
    }
  }
}

async function checkComplete(folder: ZarrFolder, record: ZarrRecord): Promise<void> {
  const { width, height } = record.picture;
  const columns = Math.ceil(width / record.chunk);
  for (let plane = 0; plane < planesOf(record.picture); plane++) {
    for (let row = 0; row * record.chunk < height; row++) {
      const name = `0/c/${plane}/${row}`;
      // A worker may have been killed since this process last looked.
      await removeStrays(join(folder.path, name), true);
      const there = new Set(await folder.list(name));
      for (let column = 0; column < columns; column++) {
        if (there.has(String(column))) continue;
        const rule = `must have all chunks before it is finished, but ${name}/${column} is missing`;
        throw new InputError(folder.parameter, rule, folder.path, 'run the same command again');
      }
    }
  }
}

/** Writes a chunk of a level into `result`, from the four of the level before, of this size. */
export async function halve(
  result: RasterSamples,
  { row, column }: Omit<Place, 'plane'>,
  before: Level,
  { chunk, picture }: Pick<ZarrRecord, 'chunk' | 'picture'>,
  read: (row: number, column: number) => Promise<RasterSamples>,
): Promise<void> {
  const half = chunk / 2;
  for (const [down, right] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]) {
    const [left, top] = [(2 * column + right) * chunk, (2 * row + down) * chunk];
    if (left >= before.width || top >= before.height) continue;
    const from = await read(2 * row + down, 2 * column + right);
    const size = { width: Math.min(chunk, before.width - left), height: Math.min(chunk, before.height - top) };
    means(from, size, chunk, result, down * half * chunk + right * half, picture.sample !== 'float');
  }
}

/** Means of 2×2 samples of a picture with rows of `stride` samples, into `to` from `start` on, with rows of `wide` samples. */
function means(
  from: RasterSamples,
  size: Level,
  stride: number,
  to: RasterSamples,
  start: number,
  whole: boolean,
  wide = stride,
): void {
  for (let y = 0; y < size.height; y += 2) {
    const down = y + 1 < size.height ? stride : 0;
    const row = start + (y / 2) * wide;
    for (let x = 0; x < size.width; x += 2) {
      const at = y * stride + x;
      // A row or column beyond the border counts as its neighbour, which leaves the mean of those that exist.
      const right = x + 1 < size.width ? 1 : 0;
      const mean = (from[at] + from[at + right] + from[at + down] + from[at + down + right]) / 4;
      to[row + x / 2] = whole ? halfToEven(mean) : mean;
    }
  }
}

/** A quarter of a whole number as a whole number: to the nearest, halves to the even one. */
function halfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}
