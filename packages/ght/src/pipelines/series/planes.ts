/** Denoises the planes of the pages of a window: in one stack, tile by tile if it does not fit into memory. */
import type { TilePages } from '../../denoisers/denoiser.js';
import { framedTile, leaveFrame, type PlanesFrame, planeFor } from '../../denoisers/frame.js';
import { tileSide, tilesOf } from '../../denoisers/tiles.js';
import type { LoadedDenoiser } from '../../engines/engine.js';
import { copyOf, type Samples } from '../../image/image.js';
import { allOf, type Size, within } from '../../image/rectangle.js';
import { drive, part, type Watch } from '../../work.js';

/** The denoised planes of the pages that are kept, from the planes of all pages of a stack. */
export async function denoiseStack(
  denoiser: LoadedDenoiser,
  stack: readonly (readonly Samples[])[],
  pages: TilePages,
  size: Size,
  { frame, noisy }: PlanesFrame,
  { signal, onFraction }: Watch,
): Promise<Samples[][]> {
  const { width, height } = size;
  const kept = stack.slice(...pages.kept);
  const result = kept.map((planes) =>
    planes.map((plane, c) => (noisy[c] ? planeFor(frame, c, width * height) : copyOf(plane))),
  );
  const channels = noisy.length;
  const tiles = tilesOf(denoiser, width, height, tileSide(denoiser, width, height, channels * pages.count));
  for (const [i, placement] of tiles.entries()) {
    const keptPart = within(placement.inner, placement.outer);
    const framed = stack.map((planes) => framedTile(frame, planes, width, placement.outer, denoiser.least, keptPart));
    const { width: wide, height: high } = framed[0];
    const tile = {
      ...framed[0],
      pages: { ...pages, origin: [placement.outer.left, placement.outer.top] as const },
      height: high * pages.count,
      *read(c: number, into: Float32Array | Float64Array) {
        for (const [p, page] of framed.entries()) {
          const rows = into.subarray(p * wide * high, (p + 1) * wide * high);
          yield* part(page.read(c, rows), p / pages.count, (p + 1) / pages.count);
        }
      },
    };
    const onProgress = ({ fraction }: { readonly fraction: number }) => onFraction?.((i + fraction) / tiles.length);
    const denoised = await denoiser.run(tile, { signal, onProgress });
    for (const [k, planes] of result.entries()) {
      const first = (pages.kept[0] + k) * wide * high;
      for (const [c, plane] of planes.entries()) {
        if (!noisy[c]) continue;
        const page = denoised[c].subarray(first, first + wide * high);
        await drive(leaveFrame(frame, c, page, wide, placement, plane, allOf(size)), { signal });
      }
    }
  }
  return result;
}
