/**
 * Transparent pixels, those of opacity 0. What they hold is not seen. So they are left as they are and have no influence on the others:
 * the noise is estimated without them. While the image is denoised, up to {@link REACH} of them mirror the nearest visible samples of their
 * row or column, as missing samples do (`missing.ts`), and all others have a value in the middle of the range. So patches of visible
 * pixels contain nothing else, and a part of an image needs few pixels around it.
 */
import { copyOf, type Image, type Limits, type Samples } from '../../image/image.js';
import type { PartedImage } from '../../image/parted-image.js';
import { cut, grown, type Rectangle } from '../../image/rectangle.js';
import { drive, stretches, type Work } from '../../work.js';
import { mirroredAt } from './missing.js';

/** The side of a patch at half the size, in pixels of the image. */
const REACH = 16;

/** Planes, and their opacity if the image has one. */
export type Visible = Pick<Image, 'planes' | 'alpha'>;

/** Planes as a parted image reads them, and their opacity. */
export function apart(image: PartedImage, read: readonly Samples[]): Visible {
  return image.alpha ? { planes: read.slice(0, -1), alpha: read.at(-1) } : { planes: read };
}

/** A part of an image in this range, without what is in transparent pixels. */
export async function readVisible(
  image: PartedImage,
  at: Rectangle,
  range: Limits,
  signal?: AbortSignal,
): Promise<Visible> {
  // What is mirrored is as far away as its mirror image.
  const around = image.alpha ? grown(at, 2 * REACH, image) : at;
  const { planes, alpha } = apart(image, await image.read(around, signal));
  const visible = await drive(visibleIn({ ...around, planes, alpha, peak: 1 }, range), { signal });
  return { planes: visible.planes.map((plane) => cut(plane, around, at)), alpha: alpha && cut(alpha, around, at) };
}

/** An image in this range, without what is in transparent pixels. */
export function* visibleIn(image: Image, { least, most }: Limits): Work<Image> {
  const hidden = yield* hiddenIn(image.alpha);
  if (!hidden) return image;
  const source = yield* mirroredAt(image, hidden, REACH);
  const middle = (least + most) / 2;
  const whole = Math.round(middle);
  const rest = whole >= least && whole <= most ? whole : middle;
  const planes = yield* replaced(image.planes, hidden, (plane, i) => (source[i] < 0 ? rest : plane[source[i]]));
  return { ...image, planes };
}

/** The planes with a visible sample in place of all that are transparent; undefined if none is visible. */
export function* withoutHidden({ planes, alpha }: Visible): Work<readonly Samples[] | undefined> {
  const hidden = yield* hiddenIn(alpha);
  if (!hidden) return planes;
  const first = hidden.indexOf(0);
  if (first < 0) return undefined;
  return yield* replaced(planes, hidden, (plane) => plane[first]);
}

/** The planes of a result with the transparent samples of what was given. */
export function* keepHidden(result: readonly Samples[], { planes, alpha }: Visible): Work<readonly Samples[]> {
  const hidden = yield* hiddenIn(alpha);
  if (!hidden) return result;
  return yield* replaced(result, hidden, (_, i, c) => planes[c][i]);
}

/** Copies of planes with other samples where a pixel is transparent. */
function* replaced(
  planes: readonly Samples[],
  hidden: Uint8Array,
  sample: (plane: Samples, i: number, c: number) => number,
): Work<readonly Samples[]> {
  const copies: Samples[] = [];
  for (const [c, plane] of planes.entries()) {
    const copy = copyOf(plane);
    for (const [from, to] of stretches(plane.length)) {
      for (let i = from; i < to; i++) if (hidden[i]) copy[i] = sample(plane, i, c);
      yield to / plane.length;
    }
    copies.push(copy);
  }
  return copies;
}

/** 1 for each transparent pixel; undefined if there is none. */
function* hiddenIn(alpha: Samples | undefined): Work<Uint8Array | undefined> {
  if (!alpha?.includes(0)) return undefined;
  yield 0;
  const hidden = new Uint8Array(alpha.length);
  for (const [from, to] of stretches(alpha.length)) {
    for (let i = from; i < to; i++) if (alpha[i] === 0) hidden[i] = 1;
    yield to / alpha.length;
  }
  return hidden;
}
