/** A known blur. The picture of the loop is larger than the image by a rim, of which nothing is known. */
import { checkPixels } from '../../image/image.js';
import { blurOperator } from '../../operators/blur.js';
import { type BlurKernel, checkedKernel } from '../../operators/kernel.js';
import type { Size } from '../../operators/operator.js';
import { checkSigma } from './options.js';
import { imagePlanes, loopPlanes, type RestorationProblem, unitFor } from './problem.js';

/** The deviation of the first step, and the least of the last. */
const [FIRST, LEAST_LAST] = [49, 0.3];

/** The problem of removing a blur from an image of this size. */
export function deblurring(
  { width, height }: Size,
  kernel: BlurKernel,
  sigma: number | 'auto' = 'auto',
): RestorationProblem {
  const given = sigma === 'auto' ? undefined : checkSigma(sigma);
  const weights = checkedKernel(kernel, width, height);
  return {
    ...{ task: 'deblur', sigma: given, first: FIRST, last: LEAST_LAST },
    *open(image) {
      yield* checkPixels(image);
      const unit = yield* unitFor(image.planes, image.peak, given);
      const operator = blurOperator({ width, height }, weights);
      return {
        ...{ unit, operator, start: operator.mirrored },
        planes: yield* loopPlanes(image.planes, unit),
        *result(planes) {
          return { ...image, planes: yield* imagePlanes(planes.map(operator.framed), unit) };
        },
      };
    },
  };
}
