import { InputError, wholeNumber } from '../errors.js';
import { finish, type Work } from '../work.js';
import type { Samples } from './image.js';
import { mirror } from './mirror.js';
import { allOf, type Rectangle } from './rectangle.js';
import { type Floats, type Signals, signalsIn } from './signals.js';

/**
 * Where the patches of a plane lie: `patch`×`patch` squares, `stride` apart, row by row.
 *
 * When the squares do not tile the plane, the last column and row of patches extend beyond the right and bottom edges, and
 * the plane is continued there by its mirror image (…c b a | a b c…). So every pixel is covered whatever the size, even in
 * planes smaller than a patch. `aggregate` drops the part outside.
 */
export interface PatchGrid {
  /** Width of the plane, in pixels. */
  readonly width: number;
  /** Height of the plane, in pixels. */
  readonly height: number;
  /** Side of a patch, in pixels. */
  readonly patch: number;
  /** Pixels from one patch to the next. */
  readonly stride: number;
  /** Patches per row. */
  readonly columns: number;
  /** Rows of patches. */
  readonly rows: number;
  /** Number of patches: columns × rows. */
  readonly count: number;
}

/** The grid of a plane. `stride` defaults to `patch`, so that patches do not overlap, as in the paper. */
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

/** The patches of a plane, one after the other, each row by row: the columns of Y. */
export function extract(
  grid: PatchGrid,
  plane: Samples,
  into: Float64Array = new Float64Array(grid.count * grid.patch ** 2),
): Float64Array {
  checkLength('plane', plane.length, grid.width * grid.height);
  checkLength('into', into.length, grid.count * grid.patch ** 2);
  extractRun(grid, plane, 0, into);
  return into;
}

/**
 * The patches of a plane from number `first` on, as many as fit in `into`. Of the plane, `samples` has the rectangle `at`, with
 * all pixels that the patches need ({@link pixelsOf}). @default at the whole plane
 */
export function extractRun(
  grid: PatchGrid,
  samples: Samples,
  first: number,
  into: Floats,
  at: Rectangle = allOf(grid),
): void {
  const { width, height, patch, stride, columns } = grid;
  for (let p = first, i = 0; i < into.length; p++) {
    const [left, top] = [(p % columns) * stride, Math.floor(p / columns) * stride];
    for (let y = top; y < top + patch; y++) {
      const line = (mirror(y, height) - at.top) * at.width - at.left;
      for (let x = left; x < left + patch; x++, i++) into[i] = samples[line + mirror(x, width)];
    }
  }
}

/** The pixels that a rectangle of patches needs, the mirrored ones beyond the edges among them. */
export function pixelsOf({ width, height, patch, stride }: PatchGrid, patches: Rectangle): Rectangle {
  const span = (first: number, count: number, length: number) => {
    const [begin, end] = [first * stride, (first + count - 1) * stride + patch];
    // What lies beyond the edge is mirrored, and may come from before the first patch.
    const from = end > length ? Math.min(begin, Math.max(0, 2 * length - end)) : begin;
    return [from, Math.min(end, length) - from] as const;
  };
  const [left, wide] = span(patches.left, patches.width, width);
  const [top, high] = span(patches.top, patches.height, height);
  return { left, top, width: wide, height: high };
}

/** The patches that have pixels of a rectangle. */
export function patchesOver({ patch, stride, columns, rows }: PatchGrid, pixels: Rectangle): Rectangle {
  const span = (from: number, length: number, count: number) => {
    const first = Math.max(0, Math.ceil((from - patch + 1) / stride));
    return [first, Math.min(count - 1, Math.floor((from + length - 1) / stride)) - first + 1] as const;
  };
  const [left, width] = span(pixels.left, pixels.width, columns);
  const [top, height] = span(pixels.top, pixels.height, rows);
  return { left, top, width, height };
}

/**
 * The plane with these patches: every pixel is the mean of the samples that cover it, weighted by patch if `weights` (one
 * per patch, above zero) is given. `aggregate(grid, extract(grid, plane))` is `plane`.
 */
export function aggregate(grid: PatchGrid, patches: Float64Array, weights?: ArrayLike<number>): Float64Array {
  checkLength('patches', patches.length, grid.count * grid.patch ** 2);
  if (weights) {
    checkLength('weights', weights.length, grid.count);
    for (let p = 0; p < weights.length; p++) {
      if (!(weights[p] > 0 && weights[p] < Number.POSITIVE_INFINITY)) {
        const remedy = 'give every patch a weight, or a pixel that only it covers would be lost';
        throw new InputError(`weights[${p}]`, 'must be a finite number above 0', weights[p], remedy);
      }
    }
  }
  return finish(aggregation(grid, signalsIn(patches, grid.patch ** 2), weights));
}

/** {@link aggregate} as work, reading the patches one row of the grid at a time. */
export function* aggregation(grid: PatchGrid, patches: Signals, weights?: ArrayLike<number>): Work<Float64Array> {
  const { width, height, patch, stride, columns, rows } = grid;
  const mean = new Float64Array(width * height);
  // The weight so far of each pixel that a row of patches covers. Later rows do not cover the pixels above.
  const weight = new Float64Array(patch * width);
  for (let row = 0; row < rows; row++) {
    yield row / rows;
    // A new array for every row: allocation triggers garbage collection, and only then is the memory of an engine freed,
    // which may be larger than everything allocated here.
    const samples = new Float64Array(columns * patch ** 2);
    patches.read(row * columns, samples);
    const [top, tall] = [row * stride, Math.min(patch, height - row * stride)];
    for (let column = 0; column < columns; column++) {
      const w = weights ? weights[row * columns + column] : 1;
      const [left, wide] = [column * stride, Math.min(patch, width - column * stride)];
      for (let dy = 0; dy < tall; dy++) {
        let i = (column * patch + dy) * patch;
        let here = dy * width + left;
        let pixel = top * width + here;
        for (let dx = 0; dx < wide; dx++, i++, here++, pixel++) {
          // The running mean, not the sum, so that equal samples give exactly their common value.
          weight[here] += w;
          mean[pixel] += (w / weight[here]) * (samples[i] - mean[pixel]);
        }
      }
    }
    weight.copyWithin(0, stride * width).fill(0, (patch - stride) * width);
  }
  return mean;
}

function checkLength(parameter: string, length: number, expected: number): void {
  if (length === expected) return;
  throw new InputError(parameter, `must have length ${expected}`, length, 'make it for the same grid');
}
