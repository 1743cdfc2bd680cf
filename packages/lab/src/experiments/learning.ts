import { type Dictionary, learn, overcompleteDct, solve } from 'ght';
import { drawAtoms } from 'ght/draw';
import { count } from 'ght/format';
import { catalogue } from '../catalogue.js';
import { naturalPatches } from '../images.js';
import { greyPicture } from '../picture.js';
import { type Experiment, type NamedImage, type Picture, pacer, type Setting } from '../setting.js';

/** The dictionaries that are compared: the DCT, and those learned with each of the two coders. */
export const learnedBy = ['dct', 'omp', 'joint-omp'] as const;

/** Learning a dictionary under the global budget. */
export interface Learning {
  /** Numbers of patches to learn from and to judge by, from different images if there are several. */
  readonly training: number;
  readonly test: number;
  /** Atoms of every dictionary. */
  readonly L: number;
  readonly iterations: number;
  /** The RMSE per test patch of each dictionary with each coder. */
  readonly runs: readonly {
    readonly dictionary: (typeof learnedBy)[number];
    readonly coder: 'omp' | 'joint-omp';
    readonly s: number;
    readonly rmse: number;
  }[];
  /** The atoms of each dictionary at the smallest budget, the most used first. */
  readonly atoms: readonly { readonly dictionary: (typeof learnedBy)[number]; readonly picture: Picture }[];
}

/** Atoms per side. */
const SIDE = 16;

export const learning: Experiment<Learning> = {
  ...catalogue.learning,
  seconds: { full: 120, quick: 8 },
  describe: ({ training, test, L, iterations }) =>
    `Separable dictionaries 64×${L} are learned from ${count(training)} random patches in ${iterations} ` +
    'iterations that start from the DCT: once with OMP, which gives every patch s atoms, and once with joint OMP, under the ' +
    `budget S = sP. They are compared on ${count(test)} patches of other images.`,
  run,
};

async function run(setting: Setting): Promise<Learning> {
  const [training, test, iterations] = setting.quick ? [2048, 2048, 16] : [65_536, 16_384, 40];
  const budgets = setting.quick ? [5] : [5, 10, 20];
  const parts = halves(setting.collection);
  const Y = naturalPatches(parts.training, training, setting.seed);
  const T = naturalPatches(parts.test, test, setting.seed + 1);
  const dct = overcompleteDct(8, SIDE);
  const weight = (iterations * training) / test;
  const pace = pacer(setting, budgets.length * (2 * weight + 6));
  const runs: Learning['runs'][number][] = [];
  const atoms: Learning['atoms'][number][] = [];
  for (const s of budgets) {
    const budget = { perPatch: s };
    for (const name of learnedBy) {
      const options = {
        threads: setting.threads,
        budget,
        iterations,
        separable: true,
        initial: dct,
        seed: setting.seed,
      };
      const learned =
        name === 'dct' ? undefined : await pace(weight, (watch) => learn(Y, { ...options, ...watch, solver: name }));
      const D = learned?.dictionary ?? dct;
      for (const coder of ['omp', 'joint-omp'] as const) {
        const { rmse } = await pace(1, (watch) =>
          solve(D, T, { threads: setting.threads, ...watch, budget, solver: coder }),
        );
        runs.push({ dictionary: name, coder, s, rmse });
      }
      if (s === budgets[0]) atoms.push({ dictionary: name, picture: await pictureOf(D, learned?.uses) });
    }
  }
  return { training, test, L: dct.L, iterations, runs, atoms };
}

/** Every other image to learn from, and the others to judge by; a single image serves both. */
function halves(collection: readonly NamedImage[]): Record<'training' | 'test', readonly NamedImage[]> {
  if (collection.length < 2) return { training: collection, test: collection };
  return {
    training: collection.filter((_, i) => i % 2 === 0),
    test: collection.filter((_, i) => i % 2 === 1),
  };
}

function pictureOf(D: Dictionary, uses: Int32Array | undefined): Promise<Picture> {
  const { width, height, planes } = drawAtoms(D, uses, 2);
  return greyPicture(planes[0], width, height);
}
