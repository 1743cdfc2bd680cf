import { InputError, kindOf } from '../errors.js';
import type { Image } from '../image/image.js';
import { type ImageSet, type JointRepresentation, representSet } from '../pipelines/represent/joint.js';
import type { RepresentOptions } from '../pipelines/represent/options.js';

/**
 * Represents several images with at most S atoms in total: one budget for all patches of all of them, which goes to the images and
 * the patches that need it most. The images may have any sizes and numbers of planes, but one full scale. With joint OMP, QPM and
 * ADMM the result is that of {@link represent} for all patches in one list, in the order of the images. A target PSNR is that of the set:
 * of the mean squared error of all samples.
 *
 * Images in a list or an async iterable are held in memory until the result is no longer used. A set that is larger than memory is given
 * as `{ length, image(k) }`, and one image is held at a time, about six times in all; by joint OMP only codes and about 60 bytes per patch
 * are in memory in addition, the other solvers need about 600 bytes per patch.
 *
 * @example
 * ```js
 * import { representJoint } from 'ght';
 *
 * const images = [1, 2].map((k) => ({ width: 64, height: 64, planes: [new Float32Array(4096).fill(k)], peak: 255 })); // your pixels
 * const set = await representJoint(images, { budget: { perPatch: 5 } });
 * console.log(set.psnr, set.images.map(({ nonzeros, psnr }) => [nonzeros, psnr]));
 * for await (const { image, atomsPerPatch } of set.results()) console.log(image.width, Math.max(...atomsPerPatch));
 * ```
 */
export async function representJoint(
  images: readonly Image[] | AsyncIterable<Image> | ImageSet,
  options: RepresentOptions = {},
): Promise<JointRepresentation> {
  if (Array.isArray(images)) return representSet([...images], options);
  if (typeof images === 'object' && images !== null) {
    if (Symbol.asyncIterator in images) {
      const held: Image[] = [];
      for await (const image of images) held.push(image);
      return representSet(held, options);
    }
    if ('image' in images) return representSet(images, options);
  }
  const rule = 'must be a list of images, an async iterable, or { length, image(k) }';
  throw new InputError('images', rule, kindOf(images), 'put a single image into a list');
}
