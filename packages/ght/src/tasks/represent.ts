import type { Image } from '../image/image.js';
import type { RepresentOptions } from '../pipelines/represent/options.js';
import { type Representation, representWhole } from '../pipelines/represent/whole.js';

/**
 * Represents an image with at most S atoms in total. All planes share one budget. RGB is represented as luma and two
 * chromas (an orthonormal change of axes, so errors are unchanged); alpha is passed through. The image must not change
 * before the promise has settled: it is not copied, and the PSNR is measured against it at the end.
 *
 * @example
 * ```js
 * import { represent } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const { psnr, nonzeros, atomsPerPatch } = await represent(image, { budget: { perPatch: 10 } });
 * console.log(psnr, nonzeros, Math.max(...atomsPerPatch));
 * ```
 */
export async function represent(image: Image, options: RepresentOptions = {}): Promise<Representation> {
  return representWhole(image, options);
}
