import { knownOptions } from '../errors.js';
import type { Image } from '../image/image.js';
import { rebuiltPlanes } from '../pipelines/represent/picture.js';
import type { CodedImage } from '../sparse/codes/coded-image.js';
import type { Codes } from '../sparse/codes/codes.js';
import { loadCodedImage } from '../sparse/codes/npz.js';
import { drive } from '../work.js';

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
 * import { decodeImage, saveCodes } from 'ght/npy';
 * import { represent } from 'ght';
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
  const { grid, dictionary, peak, alpha, bands = false } = coded;
  const colour = !bands && codes.P === 3 * grid.count;
  const planes = await drive(rebuiltPlanes(dictionary, codes, { grid, colour }), options);
  const image = { width: grid.width, height: grid.height, planes, peak, ...(alpha && { alpha }) };
  return { ...coded, codes, image };
}
