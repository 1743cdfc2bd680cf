import type { Image } from '../image/image.js';
import { type AtomCounts, heatmap } from '../measures/heatmap.js';
import { type Canvas, fill, widthOf, write } from './digits.js';
import { heatColour } from './heatmap.js';

/** A represented image at the size it has on a contact sheet, with what it got of the budget. */
export interface SheetCell {
  /** Pixels per row of the small pictures. */
  readonly width: number;
  /** Rows of the small pictures. */
  readonly height: number;
  /** The small image: red, green and blue up to 255. */
  readonly colours: Float64Array;
  /** Atoms per patch at each pixel of the small image. */
  readonly atoms: Float64Array;
  /** The number of nonzeros that the image got. */
  readonly nonzeros: number;
}

/** The side of the square that a small picture fits into, and the space around it, in pixels. */
const [SIDE, GAP] = [160, 8];
/** Pixels per dot of a digit. */
const DOT = 2;
const BAR = 5 * DOT;
const [BACKGROUND, TRACK, SHARE] = [
  [20, 20, 20],
  [55, 55, 55],
  [90, 160, 220],
];

/** One cell of a contact sheet: a result of `representJoint`, made small, so that the results need not be kept. */
export function sheetCell(result: AtomCounts & { readonly image: Image; readonly nonzeros: number }): SheetCell {
  const { planes, peak, ...size } = result.image;
  const scale = Math.min(1, SIDE / Math.max(size.width, size.height));
  const width = Math.max(1, Math.round(size.width * scale));
  const height = Math.max(1, Math.round(size.height * scale));
  const small = (plane: ArrayLike<number>) => smaller(plane, size, { width, height });
  const colours = new Float64Array(3 * width * height);
  for (const [c, plane] of planes.entries()) {
    const values = small(plane);
    for (let i = 0; i < values.length; i++) {
      // Three planes are red, green and blue; of any other number the mean is shown.
      if (planes.length === 3) colours[3 * i + c] = (255 / peak) * values[i];
      else for (let d = 0; d < 3; d++) colours[3 * i + d] += (255 / peak / planes.length) * values[i];
    }
  }
  return { width, height, colours, atoms: small(heatmap(result)), nonzeros: result.nonzeros };
}

/**
 * A set of images that share a budget, as RGB pixels: each image, and to its right where its atoms are, in one scale for all. The bar below
 * is its share of the budget, on a track as long as the largest share; the numbers are its place in the set and its share.
 */
export function drawContactSheet(cells: readonly SheetCell[]): Canvas {
  const columns = Math.max(1, Math.ceil(Math.sqrt(cells.length / 2)));
  const [wide, high] = [2 * SIDE + 3 * GAP, SIDE + BAR + 3 * GAP];
  const [width, height] = [columns * wide, Math.ceil(cells.length / columns) * high];
  const canvas = { width, height, pixels: new Uint8Array(3 * width * height) };
  fill(canvas, 0, 0, width, height, BACKGROUND);
  const total = cells.reduce((sum, { nonzeros }) => sum + nonzeros, 0) || 1;
  const largest = cells.reduce((most, { nonzeros }) => Math.max(most, nonzeros), 1);
  const deepest = cells.reduce((most, { atoms }) => atoms.reduce((a, b) => Math.max(a, b), most), 0) || 1;
  for (const [k, cell] of cells.entries()) {
    const [left, top] = [(k % columns) * wide + GAP, Math.floor(k / columns) * high + GAP];
    for (let y = 0, i = 0; y < cell.height; y++) {
      for (let x = 0; x < cell.width; x++, i++) {
        const colour = cell.colours.subarray(3 * i, 3 * i + 3).map((value) => Math.min(255, Math.max(0, value)));
        fill(canvas, left + x, top + y, 1, 1, [...colour.map(Math.round)]);
        fill(canvas, left + SIDE + GAP + x, top + y, 1, 1, heatColour(cell.atoms[i] / deepest));
      }
    }
    const [number, share] = [String(k + 1), `${((100 * cell.nonzeros) / total).toFixed(1)}%`];
    const [before, after] = [widthOf('0000', DOT) + GAP, widthOf('100.0%', DOT) + GAP];
    const [bar, length] = [top + SIDE + GAP, 2 * SIDE + GAP - before - after];
    write(canvas, number, left, bar, DOT);
    fill(canvas, left + before, bar, length, BAR, TRACK);
    fill(canvas, left + before, bar, Math.round((length * cell.nonzeros) / largest), BAR, SHARE);
    write(canvas, share, left + before + length + GAP, bar, DOT);
  }
  return canvas;
}

type Size = Pick<Image, 'width' | 'height'>;

/** A smaller picture: the mean of the samples that each pixel covers. */
function smaller(plane: ArrayLike<number>, from: Size, to: Size): Float64Array {
  const span = (i: number, length: number, count: number) => {
    const first = Math.floor((i * length) / count);
    return [first, Math.max(first + 1, Math.floor(((i + 1) * length) / count))];
  };
  return Float64Array.from({ length: to.width * to.height }, (_, i) => {
    const [left, right] = span(i % to.width, from.width, to.width);
    const [top, bottom] = span(Math.floor(i / to.width), from.height, to.height);
    let sum = 0;
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += plane[y * from.width + x];
    return sum / ((right - left) * (bottom - top));
  });
}
