import type { EngineName } from '../../engines/engines.js';
import {
  boolean,
  callable,
  InputError,
  knownOptions,
  OptionError,
  oneOf,
  ResourceError,
  wholeNumber,
} from '../../errors.js';
import { type Budget, resolveBudget } from '../../sparse/budget/budget.js';
import { overcompleteDct } from '../../sparse/dictionary/dct.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import {
  checkDictionary,
  denseDictionary,
  separableDictionary,
  unitAtoms,
} from '../../sparse/dictionary/dictionary.js';
import { type Progress, resolveSolveOptions, type Settings, solverDefaults } from '../solve/options.js';

/** The solvers that can code the patches: those that end with least squares, which a dictionary step starts from. */
const coders = ['joint-omp', 'omp'] as const;

/** One iteration of learning. */
export interface LearnEntry {
  /** The iteration, from 1. */
  readonly k: number;
  /** RMSE per patch of the training patches of this iteration, before the atoms were changed. */
  readonly rmse: number;
  /** RMSE per patch of the held-out patches, after the atoms were changed. */
  readonly heldOut: number;
  /** Milliseconds that the iteration took. */
  readonly ms: number;
}

/** The options for learning a dictionary. All are optional. */
export interface LearnOptions {
  /** The side of a patch, in pixels, from 1 to 32. @default 8, or the side that fits `initial` */
  readonly patch?: number;
  /**
   * The number of atoms: a square number such as 256, or two factors such as [16, 16] whose product it is, for the rows and
   * the columns of a patch, from 1 to 64 each.
   *
   * @default 256
   */
  readonly atoms?: number | readonly [rows: number, columns: number];
  /**
   * Whether to learn a separable dictionary A ⊗ B. It has far fewer numbers, is learned from fewer patches and is faster
   * to use; a dense one has a slightly lower error.
   *
   * @default false
   */
  readonly separable?: boolean;
  /**
   * The budget to learn for. A target (`psnr`, `rmse`, `sigma`) becomes the number of atoms per patch that the initial
   * dictionary needs for it on held-out patches. `total` is refused, since it would depend on the size of the sample.
   *
   * @default { perPatch: 10 }, or all atoms of a smaller dictionary
   */
  readonly budget?: Budget;
  /**
   * The solver that codes the patches. Learn with the one that is used later: `omp`, which gives every patch the same number of
   * atoms, leads to other atoms than `joint-omp`.
   *
   * @default 'joint-omp'
   */
  readonly solver?: (typeof coders)[number];
  /** The number of iterations, at least 1. @default 40 */
  readonly iterations?: number;
  /** The most patches to keep of all images, from 64. More take longer and give a better dense dictionary. @default 65536 */
  readonly patches?: number;
  /**
   * Patches per iteration, at least as many as atoms. Batches follow each other through all patches. The atoms move after every 16 patches per atom (8 if
   * `separable`; half as many in the first iteration), and at least 1024.
   *
   * @default 16384
   */
  readonly batch?: number;
  /** The seed of the random choice of patches. @default 1 */
  readonly seed?: number;
  /**
   * The dictionary to start from, with as many rows as a patch has pixels; `atoms` must then be left out. Its atoms are
   * scaled to norm 1. With `separable` it must have factors.
   *
   * @default the overcomplete DCT
   */
  readonly initial?: Dictionary;
  /** The engine. @default 'auto', the fastest that can hold the problem */
  readonly engine?: EngineName;
  /** Threads of the wasm engine, from 1 to 64; the result is the same for any number. @default the number of cores */
  readonly threads?: number;
  /**
   * The address of the script of the threads, which is the file `ght/worker` of the package, for a bundler or a host that does not have
   * it where the library expects it. @default the file in the package
   */
  readonly worker?: string | URL;
  /** Stops the computation; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called now and then with the progress; `rmse` is that of the held-out patches. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called after each iteration whose dictionary is the best so far, so that it can be stored. It is waited for. */
  readonly onBest?: (dictionary: Dictionary, entry: LearnEntry) => void | Promise<void>;
}

/** The most atoms: their sums (`sparse/learning/sums.ts`) then take 512 MiB. */
const MOST_ATOMS = 8192;

/** Checked options with the defaults filled in. */
export interface LearnSettings extends Pick<LearnOptions, 'signal' | 'onProgress' | 'onBest'> {
  readonly patch: number;
  readonly budget: Budget;
  readonly iterations: number;
  readonly patches: number;
  readonly batch: number;
  readonly seed: number;
  /** With factors for a separable dictionary, without for a dense one; atoms of norm 1. */
  readonly initial: Dictionary;
  /** How patches are coded. */
  readonly coding: Settings;
}

const optionNames = [
  ...['patch', 'atoms', 'separable', 'budget', 'solver', 'iterations', 'patches', 'batch', 'seed', 'initial'],
  ...['engine', 'threads', 'worker', 'signal', 'onProgress', 'onBest'],
];

/** Checks the options for learning and fills in the defaults. */
export function resolveLearnOptions(options: LearnOptions): LearnSettings {
  knownOptions(options, optionNames);
  const { signal, onProgress, onBest, engine, threads, worker } = options;
  callable('onBest', onBest, 'give a function that takes the dictionary, or leave it out');
  const solver = oneOf('solver', options.solver ?? 'joint-omp', coders);
  const coding = resolveSolveOptions({ solver, engine, threads, worker, signal });
  const separable = boolean('separable', options.separable ?? false, 'use true for A ⊗ B');
  const initial = initialDictionary(options, separable);
  const budget = options.budget ?? { perPatch: Math.min(solverDefaults.budget.perPatch, initial.L) };
  // Refuses invalid budgets before any image is read.
  resolveBudget(budget, initial.N, initial.L, 1, 1);
  if ('total' in budget) {
    throw new OptionError('budget', 'must not be a total', budget, 'give atoms per patch: { perPatch: 10 }');
  }
  if (initial.L > MOST_ATOMS) {
    const rule = `must have at most ${MOST_ATOMS} atoms, since learning holds the products of all pairs`;
    throw new ResourceError('initial', rule, initial.L, 'use fewer atoms');
  }
  return {
    ...{ signal, onProgress, onBest, coding, initial, budget },
    patch: Math.round(Math.sqrt(initial.N)),
    iterations: wholeNumber('iterations', options.iterations ?? 40, 1, 1e6, 'use a number such as 40'),
    patches: wholeNumber('patches', options.patches ?? 65_536, 64, 2 ** 24, 'use a number such as 65536'),
    batch: wholeNumber('batch', options.batch ?? Math.max(16_384, initial.L), initial.L, 2 ** 24, 'use 16384'),
    seed: wholeNumber('seed', options.seed ?? 1, 0, Number.MAX_SAFE_INTEGER, 'use a number such as 1'),
  };
}

/** The dictionary to start from: given or the DCT, with factors exactly if it is to be separable. */
function initialDictionary({ patch, atoms, initial }: LearnOptions, separable: boolean): Dictionary {
  if (!initial) return inForm(startingDct(patch ?? 8, atoms ?? 256), separable);
  checkDictionary(initial);
  if (atoms !== undefined) {
    throw new OptionError(
      'atoms',
      'must be left out when an initial dictionary is given',
      atoms,
      'remove one of the two',
    );
  }
  if (patch !== undefined && patch ** 2 !== initial.N) {
    const rule = `must have ${patch ** 2} rows for ${patch}×${patch} patches`;
    throw new InputError('initial', rule, `${initial.N}×${initial.L}`, 'change the patch or the dictionary');
  }
  if (separable && !initial.factors) {
    const remedy = 'start from a separable dictionary, or leave out separable';
    throw new InputError('initial', 'must have factors', initial.name, remedy);
  }
  return inForm(initial, separable);
}

/** The DCT with this many atoms. */
function startingDct(patch: number, atoms: number | readonly [number, number]): Dictionary {
  const side = typeof atoms === 'number' ? Math.sqrt(atoms) : Number.NaN;
  if (typeof atoms === 'number' && !Number.isInteger(side)) {
    throw new OptionError('atoms', 'must be a square number or two factors', atoms, 'use 256, or [16, 8] for 128');
  }
  const [rows, columns] = typeof atoms === 'number' ? [side, side] : atoms;
  const factor = (count: number) => overcompleteDct(patch, count).factors?.[0];
  const [A, B] = [factor(rows), factor(columns)];
  return separableDictionary(A as NonNullable<typeof A>, B as NonNullable<typeof B>, 'overcomplete DCT');
}

/** D with atoms of norm 1, with factors or without. */
function inForm(D: Dictionary, separable: boolean): Dictionary {
  if (!(separable && D.factors)) return { ...denseDictionary(D.N, D.L, unitAtoms(D.atoms).data), name: D.name };
  const [A, B] = D.factors.map(unitAtoms);
  return { ...separableDictionary(A, B), name: D.name };
}
