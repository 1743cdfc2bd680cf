/** Parts of images. */
import { OptionError, ResourceError } from '../errors.js';
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

/** The most parts of an image that are listed: a file of a few bytes may announce any size. */
const MOST_PARTS = 2 ** 22;

/** Refuses more parts than memory should hold a list of. */
export function checkParts(parts: number, image?: Size): void {
  if (parts <= MOST_PARTS) return;
  const rule = `must have at most ${MOST_PARTS} parts, not ${parts}`;
  const size = image ? `${image.width}×${image.height} pixels` : parts;
  throw new ResourceError('image', rule, size, 'use larger tiles or a part of it');
}

/** The number of rectangles that an image is divided into. */
export function gridLength(image: Size, { width, height }: Size): number {
  return Math.ceil(image.width / width) * Math.ceil(image.height / height);
}

/** The rectangles of `width` × `height` pixels that an image is divided into, row by row; the last ones may be smaller. */
export function gridOf(image: Size, size: Size): Rectangle[] {
  const length = gridLength(image, size);
  checkParts(length, image);
  return Array.from({ length }, (_, index) => gridCell(image, size, index));
}

/** One of these rectangles by its number. */
export function gridCell(image: Size, { width, height }: Size, index: number): Rectangle {
  const columns = Math.ceil(image.width / width);
  const [left, top] = [(index % columns) * width, Math.floor(index / columns) * height];
  if (!(index >= 0 && Number.isInteger(index) && top < image.height)) {
    throw new OptionError('tile', 'must be the number of a tile of the image', index, 'count from 0, row by row');
  }
  return { left, top, width: Math.min(width, image.width - left), height: Math.min(height, image.height - top) };
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
