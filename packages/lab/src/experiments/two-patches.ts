import { completeDct, extract, patchGrid, reconstruct, solve } from 'ght';
import { catalogue } from '../catalogue.js';
import { optionsOf } from '../contenders.js';
import { patchEnergies } from '../images.js';
import { greyPicture } from '../picture.js';
import type { Experiment, Picture, Setting } from '../setting.js';

/** One atom used, by its vertical and horizontal frequency. */
export interface UsedAtom {
  readonly down: number;
  readonly across: number;
  readonly coefficient: number;
  readonly picture: Picture;
}

/** A patch under some budget. */
export interface CodedPatch {
  readonly atoms: readonly UsedAtom[];
  /** Root mean square error per pixel. */
  readonly error: number;
  readonly picture: Picture;
}

/** Figure 1: two patches, eight atoms. */
export interface TwoPatches {
  readonly image: string;
  readonly budget: number;
  readonly patches: readonly {
    readonly label: string;
    readonly x: number;
    readonly y: number;
    readonly picture: Picture;
  }[];
  /** The budget shared by both patches: GHT-QPM. */
  readonly joint: readonly CodedPatch[];
  /** Half of the budget for each patch: OMP. */
  readonly even: readonly CodedPatch[];
  /** Atoms that patch A needs to reach the error of patch B with one atom. */
  readonly needed: number;
}

const BUDGET = 8;

export const twoPatches: Experiment<TwoPatches> = {
  ...catalogue['two-patches'],
  seconds: { full: 0.3, quick: 0.3 },
  describe: ({ image, budget }) =>
    `Two 8×8 patches of ${image} over the 64×64 DCT with ${budget} atoms in all: shared by GHT-QPM, or half for each by ` +
    'OMP. Of the patches that do not overlap, ranked by their energy about the mean, A is the one at 95% and B at 5%.',
  run,
};

async function run(setting: Setting): Promise<TwoPatches> {
  const { name, image } = setting.images[0];
  const grid = patchGrid(image.width, image.height, 8);
  const all = extract(grid, image.planes[0]);
  const ranked = rank(patchEnergies(all));
  const chosen = [0.95, 0.05].map((share) => ranked[Math.round(share * (ranked.length - 1))]);
  const Y = Float64Array.from(chosen.flatMap((p) => Array.from(all.subarray(64 * p, 64 * p + 64))));
  const D = completeDct(8);
  const code = async (solver: 'qpm' | 'omp'): Promise<CodedPatch[]> => {
    const options = {
      ...optionsOf(solver, 'natural'),
      threads: setting.threads,
      budget: { total: BUDGET },
      peak: image.peak,
    };
    const { codes } = await solve(D, Y, { ...options, signal: setting.signal });
    const shown = reconstruct(D, codes);
    return Promise.all(
      chosen.map(async (_, p) => {
        const atoms = [];
        for (let n = codes.indptr[p]; n < codes.indptr[p + 1]; n++) {
          const l = codes.indices[n];
          atoms.push({
            down: Math.floor(l / 8),
            across: l % 8,
            coefficient: codes.values[n],
            picture: await atomPicture(D.atoms.data.subarray(64 * l, 64 * l + 64)),
          });
        }
        const [from, to] = [64 * p, 64 * p + 64];
        return {
          atoms: atoms.sort((a, b) => Math.abs(b.coefficient) - Math.abs(a.coefficient)),
          error: Math.sqrt(squared(Y.subarray(from, to), shown.subarray(from, to)) / 64),
          picture: await greyPicture(shown.subarray(from, to), 8, 8, image.peak),
        };
      }),
    );
  };
  const patches = await Promise.all(
    chosen.map(async (p, i) => ({
      label: 'AB'[i],
      x: 8 * (p % grid.columns),
      y: 8 * Math.floor(p / grid.columns),
      picture: await greyPicture(Y.subarray(64 * i, 64 * i + 64), 8, 8, image.peak),
    })),
  );
  const [joint, even] = [await code('qpm'), await code('omp')];
  setting.onProgress?.(1);
  return { image: name, budget: BUDGET, patches, joint, even, needed: atomsNeeded(D.atoms.data, Y) };
}

/** The indices of values, in ascending order of the values. */
function rank(values: Float64Array): number[] {
  return Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
}

/** With an orthonormal dictionary the best n atoms are those with the n largest coefficients; the rest is the error. */
function atomsNeeded(atoms: Float64Array, Y: Float64Array): number {
  const [a, b] = [0, 64].map((from) =>
    Array.from({ length: 64 }, (_, l) => {
      let c = 0;
      for (let n = 0; n < 64; n++) c += atoms[64 * l + n] * Y[from + n];
      return c * c;
    }).sort((x, y) => y - x),
  );
  const left = (squares: number[], used: number) => squares.slice(used).reduce((sum, square) => sum + square, 0);
  const enough = left(b, 1);
  for (let n = 0; n < 64; n++) if (left(a, n) <= enough) return n;
  return 64;
}

function squared(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0);
}

/** An atom in grey; zero is middle grey. */
function atomPicture(atom: Float64Array): Promise<Picture> {
  const largest = atom.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return greyPicture(
    atom.map((value) => 0.5 + value / (2 * largest)),
    8,
    8,
    1,
  );
}
