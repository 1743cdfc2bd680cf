/**
 * How strong the noise of a page is, compared with the page before it: whether patches of both may be one volume. The mean of the smaller
 * magnitudes of diagonal differences has little of the picture in it; what it has is the same on pages that show the same.
 */
import type { Samples } from '../../image/image.js';
import type { Size } from '../../image/rectangle.js';
import type { Work } from '../../work.js';

/** The share of the magnitudes that counts: the others are edges. */
const COUNTED = 0.8;
/** The noise of a page is another one if its level is this multiple of that of the page before it, or the reverse. */
const CHANGED = 1.2;

/** The level of the noise of a plane, which is proportional to its deviation; 0 if there is none. */
export function* noiseLevel(samples: Samples, { width, height }: Size): Work<number> {
  const [columns, rows] = [width >> 1, height >> 1];
  const magnitudes = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = 2 * row * width + 2 * column;
      const difference = samples[at] - samples[at + 1] - samples[at + width] + samples[at + width + 1];
      magnitudes[row * columns + column] = Math.abs(difference);
    }
    yield row / rows;
  }
  const smaller = magnitudes.sort().subarray(0, Math.ceil(COUNTED * magnitudes.length));
  return smaller.length === 0 ? 0 : smaller.reduce((sum, value) => sum + value, 0) / smaller.length;
}

/** Whether the noise of a page with this level is that of another one. */
export function isSteady(before: number, after: number): boolean {
  return Math.max(before, after) <= CHANGED * Math.min(before, after);
}
