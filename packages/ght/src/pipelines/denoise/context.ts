/** What the passes of denoising work on. */
import type { LoadedDenoiser } from '../../engines/engine.js';
import type { Samples } from '../../image/image.js';
import type { PartedImage } from '../../image/parted-image.js';
import type { Rectangle, Size } from '../../image/rectangle.js';
import type { ImageRange } from './findings.js';
import type { DenoiseSettings } from './options.js';
import type { PartReader } from './parts.js';

/** An image that is denoised, how its parts are read, and where the result goes. */
export interface DenoiseContext {
  readonly image: PartedImage;
  readonly reader: PartReader;
  readonly settings: DenoiseSettings;
  /** The value that counts as full scale in an image with this range. */
  peakOf(range: ImageRange): number;
  /** How the image is divided. Undefined for a whole image: one part, whose tiles are those that fit in memory. */
  readonly tiles?: TileDivision;
  readonly denoisers: DenoiserCache;
  /** The differences of the coarse scale, of an image in many parts. */
  readonly coarse?: CoarseStore;
  readonly output: DenoiseOutput;
}

/** The size of the parts that are denoised: multiples of `chunk`, about `side` pixels or what about 512 MiB allow. */
export interface TileDivision {
  readonly chunk: Size;
  readonly side?: number;
}

/** Where the result goes. */
export interface DenoiseOutput {
  /** Whether a rectangle was written by an earlier attempt at the same run. */
  has(at: Rectangle): Promise<boolean>;
  /** Writes the planes of a rectangle, with opacity if the image is read with it; undefined for those of the input. */
  write(at: Rectangle, planes: readonly Samples[] | undefined, signal?: AbortSignal): Promise<void>;
  finish(signal?: AbortSignal): Promise<void>;
}

/** Keeps the differences of the coarse scale between passes. */
export interface CoarseStore {
  write(at: Rectangle, planes: readonly Float32Array[], step: Size): Promise<void>;
  /** The planes in a rectangle of the half image. `compute` is called for a tile that is missing, and must write it. */
  read(
    at: Rectangle,
    planes: number,
    half: Size,
    step: Size,
    compute: (tile: number) => Promise<void>,
  ): Promise<readonly Samples[]>;
  clear(): Promise<void>;
}

/**
 * Keeps one denoiser with its memory for the next part: unused memory is collected late, and would accumulate. While it is in
 * use, another part gets one of its own.
 */
export class DenoiserCache {
  #kept: { readonly name: string; readonly denoiser: LoadedDenoiser } | undefined;

  /** Loads a denoiser for {@link use}, so that its properties can be asked for. */
  async load(name: string, load: () => Promise<LoadedDenoiser>): Promise<LoadedDenoiser> {
    const denoiser = this.#kept?.name === name ? this.#kept.denoiser : await load();
    this.#kept = { name, denoiser };
    return denoiser;
  }

  async use<T>(name: string, load: () => Promise<LoadedDenoiser>, work: (denoiser: LoadedDenoiser) => Promise<T>) {
    const denoiser = await this.load(name, load);
    this.#kept = undefined;
    try {
      return await work(denoiser);
    } finally {
      this.#kept = { name, denoiser };
    }
  }
}
