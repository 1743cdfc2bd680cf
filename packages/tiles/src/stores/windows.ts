/** Windows of an image: their checks, and cutting them out of planes. */
import { OptionError } from 'ght';
import type { RasterSamples } from 'ght-images';
import type { Picture, Rectangle } from '../picture.js';

/** Refuses a window that is empty or does not lie inside the image, or inside a grid of other `things` than pixels. */
export function checkWindow(
  window: Rectangle,
  { width, height }: Pick<Picture, 'width' | 'height'>,
  things = 'pixels',
): void {
  const { left, top } = window;
  const whole = [left, top, window.width, window.height].every(Number.isInteger);
  const inside = left >= 0 && top >= 0 && left + window.width <= width && top + window.height <= height;
  if (whole && inside && window.width > 0 && window.height > 0) return;
  throw new OptionError('window', `must lie inside the image of ${width}×${height} ${things}`, window, 'cut it there');
}

/** The number of planes of a picture, opacity among them. */
export function planesOf({ channels, alpha }: Picture): number {
  return channels + (alpha ? 1 : 0);
}

/** Samples in rows of `stride` samples, from place `at` on. */
interface Rows {
  readonly data: RasterSamples;
  readonly at: number;
  readonly stride: number;
}

/** Copies a rectangle of samples. */
export function copyRows(from: Rows, to: Rows, columns: number, rows: number): void {
  for (let y = 0; y < rows; y++) {
    const start = from.at + y * from.stride;
    to.data.set(from.data.subarray(start, start + columns), to.at + y * to.stride);
  }
}

/** The pieces of a grid that a window touches, each with what of it lies inside the window. */
export function* piecesIn(window: Rectangle, chunk: { readonly width: number; readonly height: number }) {
  const [right, bottom] = [window.left + window.width, window.top + window.height];
  for (let row = Math.floor(window.top / chunk.height); row * chunk.height < bottom; row++) {
    for (let column = Math.floor(window.left / chunk.width); column * chunk.width < right; column++) {
      const left = Math.max(window.left, column * chunk.width);
      const top = Math.max(window.top, row * chunk.height);
      const width = Math.min(right, (column + 1) * chunk.width) - left;
      const height = Math.min(bottom, (row + 1) * chunk.height) - top;
      yield { row, column, left, top, width, height };
    }
  }
}

/** Does work on all items, a few at once, and stops at the first failure or when aborted. */
export async function someAtOnce<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  signal?: AbortSignal,
  atOnce = 4,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      signal?.throwIfAborted();
      await work(next.value);
    }
  };
  const guarded = () =>
    lane().catch((error: unknown) => {
      failed = true;
      throw error;
    });
  // All lanes end before the error goes on, so that nothing is written after a failure.
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, guarded));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}
