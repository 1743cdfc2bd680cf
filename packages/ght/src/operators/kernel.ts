/** Blur kernels: given ones, and those of defocus, motion and a Gaussian lens. */
import { InputError, OptionError, positive } from '../errors.js';

/** A blur kernel: weights row by row, of at least 0; only their ratios matter. Its centre is at (width/2, height/2), rounded down. */
export interface BlurKernel {
  /** Weights per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** The weights, row by row. */
  readonly data: ArrayLike<number>;
}

/** A blur with few numbers, all in pixels but the angle, which is in degrees from the horizontal against the clock. */
export type BlurShape =
  | { readonly kind: 'gaussian'; readonly sigma: number }
  | { readonly kind: 'disk'; readonly radius: number }
  | { readonly kind: 'motion'; readonly length: number; readonly angle: number };

/** The kernel of a shape. */
export function shapedKernel(shape: BlurShape): BlurKernel {
  if (shape.kind === 'gaussian') return gaussianKernel(shape.sigma);
  return shape.kind === 'disk' ? diskKernel(shape.radius) : motionKernel(shape.length, shape.angle);
}

/** The largest side of a kernel that is made, in pixels. */
const MOST_SIDE = 255;
/** Samples per pixel and direction, for kernels with an edge. */
const FINE = 16;

/** A Gaussian of standard deviation `sigma` in pixels, above 0 and at most 42, cut at three deviations. */
export function gaussianKernel(sigma: number): BlurKernel {
  checkLength('sigma', sigma, MOST_SIDE / 6);
  const reach = Math.max(1, Math.ceil(3 * sigma));
  const line = Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-((i - reach) ** 2) / (2 * sigma ** 2)));
  return square(2 * reach + 1, (x, y) => line[x] * line[y]);
}

/** A disk of this radius in pixels, above 0 and at most 127: a lens out of focus. */
export function diskKernel(radius: number): BlurKernel {
  checkLength('radius', radius, MOST_SIDE / 2);
  const reach = Math.max(1, Math.ceil(radius - 0.5));
  return square(2 * reach + 1, (x, y) => covered(x - reach, y - reach, (dx, dy) => dx ** 2 + dy ** 2 <= radius ** 2));
}

/**
 * A straight line of this length in pixels, from 1 to 255: a camera that moved. The angle is in degrees, counted from the
 * horizontal against the clock. @default angle 0
 */
export function motionKernel(length: number, angle = 0): BlurKernel {
  checkLength('length', length, MOST_SIDE);
  if (length < 1)
    throw new OptionError('length', 'must be at least 1 pixel', length, 'give the length of the movement');
  if (!Number.isFinite(angle)) {
    throw new OptionError('angle', 'must be a finite number', angle, 'give degrees from the horizontal, such as 30');
  }
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const reach = Math.max(1, Math.ceil(length / 2));
  // A line one pixel wide.
  const inside = (dx: number, dy: number) =>
    Math.abs(dx * cos - dy * sin) <= length / 2 && Math.abs(dx * sin + dy * cos) <= 0.5;
  return square(2 * reach + 1, (x, y) => covered(x - reach, y - reach, inside));
}

function checkLength(parameter: string, value: number, most: number): void {
  positive(parameter, value, 'give a length in pixels, such as 3');
  if (value <= most) return;
  throw new OptionError(parameter, `must be at most ${Math.floor(most)} pixels`, value, 'use a smaller blur');
}

function square(side: number, weight: (x: number, y: number) => number): BlurKernel {
  const data = Float64Array.from({ length: side * side }, (_, i) => weight(i % side, Math.floor(i / side)));
  return { width: side, height: side, data };
}

/** The share of the pixel at (x, y) that is inside a shape. */
function covered(x: number, y: number, inside: (x: number, y: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < FINE; i++) {
    for (let j = 0; j < FINE; j++) if (inside(x + (i + 0.5) / FINE - 0.5, y + (j + 0.5) / FINE - 0.5)) count++;
  }
  return count / FINE ** 2;
}

/** Checks a kernel for a picture of this size, and scales its weights to the sum 1. */
export function checkedKernel(kernel: BlurKernel, width: number, height: number): BlurKernel {
  const { width: w, height: h, data } = kernel ?? {};
  if (!(Number.isInteger(w) && Number.isInteger(h) && w > 0 && h > 0 && data?.length === w * h)) {
    const remedy = 'give { width, height, data } with width × height weights, row by row';
    throw new InputError(
      'kernel',
      'must have at least one weight, and one for each of its pixels',
      `${w}×${h}`,
      remedy,
    );
  }
  if (w > width || h > height) {
    const rule = `must not be larger than the image, ${width}×${height}`;
    throw new InputError('kernel', rule, `${w}×${h}`, 'crop its dark border, or use a larger image');
  }
  let sum = 0;
  for (let i = 0; i < data.length; i++) {
    if (!(data[i] >= 0 && data[i] < Number.POSITIVE_INFINITY)) {
      const where = `kernel weight (x ${i % w}, y ${Math.floor(i / w)})`;
      throw new InputError(where, 'must be a finite number of at least 0', data[i], 'give the blur of a single point');
    }
    sum += data[i];
  }
  if (!(sum > 0 && sum < Number.POSITIVE_INFINITY)) {
    throw new InputError('kernel', 'must have a sum above 0', sum, 'give the blur of a single point of light');
  }
  return { width: w, height: h, data: Float64Array.from(data, (weight) => weight / sum) };
}
