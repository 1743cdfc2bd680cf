import { heatColour } from 'ght/draw';
import type { Layer } from '../../worker/layer.js';
import { type LearnPicture, PATCH } from '../../worker/learn-protocol.js';

const STEPS = 256;
/** The library's colours, packed for a canvas. */
const COLOURS = Uint32Array.from({ length: STEPS }, (_, i) => {
  const [r, g, b] = heatColour(i / (STEPS - 1));
  return (255 << 24) | (b << 16) | (g << 8) | r;
});

/** The count that gets the brightest colour at a budget of s atoms per patch: few patches have more. */
export function brightest(s: number): number {
  return Math.max(1, Math.round(6 * s));
}

/** The atoms per patch in colour, in the size of the picture. */
export function heatLayer(counts: ArrayLike<number>, { picture, columns }: LearnPicture, most: number): Layer {
  const { width, height } = picture;
  const packed = new Uint32Array(width * height);
  for (let y = 0, i = 0; y < height; y++) {
    const row = Math.floor(y / PATCH) * columns;
    for (let x = 0; x < width; x++, i++) {
      const share = counts[row + Math.floor(x / PATCH)] / most;
      packed[i] = COLOURS[Math.min(STEPS - 1, Math.round(share * (STEPS - 1)))];
    }
  }
  return { width, height, pixels: new Uint8ClampedArray(packed.buffer) };
}

/** All colours in a line. */
export const heatLine: Layer = { width: STEPS, height: 16, pixels: new Uint8ClampedArray(16 * 4 * STEPS) };
for (let row = 0; row < 16; row++) heatLine.pixels.set(new Uint8ClampedArray(COLOURS.buffer), row * 4 * STEPS);

/** The atoms that each patch has among the first `n` of the kept coefficients, sorted by size. */
export function countsOf(order: Int32Array, n: number, patches: number): Int32Array {
  const counts = new Int32Array(patches);
  for (let i = 0; i < n; i++) counts[order[i]]++;
  return counts;
}
