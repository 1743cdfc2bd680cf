/**
 * What a denoiser is: something that takes noise out of a picture, tile by tile. The recipes over groups of
 * patches are one kind (`groups/`). Tasks know only this interface, so another kind is an addition and nothing else.
 */
import type { ColouredNoise } from '../noise/model.js';
import type { Samples } from '../signal/image.js';
import type { Work } from '../work.js';

/** Deviations of noise by plane, brightness and frequency, in the units of a tile; see {@link ColouredNoise}. */
export type TileNoise = Pick<ColouredNoise, 'brightness' | 'deviations'>;

/** A picture to be denoised, or a part of one: planes in which the noise has deviation 1, or is the one that is given. */
export interface Tile {
  /** What the noise is, where it is not white. */
  readonly noise?: TileNoise;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
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
  /** Called now and then while the tile is worked on. */
  readonly onProgress?: (progress: TileProgress) => void;
}

/** A denoiser. */
export interface Denoiser {
  /** How far a pixel of the result looks, in pixels: so much more than what is kept of it a tile must show on each side. */
  readonly margin: number;
  /** Tiles that begin at multiples of these give the bits of the untiled picture. */
  readonly alignment: { readonly columns: number; readonly rows: number };
  /** The smallest width and height of a tile. */
  readonly least: number;
  /** About how long it takes per pixel, in any unit that is the same for all denoisers. */
  readonly effort: number;
  /** The names of its passes, in order. */
  readonly passes: readonly string[];
  /** Bytes that it needs for a tile of this size, about. */
  bytes(width: number, height: number, channels: number): number;
  /** The denoised planes of a tile; valid until the next run. */
  run(tile: Tile, watch?: TileWatch): Promise<readonly Samples[]>;
}
