import type { Image } from '../image/image.js';
import { checkShape } from '../image/image.js';
import type { LinearOperator } from '../operators/own.js';
import type { RestorationOptions, Restored } from '../pipelines/restore/options.js';
import { resolveRestoreOptions } from '../pipelines/restore/options.js';
import { ownProblem } from '../pipelines/restore/own-problem.js';
import { restoreWhole } from '../pipelines/restore/whole.js';

/** Options of `restore`. All are optional. */
export interface RestoreOptions extends RestorationOptions {
  /** The standard deviation of white noise in the units of the image, at least 0. @default 0 */
  readonly sigma?: number;
  /** The first estimate of the picture, with the size of the operator. @default the data step from a grey picture */
  readonly start?: Image;
}

/**
 * Restores an image that a linear operator of your own has degraded: image = A(picture) + noise. The operator acts on each plane by
 * itself. Its adjoint is checked before the work begins.
 *
 * @example
 * ```js
 * import { restore } from 'ght';
 *
 * const [width, height] = [64, 64];
 * // Each sample of the data is the mean of two neighbouring columns.
 * const operator = {
 *   ...{ width, height },
 *   apply: (x) => Float64Array.from({ length: (width / 2) * height }, (_, i) => (x[2 * i] + x[2 * i + 1]) / 2),
 *   adjoint: (r) => Float64Array.from({ length: width * height }, (_, i) => r[i >> 1] / 2),
 * };
 * const data = { width: width / 2, height, planes: [new Float32Array((width / 2) * height)], peak: 255 };
 * const { image } = await restore(data, operator, { quality: 'fast' });
 * console.log(image.width); // 64
 * ```
 */
export async function restore(image: Image, operator: LinearOperator, options: RestoreOptions = {}): Promise<Restored> {
  checkShape(image);
  const settings = resolveRestoreOptions('restore', options, ['sigma', 'start']);
  return restoreWhole(image, ownProblem(image, operator, options.start, options.sigma), settings);
}
