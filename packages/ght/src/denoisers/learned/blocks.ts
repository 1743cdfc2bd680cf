/**
 * The blocks of a picture that the learned denoiser works on. Each is computed by itself, with 16 pixels of its surroundings on each
 * side, mirrored beyond the edge of the picture. That is the definition of the result on every engine, not only a way to save memory: so
 * it has the same bits for any number of threads and any tiles that begin at a multiple of the block. Surroundings of 16 pixels
 * cost 28% more work; in trials with blocks of 64 pixels, wider ones changed the PSNR by about 0.01 dB.
 */
import type { Samples } from '../../image/image.js';
import { mirror } from '../../image/mirror.js';
import { allOf, gridOf, type Rectangle, type Size } from '../../image/rectangle.js';
import type { Denoiser, Tile } from '../denoiser.js';
import { STRIDE } from './model.js';

/** The side of a block: a multiple of the strides of the recipes, so that tiles of a blend with them can begin in few places. */
export const BLOCK = 240;
/** The pixels around a block that it is computed with. */
export const HALO = 16;

/** The largest side of a block with its surroundings. */
export const MOST_SIDE = BLOCK + 2 * HALO;

/** How far a pixel depends on others: on its whole block and the surroundings of that. */
export const LEARNED_MARGIN = BLOCK + HALO - 1;

/** The blocks that have pixels of the part of a tile that is kept. */
export function blocksOf({
  width,
  height,
  kept = allOf({ width, height }),
}: Pick<Tile, 'width' | 'height' | 'kept'>): Rectangle[] {
  return gridOf({ width, height }, { width: BLOCK, height: BLOCK }).filter((block) => {
    const [right, bottom] = [block.left + block.width, block.top + block.height];
    const outside = block.left >= kept.left + kept.width || right <= kept.left;
    return !outside && block.top < kept.top + kept.height && bottom > kept.top;
  });
}

/** The surroundings of a block: the pixels around it, and from one patch, or site of the coarsest scale, to the next: sides are multiples of that. */
export interface Surroundings {
  readonly halo: number;
  readonly multiple: number;
}
const PATCHES: Surroundings = { halo: HALO, multiple: STRIDE };

/** The size of a block with its surroundings. */
export function surrounded({ width, height }: Size, { halo, multiple }: Surroundings = PATCHES): Size {
  const whole = (length: number) => multiple * Math.ceil(length / multiple) + 2 * halo;
  return { width: whole(width), height: whole(height) };
}

/** Calls back with the place of every pixel of a block and its surroundings, row by row: x and y in it, and its place in the plane. */
export function gatherBlock(
  block: Rectangle,
  { width, height }: Size,
  take: (x: number, y: number, from: number) => void,
  surroundings = PATCHES,
): void {
  const size = surrounded(block, surroundings);
  const { halo } = surroundings;
  const columns = Int32Array.from({ length: size.width }, (_, x) => mirror(block.left - halo + x, width));
  for (let y = 0; y < size.height; y++) {
    const row = mirror(block.top - halo + y, height) * width;
    for (let x = 0; x < size.width; x++) take(x, y, row + columns[x]);
  }
}

/** How an engine runs the model. */
export interface LearnedRunner {
  /** Approximate bytes for a tile of this size. */
  bytes(width: number, height: number, channels: number): number;
  /** The denoised planes of a tile. */
  run(tile: Tile, signal?: AbortSignal, onFraction?: (fraction: number) => void): Promise<readonly Samples[]>;
}

/** Time per pixel, in the unit of the recipes (`denoisers/groups/recipes.ts`), by measurement. */
export const LEARNED_EFFORT = 60_000;

/** The same of the model for colour pictures, per pixel of each of its three planes. */
export const COLOUR_EFFORT = 60_000;

/** A learned denoiser on an engine. */
export function learnedDenoiser({ bytes, run }: LearnedRunner, effort = LEARNED_EFFORT): Denoiser {
  return {
    margin: LEARNED_MARGIN,
    alignment: { columns: BLOCK, rows: BLOCK },
    least: 1,
    effort,
    passes: ['learned'],
    bytes,
    run: (tile, { signal, onProgress } = {}) =>
      run(tile, signal, onProgress && ((fraction) => onProgress({ fraction, pass: 'learned' }))),
  };
}
