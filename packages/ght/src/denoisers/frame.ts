/**
 * Planes in the form that denoisers expect: centred at the mean, in units of the noise, and no side shorter than a patch.
 * So one rule holds for all planes, whatever the units of the image, and float32 keeps as many digits as possible.
 */

import type { Samples } from '../image/image.js';
import { mirror } from '../image/mirror.js';
import { gridOf, type Rectangle, type Size } from '../image/rectangle.js';
import type { ColouredNoise } from '../noise/model.js';
import type { Work } from '../work.js';
import type { Tile, TileNoise } from './denoiser.js';
import type { Placement } from './tiles.js';

/** How the planes of an image enter a denoiser: value = centre + scale · framed. */
export interface Frame {
  readonly centres: readonly number[];
  readonly scales: readonly number[];
  /** The noise of the framed planes, if it is not white with deviation 1. */
  readonly noise?: TileNoise;
}

/** Noise below this fraction of a plane's range is lost in float32. */
const LEAST_NOISE = 1e-6;
/** Noise below this fraction of the samples counts as none: the rounding of a constant plane's mean would overflow in units of it. */
const ROUNDING = 1e-30;
/** If a plane's centre is at most this many noise deviations from zero, float32 is off by less than 1% of one deviation. */
const FLOAT32_DEVIATIONS = 2 ** 16;

/** The noise of planes as they are denoised: one deviation per plane, or deviations by brightness and frequency. */
export type PlanesNoise = { readonly sigma: readonly number[] } | ColouredNoise;

/** The sum and the range of the samples of one plane in a part of an image. */
export interface Extent {
  readonly sum: number;
  readonly least: number;
  readonly most: number;
}

/** The frame of planes, and which of them have noise to remove; plain data. */
export interface PlanesFrame {
  readonly frame: Frame;
  readonly noisy: readonly boolean[];
}

/**
 * Sums are taken over blocks of this side, and those of the blocks are added row by row. So the mean of an image has the same bits
 * wherever the sums of its blocks were computed.
 */
export const BLOCK = 512;

/** The extents of all blocks of planes: `extents[b][c]` for block b of plane c. The planes are whole, or begin and end with blocks. */
export function* blockExtents(planes: readonly Samples[], size: Size): Work<Extent[][]> {
  const extents: Extent[][] = [];
  const blocks = gridOf(size, { width: BLOCK, height: BLOCK });
  for (const [b, block] of blocks.entries()) {
    const extent: Extent[] = [];
    for (const plane of planes) {
      extent.push(extentOf(plane, size.width, block));
      yield (b + extent.length / planes.length) / blocks.length;
    }
    extents.push(extent);
  }
  return extents;
}

function extentOf(plane: Samples, stride: number, { left, top, width, height }: Rectangle): Extent {
  let [sum, least, most] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let y = top; y < top + height; y++) {
    for (let i = y * stride + left; i < y * stride + left + width; i++) {
      sum += plane[i];
      if (plane[i] < least) least = plane[i];
      if (plane[i] > most) most = plane[i];
    }
  }
  return { sum, least, most };
}

/** The frame of planes of this many pixels with this noise, from the extents of their blocks in order. */
export function frameOf(blocks: readonly (readonly Extent[])[], pixels: number, noise: PlanesNoise): PlanesFrame {
  const sigma = 'sigma' in noise ? noise.sigma : noise.deviations.map(overallDeviation);
  const [centres, scales, noisy]: [number[], number[], boolean[]] = [[], [], []];
  for (const c of blocks[0].keys()) {
    const least = blocks.reduce((least, block) => Math.min(least, block[c].least), Number.POSITIVE_INFINITY);
    const most = blocks.reduce((most, block) => Math.max(most, block[c].most), Number.NEGATIVE_INFINITY);
    const range = most - least;
    const deviation = sigma[c] > ROUNDING * Math.max(Math.abs(least), Math.abs(most)) ? sigma[c] : 0;
    centres.push(blocks.reduce((sum, block) => sum + block[c].sum, 0) / pixels);
    // A plane without noise still guides the others: its noise is set to almost zero.
    scales.push(Math.max(deviation, LEAST_NOISE * range) || 1);
    noisy.push(deviation > LEAST_NOISE * range);
  }
  const frame = { centres, scales };
  return { frame: 'sigma' in noise ? frame : { ...frame, noise: framedNoise(noise, frame) }, noisy };
}

/** One deviation for all brightnesses and frequencies of a plane: the root of their mean square. */
export function overallDeviation(deviations: readonly Float64Array[]): number {
  const squares = deviations.map((row) => row.reduce((sum, deviation) => sum + deviation * deviation, 0) / row.length);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

function framedNoise({ brightness, deviations }: ColouredNoise, { centres, scales }: Frame): TileNoise {
  return {
    brightness: brightness.map((value) => (value - centres[0]) / scales[0]),
    deviations: scales.map((scale, c) => deviations[c].map((row) => row.map((deviation) => deviation / scale))),
  };
}

/** A plane for the result: float32, or float64 if the rounding of float32 would be visible in the noise. */
export function planeFor({ centres, scales }: Frame, channel: number, length: number): Samples {
  return Math.abs(centres[channel]) > FLOAT32_DEVIATIONS * scales[channel]
    ? new Float64Array(length)
    : new Float32Array(length);
}

/** A part of planes that are `width` wide, in its frame, of which `kept` is used. A side shorter than `least` is extended by mirroring. */
export function framedTile(
  { centres, scales, noise }: Frame,
  planes: readonly Samples[],
  width: number,
  part: Rectangle,
  least: number,
  kept?: Rectangle,
): Tile {
  const [wide, high] = [Math.max(part.width, least), Math.max(part.height, least)];
  return {
    width: wide,
    height: high,
    channels: planes.length,
    kept,
    noise,
    scales,
    *read(c, into) {
      const [plane, centre, scale] = [planes[c], centres[c], scales[c]];
      const columns = Int32Array.from({ length: wide }, (_, x) => part.left + mirror(x, part.width));
      for (let y = 0, i = 0; y < high; y++) {
        const row = (part.top + mirror(y, part.height)) * width;
        for (let x = 0; x < wide; x++, i++) into[i] = (plane[row + columns[x]] - centre) / scale;
        yield y / high;
      }
    },
  };
}

/**
 * Takes the part of a denoised tile that is kept, `tileWidth` wide, out of its frame, and writes it to its place in a plane
 * that covers the rectangle `at`. Yields the fraction done.
 */
export function* leaveFrame(
  { centres, scales }: Frame,
  channel: number,
  denoised: Samples,
  tileWidth: number,
  { inner, outer }: Placement,
  plane: Samples,
  at: Rectangle,
): Work<void> {
  const [centre, scale] = [centres[channel], scales[channel]];
  for (let y = inner.top; y < inner.top + inner.height; y++) {
    const from = (y - outer.top) * tileWidth + inner.left - outer.left;
    const to = (y - at.top) * at.width + inner.left - at.left;
    for (let x = 0; x < inner.width; x++) plane[to + x] = centre + scale * denoised[from + x];
    yield (y - inner.top) / inner.height;
  }
}
