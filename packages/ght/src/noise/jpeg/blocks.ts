/** Recovers blocks of Y, Cb and Cr as a JPEG stored them, from the pixels that a decoder made of them. */
import type { Samples } from '../../image/image.js';

/** Weights of (R, G, B) in Y, Cb and Cr. */
const YCC = [
  [0.299, 0.587, 0.114],
  [-0.168736, -0.331264, 0.5],
  [0.5, -0.418688, -0.081312],
] as const;

/** The pixels of an image: R, G and B, or grey alone. */
export interface Pixels {
  readonly planes: readonly Samples[];
  readonly width: number;
  readonly height: number;
}

/** How a decoder enlarges chroma along one axis: not at all, each sample repeated, or by linear interpolation. */
export type Enlargement = 1 | 2 | 4 | 'linear';

/** The number of pixels that a chroma sample covers along one axis. */
export function pixelsPerSample(enlargement: Enlargement): number {
  return enlargement === 'linear' ? 2 : enlargement;
}

/**
 * Reads `columns`×`rows` pixels from (x, y) on as Y (0), Cb (1) or Cr (2), less the middle of its range. Decoders round Y, Cb
 * and Cr before they convert them to R, G and B, so rounding here removes the error of the conversion. Returns false if a sample
 * is 0 or 255, since it may have been clipped; `into` is then undefined.
 */
export function readComponent(
  { planes, width }: Pixels,
  component: 0 | 1 | 2,
  [x, y]: readonly [number, number],
  [columns, rows]: readonly [number, number],
  into: Float64Array,
): boolean {
  const [R, G = R, B = R] = planes;
  const [r, g, b] = YCC[component];
  const middle = component === 0 ? 128 : 0;
  for (let j = 0, at = 0; j < rows; j++) {
    for (let n = (y + j) * width + x, end = n + columns; n < end; n++) {
      const red = R[n];
      const green = G[n];
      const blue = B[n];
      if (red <= 0 || green <= 0 || blue <= 0 || red >= 255 || green >= 255 || blue >= 255) return false;
      into[at++] = Math.round(r * red + g * green + b * blue) - middle;
    }
  }
  return true;
}

const area = new Float64Array(34 * 34);
const between = new Float64Array(8 * 34);

/**
 * Reads the 8×8 stored samples of Cb or Cr whose first pixel is (x, y), from pixels that were enlarged along rows and columns.
 * Returns false like {@link readComponent}, and if the block is not within the image.
 */
export function readChroma(
  pixels: Pixels,
  component: 1 | 2,
  [x, y]: readonly [number, number],
  [across, down]: readonly [Enlargement, Enlargement],
  block: Float64Array,
): boolean {
  const [columns, left] = extentOf(across);
  const [rows, above] = extentOf(down);
  if (x < left || y < above || x - left + columns > pixels.width || y - above + rows > pixels.height) return false;
  if (!readComponent(pixels, component, [x - left, y - above], [columns, rows], area)) return false;
  for (let j = 0; j < rows; j++) reduceLine(area, j * columns, 1, across, between, 8 * j, 1);
  for (let i = 0; i < 8; i++) reduceLine(between, i, 8, down, block, i, 8);
  return true;
}

/** The number of pixels that 8 stored samples are read from, and how many of them come before the first sample. */
function extentOf(enlargement: Enlargement): readonly [length: number, before: number] {
  return enlargement === 'linear' ? [18, 1] : [8 * enlargement, 0];
}

/**
 * Recovers 8 samples a from the pixels that were interpolated from them. Linear interpolation replaces a_i by (3a_i + a_{i−1})/4
 * and (3a_i + a_{i+1})/4. The filter (−1 3 3 −1)/4 over these two and their neighbours is its exact inverse.
 */
function reduceLine(
  from: Float64Array,
  start: number,
  stride: number,
  enlargement: Enlargement,
  into: Float64Array,
  at: number,
  step: number,
): void {
  for (let i = 0; i < 8; i++) {
    let sample = 0;
    if (enlargement === 'linear') {
      const n = start + 2 * i * stride;
      sample = (3 * (from[n + stride] + from[n + 2 * stride]) - from[n] - from[n + 3 * stride]) / 4;
    } else {
      for (let k = 0; k < enlargement; k++) sample += from[start + (enlargement * i + k) * stride] / enlargement;
    }
    into[at + i * step] = sample;
  }
}
