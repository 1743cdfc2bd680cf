/**
 * Planes as the recipes want them: every plane in units of its noise, about its mean, and no side shorter than a patch. So
 * one rule holds for all planes, whatever the units of the image, and float32 is as good as it gets.
 */
import type { Samples } from '../signal/image.js';
import { mirror } from '../signal/mirror.js';
import type { Work } from '../solvers/work.js';

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

/** Puts a plane of width × height samples into its frame, row by row; yields the part that is done. */
export function* enter(
  frame: Frame,
  channel: number,
  plane: Samples,
  width: number,
  height: number,
  into: Samples,
): Work<void> {
  const [centre, scale] = [frame.centres[channel], frame.scales[channel]];
  const columns = Int32Array.from({ length: frame.width }, (_, x) => mirror(x, width));
  for (let y = 0, i = 0; y < frame.height; y++) {
    const row = mirror(y, height) * width;
    for (let x = 0; x < frame.width; x++, i++) into[i] = (plane[row + columns[x]] - centre) / scale;
    yield y / frame.height;
  }
}

/** Takes a plane of width × height samples out of its frame. */
export function leave(frame: Frame, channel: number, framed: Samples, width: number, height: number): Float32Array {
  const [centre, scale] = [frame.centres[channel], frame.scales[channel]];
  const plane = new Float32Array(width * height);
  for (let y = 0, i = 0; y < height; y++) {
    const row = y * frame.width;
    for (let x = 0; x < width; x++, i++) plane[i] = centre + scale * framed[row + x];
  }
  return plane;
}
