import type { BlurKernel } from 'ght';
import type { Layer } from '../worker/layer.js';

/** A kernel in grey, its heaviest weight in white. */
export function kernelLayer({ width, height, data }: BlurKernel): Layer {
  const pixels = new Uint8ClampedArray(4 * width * height);
  let most = Number.MIN_VALUE;
  for (let i = 0; i < data.length; i++) most = Math.max(most, data[i]);
  for (let i = 0; i < data.length; i++) {
    pixels.fill((255 * data[i]) / most, 4 * i, 4 * i + 3);
    pixels[4 * i + 3] = 255;
  }
  return { width, height, pixels };
}

/** The weight under a point, given as fractions of the kernel's width and height; undefined outside. */
export function cellAt({ width, height }: BlurKernel, across: number, down: number) {
  const [x, y] = [Math.floor(across * width), Math.floor(down * height)];
  return x >= 0 && y >= 0 && x < width && y < height ? { x, y } : undefined;
}
