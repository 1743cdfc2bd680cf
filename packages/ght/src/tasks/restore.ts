import { InputError } from '../errors.js';
import type { Image } from '../image/image.js';
import { checkPixels, checkShape } from '../image/image.js';
import type { Plane } from '../operators/operator.js';
import type { LinearOperator } from '../operators/own.js';
import { checkAdjoint, ownOperator } from '../operators/own.js';
import { checkRestoredSigma } from '../pipelines/given-noise.js';
import { drive } from '../work.js';
import type { RestorationOptions, Restored } from './restore-options.js';
import { checkSigma, resolveRestoreOptions } from './restore-options.js';
import { imagePlanes, loopPlanes, restorePlanes, unitOf } from './restore-planes.js';

/** Options of `restore`. All are optional. */
export interface RestoreOptions extends RestorationOptions {
  /** The standard deviation of white noise in the units of the image, at least 0. @default 0 */
  readonly sigma?: number;
  /** The first estimate of the picture, with the size of the operator. @default the data step from a grey picture */
  readonly start?: Image;
}

/** The deviations of the first and the last step. */
const [FIRST, LAST] = [50, 1];
/** ρ of the data step that makes the first estimate. */
const START_RHO = 0.01;

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
  const settings = resolveRestoreOptions(options, ['sigma', 'start']);
  const { signal } = settings;
  const sigma = checkSigma(options.sigma === undefined ? 0 : options.sigma);
  const own = ownOperator(operator, image);
  const { start } = options;
  if (start !== undefined) checkStart(start, operator, image);
  await drive(checkPixels(image), { signal });
  await drive(checkAdjoint(own), { signal });

  await drive(checkRestoredSigma(sigma, image.planes, image.peak), { signal });
  const unit = await drive(unitOf(image), { signal });
  const planes = await drive(loopPlanes(image.planes, unit), { signal });
  const given = start && (await drive(loopPlanes(start.planes, unit), { signal }));
  const outcome = await restorePlanes(
    {
      ...{ task: 'restore', operator: own, planes },
      start: (plane, c) => own.data(plane, given?.[c] ?? grey(plane, operator), START_RHO),
      ...{ sigma, first: FIRST, last: LAST },
    },
    unit,
    settings,
  );
  const { width, height } = operator;
  const { history, engine } = outcome;
  return {
    image: {
      ...{ width, height, peak: image.peak },
      planes: await drive(imagePlanes(outcome.planes, unit), { signal }),
    },
    ...{ sigma, estimated: false, quality: settings.quality, history, engine },
  };
}

function checkStart(start: Image, { width, height }: LinearOperator, { planes }: Image): void {
  checkShape(start);
  if (start.width !== width || start.height !== height || start.planes.length !== planes.length) {
    const rule = `must have the size of the operator and the planes of the image, ${width}×${height}×${planes.length}`;
    const value = `${start.width}×${start.height}×${start.planes.length}`;
    throw new InputError('start', rule, value, 'leave it out, or give a picture of that size');
  }
}

/** A plane that is everywhere the mean of the data. */
function grey(data: Plane, { width, height }: LinearOperator): Plane {
  return new Float64Array(width * height).fill(data.reduce((sum, value) => sum + value, 0) / data.length);
}
