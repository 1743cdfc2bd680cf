/** Planes at half their size, and back: for structures too coarse for a patch. */
import type { Work } from '../work.js';
import type { Samples } from './image.js';
import { grown, type Rectangle, type Size } from './rectangle.js';

/** Half the length of a side, rounded up. */
export function halfOf(length: number): number {
  return Math.ceil(length / 2);
}

/** The means of 2×2 samples; at an odd edge, of those that exist. */
export function* halved(plane: Samples, width: number, height: number): Work<Float32Array> {
  const [w, h] = [halfOf(width), halfOf(height)];
  const out = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    const top = 2 * y * width;
    const bottom = Math.min(2 * y + 1, height - 1) * width;
    for (let x = 0; x < w; x++) {
      const [left, right] = [2 * x, Math.min(2 * x + 1, width - 1)];
      out[y * w + x] = (plane[top + left] + plane[top + right] + plane[bottom + left] + plane[bottom + right]) / 4;
    }
    yield y / h;
  }
  return out;
}

/** Planes at half their size. */
export function* halvedPlanes(planes: readonly Samples[], { width, height }: Size): Work<Float32Array[]> {
  const halves: Float32Array[] = [];
  for (const plane of planes) halves.push(yield* halved(plane, width, height));
  return halves;
}

/**
 * Weights of cubic convolution (Keys 1981, a = −1/2, which reproduces linear ramps), a quarter of the way from the second of
 * four samples to the third. The centre of an enlarged sample lies a quarter of a coarse sample away from the centre of the
 * nearest one.
 */
const TAPS = [-9 / 128, 111 / 128, 29 / 128, -3 / 128] as const;

/** The largest distance of those samples from the nearest one. */
const REACH = 2;

/** The coarse samples around enlarged sample i, in the order of {@link TAPS}; the edge samples are repeated beyond the edge. */
function around(i: number, count: number): readonly [number, number, number, number] {
  const k = i >> 1;
  const side = i % 2 === 0 ? -1 : 1;
  const inside = (at: number) => Math.min(count - 1, Math.max(0, at));
  return [inside(k - side), k, inside(k + side), inside(k + 2 * side)];
}

/** The part of a plane of half the size that {@link addEnlarged} reads for a part of a plane. */
export function halfAround({ left, top, width, height }: Rectangle, whole: Size): Rectangle {
  const [first, upper] = [left >> 1, top >> 1];
  const part = { left: first, top: upper, width: halfOf(left + width) - first, height: halfOf(top + height) - upper };
  return grown(part, REACH, { width: halfOf(whole.width), height: halfOf(whole.height) });
}

/**
 * Adds a plane of half the size, enlarged by cubic convolution, to the part `at` of a plane. The half plane covers at least what
 * {@link halfAround} returns.
 */
export function* addEnlarged(
  plane: Float32Array | Float64Array,
  at: Rectangle,
  whole: Size,
  half: Samples,
  halfAt: Rectangle,
): Work<void> {
  const [w, h] = [halfOf(whole.width), halfOf(whole.height)];
  const row = new Float64Array(halfAt.width);
  const columns = Array.from({ length: at.width }, (_, x) => around(at.left + x, w).map((i) => i - halfAt.left));
  for (let y = 0; y < at.height; y++) {
    const [a, b, c, d] = around(at.top + y, h).map((i) => (i - halfAt.top) * halfAt.width);
    for (let x = 0; x < halfAt.width; x++) {
      row[x] = TAPS[0] * half[a + x] + TAPS[1] * half[b + x] + TAPS[2] * half[c + x] + TAPS[3] * half[d + x];
    }
    for (let x = 0; x < at.width; x++) {
      const [i, j, k, l] = columns[x];
      plane[y * at.width + x] += TAPS[0] * row[i] + TAPS[1] * row[j] + TAPS[2] * row[k] + TAPS[3] * row[l];
    }
    yield y / at.height;
  }
}
