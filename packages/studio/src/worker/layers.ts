import type { Image, Representation } from 'ght';
import { heatColour, heatmap } from 'ght/draw';
import type { Layer } from './layer.js';

/** Blank pixels, fully opaque. */
function blank(width: number, height: number): Layer {
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255;
  return { width, height, pixels };
}

/** The image as shown on the screen, with its full scale at 255; floats with negative values are shifted to start at zero. */
export function pictureOf({ width, height, planes, alpha, peak }: Image, floor = 0): Layer {
  const layer = blank(width, height);
  const scale = 255 / peak;
  const colour = planes.length >= 3;
  for (let c = 0; c < 3; c++) {
    const plane = planes[colour ? c : 0];
    for (let i = 0, at = c; i < plane.length; i++, at += 4) layer.pixels[at] = (plane[i] - floor) * scale;
  }
  if (alpha) for (let i = 0; i < alpha.length; i++) layer.pixels[4 * i + 3] = alpha[i] * scale;
  return layer;
}

/** 256 colours of the library's scale, packed for a canvas. */
const SCALE = Uint32Array.from({ length: 256 }, (_, i) => {
  const [r, g, b] = heatColour(i / 255);
  return (255 << 24) | (b << 16) | (g << 8) | r;
});

/** Values from 0 to `most` in the colours of the heatmap. */
function coloured(width: number, height: number, most: number, value: (i: number) => number): Layer {
  const packed = new Uint32Array(width * height);
  const scale = 255 / Math.max(most, Number.MIN_VALUE);
  for (let i = 0; i < packed.length; i++) packed[i] = SCALE[Math.min(255, Math.round(value(i) * scale))];
  return { width, height, pixels: new Uint8ClampedArray(packed.buffer) };
}

/** The atoms per patch, as the mean over the patches of all planes; `most` is the brightest. */
export function heatmapOf(result: Pick<Representation, 'grid' | 'atomsPerPatch' | 'patches'>, most: number): Layer {
  const { width, height, count } = result.grid;
  const counts = heatmap(result);
  const planes = result.patches / count;
  return coloured(width, height, most, (i) => counts[i] / planes);
}

/** The difference of two images, per pixel over all their planes (root mean square); `range` is the brightest. */
export function errorOf(a: Image, b: Image, range: number): Layer {
  const n = a.planes.length;
  return coloured(a.width, a.height, range, (i) => {
    let sum = 0;
    for (let c = 0; c < n; c++) sum += (a.planes[c][i] - b.planes[c][i]) ** 2;
    return Math.sqrt(sum / n);
  });
}

/** The differences of this many deviations reach black and white, before the gain becomes a round number. */
const DEVIATIONS = 3;

/** The difference of a picture before and after, amplified around grey; in colour if the picture is. */
export function removedOf(before: Image, after: Image): { readonly layer: Layer; readonly gain: number } {
  const { width, height, planes, peak } = before;
  const channels = planes.length >= 3 ? 3 : 1;
  let square = 0;
  for (let c = 0; c < channels; c++) {
    const [a, b] = [planes[c], after.planes[c]];
    for (let i = 0; i < a.length; i++) square += (a[i] - b[i]) ** 2;
  }
  const deviation = Math.sqrt(square / (channels * width * height));
  const wanted = peak / 2 / (DEVIATIONS * deviation);
  const gain = deviation === 0 ? 1 : 2 ** Math.max(0, Math.min(8, Math.floor(Math.log2(wanted))));
  const layer = blank(width, height);
  const scale = (255 * gain) / peak;
  for (let c = 0; c < 3; c++) {
    const [a, b] = channels === 3 ? [planes[c], after.planes[c]] : [planes[0], after.planes[0]];
    for (let i = 0, at = c; i < a.length; i++, at += 4) layer.pixels[at] = 128 + (a[i] - b[i]) * scale;
  }
  return { layer, gain };
}

/** An atom in grey around 128, at full contrast. */
export function atomTile(atom: ArrayLike<number>, side: number): Layer {
  const layer = blank(side, side);
  let most = Number.MIN_VALUE;
  for (let n = 0; n < atom.length; n++) most = Math.max(most, Math.abs(atom[n]));
  for (let n = 0; n < atom.length; n++) layer.pixels.fill(128 + (127 * atom[n]) / most, 4 * n, 4 * n + 3);
  return layer;
}
