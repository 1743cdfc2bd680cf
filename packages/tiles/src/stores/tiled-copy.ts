/** Tiled copies of images that are stored as rows: a window of those would mean to decode everything above it. */
import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Refuse, toRaster } from 'ght-images';
import { intact, type SharpImage, temporaryFor, writeFileBy } from 'ght-images/node';
import type { Source } from '../source.js';
import { interleaved, TiledTiff } from './tiled-tiff.js';
import { copyRows } from './windows.js';

/** The side of the tiles. */
const TILE = 512;
const run = promisify(execFile);

/** Copies a source into a tiled TIFF, tile rows from the top to the bottom. */
export async function copyTiled(source: Source, target: string, signal?: AbortSignal): Promise<void> {
  const { picture } = source;
  const { sample, depth } = picture;
  const rowAt = async (row: number) => {
    const height = Math.min(TILE, picture.height - row * TILE);
    const planes = await source.read({ left: 0, top: row * TILE, width: picture.width, height }, signal);
    return { planes, height };
  };
  let last: { readonly row: number; readonly content: ReturnType<typeof rowAt> } | undefined;
  await writeFileBy(target, async (file) => {
    const tiff = new TiledTiff(file, picture, TILE);
    const tileAt = async (row: number, column: number) => {
      if (last?.row !== row) last = { row, content: rowAt(row) };
      const { planes, height } = await last.content;
      const [left, width] = [column * TILE, Math.min(TILE, picture.width - column * TILE)];
      const parts = planes.map((plane) => {
        const part = plane.slice(0, width * height);
        const from = { data: plane, at: left, stride: picture.width };
        copyRows(from, { data: part, at: 0, stride: width }, width, height);
        return toRaster({ width, height, planes: [part], peak: 1 }, sample, depth).rows(0, height);
      });
      return interleaved(parts, { width, height }, TILE);
    };
    await tiff.level(picture, tileAt, signal);
    await tiff.finish();
  });
}

/** Whether sharp copies an image without losing anything: of 8-bit grey with opacity it gives out the grey only. */
export function copiesExactly({ channels, space, orientation }: SharpImage): boolean {
  return orientation === 1 && !(space === 'b-w' && channels > 1);
}

/** Copies what only sharp reads, row by row, into a tiled TIFF. */
export async function copyBySharp(
  source: string,
  { input, space }: SharpImage,
  target: string,
  refuse: Refuse,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const temporary = temporaryFor(target);
  const task = { source, input, space, target: temporary, tile: TILE };
  const program = fileURLToPath(new URL('./copy-process.js', import.meta.url));
  const copy = run(process.execPath, [program, JSON.stringify(task)], { signal, killSignal: 'SIGKILL' });
  try {
    await intact(copy.catch(reasonOf), 'image', refuse);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    signal?.throwIfAborted();
    throw error;
  }
}

/** What the process said before it ended. */
function reasonOf(error: unknown): never {
  const { stderr } = error as { readonly stderr?: string };
  throw new Error(stderr || 'copying failed', { cause: error });
}
