/**
 * Planes as the recipes want them: every plane in units of its noise, about its mean, and no side shorter than a patch. So
 * one rule holds for all planes, whatever the units of the image, and float32 is as good as it gets.
 */
import type { Samples } from '../signal/image.js';
import { mirror } from '../signal/mirror.js';
import type { Work } from '../work.js';
import type { Rectangle, Tile } from './tiles.js';

/** A framed image, and how each plane got there: value = centre + scale · framed. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly centres: readonly number[];
  readonly scales: readonly number[];
}

/** Noise below this part of a plane's range is nothing that float32 could tell. */
const LEAST_NOISE = 1e-6;

/** Whether there is noise to take out of a plane. */
export function isNoisy(plane: Samples, sigma: number): boolean {
  return sigma > LEAST_NOISE * rangeOf(plane);
}

/** The frame for an image; a side shorter than `least` is continued by its mirror image. */
export function frameOf(
  planes: readonly Samples[],
  width: number,
  height: number,
  sigma: readonly number[],
  least: number,
): Frame {
  return {
    width: Math.max(width, least),
    height: Math.max(height, least),
    centres: planes.map(meanOf),
    // A plane without noise still guides the others: its noise counts as next to nothing.
    scales: planes.map((plane, c) => Math.max(sigma[c], LEAST_NOISE * rangeOf(plane)) || 1),
  };
}

function meanOf(plane: Samples): number {
  let sum = 0;
  for (let i = 0; i < plane.length; i++) sum += plane[i];
  return sum / plane.length;
}

function rangeOf(plane: Samples): number {
  let [least, most] = [plane[0], plane[0]];
  for (let i = 1; i < plane.length; i++) {
    if (plane[i] < least) least = plane[i];
    if (plane[i] > most) most = plane[i];
  }
  return most - least;
}

/** Puts a part of a plane that is `width` wide into its frame, row by row; yields how much is done. */
export function* enter(
  frame: Frame,
  channel: number,
  plane: Samples,
  width: number,
  part: Rectangle,
  into: Samples,
): Work<void> {
  const [centre, scale] = [frame.centres[channel], frame.scales[channel]];
  const columns = Int32Array.from({ length: frame.width }, (_, x) => part.left + mirror(x, part.width));
  for (let y = 0, i = 0; y < frame.height; y++) {
    const row = (part.top + mirror(y, part.height)) * width;
    for (let x = 0; x < frame.width; x++, i++) into[i] = (plane[row + columns[x]] - centre) / scale;
    yield y / frame.height;
  }
}

/** Takes what is kept of a tile out of its frame, and puts it where it belongs in a plane that is `width` wide. */
export function leave(
  frame: Frame,
  channel: number,
  framed: Samples,
  { inner, outer }: Tile,
  plane: Float32Array,
  width: number,
): void {
  const [centre, scale] = [frame.centres[channel], frame.scales[channel]];
  for (let y = inner.top; y < inner.top + inner.height; y++) {
    const from = (y - outer.top) * frame.width + inner.left - outer.left;
    const to = y * width + inner.left;
    for (let x = 0; x < inner.width; x++) plane[to + x] = centre + scale * framed[from + x];
  }
}
