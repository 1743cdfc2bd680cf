import { ParameterError, wholeNumber } from '../errors.js';
import { finish, type Work } from '../work.js';
import type { Samples } from './image.js';
import { mirror } from './mirror.js';

/**
 * Where the patches of a plane lie: `patch`×`patch` squares, `stride` apart, row by row.
 *
 * The rim: when the squares do not tile the plane, the last column and row of patches reach over the right and bottom
 * edge, and there the plane is continued by its mirror image (…c b a | a b c…). So every pixel is covered whatever the
 * size, planes smaller than a patch included; `aggregate` drops what lies outside.
 */
export interface PatchGrid {
  readonly width: number;
  readonly height: number;
  readonly patch: number;
  readonly stride: number;
  readonly columns: number;
  readonly rows: number;
  /** How many patches: columns × rows. */
  readonly count: number;
}

/** The grid of a plane; `stride` defaults to `patch`: non-overlapping, as in the paper. */
export function patchGrid(width: number, height: number, patch: number, stride: number = patch): PatchGrid {
  const most = Number.POSITIVE_INFINITY;
  wholeNumber('width', width, 1, most, 'give an image with pixels');
  wholeNumber('height', height, 1, most, 'give an image with pixels');
  wholeNumber('patch', patch, 1, 32, 'use a side such as 8');
  wholeNumber(
    'stride',
    stride,
    1,
    patch,
    `use a stride no larger than the patch (${patch}), or pixels would be skipped`,
  );
  const steps = (length: number) => Math.max(0, Math.ceil((length - patch) / stride)) + 1;
  const columns = steps(width);
  const rows = steps(height);
  return { width, height, patch, stride, columns, rows, count: columns * rows };
}

/** Visits every sample of every patch p: its index, the pixel it shows, and whether it lies inside the plane. */
function* visitSamples(
  grid: PatchGrid,
  visit: (index: number, pixel: number, p: number, inside: boolean) => void,
): Work<void> {
  const { width, height, patch, stride, columns, rows } = grid;
  let index = 0;
  let p = 0;
  for (let row = 0; row < rows; row++) {
    if (row > 0) yield row / rows;
    for (let column = 0; column < columns; column++, p++) {
      for (let dy = 0; dy < patch; dy++) {
        const y = row * stride + dy;
        const line = mirror(y, height) * width;
        for (let dx = 0; dx < patch; dx++, index++) {
          const x = column * stride + dx;
          visit(index, line + mirror(x, width), p, x < width && y < height);
        }
      }
    }
  }
}

/** The patches of a plane, one after the other, each row by row: the columns of Y. */
export function extract(
  grid: PatchGrid,
  plane: Samples,
  into: Float64Array = new Float64Array(grid.count * grid.patch ** 2),
): Float64Array {
  return finish(extraction(grid, plane, into));
}

/** {@link extract} as work. */
export function* extraction(grid: PatchGrid, plane: Samples, into: Float64Array): Work<Float64Array> {
  checkLength('plane', plane.length, grid.width * grid.height);
  checkLength('into', into.length, grid.count * grid.patch ** 2);
  yield* visitSamples(grid, (index, pixel) => {
    into[index] = plane[pixel];
  });
  return into;
}

/**
 * The plane whose patches these are: every pixel is the mean of the samples that show it, weighted by the weight of
 * their patch when `weights` (one a patch, above zero) is given. `aggregate(grid, extract(grid, plane))` is `plane`.
 */
export function aggregate(grid: PatchGrid, patches: Float64Array, weights?: ArrayLike<number>): Float64Array {
  return finish(aggregation(grid, patches, weights));
}

/** {@link aggregate} as work. */
export function* aggregation(grid: PatchGrid, patches: Float64Array, weights?: ArrayLike<number>): Work<Float64Array> {
  checkLength('patches', patches.length, grid.count * grid.patch ** 2);
  if (weights) {
    checkLength('weights', weights.length, grid.count);
    for (let p = 0; p < weights.length; p++) {
      if (!(weights[p] > 0 && weights[p] < Number.POSITIVE_INFINITY)) {
        const remedy = 'give every patch a weight, or a pixel that only it covers would be lost';
        throw new ParameterError(`weights[${p}]`, 'must be a finite number above 0', weights[p], remedy);
      }
    }
  }
  const sum = new Float64Array(grid.width * grid.height);
  const weight = new Float64Array(grid.width * grid.height);
  yield* visitSamples(grid, (index, pixel, p, inside) => {
    if (!inside) return;
    const w = weights ? weights[p] : 1;
    // The running mean, not the sum: equal samples then give exactly their common value.
    weight[pixel] += w;
    sum[pixel] += (w / weight[pixel]) * (patches[index] - sum[pixel]);
  });
  return sum;
}

function checkLength(parameter: string, length: number, expected: number): void {
  if (length === expected) return;
  throw new ParameterError(parameter, `must have length ${expected}`, length, 'make it for the same grid');
}
