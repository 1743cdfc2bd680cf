/** The coarse scale of coloured noise in the pages of a series, as in `denoise/scales.ts`: removed first, from their means of 2×2 samples. */
import type { TilePages } from '../../denoisers/denoiser.js';
import type { PlanesFrame } from '../../denoisers/frame.js';
import type { LoadedDenoiser } from '../../engines/engine.js';
import { halvedPlanes } from '../../image/halves.js';
import type { Samples } from '../../image/image.js';
import { allOf, type Size } from '../../image/rectangle.js';
import { drive, type Watch } from '../../work.js';
import { halfSize } from '../denoise/parts.js';
import { addDifferences, coarseDifferences } from '../denoise/scales.js';
import { denoiseStack } from './planes.js';

/** The means of 2×2 samples of a page. */
export function halvesOf(axes: readonly Samples[], size: Size, { signal }: Watch): Promise<Float32Array[]> {
  return drive(halvedPlanes(axes, allOf(size)), { signal });
}

/** The pages of a stack without their coarse noise; the given ones are not changed. */
export async function withoutCoarse(
  denoiser: LoadedDenoiser,
  stack: readonly (readonly Samples[])[],
  pages: Omit<TilePages, 'kept'>,
  size: Size,
  framed: PlanesFrame,
  watch: Watch,
): Promise<Float64Array[][]> {
  const half = halfSize(size);
  const halves: Float32Array[][] = [];
  for (const axes of stack) halves.push(await halvesOf(axes, size, watch));
  const all = { ...pages, kept: [0, pages.count] as const };
  const denoised = await denoiseStack(denoiser, halves, all, half, framed, watch);
  const without: Float64Array[][] = [];
  for (const [p, axes] of stack.entries()) {
    await drive(coarseDifferences(halves[p], denoised[p]), watch);
    const planes = axes.map((plane) => Float64Array.from(plane));
    await drive(addDifferences({ at: allOf(size), planes }, size, { at: allOf(half), planes: halves[p] }), watch);
    without.push(planes);
  }
  return without;
}
