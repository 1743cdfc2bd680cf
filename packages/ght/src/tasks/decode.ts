import type { CodedImage } from '../codes/coded-image.js';
import type { Codes } from '../codes/codes.js';
import { atomsPerPatch } from '../codes/codes.js';
import { loadCodedImage } from '../codes/npz.js';
import { reconstruction } from '../codes/reconstruct.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { knownOptions } from '../errors.js';
import { recorrelation } from '../signal/colour.js';
import type { Image, Samples } from '../signal/image.js';
import type { PatchGrid } from '../signal/patches.js';
import { aggregation } from '../signal/patches.js';
import { someOf } from '../signal/signals.js';
import { drive, type Work } from '../work.js';

/** An image that was rebuilt from its codes, and what the file held. */
export interface DecodedImage extends CodedImage {
  /** The picture that the codes show, neither rounded nor clipped. */
  readonly image: Image;
  /** The sparse coefficients of every patch. */
  readonly codes: Codes;
}

/**
 * Rebuilds the image in a .npz file that `saveCodes` has made of a representation. The result is the representation's image
 * to the last bit. Refuses files that hold codes alone.
 *
 * @example
 * ```js
 * import { decodeImage, represent, saveCodes } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const { codes, grid, dictionary } = await represent(image);
 * const bytes = await saveCodes(codes, { grid, dictionary, peak: image.peak });
 * const { image: again } = await decodeImage(bytes);
 * console.log(again.width);
 * ```
 */
export async function decodeImage(
  bytes: Uint8Array,
  options: { readonly signal?: AbortSignal } = {},
): Promise<DecodedImage> {
  knownOptions(options, ['signal']);
  const { codes, ...coded } = await loadCodedImage(bytes);
  const { grid, dictionary, peak, alpha } = coded;
  const planes = await drive(rebuiltPlanes(dictionary, codes, grid), options);
  const image = { width: grid.width, height: grid.height, planes, peak, ...(alpha && { alpha }) };
  return { ...coded, codes, image };
}

/** The planes that codes show, in the axes of the image; overlapping patches are averaged with the weights of `weigh`. */
export function* rebuiltPlanes(
  D: Dictionary,
  codes: Codes,
  grid: PatchGrid,
  weigh: (counts: Int32Array) => Float64Array | undefined = () => undefined,
): Work<readonly Samples[]> {
  const patches = reconstruction(D, codes);
  const counts = atomsPerPatch(codes);
  const planes: Float64Array[] = [];
  for (let from = 0; from < codes.P; from += grid.count) {
    const weights = weigh(counts.subarray(from, from + grid.count));
    planes.push(yield* aggregation(grid, someOf(patches, from, grid.count), weights));
  }
  return yield* recorrelation(planes, planes);
}
