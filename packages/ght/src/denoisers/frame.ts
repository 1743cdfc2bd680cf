/**
 * Planes in the form that denoisers expect: centred at the mean, in units of the noise, and no side shorter than a patch.
 * So one rule holds for all planes, whatever the units of the image, and float32 keeps as many digits as possible.
 */
import type { ColouredNoise } from '../noise/model.js';
import type { Samples } from '../signal/image.js';
import { mirror } from '../signal/mirror.js';
import { stretches, type Work } from '../work.js';
import type { Tile, TileNoise } from './denoiser.js';
import type { Placement, Rectangle } from './tiles.js';

/** How the planes of an image enter a denoiser: value = centre + scale · framed. */
export interface Frame {
  readonly centres: readonly number[];
  readonly scales: readonly number[];
  /** The noise of the framed planes, if it is not white with deviation 1. */
  readonly noise?: TileNoise;
}

/** Noise below this fraction of a plane's range is lost in float32. */
const LEAST_NOISE = 1e-6;
/** If a plane's centre is at most this many noise deviations from zero, float32 is off by less than 1% of one deviation. */
const FAR = 2 ** 16;

/** The noise of planes as they are denoised: one deviation per plane, or deviations by brightness and frequency. */
export type PlanesNoise = { readonly sigma: readonly number[] } | ColouredNoise;

/** The frame of an image whose planes have this noise, and which of the planes have noise to remove. */
export function* frameOf(
  planes: readonly Samples[],
  noise: PlanesNoise,
): Work<{ readonly frame: Frame; readonly noisy: readonly boolean[] }> {
  const sigma = 'sigma' in noise ? noise.sigma : noise.deviations.map(level);
  const [centres, scales, noisy]: [number[], number[], boolean[]] = [[], [], []];
  for (const [c, plane] of planes.entries()) {
    const { mean, range } = yield* extentOf(plane);
    centres.push(mean);
    // A plane without noise still guides the others: its noise is set to almost zero.
    scales.push(Math.max(sigma[c], LEAST_NOISE * range) || 1);
    noisy.push(sigma[c] > LEAST_NOISE * range);
  }
  const frame = { centres, scales };
  return { frame: 'sigma' in noise ? frame : { ...frame, noise: framedNoise(noise, frame) }, noisy };
}

/** One deviation for all brightnesses and frequencies: the root of their mean square. */
function level(deviations: readonly Float64Array[]): number {
  const squares = deviations.map((row) => row.reduce((sum, deviation) => sum + deviation * deviation, 0) / row.length);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

function framedNoise({ brightness, deviations }: ColouredNoise, { centres, scales }: Frame): TileNoise {
  return {
    brightness: brightness.map((value) => (value - centres[0]) / scales[0]),
    deviations: deviations.map((rows, c) => rows.map((row) => row.map((deviation) => deviation / scales[c]))),
  };
}

function* extentOf(plane: Samples): Work<{ readonly mean: number; readonly range: number }> {
  let [sum, least, most] = [0, plane[0], plane[0]];
  for (const [from, to] of stretches(plane.length)) {
    for (let i = from; i < to; i++) {
      sum += plane[i];
      if (plane[i] < least) least = plane[i];
      if (plane[i] > most) most = plane[i];
    }
    yield to / plane.length;
  }
  return { mean: sum / plane.length, range: most - least };
}

/** A plane for the result: float32, or float64 where the rounding of float32 would show beside the noise. */
export function planeFor({ centres, scales }: Frame, channel: number, length: number): Samples {
  return Math.abs(centres[channel]) > FAR * scales[channel] ? new Float64Array(length) : new Float32Array(length);
}

/** A part of planes that are `width` wide, in its frame. A side shorter than `least` is extended by mirroring. */
export function framedTile(
  { centres, scales, noise }: Frame,
  planes: readonly Samples[],
  width: number,
  part: Rectangle,
  least: number,
): Tile {
  const [wide, high] = [Math.max(part.width, least), Math.max(part.height, least)];
  return {
    width: wide,
    height: high,
    channels: planes.length,
    noise,
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
 * that is `width` wide. Yields the fraction done.
 */
export function* leaveFrame(
  { centres, scales }: Frame,
  channel: number,
  denoised: Samples,
  tileWidth: number,
  { inner, outer }: Placement,
  plane: Samples,
  width: number,
): Work<void> {
  const [centre, scale] = [centres[channel], scales[channel]];
  for (let y = inner.top; y < inner.top + inner.height; y++) {
    const from = (y - outer.top) * tileWidth + inner.left - outer.left;
    const to = y * width + inner.left;
    for (let x = 0; x < inner.width; x++) plane[to + x] = centre + scale * denoised[from + x];
    yield (y - inner.top) / inner.height;
  }
}
