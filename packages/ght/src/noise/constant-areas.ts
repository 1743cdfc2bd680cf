/**
 * Areas without any noise: frames, letterboxes, panels, drawn or transparent areas, and the ends of the range where all samples are
 * clipped. Noise makes neighbours differ, so samples that are equal over a whole square show none. They would lower every estimate of
 * the noise around them, and there is nothing to remove from them.
 */
import type { Samples } from '../image/image.js';
import { cut, type Part } from '../image/rectangle.js';
import { stretches, type Work } from '../work.js';

/**
 * The side of squares that show an area without noise. A JPEG can round the blocks of a smooth sky to one value, which does not mean
 * that there is nothing to remove; so its squares are larger.
 */
const SIDE = { usual: 8, jpeg: 32 } as const;
/** How far areas without noise reach beyond one sample. */
export const CONSTANT_REACH = SIDE.jpeg - 1;
/**
 * A drawing: at least this share of its samples lies in constant squares of this side, and all but this share lie near one. Noise in the
 * rest of it would be in these squares too.
 */
const DRAWN = { side: 3, least: 0.25, near: 8, others: 0.02 } as const;

/**
 * Marks with 1 the samples that are in an area without noise or have the opacity 0, and with 0 all others; undefined if there is no such
 * sample.
 */
export function* constantAreas(
  planes: readonly Samples[],
  width: number,
  height: number,
  isJpeg: boolean,
  alpha?: Samples,
): Work<Uint8Array | undefined> {
  const marks = yield* constantSquares(planes, width, height, isJpeg ? SIDE.jpeg : SIDE.usual);
  if (alpha) {
    for (const [from, to] of stretches(marks.length)) {
      for (let i = from; i < to; i++) if (alpha[i] === 0) marks[i] = 1;
      yield 1;
    }
  }
  return marks.includes(1) ? marks : undefined;
}

/**
 * Puts the samples of areas without noise back into the planes of a result, which are overwritten. `given` has at least
 * {@link CONSTANT_REACH} more samples on each side, as far as the image reaches.
 */
export function* keepConstantAreas(given: Part, result: Part, isJpeg: boolean): Work<readonly Samples[]> {
  const marks = yield* constantAreas(given.planes, given.at.width, given.at.height, isJpeg);
  if (!marks) return result.planes;
  const kept = cut(marks, given.at, result.at);
  for (const [c, plane] of result.planes.entries()) {
    const samples = cut(given.planes[c], given.at, result.at);
    for (const [i, mark] of kept.entries()) if (mark) (plane as Float64Array)[i] = samples[i];
    yield 0;
  }
  return result.planes;
}

/** Whether an image was drawn, such as text or a diagram, and has no noise. Samples of the opacity 0 do not count. */
export function* isDrawn(planes: readonly Samples[], width: number, height: number, alpha?: Samples): Work<boolean> {
  const { side, least, near, others } = DRAWN;
  if (Math.min(width, height) < side) return false;
  const marks = yield* constantSquares(planes, width, height, side);
  const { length } = marks;
  const count = (seen: (i: number) => number) => {
    let sum = 0;
    for (let i = 0; i < length; i++) if (alpha?.[i] !== 0) sum += seen(i);
    return sum;
  };
  const all = count(() => 1);
  if (count((i) => marks[i]) < least * all) return false;
  yield 0.5;
  // Marks reach `near` samples to each side: up and to the left here, down and to the right in the mirrored order.
  spread(marks, width, near + 1);
  marks.reverse();
  spread(marks, width, near + 1);
  return count((i) => marks[length - 1 - i]) >= (1 - others) * all;
}

/** Marks the samples that lie in a square of this side in which every plane is constant. */
function* constantSquares(planes: readonly Samples[], width: number, height: number, side: number): Work<Uint8Array> {
  const marks = new Uint8Array(width * height);
  // In each column: how many rows, up to this one, have a run of `side` equal samples that ends here, all of the same value.
  const rows = new Int32Array(width);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0, run = 0; x < width; x++, i++) {
      run = x > 0 && equal(planes, i, i - 1) ? run + 1 : 1;
      rows[x] = run < side ? 0 : y > 0 && equal(planes, i, i - width) ? rows[x] + 1 : 1;
      if (rows[x] >= side) marks[i] = 1;
    }
    yield y / height;
  }
  // A mark is now in the lower right corner of every square.
  spread(marks, width, side);
  return marks;
}

function equal(planes: readonly Samples[], i: number, j: number): boolean {
  for (const plane of planes) if (plane[i] !== plane[j]) return false;
  return true;
}

/** Spreads every mark over a square of this side, of which it is the lower right corner. */
function spread(marks: Uint8Array, width: number, side: number): void {
  const left = new Int32Array(width);
  for (let end = marks.length; end > 0; end -= width) {
    for (let x = width - 1, run = 0, i = end - 1; x >= 0; x--, i--) {
      run = marks[i] ? side : run - 1;
      left[x] = run > 0 ? side : left[x] - 1;
      marks[i] = left[x] > 0 ? 1 : 0;
    }
  }
}
