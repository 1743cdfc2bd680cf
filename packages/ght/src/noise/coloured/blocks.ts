/**
 * The 8×8 blocks on which the noise of an image is measured, sorted by brightness.
 *
 * Blocks are 3 pixels apart in both directions, and further apart in large images (5, 7, … pixels, until there are at most
 * 30,000). The distance is always odd, so that all phases of a grid in the image occur. In a JPEG whose grid is known, only the
 * blocks of that grid are used: off the grid, one quantised coefficient leaks into many, so the emptiest blocks would be chosen.
 *
 * A block that reaches into an area without noise (`../constant-areas.ts`) is left out if at least 64 others remain. A block with a
 * clipped sample in any channel is left out, because clipping reduces its noise. If fewer than 2000 blocks and fewer than a quarter
 * of them would remain, clipped ones are not left out.
 *
 * The brightness of a block is its mean in the first plane. n blocks are divided into k = ⌊n/1500⌋ bins of about equal count, from 1
 * to 8 (in a JPEG ⌊n/600⌋, from 1 to 6). Limit b is the brightness of rank ⌊bn/k⌋, counted from 0; a block at a limit belongs
 * above it. A limit is dropped if fewer than 750 (300) blocks lie between it and the limit before, or above it. The brightness of
 * a bin is the median of its blocks, the upper one of two.
 */

import type { Samples } from '../../image/image.js';
import type { Work } from '../../work.js';
import { clippedAt } from '../clipped.js';
import type { JpegInfo } from '../model.js';
import { ranked } from '../order.js';
import { SIDE } from './frequencies.js';

/** Blocks of similar brightness. */
export interface Bin {
  /** The median brightness: the mean of a block in the first plane. */
  readonly brightness: number;
  /** Where the blocks begin: the indices of their upper left samples. */
  readonly at: Int32Array;
}

/** How many bins there are, and how many blocks of each are measured. */
export interface Sampling {
  /** The largest number of bins. */
  readonly bins: number;
  /** The smallest number of blocks per bin, approximately. */
  readonly fill: number;
  /** The share of the blocks of a bin that is measured. */
  readonly share: number;
  /** The smallest number of blocks of a bin that is measured. */
  readonly least: number;
}

const SPREAD: Sampling = { bins: 8, fill: 1500, share: 0.05, least: 150 };
const ALIGNED: Sampling = { bins: 6, fill: 600, share: 0.12, least: 60 };
/** The distance between blocks in pixels, in images of usual size. */
const STEP = 3;
/** The largest number of blocks: more do not change the estimate. */
export const MOST_BLOCKS = 30_000;
/** This many blocks without clipped samples are enough. With fewer, and less than a quarter of all, clipped blocks are used too. */
const ENOUGH = 2000;
/** Blocks that reach into an area without noise are used only if there are fewer others than this. */
const FEWEST_OTHERS = 64;
/** In a channel with fewer samples, the few equal samples that would count as clipped can occur by chance. */
const FEWEST_SAMPLES = 2048;

/** The sampling for a JPEG or for any other image. */
export function samplingFor(jpeg: JpegInfo | undefined): Sampling {
  return jpeg ? ALIGNED : SPREAD;
}

/** The first block, the distance to the next, and the number of blocks. */
interface Grid {
  readonly left: number;
  readonly top: number;
  readonly step: number;
  readonly columns: number;
  readonly rows: number;
}

/**
 * The bins of an image, from dark to bright; none if the image is smaller than a block. `original` are the channels in which
 * clipped samples are searched, `constant` marks the areas without noise.
 */
export function* brightnessBins(
  first: Samples,
  original: readonly Samples[],
  width: number,
  height: number,
  jpeg: JpegInfo | undefined,
  most: number,
  constant?: Uint8Array,
): Work<Bin[]> {
  const grid = gridOf(width, height, jpeg, most);
  const count = grid.columns * grid.rows;
  if (count === 0) return [];
  const clipped = yield* clippedChannels(original);
  const at = new Int32Array(count);
  const brightness = new Float64Array(count);
  const isConstant = new Uint8Array(count);
  const isClipped = new Uint8Array(count);
  const sums = new Float64Array(width);
  const bad = new Uint8Array(width);
  const still = new Uint8Array(width);
  for (let row = 0, n = 0; row < grid.rows; row++) {
    const from = (grid.top + row * grid.step) * width;
    sumRows(first, from, width, sums);
    bad.fill(0);
    for (const channel of clipped) markRows(channel, from, width, bad);
    if (constant) markRows({ samples: constant, least: 1, most: 1 }, from, width, still.fill(0));
    for (let column = 0; column < grid.columns; column++, n++) {
      const x = grid.left + column * grid.step;
      let [sum, hits, stills] = [0, 0, 0];
      for (let i = x; i < x + SIDE; i++) {
        sum += sums[i];
        hits += bad[i];
        stills += still[i];
      }
      at[n] = from + x;
      brightness[n] = sum / SIDE ** 2;
      isClipped[n] = hits === 0 ? 0 : 1;
      isConstant[n] = stills === 0 ? 0 : 1;
    }
    yield row / grid.rows;
  }
  const all = Int32Array.from(at, (_, n) => n);
  const others = all.filter((n) => isConstant[n] === 0);
  const seen = others.length >= FEWEST_OTHERS ? others : all;
  const free = seen.filter((n) => isClipped[n] === 0);
  const used = free.length >= Math.min(ENOUGH, seen.length / 4) ? free : seen;
  return yield* binned(
    used.map((n) => at[n]),
    Float64Array.from(used, (n) => brightness[n]),
    samplingFor(jpeg),
  );
}

function gridOf(width: number, height: number, jpeg: JpegInfo | undefined, most: number): Grid {
  const [left, top] = jpeg?.origin ?? [0, 0];
  const [across, down] = [width - left - SIDE, height - top - SIDE];
  if (across < 0 || down < 0) return { left, top, step: STEP, columns: 0, rows: 0 };
  const number = (room: number, step: number) => Math.floor(room / step) + 1;
  let step = jpeg ? SIDE : STEP;
  while (number(across, step) * number(down, step) > most) step += jpeg ? SIDE : 2;
  return { left, top, step, columns: number(across, step), rows: number(down, step) };
}

/** A channel and the values at which its samples count as clipped. */
interface Clipped {
  readonly samples: Samples;
  readonly least: number;
  readonly most: number;
}

/** The channels that have clipped samples. */
function* clippedChannels(channels: readonly Samples[]): Work<Clipped[]> {
  const found: Clipped[] = [];
  for (const samples of channels) {
    if (samples.length < FEWEST_SAMPLES) continue;
    const { least, most } = yield* clippedAt(samples);
    if (least !== Number.NEGATIVE_INFINITY || most !== Number.POSITIVE_INFINITY) found.push({ samples, least, most });
  }
  return found;
}

/** The sums over columns of 8 samples; the first row begins at `from`. */
function sumRows(samples: Samples, from: number, width: number, sums: Float64Array): void {
  sums.fill(0);
  for (let y = 0, i = from; y < SIDE; y++) for (let x = 0; x < width; x++, i++) sums[x] += samples[i];
}

/** Marks the columns of 8 samples that contain a clipped one. */
function markRows({ samples, least, most }: Clipped, from: number, width: number, bad: Uint8Array): void {
  for (let y = 0, i = from; y < SIDE; y++) {
    for (let x = 0; x < width; x++, i++) if (samples[i] === least || samples[i] === most) bad[x] = 1;
  }
}

/**
 * Divides blocks into bins of about equal count. Blocks of the same brightness stay together. So the brightness of the bins
 * increases, and a picture with few values has fewer bins.
 */
function* binned(at: Int32Array, brightness: Float64Array, { bins, fill }: Sampling): Work<Bin[]> {
  const count = Math.max(1, Math.min(bins, Math.floor(at.length / fill)));
  const limits: number[] = [];
  const scratch = brightness.slice();
  let before = 0;
  for (let b = 1, from = 0; b < count; b++) {
    const rank = Math.floor((b * at.length) / count);
    const limit = ranked(scratch, rank - from, from);
    from = rank;
    const below = numberBelow(brightness, limit);
    // Equal values may leave a bin nearly empty: it is merged with its neighbour.
    if (Math.min(below - before, at.length - below) >= fill / 2) {
      limits.push(limit);
      before = below;
    }
    yield b / count;
  }
  const members: number[][] = [...limits, Number.POSITIVE_INFINITY].map(() => []);
  for (let n = 0; n < at.length; n++) {
    let b = 0;
    while (b < limits.length && limits[b] <= brightness[n]) b++;
    members[b].push(n);
  }
  yield 1;
  return members.map((blocks) => {
    const values = Float64Array.from(blocks, (n) => brightness[n]);
    return { brightness: ranked(values, values.length >> 1), at: Int32Array.from(blocks, (n) => at[n]) };
  });
}

function numberBelow(values: Float64Array, limit: number): number {
  let below = 0;
  for (let i = 0; i < values.length; i++) if (values[i] < limit) below++;
  return below;
}
