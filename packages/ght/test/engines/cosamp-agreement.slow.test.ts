/**
 * CoSaMP on the engines. The page leaves two things open: which atoms to keep when magnitudes are equal, and which of all best fits to
 * take when the merged support T is linearly dependent, as it always is with more than N atoms. The reference takes the shortest fit;
 * wasm fits on the atoms of T that are independent of those before them. After pruning, those are different codes. For all other
 * patches the engines have the same codes.
 */
import { describe, expect, it } from 'vitest';
import type { Dictionary } from '../../src/index.js';
import {
  denseDictionary,
  denseFromCodes,
  gaussianDictionary,
  overcompleteDct,
  randomSource,
  reconstruct,
  solve,
} from '../../src/index.js';
import { gramMatrix } from '../../src/sparse/dictionary/dictionary.js';
import {
  atomsOf,
  correlationsOf,
  imageOf,
  inner,
  largestOf,
  leastSquares,
  minus,
  thresholded,
} from '../sparse/solvers/definitions.js';

const dictionaries: Readonly<Record<string, (side: number, atoms: number, seed: number) => Dictionary>> = {
  'overcomplete DCT': (side, atoms) => overcompleteDct(side, atoms),
  Gaussian: (side, atoms, seed) => gaussianDictionary(side * side, atoms * atoms, seed),
  coherent: (side, atoms, seed) => {
    const { normal } = randomSource(seed);
    const common = Array.from({ length: side * side }, normal);
    const data = Float64Array.from(
      { length: (side * atoms) ** 2 },
      (_, i) => common[i % common.length] + 0.1 * normal(),
    );
    return denseDictionary(side * side, atoms * atoms, data);
  },
};

/** A problem of a few patches, with about half of the budgets beyond N/3 atoms per patch, where T may have more than N atoms. */
function randomProblem(kind: string, seed: number) {
  const { uniform, normal } = randomSource(seed);
  const side = 3 + Math.floor(3 * uniform());
  const D = dictionaries[kind](side, side + Math.floor(3 * uniform()), seed);
  const s = 1 + Math.floor((uniform() * D.N) / 1.6);
  const Y = Float64Array.from({ length: 6 * D.N }, () => 128 + 60 * normal());
  return { D, s, Y };
}

/**
 * The least margin of all decisions that CoSaMP takes on a patch: the pivots of the merged supports, relative to the squared norms of
 * the atoms, and the relative distances of the magnitudes on the two sides of each selection.
 */
function leastMargin(D: Dictionary, y: readonly number[], s: number, iterations: number): number {
  const G = gramMatrix(D).data;
  let [a, v, margin] = [new Array<number>(D.L).fill(0), [...y], 1];
  for (let k = 0; k < iterations; k++) {
    const u = correlationsOf(D, v);
    const T = [...new Set([...largestOf(u, 2 * s), ...a.flatMap((value, l) => (value === 0 ? [] : [l]))])];
    margin = Math.min(margin, gapAt(u, 2 * s), leastPivot(T, G, D.L));
    // A dependent support decides nothing that could be compared from here on.
    if (margin < 1e-9) return 0;
    const b = new Array<number>(D.L).fill(0);
    const { x } = leastSquares(
      T.map((l) => atomsOf(D)[l]),
      y,
    );
    for (const [i, l] of T.entries()) b[l] = x[i];
    margin = Math.min(margin, gapAt(b, s));
    const next = thresholded(b, s);
    const residual = minus(y, imageOf(D, next));
    margin = Math.min(margin, Math.abs(inner(residual, residual) / inner(v, v) - 1) || 1);
    if (inner(residual, residual) >= inner(v, v)) break;
    [a, v] = [next, residual];
  }
  return margin;
}

/** How far the first `count` magnitudes are from the others, relative to the largest of all. */
function gapAt(values: readonly number[], count: number): number {
  const sizes = values.map(Math.abs).sort((a, b) => b - a);
  return count >= sizes.length || sizes[0] === 0 ? 1 : (sizes[count - 1] - sizes[count]) / sizes[0];
}

/** The least pivot of the Cholesky factorisation of the Gram matrix of some atoms, relative to its diagonal. */
function leastPivot(T: readonly number[], G: Float64Array, L: number): number {
  const rows: number[][] = [];
  let least = 1;
  const order = [...T].sort((a, b) => a - b);
  for (const [i, atom] of order.entries()) {
    const row: number[] = [];
    for (let j = 0; j < i; j++) {
      const sum = row.reduce((total, value, k) => total + value * rows[j][k], 0);
      row.push((G[order[j] * L + atom] - sum) / rows[j][j]);
    }
    const diagonal = G[atom * L + atom];
    const pivot = diagonal - row.reduce((total, value) => total + value * value, 0);
    least = Math.min(least, pivot / diagonal);
    if (!(least > 1e-12)) return 0;
    row.push(Math.sqrt(pivot));
    rows.push(row);
  }
  return least;
}

describe.each(Object.keys(dictionaries))('CoSaMP with the dictionary %s', (kind) => {
  it('has the same codes on all engines unless a decision is within rounding, and always the error of its codes', async () => {
    let [clear, open] = [0, 0];
    for (let seed = 1; seed <= 40; seed++) {
      const { D, s, Y } = randomProblem(kind, seed);
      const options = {
        solver: 'cosamp',
        budget: { perPatch: s },
        peak: 255,
        maxIterations: 6,
        tolerance: 0,
        threads: 1,
      } as const;
      const [reference, portable, wasm] = await Promise.all(
        (['reference', 'portable', 'wasm'] as const).map((engine) => solve(D, Y, { ...options, engine })),
      );
      for (const { codes, rmse } of [reference, portable, wasm]) {
        const image = reconstruct(D, codes);
        const squared = Y.reduce((sum, value, i) => sum + (value - image[i]) ** 2, 0);
        expect(rmse / Math.sqrt(squared / 6)).toBeCloseTo(1, 4);
        expect(Math.max(...codes.indptr.slice(1).map((end, p) => end - codes.indptr[p]))).toBeLessThanOrEqual(s);
      }
      expect(denseFromCodes(portable.codes)).toEqual(denseFromCodes(reference.codes));
      const [exact, fast] = [reference, wasm].map(({ codes }) => reconstruct(D, codes));
      for (let p = 0; p < 6; p++) {
        const y = Array.from(Y.subarray(p * D.N, (p + 1) * D.N));
        const distance = Math.max(...y.map((_, n) => Math.abs(exact[p * D.N + n] - fast[p * D.N + n])));
        if (leastMargin(D, y, s, 6) > 1e-4) {
          clear++;
          expect(distance, `seed ${seed}, patch ${p}`).toBeLessThan(1);
        } else {
          open++;
        }
      }
    }
    expect(clear).toBeGreaterThan(40);
    expect(open).toBeGreaterThan(40);
  });
});
