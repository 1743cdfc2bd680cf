/** Where the arrays of a recipe are in memory, and what its threads are asked to do: plain data. */
import type { TileNoise } from '../../../denoisers/denoiser.js';
import type { Slot, Step } from '../../../denoisers/groups/recipes.js';
import type { Stack, VolumePlace } from '../../../denoisers/groups/volumes.js';
import type { SharedWords } from './claim-indices.js';

/** The addresses of all arrays, as plain data that can be sent to threads. */
export interface GroupLayout extends SharedWords {
  readonly recipe: readonly Step[];
  /** The bytes of a plane: a whole number of vectors. */
  readonly bytes: number;
  /** The planes of each picture. */
  readonly slots: Readonly<Record<Slot, readonly number[]>>;
  /** Per plane: the sums of weighted patches and of weights, of the even bands and of the odd ones. */
  readonly sums: readonly (readonly [even: number, odd: number])[];
  readonly weights: readonly (readonly [even: number, odd: number])[];
  /** The table of deviations of each plane, if the noise is not white. */
  readonly deviations?: readonly number[];
  /** The references of every step that is a pass. */
  readonly references: readonly (References | undefined)[];
  /** The scratch of each thread. */
  readonly scratches: readonly number[];
  /** What following patches through the pages of a stack needs. */
  readonly volumes?: VolumeLayout;
}

/** The references of a pass: their rows by band, and a table of their places along a row. */
export interface References {
  readonly bands: readonly (readonly number[])[];
  readonly columns: number;
  readonly count: number;
  /** The number of references in all. */
  readonly total: number;
}

/** A step of the recipe, or the combination of the sums of a pass. */
export interface GroupJob {
  readonly kind: 'pass' | 'combine' | 'blend';
  readonly step: number;
}

/** What a thread needs for its work. */
export interface GroupWorkplace {
  readonly layout: GroupLayout;
  readonly memory: WebAssembly.Memory;
  /** The functions of the module: those of passes with the number of their step, and two for whole planes. */
  readonly kernels: WebAssembly.Exports;
  readonly thread: number;
}

/** What following patches through the pages of a stack needs, apart from the layout of pictures. */
export interface VolumeLayout {
  readonly stack: Stack;
  readonly noise?: TileNoise;
  /** The references of every pass that follows patches: their rows by band, and their columns by page. */
  readonly passes: readonly (
    | {
        readonly bands: readonly { readonly page: number; readonly row: VolumePlace }[][];
        readonly columns: readonly (readonly VolumePlace[])[];
        /** The number of rows in all bands. */
        readonly rows: number;
      }
    | undefined
  )[];
  /** Two words per page: the sum of the pages of the volumes in the last pass, and their number. */
  readonly depths: number;
  /** The offset of the lists of groups in a scratch. */
  readonly lists: number;
  /** Per thread: the distances of a window, and the columns of references of single patches. */
  readonly windows: readonly number[];
  readonly columns: readonly number[];
}
