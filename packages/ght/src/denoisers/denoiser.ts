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

/** A picture or a part of one, to be denoised. Its noise has deviation 1 in all planes, or is given in `noise`. */
export interface Tile {
  /** The noise, if it is not white. */
  readonly noise?: TileNoise;
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Number of planes. */
  readonly channels: number;
  /** The part whose result is kept: what a denoiser returns elsewhere is not used. @default the whole tile */
  readonly kept?: Rectangle;
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
