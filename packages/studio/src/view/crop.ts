import type { Layer } from '../worker/layer.js';
import { within } from './geometry.js';

/** A square of a picture around a pixel, clipped at the edges of the picture. */
export function crop({ width, height, pixels }: Layer, x: number, y: number, side: number): Layer {
  const [w, h] = [Math.min(side, width), Math.min(side, height)];
  const left = within(Math.round(x - w / 2), 0, width - w);
  const top = within(Math.round(y - h / 2), 0, height - h);
  const cut = new Uint8ClampedArray(4 * w * h);
  for (let row = 0; row < h; row++) {
    const from = 4 * ((top + row) * width + left);
    cut.set(pixels.subarray(from, from + 4 * w), 4 * row * w);
  }
  return { width: w, height: h, pixels: cut };
}
