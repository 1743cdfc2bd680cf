/** An operator of the caller's own. The start is a data step from a given picture, or from grey. */
import { InputError } from '../../errors.js';
import { checkPixels, checkShape, type Image } from '../../image/image.js';
import type { Plane } from '../../operators/operator.js';
import { checkAdjoint, type LinearOperator, ownOperator } from '../../operators/own.js';
import { checkSigma } from './options.js';
import { imagePlanes, loopPlanes, type RestorationProblem, unitFor } from './problem.js';

/** The deviations of the first and the last step. */
const [FIRST, LAST] = [50, 1];
/** ρ of the data step that makes the first estimate. */
const START_RHO = 0.01;

/** The problem of inverting an operator. */
export function ownProblem(data: Image, given: LinearOperator, start?: Image, sigma = 0): RestorationProblem {
  checkSigma(sigma);
  const operator = ownOperator(given, data);
  if (start !== undefined) checkStart(start, given, data);
  const { width, height } = operator.picture;
  return {
    ...{ task: 'restore', sigma, first: FIRST, last: LAST },
    *open(image) {
      yield* checkPixels(image);
      yield* checkAdjoint(operator);
      const unit = yield* unitFor(image.planes, image.peak, sigma);
      const begin = start && (yield* loopPlanes(start.planes, unit));
      return {
        ...{ unit, operator, planes: yield* loopPlanes(image.planes, unit) },
        start: (plane, c) => operator.data(plane, begin?.[c] ?? grey(plane, width * height), START_RHO),
        *result(planes) {
          return { width, height, peak: image.peak, planes: yield* imagePlanes(planes, unit) };
        },
      };
    },
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
function grey(data: Plane, pixels: number): Plane {
  return new Float64Array(pixels).fill(data.reduce((sum, value) => sum + value, 0) / data.length);
}
