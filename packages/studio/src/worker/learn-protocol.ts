/** The requests of the Learn tab. All of them are about a small grey copy of the open image, on a scale from 0 to 255. */
import type { Layer, Term } from './layer.js';

/** The position of a patch: its upper left pixel. */
export interface PatchAt {
  readonly x: number;
  readonly y: number;
}

/** The small copy, its patches, and the dictionaries of the story. */
export interface LearnPicture {
  readonly picture: Layer;
  readonly columns: number;
  readonly rows: number;
  /** The number of coefficients of all patches: one per patch and atom. */
  readonly coefficients: number;
  /** The patches with the largest and the smallest contrast. */
  readonly busiest: PatchAt;
  readonly calmest: PatchAt;
  /** The atoms of the paper's dictionary, and of the two that the last figure compares. */
  readonly atoms: Layer;
  readonly cosines: Layer;
  readonly learned: Layer;
}

/** A patch with the first n atoms that OMP chooses for it. */
export interface PatchStep {
  readonly picture: Layer;
  /** What is still missing, per pixel: the root mean square, and in colour. */
  readonly rmse: number;
  readonly error: Layer;
  /** In the order in which they were chosen. */
  readonly terms: readonly Term[];
}

/** A patch, and how it grows atom by atom. */
export interface PatchSteps extends PatchAt {
  readonly original: Layer;
  /** For 0, 1, 2, … atoms. */
  readonly steps: readonly PatchStep[];
}

/** The atoms and errors of one way to share a budget. */
export interface Share {
  readonly atoms: number;
  readonly psnr: number;
  /** Atoms in each patch, row by row. */
  readonly counts: Int32Array;
  /** The error per pixel of each patch, as a root mean square. */
  readonly errors: Float32Array;
  readonly picture: Layer;
  /** The error of each pixel in colour; the brightest is `range` of {@link Shares}. */
  readonly error: Layer;
}

/** The same number of atoms for every patch, and the same total as one budget. */
export interface Shares {
  readonly equal: Share;
  readonly joint: Share;
  readonly range: number;
  /** The middle of the part that gains most from one budget. */
  readonly starved: PatchAt;
}

/** Magnitudes of coefficients, sorted, at a few ranks from 1 to the number of all. */
export interface SortedCoefficients {
  readonly ranks: readonly number[];
  readonly magnitudes: readonly number[];
}

/** A picture made of the coefficients above a threshold. */
export interface Cut {
  /** All coefficients before the cut. */
  readonly curve: SortedCoefficients;
  /** The smallest magnitude that was kept, and the number of those kept. */
  readonly threshold: number;
  readonly kept: number;
  readonly picture: Layer;
  readonly psnr: number;
}

/** An iteration of GHT-QPM. */
export interface Iteration extends Cut {
  /** The patch of every kept coefficient, the largest first. */
  readonly order: Int32Array;
}

/** A noisy picture and what one budget makes of it. */
export interface Cleaned {
  readonly noisy: Layer;
  readonly noisyPsnr: number;
  readonly picture: Layer;
  readonly psnr: number;
  readonly threshold: number;
}

/** The picture under the same budget, with two dictionaries of the same size. */
export interface Versus {
  readonly cosines: { readonly picture: Layer; readonly psnr: number };
  readonly learned: { readonly picture: Layer; readonly psnr: number };
}

/** The requests and their replies. `s` is in atoms per patch. */
export interface LearnRequests {
  learnPicture: { ask: null; reply: LearnPicture };
  learnPatch: { ask: PatchAt; reply: PatchSteps };
  learnShares: { ask: { readonly s: number }; reply: Shares };
  learnIteration: { ask: { readonly s: number; readonly k: number }; reply: Iteration };
  learnCut: { ask: { readonly total: number; readonly refit: boolean }; reply: Cut };
  learnNoise: { ask: { readonly sigma: number; readonly stride: number; readonly s: number }; reply: Cleaned };
  learnVersus: { ask: { readonly s: number }; reply: Versus };
}

/** The name of a request of the story. */
export type LearnKind = keyof LearnRequests;

/** The side of a patch. */
export const PATCH = 8;

/** The most atoms that the patch of the second figure gets. */
export const MOST_ATOMS = 16;

/** The iterations of GHT-QPM in the story. */
export const ITERATIONS = 24;
