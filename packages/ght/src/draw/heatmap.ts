import { OptionError } from '../errors.js';
import { type AtomCounts, heatmap } from '../measures/heatmap.js';
import { fill, widthOf, write } from './digits.js';

/**
 * The heatmap as a picture of the same size as the image, RGB pixel by pixel: dark for no atoms, bright for the largest
 * number of atoms in any patch. A scale is drawn in the lower right corner if the image is large enough.
 */
export function drawHeatmap(representation: AtomCounts): Uint8Array {
  const { width, height } = representation.grid;
  const counts = heatmap(representation);
  const most = Math.max(
    1,
    counts.reduce((a, b) => Math.max(a, b), 0),
  );
  const pixels = new Uint8Array(width * height * 3);
  for (let i = 0; i < counts.length; i++) pixels.set(heatColour(counts[i] / most), 3 * i);
  drawScale(pixels, width, height, most);
  return pixels;
}

/** Dark to bright, so that brighter means more atoms in greyscale and for colour-blind viewers too. */
const STOPS = [
  [4, 4, 20],
  [58, 15, 110],
  [137, 34, 106],
  [212, 72, 66],
  [249, 142, 9],
  [252, 255, 164],
] as const;

/** The colour of a fraction of the maximum, from 0 to 1, as red, green and blue up to 255. */
export function heatColour(t: number): readonly number[] {
  if (Number.isNaN(t)) throw new OptionError('t', 'must be a share from 0 to 1', t, 'divide by the most, not by 0');
  const at = Math.min(1, Math.max(0, t)) * (STOPS.length - 1);
  const i = Math.min(STOPS.length - 2, Math.floor(at));
  return STOPS[i].map((from, c) => Math.round(from + (at - i) * (STOPS[i + 1][c] - from)));
}

function drawScale(pixels: Uint8Array, width: number, height: number, most: number): void {
  // One dot of a digit is `dot` pixels; the scale takes at most a third of the width.
  const dot = Math.min(4, Math.floor(width / 400) + 1);
  const panel = { width: 76 * dot, height: 19 * dot };
  if (width < 2 * panel.width || height < 3 * panel.height) return;
  const left = width - panel.width - 4 * dot;
  const top = height - panel.height - 4 * dot;
  const canvas = { width, height, pixels };
  fill(canvas, left, top, panel.width, panel.height, [20, 20, 20]);
  const bar = { x: left + 6 * dot, y: top + 3 * dot, width: 64 * dot, height: 6 * dot };
  for (let u = 0; u < bar.width; u++) fill(canvas, bar.x + u, bar.y, 1, bar.height, heatColour(u / (bar.width - 1)));
  for (const part of most >= 2 ? [0, 0.5, 1] : [0, 1]) {
    const value = Math.round(part * most);
    const text = String(value);
    const x = bar.x + Math.round((value / most) * (bar.width - 1));
    write(canvas, text, x - Math.floor(widthOf(text, dot) / 2), bar.y + bar.height + 2 * dot, dot);
  }
}
