/** The picture that codes show: of a whole image, or in bands of rows. */

import { recorrelation } from '../../image/colour.js';
import { mapped, type Samples } from '../../image/image.js';
import { aggregation, type PatchGrid, patchesOver } from '../../image/patches.js';
import { cut, gridCell, gridLength, gridOf, type Part, type Rectangle, type Size } from '../../image/rectangle.js';
import { type Floats, someOf } from '../../image/signals.js';
import { rmseOfSquares, type Squares, squaresOver } from '../../measures/error.js';
import { atomsPerPatch, type Codes } from '../../sparse/codes/codes.js';
import { reconstruction } from '../../sparse/codes/reconstruct.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import { drive, type Work } from '../../work.js';
import type { RepresentContext } from './context.js';
import type { ImagePatches, ImageProblem } from './problem.js';

/** Reads the codes of `P` patches from number `first` on. */
export type CodesReader = (first: number, P: number) => Promise<Codes>;

/** The planes that codes show, in the axes of the image; overlapping patches are averaged with the weights of `weigh`. */
export function* rebuiltPlanes(
  D: Dictionary,
  codes: Codes,
  { grid, colour }: Pick<ImagePatches, 'grid' | 'colour'>,
  weigh: (counts: Int32Array) => Float64Array | undefined = () => undefined,
): Work<readonly Samples[]> {
  const patches = reconstruction(D, codes);
  const counts = atomsPerPatch(codes);
  const planes: Float64Array[] = [];
  for (let from = 0; from < codes.P; from += grid.count) {
    const weights = weigh(counts.subarray(from, from + grid.count));
    planes.push(yield* aggregation(grid, someOf(patches, from, grid.count), weights));
  }
  return colour ? yield* recorrelation(planes, planes) : planes;
}

/** The rows of a picture that are written together: whole chunks. */
export function bandSize({ width, height }: Size, parts: RepresentContext['parts']): Size {
  if (!parts?.chunk) return { width, height };
  const { side, chunk } = parts;
  return { width, height: chunk.height * Math.max(1, Math.floor(side ** 2 / width / chunk.height)) };
}

/** The picture of image k in a band of rows, block by block; a whole image is one block. */
export async function* rebuiltBand(
  { parts, whole }: RepresentContext,
  { images, dictionary }: ImageProblem,
  k: number,
  band: Rectangle,
  codesAt: CodesReader,
  signal?: AbortSignal,
): AsyncGenerator<Part> {
  const { grid, planes, first } = images[k];
  if (!parts?.chunk) {
    const codes = await codesAt(first, grid.count * planes);
    yield { at: band, planes: await drive(rebuiltPlanes(dictionary, codes, images[k], whole?.weigh), { signal }) };
    return;
  }
  // Rows of patches of each plane.
  const { top, height: rows } = patchesOver(grid, band);
  const codes: Codes[] = [];
  for (let plane = 0; plane < planes; plane++) {
    codes.push(await codesAt(first + plane * grid.count + top * grid.columns, rows * grid.columns));
  }
  const width = parts.chunk.width * Math.max(1, Math.floor(parts.side / parts.chunk.width));
  for (const block of gridOf(band, { width, height: band.height })) {
    yield await drive(rebuiltPart(dictionary, images[k], { ...block, top: band.top }, codes, top), { signal });
  }
}

/** Counts the atoms of the patches that begin in a band of image k, as their codes are read. */
export function countingAtoms({ images }: ImageProblem, k: number, band: Rectangle, codesAt: CodesReader) {
  const { grid, first: begin } = images[k];
  const counter = {
    nonzeros: 0,
    read: async (first: number, P: number) => {
      const codes = await codesAt(first, P);
      for (let p = 0; p < P; p++) {
        const top = Math.floor(((first - begin + p) % grid.count) / grid.columns) * grid.stride;
        if (top >= band.top && top < band.top + band.height) counter.nonzeros += codes.indptr[p + 1] - codes.indptr[p];
      }
      return codes;
    },
  };
  return counter;
}

/**
 * A rectangle of the picture that codes show, in the axes of the image. `codes` has, for each plane, the codes of the rows of
 * patches from row `first` on, with all that cover the rectangle.
 */
function* rebuiltPart(
  dictionary: Dictionary,
  { grid, colour }: ImagePatches,
  at: Rectangle,
  codes: readonly Codes[],
  first: number,
): Work<Part> {
  const { patch, stride, columns } = grid;
  const over = patchesOver(grid, at);
  const covered = {
    left: over.left * stride,
    top: over.top * stride,
    width: Math.min(grid.width, (over.left + over.width - 1) * stride + patch) - over.left * stride,
    height: Math.min(grid.height, (over.top + over.height - 1) * stride + patch) - over.top * stride,
  };
  const part: PatchGrid = {
    ...{ width: covered.width, height: covered.height, patch, stride },
    ...{ columns: over.width, rows: over.height, count: over.width * over.height },
  };
  const planes: Float64Array[] = [];
  for (const own of codes) {
    const all = reconstruction(dictionary, own);
    // The picture is put together one row of patches at a time.
    const read = (from: number, into: Floats) =>
      all.read((over.top - first + Math.floor(from / over.width)) * columns + over.left, into);
    const plane = yield* aggregation(part, { ...all, P: part.count, read });
    planes.push(cut(plane, covered, at));
  }
  return { at, planes: colour ? yield* recorrelation(planes, planes) : planes };
}

/** The error of the pictures that codes show, rounded and clamped to integers if the largest one is given. */
export async function pictureError(
  context: RepresentContext,
  problem: ImageProblem,
  codesAt: CodesReader,
  largestInteger: number | undefined,
  signal?: AbortSignal,
): Promise<number> {
  const round = (value: number) => Math.min(Math.max(Math.round(value), 0), largestInteger ?? 0);
  const squares: Squares[] = [];
  for (const [k, { image }] of context.images.entries()) {
    const size = bandSize(image, context.parts);
    for (let part = 0; part < gridLength(image, size); part++) {
      const band = gridCell(image, size, part);
      for await (const { at, planes } of rebuiltBand(context, problem, k, band, codesAt, signal)) {
        const written: Samples[] = [];
        for (const plane of planes) {
          written.push(largestInteger === undefined ? plane : await drive(mapped(plane, round), { signal }));
        }
        squares.push(await drive(squaresOver(written, await image.read(at, signal)), { signal }));
      }
    }
  }
  return rmseOfSquares(squares, samplesOf(context.images));
}

/** The number of samples of images. */
export function samplesOf(images: RepresentContext['images']): number {
  return images.reduce((sum, { image, planes }) => sum + image.width * image.height * planes, 0);
}
