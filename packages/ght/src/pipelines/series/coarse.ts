/** The coarse scale of coloured noise in the pages of a series, as in `denoise/scales.ts`: removed first, from their means of 2×2 samples. */
import type { TilePages } from '../../denoisers/denoiser.js';
import type { PlanesFrame } from '../../denoisers/frame.js';
import type { LoadedDenoiser } from '../../engines/engine.js';
import { halfAround } from '../../image/halves.js';
import type { Samples } from '../../image/image.js';
import { cut, type Rectangle, type Size } from '../../image/rectangle.js';
import { drive, type Watch } from '../../work.js';
import { halfSize } from '../denoise/parts.js';
import { tilesFor } from '../denoise/plan.js';
import { denoiseStack } from '../denoise/planes.js';
import { addDifferences, coarseDifferences } from '../denoise/scales.js';

/** A part of pages, and their means of 2×2 samples in a rectangle of the half page. */
export interface CoarseStack {
  readonly at: Rectangle;
  readonly stack: readonly (readonly Samples[])[];
  halves(page: number, half: Rectangle): Promise<readonly Float32Array[]>;
}

/** The part of the pages without their coarse noise; the given ones are not changed. */
export async function withoutCoarse(
  denoiser: LoadedDenoiser,
  { at, stack, halves }: CoarseStack,
  pages: Omit<TilePages, 'kept'>,
  size: Size,
  framed: PlanesFrame,
  parts: Parameters<typeof tilesFor>[0],
  { signal, onFraction }: Watch,
): Promise<Float64Array[][]> {
  const half = halfSize(size);
  const inner = halfAround(at, size);
  const { placements, outer } = tilesFor(parts, denoiser, inner, half, stack.length * framed.noisy.length);
  const read: (readonly Float32Array[])[] = [];
  for (const page of stack.keys()) read.push(await halves(page, outer));
  const all = { at: outer, stack: read, pages: { ...pages, kept: [0, pages.count] as const } };
  const onProgress = ({ fraction }: { readonly fraction: number }) => onFraction?.(fraction);
  const denoised = await denoiseStack(denoiser, all, framed, placements, inner, { signal, onProgress });
  const without: Float64Array[][] = [];
  for (const [p, axes] of stack.entries()) {
    const differences = read[p].map((plane) => Float32Array.from(cut(plane, outer, inner)));
    await drive(coarseDifferences(differences, denoised[p]), { signal });
    const planes = axes.map((plane) => Float64Array.from(plane));
    await drive(addDifferences({ at, planes }, size, { at: inner, planes: differences }), { signal });
    without.push(planes);
  }
  return without;
}
