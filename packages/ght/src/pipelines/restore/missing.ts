/** The missing pixels of an image: which they are, and the image without them. */
import { InputError } from '../../errors.js';
import { checkPixels, checkSamples, type Image, type Samples } from '../../image/image.js';
import type { Size } from '../../operators/operator.js';
import { squaresOf, WIDE } from '../../operators/wide-holes.js';
import { stretches, type Work } from '../../work.js';
import type { MissingExtent } from './findings.js';

/** 1 for each missing pixel. */
export function* missingPixels({ width, height, planes, alpha }: Image, mask: Samples | 'auto'): Work<Uint8Array> {
  const length = width * height;
  const auto = mask === 'auto';
  if (!auto) {
    checkSamples('mask', mask);
    if (mask.length !== length) {
      const rule = `must have one sample per pixel of the image, ${width}×${height} = ${length}`;
      throw new InputError('mask', rule, mask.length, 'give a mask of the size of the image');
    }
  }
  const missing = new Uint8Array(length);
  let count = 0;
  for (const [from, to] of stretches(length)) {
    for (let i = from; i < to; i++) {
      const gone = auto ? alpha?.[i] === 0 || planes.some((plane) => Number.isNaN(plane[i])) : mask[i] !== 0;
      if (!gone) continue;
      missing[i] = 1;
      count++;
    }
    yield to / length;
  }
  if (count === 0) {
    const rule = auto
      ? 'must be given for an image without transparent pixels and without NaN'
      : 'must mark at least one pixel as missing, with a sample other than 0';
    throw new InputError('mask', rule, auto ? 'none' : 'only 0', 'mark the pixels that are to be filled');
  }
  if (count === length) {
    const rule = 'must leave at least one pixel known, with the sample 0';
    throw new InputError('mask', rule, 'every pixel missing', 'mark only the pixels that are to be filled');
  }
  return missing;
}

/** How much is missing. */
export function* missingExtent(size: Size, missing: Uint8Array): Work<MissingExtent> {
  const sides = yield* squaresOf(size, (i) => missing[i] !== 0);
  const count = missing.reduce((sum, each) => sum + each, 0);
  return { count, share: count / missing.length, widest: largestOf(sides) };
}

/**
 * Whether a mask is probably inverted. More than half is missing then, in wide holes, but there is a picture in them, and what is known
 * is thin lines or nearly constant, as scratches and text are. A picture with many random pixels missing has no wide holes, and a
 * picture whose surroundings are really missing has nothing in them.
 */
export function* looksInverted(image: Image, missing: Uint8Array, { share, widest }: MissingExtent): Work<boolean> {
  if (share <= HALF || widest <= WIDE) return false;
  const [plane] = image.planes;
  const inHoles = yield* deviationOf(plane, (i) => missing[i] !== 0);
  if (!(inHoles > LEAST_PICTURE * image.peak)) return false;
  const known = yield* deviationOf(plane, (i) => missing[i] === 0);
  if (known < CONSTANT * inHoles) return true;
  return largestOf(yield* squaresOf(image, (i) => missing[i] === 0)) <= WIDE;
}

/** The share of missing pixels above which a mask may be inverted. */
const HALF = 0.5;
/** The least deviation of a picture, as a share of the peak, and the most of what is nearly constant, as a share of the picture's. */
const [LEAST_PICTURE, CONSTANT] = [0.02, 0.25];

/** The standard deviation of the finite samples among some. */
function* deviationOf(plane: Samples, isMember: (i: number) => boolean): Work<number> {
  let [count, sum, squares] = [0, 0, 0];
  for (const [from, to] of stretches(plane.length)) {
    for (let i = from; i < to; i++) {
      if (!isMember(i) || !Number.isFinite(plane[i])) continue;
      count++;
      sum += plane[i];
      squares += plane[i] ** 2;
    }
    yield to / plane.length;
  }
  return count === 0 ? 0 : Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

function largestOf(values: Uint32Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** The planes in float64 with 0 at the missing pixels; the known ones are checked. */
export function* withoutMissing(image: Image, missing: Uint8Array): Work<readonly Float64Array[]> {
  const planes: Float64Array[] = [];
  for (const plane of image.planes) {
    const known = new Float64Array(plane.length);
    for (const [from, to] of stretches(plane.length)) {
      for (let i = from; i < to; i++) known[i] = missing[i] ? 0 : plane[i];
      yield to / plane.length;
    }
    planes.push(known);
  }
  yield* checkPixels({ ...image, planes });
  return planes;
}

/** The alpha plane with its largest value at transparent pixels that were filled. */
export function* opaque(alpha: Samples, missing: Uint8Array): Work<Samples> {
  let most = 0;
  for (let i = 0; i < alpha.length; i++) if (alpha[i] > most) most = alpha[i];
  yield 0.5;
  return alpha.map((value, i) => (missing[i] && value === 0 ? most : value)) as Samples;
}
