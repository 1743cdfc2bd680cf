/** Parts of images. */
import type { Samples } from './image.js';

/** A rectangle of pixels. */
export interface Rectangle {
  /** The first column. */
  readonly left: number;
  /** The first row. */
  readonly top: number;
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
}

/** The number of pixels per row and the number of rows of an image. */
export type Size = Pick<Rectangle, 'width' | 'height'>;

/** The samples of a rectangle of an image. */
export interface Part {
  /** Where the part is in the image. */
  readonly at: Rectangle;
  /** Its planes, row by row. */
  readonly planes: readonly Samples[];
}

/** The rectangle of all pixels of an image. */
export function allOf({ width, height }: Size): Rectangle {
  return { left: 0, top: 0, width, height };
}

/** The rectangle and `margin` pixels on each side, as far as they are inside the image. */
export function grown({ left, top, width, height }: Rectangle, margin: number, image: Size): Rectangle {
  const [first, last] = [Math.max(0, left - margin), Math.min(image.width, left + width + margin)];
  const [upper, lower] = [Math.max(0, top - margin), Math.min(image.height, top + height + margin)];
  return { left: first, top: upper, width: last - first, height: lower - upper };
}

/** The rectangles of `width` × `height` pixels that an image is divided into, row by row; the last ones may be smaller. */
export function gridOf(image: Size, { width, height }: Size): Rectangle[] {
  const rectangles: Rectangle[] = [];
  for (let top = 0; top < image.height; top += height) {
    for (let left = 0; left < image.width; left += width) {
      const [wide, high] = [Math.min(width, image.width - left), Math.min(height, image.height - top)];
      rectangles.push({ left, top, width: wide, height: high });
    }
  }
  return rectangles;
}

/** The rectangle as seen from the upper left corner of another one. */
export function within({ left, top, width, height }: Rectangle, origin: Pick<Rectangle, 'left' | 'top'>): Rectangle {
  return { left: left - origin.left, top: top - origin.top, width, height };
}

/** The samples of a part of a plane that covers the rectangle `from`; the plane itself if the part is all of it. */
export function cut<T extends Samples>(plane: T, from: Rectangle, part: Rectangle): T {
  if (part.width === from.width && part.height === from.height) return plane;
  const samples = emptyLike(plane, part.width * part.height);
  place(plane, from, samples, part);
  return samples;
}

/** Copies what two planes have in common, each of which covers a rectangle of the same image, from the first to the second. */
export function place(plane: Samples, from: Rectangle, into: Samples, to: Rectangle): void {
  const [left, right] = [Math.max(from.left, to.left), Math.min(from.left + from.width, to.left + to.width)];
  const [top, bottom] = [Math.max(from.top, to.top), Math.min(from.top + from.height, to.top + to.height)];
  if (left >= right) return;
  for (let y = top; y < bottom; y++) {
    const row = (y - from.top) * from.width - from.left;
    into.set(plane.subarray(row + left, row + right), (y - to.top) * to.width + left - to.left);
  }
}

/** Zeros of the same type as a plane. */
export function emptyLike<T extends Samples>(plane: T, length: number): T {
  // A Buffer is Node's Uint8Array, and is not made by `new`.
  const Kind = (plane instanceof Uint8Array ? Uint8Array : plane.constructor) as new (length: number) => T;
  return new Kind(length);
}
