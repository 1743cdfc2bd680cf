import type { Budget } from '../budget/budget.js';
import type { Codes } from '../codes/codes.js';
import { atomsPerPatch } from '../codes/codes.js';
import { overcompleteDct } from '../dictionary/dct.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { checkDictionary } from '../dictionary/dictionary.js';
import { learnedDictionary } from '../dictionary/learned.js';
import { InputError, OptionError, oneOf } from '../errors.js';
import { psnrOf, rmseOver } from '../measures/error.js';
import { decorrelation } from '../signal/colour.js';
import type { Image, Samples } from '../signal/image.js';
import { checkPixels, checkShape, mapped } from '../signal/image.js';
import type { PatchGrid } from '../signal/patches.js';
import { extractRun, patchGrid } from '../signal/patches.js';
import type { Size } from '../signal/rectangle.js';
import { largestOf } from '../signal/scale.js';
import type { Floats, Signals } from '../signal/signals.js';
import type { SolverName } from '../solvers/catalogue.js';
import { drive, type Work } from '../work.js';
import { rebuiltPlanes } from './decode.js';
import type { Settings, SolveOptions } from './options.js';
import { budgetFor, settle, solverDefaults } from './options.js';
import type { Solution } from './solve.js';
import { solveProblem } from './solve.js';

/** The options for representing an image, besides those of every solve. */
export interface RepresentOptions extends SolveOptions {
  /** The side of a patch, in pixels, from 1 to 32. @default 8 */
  readonly patch?: number;
  /** Pixels from one patch to the next, from 1 to the side of a patch. @default the side of a patch, so that patches do not overlap */
  readonly stride?: number;
  /**
   * Atoms per side of the overcomplete DCT, from 1 to 64, instead of a dictionary.
   *
   * @default 10, or the side of a patch if that is larger
   */
  readonly atoms?: number;
  /**
   * The dictionary, with as many rows as a patch has pixels. `atoms` must then be left out. Two have names, both for patches of
   * 8×8 pixels: `learned` is a 64×256 dictionary learned from photographs, for small or large budgets
   * ({@link learnedDictionary}), and `paper` is the 64×100 overcomplete DCT. QPM and ADMM have a larger error with the learned one.
   *
   * @default 'learned' for joint OMP on patches of 8×8 pixels without `atoms`, if no sample exceeds twice the peak; otherwise the
   * overcomplete DCT
   */
  readonly dictionary?: Dictionary | DictionaryName;
}

/** The default options of {@link represent}. With `preset: 'paper'` the solver is that of `solve`, GHT-ADMM. */
export const representDefaults = { ...solverDefaults, solver: 'joint-omp', patch: 8 } as const;

/** The dictionaries that have a name. */
export const dictionaryNames = ['learned', 'paper'] as const;

/** The name of a dictionary. */
export type DictionaryName = (typeof dictionaryNames)[number];

/** The representation of an image under one global budget. */
export interface Representation extends Solution {
  /** The image that the codes represent, in the units of the input, neither rounded nor clipped. */
  readonly image: Image;
  /** The dictionary D of the codes. */
  readonly dictionary: Dictionary;
  /** Where the patches of each plane lie; the codes hold plane after plane. */
  readonly grid: PatchGrid;
  /** The number of patches in all planes: the columns of the codes. */
  readonly patches: number;
  /** Atoms used at each position of the grid, summed over all planes. */
  readonly atomsPerPatch: Int32Array;
  /** Root mean square error per sample of the image. */
  readonly rmsePixel: number;
  /** Peak signal-to-noise ratio in dB, from `rmsePixel` and the image's peak. */
  readonly psnr: number;
}

/**
 * Represents an image with at most S atoms in total. All planes share one budget. RGB is represented as luma and two
 * chromas (an orthonormal change of axes, so errors are unchanged); alpha is passed through. The image must not change
 * before the promise has settled: it is not copied, and the PSNR is measured against it at the end.
 *
 * @example
 * ```js
 * import { represent } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const { psnr, nonzeros, atomsPerPatch } = await represent(image, { budget: { perPatch: 10 } });
 * console.log(psnr, nonzeros, Math.max(...atomsPerPatch));
 * ```
 */
export async function represent(image: Image, options: RepresentOptions = {}): Promise<Representation> {
  return representWeighted(image, options, () => undefined);
}

/** `represent`, where overlapping patches are averaged with the weights that `weigh` computes from their atom counts. */
export async function representWeighted(
  image: Image,
  options: RepresentOptions,
  weigh: (counts: Int32Array) => Float64Array | undefined,
): Promise<Representation> {
  const settings = settleRepresent(options);
  checkShape(image);
  const { planes, most } = await drive(prepare(image), settings);
  const { grid, D, budget } = layOutPatches(options, settings, image, image.planes.length, image.peak, most);

  function* show(codes: Codes): Work<{ readonly planes: readonly Samples[]; readonly rmsePixel: number }> {
    const planes = yield* rebuiltPlanes(D, codes, grid, weigh);
    return { planes, rmsePixel: yield* rmseOver(planes, image.planes) };
  }
  function* measure(codes: Codes, largestInteger: number | undefined): Work<number> {
    const planes = yield* rebuiltPlanes(D, codes, grid, weigh);
    if (largestInteger === undefined) return yield* rmseOver(planes, image.planes);
    const written: Samples[] = [];
    const round = (value: number) => Math.min(Math.max(Math.round(value), 0), largestInteger);
    for (const plane of planes) written.push(yield* mapped(plane, round));
    return yield* rmseOver(written, image.planes);
  }

  const solution = await solveProblem({
    D,
    Y: patchesOf(planes, grid),
    peak: image.peak,
    most,
    budget,
    settings,
    // A PSNR budget refers to the image: because of edges and overlap it differs from the PSNR of the patches.
    errorOf: isPsnr(budget)
      ? async (codes) => (await drive(measure(codes, budget.largestInteger), settings)) * Math.sqrt(D.N)
      : undefined,
  });

  const { planes: rebuilt, rmsePixel } = await drive(show(solution.codes), settings);
  return {
    ...solution,
    image: { ...image, planes: rebuilt },
    dictionary: D,
    grid,
    patches: solution.codes.P,
    atomsPerPatch: sumOverPlanes(atomsPerPatch(solution.codes), grid.count),
    rmsePixel,
    psnr: psnrOf(rmsePixel, image.peak),
  };
}

/** The grid of the patches, the dictionary and the budget for planes of this size, with samples up to `most`. */
export function layOutPatches(
  options: RepresentOptions,
  settings: Settings,
  { width, height }: Size,
  planes: number,
  peak: number,
  most: number,
) {
  const { patch = representDefaults.patch, stride = patch, atoms } = options;
  const grid = patchGrid(width, height, patch, stride);
  // On a large offset the learned atoms, whose means differ from 0, would leave float32 too few digits.
  const usual = most <= 2 * peak ? usualDictionary(settings.solver, patch, atoms) : undefined;
  const perPatch = expectedPerPatch(settings.budget, grid.count * planes);
  const D = chooseDictionary(patch, atoms, options.dictionary ?? usual, perPatch);
  return { grid, D, budget: withNoiseRule(budgetFor(settings, D.L), patch, stride) };
}

/** Checks the options for representing an image, except those that need the image. */
export function settleRepresent(options: RepresentOptions): Settings {
  return settle(options, ['patch', 'stride', 'atoms', 'dictionary'], representDefaults.solver);
}

/** The name of the dictionary that is used if none is given; undefined for the overcomplete DCT. */
export function usualDictionary(solver: SolverName, patch: number, atoms?: number): DictionaryName | undefined {
  return solver === 'joint-omp' && patch === 8 && atoms === undefined ? 'learned' : undefined;
}

/** Checks the samples of an image; returns its planes in the axes in which they are represented, and their largest magnitude. */
function* prepare(image: Image): Work<{ readonly planes: readonly Samples[]; readonly most: number }> {
  yield* checkPixels(image);
  const planes = yield* decorrelation(image.planes);
  let most = 0;
  // Every pixel is in a patch, and mirroring only repeats pixels, so this is the largest sample of all patches.
  for (const plane of planes) most = Math.max(most, yield* largestOf(plane));
  return { planes, most };
}

/** The columns of Y: the patches of all planes, plane after plane. */
function patchesOf(planes: readonly Samples[], grid: PatchGrid): Signals {
  const N = grid.patch ** 2;
  const read = (from: number, into: Floats) => {
    const [c, first] = [Math.floor(from / grid.count), from % grid.count];
    const here = into.subarray(0, N * (grid.count - first));
    extractRun(grid, planes[c], first, here);
    // The remaining patches are in the next plane.
    if (here.length < into.length) read(from + here.length / N, into.subarray(here.length));
  };
  return { N, P: planes.length * grid.count, read };
}

/** Atoms per side of the overcomplete DCT: those requested, or 10, or as many as make it complete. */
export function atomsPerSide(patch: number, atoms?: number): number {
  return atoms ?? (patch === 1 ? 1 : Math.max(10, patch));
}

/** The dictionary given, named or by default, for patches of this side and a budget of about this many atoms per patch. */
function chooseDictionary(
  patch: number,
  atoms: number | undefined,
  given: Dictionary | DictionaryName | undefined,
  perPatch: number,
): Dictionary {
  if (given === undefined) return overcompleteDct(patch, atomsPerSide(patch, atoms));
  if (atoms !== undefined) {
    throw new OptionError('atoms', 'must be left out when a dictionary is given', atoms, 'remove one of the two');
  }
  if (typeof given === 'string') return namedDictionary(oneOf('dictionary', given, dictionaryNames), patch, perPatch);
  checkDictionary(given);
  if (given.N !== patch ** 2) {
    const rule = `must have ${patch ** 2} rows for ${patch}×${patch} patches`;
    throw new InputError('dictionary', rule, `${given.N}×${given.L}`, 'change the patch or the dictionary');
  }
  return given;
}

function namedDictionary(name: DictionaryName, patch: number, perPatch: number): Dictionary {
  if (patch !== 8) {
    throw new OptionError('patch', `must be 8 for the dictionary ${name}`, patch, 'leave out one of the two');
  }
  return name === 'learned' ? learnedDictionary(perPatch) : overcompleteDct(8, 10);
}

/** The atoms per patch of a budget; for one that shows only on the way, the default. */
function expectedPerPatch(budget: Budget | undefined, P: number): number {
  if (typeof budget !== 'object' || budget === null) return solverDefaults.budget.perPatch;
  const s = 'perPatch' in budget ? budget.perPatch : 'total' in budget ? budget.total / P : Number.NaN;
  // An invalid budget is refused when it is resolved.
  return s >= 0 ? s : solverDefaults.budget.perPatch;
}

function sumOverPlanes(counts: Int32Array, perPlane: number): Int32Array {
  const sum = new Int32Array(perPlane);
  counts.forEach((count, i) => {
    sum[i % perPlane] += count;
  });
  return sum;
}

/**
 * The rule for σ that was measured to be better. The mean of many overlapping patches removes noise as well, so more atoms
 * per patch pay off than for each patch by itself.
 */
function withNoiseRule(budget: Budget, patch: number, stride: number): Budget {
  if (typeof budget !== 'object' || budget === null || !('sigma' in budget) || budget.rule !== undefined) return budget;
  return { ...budget, rule: 2 * stride <= patch ? 'residual' : 'threshold' };
}

function isPsnr(budget: Budget): budget is Extract<Budget, { readonly psnr: number }> {
  return typeof budget === 'object' && budget !== null && 'psnr' in budget;
}
