/**
 * The interface of a denoiser, which removes noise from a picture tile by tile. The recipes over groups of patches
 * (`groups/`) implement it. Tasks depend on this interface alone, so new kinds of denoisers need no change in them.
 */

import type { Samples } from '../image/image.js';
import type { Rectangle } from '../image/rectangle.js';
import type { ColouredNoise } from '../noise/model.js';
import type { Work } from '../work.js';

/** Deviations of noise by plane, brightness and frequency, in the units of a tile; see {@link ColouredNoise}. */
export type TileNoise = Pick<ColouredNoise, 'brightness' | 'deviations'>;

/** How the parts of a page move from the page before it, in pixels: one motion per block of a grid, row by row. */
export interface Motion {
  /** The side of a block. */
  readonly block: number;
  /** The number of blocks in a row. */
  readonly columns: number;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

/** Pages of a series. */
export interface TilePages {
  readonly count: number;
  /** The pages whose result is used, [from, to); the others are neighbours that help to denoise these. */
  readonly kept: readonly [from: number, to: number];
  /** Whether each page is like the one before it; patches are not followed to a page that is not. @default all are */
  readonly alike?: readonly boolean[];
  /** How each page is expected to move from the one before it; undefined if it is expected to stand still. @default all are */
  readonly motions?: readonly (Motion | undefined)[];
  /** Where the tile begins in the grids of the motions. @default [0, 0] */
  readonly origin?: readonly [left: number, top: number];
  /** If given, two numbers are added for each page: the sum of the pages of the volumes in the last pass, and their number. */
  readonly depths?: Float64Array;
}

/** A picture or a part of one, to be denoised. Its noise has deviation 1 in all planes, or is given in `noise`. */
export interface Tile {
  /** The noise, if it is not white. */
  readonly noise?: TileNoise;
  /** The units of the planes, by which they were divided, in one unit for all. A denoiser of all planes at once uses it. @default 1 each */
  readonly scales?: readonly number[];
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Number of planes. */
  readonly channels: number;
  /** The part whose result is kept: what a denoiser returns elsewhere is not used. @default the whole tile */
  readonly kept?: Rectangle;
  /** The pages of a series, whose rows are below each other. @default one page */
  readonly pages?: TilePages;
  /** Writes plane c, row by row, into an array of width × height samples; yields the fraction done. */
  read(c: number, into: Float32Array | Float64Array): Work<void>;
}

/** Progress of a denoiser on a tile. */
export interface TileProgress {
  /** From 0 to 1, never falling. */
  readonly fraction: number;
  /** The name of the pass at work. */
  readonly pass: string;
}

/** Abort signal and progress callback of a run on a tile. */
export interface TileWatch {
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called now and then while the tile is processed. */
  readonly onProgress?: (progress: TileProgress) => void;
}

/** A denoiser. */
export interface Denoiser {
  /** How far a pixel of the result depends on others, in pixels: a tile must extend this far beyond the part that is kept. */
  readonly margin: number;
  /** Tiles that begin at multiples of these give bit for bit the result of the untiled picture. */
  readonly alignment: { readonly columns: number; readonly rows: number };
  /** The smallest width and height of a tile. */
  readonly least: number;
  /** Approximate time per pixel, in any unit that is the same for all denoisers. */
  readonly effort: number;
  /** The names of its passes, in order. */
  readonly passes: readonly string[];
  /** Approximate bytes needed for a tile of this size. */
  bytes(width: number, height: number, channels: number): number;
  /** The denoised planes of a tile; valid until the next run. */
  run(tile: Tile, watch?: TileWatch): Promise<readonly Samples[]>;
}
