/** Writes stacks whose pages come in parts: into the chunks of a Zarr, or by way of such chunks into a TIFF or a `.npy`. */
import { rm } from 'node:fs/promises';
import { pagesOf, placeOf } from 'ght-images';
import { destinationOf } from 'ght-images/node';
import { ZarrFolder } from '../stores/zarr-chunks.js';
import { type PageParts, StackParts } from './stack-parts.js';
import type { StackSource } from './stack-source.js';
import { checkStackFile, type WriteStackOptions, writeStackFile } from './write-stack.js';
import { unfinishedFor, writeZarrStack } from './zarr-stack-sink.js';

/** How a stack is written in parts. */
export interface WritePartsOptions extends WriteStackOptions {
  /** The name of the run, which says all that the result depends on: the next run of this name continues one that was stopped. */
  readonly run: string;
  /** The side of a chunk: parts consist of whole chunks. @default 512 */
  readonly chunk?: number;
  /** Stops the work. */
  readonly signal?: AbortSignal;
}

/** Writes a stack like another one, with the parts that `fill` gives: each part of each page once, in any order. */
export async function writeStackInParts(
  path: string,
  like: StackSource,
  fill: (parts: PageParts) => Promise<void>,
  { samples = like.picture, parameter = 'output', run, chunk = 512, signal }: WritePartsOptions,
): Promise<void> {
  const pages = Array.from({ length: pagesOf(like.stack) }, (_, page) => page);
  if (/\.zarr[/\\]*$/i.test(path)) {
    const placed = (page: number) => placeOf(like.stack, page);
    await writeZarrStack(
      path,
      like,
      samples,
      async ({ parts, finish }) => {
        await fill(parts(placed));
        for (const page of pages) {
          signal?.throwIfAborted();
          await finish(placed(page));
        }
      },
      { parameter, run, chunk },
    );
    return;
  }
  checkStackFile(path, parameter);
  const folder = unfinishedFor(await destinationOf(path), run);
  const picture = { ...like.picture, ...samples };
  let isWorthKeeping = false;
  const begun = () => {
    isWorthKeeping = true;
  };
  const prefix = (page: number, plane: number) => `${page}/${plane}`;
  const parts = new StackParts(new ZarrFolder(folder, parameter), picture, chunk, prefix, begun);
  try {
    await fill(parts);
    await writeStackFile(path, like, samples, parameter, async (write) => {
      for (const page of pages) {
        signal?.throwIfAborted();
        // What the file says of a page comes with any of its pixels.
        const file = await like.read(page, signal, { left: 0, top: 0, width: 1, height: 1 });
        await write(page, parts.raster(page), file);
      }
    });
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!isWorthKeeping) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
