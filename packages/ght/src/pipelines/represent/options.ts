import { InputError, OptionError, oneOf } from '../../errors.js';
import { patchGrid } from '../../image/patches.js';
import type { Size } from '../../image/rectangle.js';
import type { Budget } from '../../sparse/budget/budget.js';
import { overcompleteDct } from '../../sparse/dictionary/dct.js';
import { checkDictionary, type Dictionary } from '../../sparse/dictionary/dictionary.js';
import { learnedDictionary } from '../../sparse/dictionary/learned.js';
import type { SolverName } from '../../sparse/solvers/catalogue.js';
import { budgetFor, resolveSolveOptions, type Settings, type SolverOptions, solverDefaults } from '../solve/options.js';

/** The options for representing an image, besides those of every solve. */
export interface RepresentOptions extends SolverOptions {
  /** The side of a patch, in pixels, from 1 to 32. @default 8 */
  readonly patch?: number;
  /**
   * What the planes are. `colour`: red, green and blue, which are represented as luma and two chromas. `bands`: anything else, each
   * as it is. `auto`: colour for three planes, bands for any other number. All planes share the budget in any case.
   *
   * @default 'auto'
   */
  readonly channels?: 'auto' | 'bands' | 'colour';
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

/** The grids of the patches, the dictionary and the budget for images of these sizes, with samples up to `most`. */
export function layOutPatches(
  options: RepresentOptions,
  settings: Settings,
  images: readonly { readonly image: Size; readonly planes: number }[],
  peak: number,
  most: number,
) {
  const { patch = representDefaults.patch, stride = patch, atoms } = options;
  const grids = images.map(({ image: { width, height } }) => patchGrid(width, height, patch, stride));
  const P = images.reduce((sum, { planes }, k) => sum + grids[k].count * planes, 0);
  // On a large offset the learned atoms, whose means differ from 0, would leave float32 too few digits.
  const usual = most <= 2 * peak ? usualDictionary(settings.solver, patch, atoms) : undefined;
  const perPatch = expectedPerPatch(settings.budget, P);
  const D = chooseDictionary(patch, atoms, options.dictionary ?? usual, perPatch);
  return { grids, P, D, budget: withNoiseRule(budgetFor(settings, D.L), patch, stride) };
}

/** Checks the options for representing an image, except those that need the image. */
export function resolveRepresentOptions(options: RepresentOptions): Settings {
  return resolveSolveOptions(options, ['patch', 'stride', 'atoms', 'dictionary', 'channels'], representDefaults.solver);
}

/** The name of the dictionary that is used if none is given; undefined for the overcomplete DCT. */
export function usualDictionary(solver: SolverName, patch: number, atoms?: number): DictionaryName | undefined {
  return solver === 'joint-omp' && patch === 8 && atoms === undefined ? 'learned' : undefined;
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

/**
 * The rule for σ that was measured to be better. The mean of many overlapping patches removes noise as well, so more atoms
 * per patch pay off than for each patch by itself.
 */
function withNoiseRule(budget: Budget, patch: number, stride: number): Budget {
  if (typeof budget !== 'object' || budget === null || !('sigma' in budget) || budget.rule !== undefined) return budget;
  return { ...budget, rule: 2 * stride <= patch ? 'residual' : 'threshold' };
}
