/**
 * How many atoms a noise level justifies, `budget: { sigma, rule: 'threshold' }`: what its rule says, computed here from its
 * definition, and as many as were recorded on a photograph. Another κ is noticed by both.
 */
import { describe, expect, it } from 'vitest';
import { completeDct, represent } from '../../src/index.js';
import { greyPhotograph } from '../photographs.js';
import { noisy } from '../pictures.js';

const solvers = ['qpm', 'admm', 'joint-omp', 'omp'] as const;
const SIDE = 192;
const PATCHES = (SIDE / 8) ** 2;
const clean = greyPhotograph('nagasaki-boats', SIDE);

/** All coefficients of all 8×8 patches side by side, by the definition of the orthonormal DCT-II. */
function dctCoefficients(plane: ArrayLike<number>): number[] {
  const cosine = (k: number, i: number) => Math.sqrt((k ? 2 : 1) / 8) * Math.cos(((2 * i + 1) * k * Math.PI) / 16);
  const table = Array.from({ length: 8 }, (_, k) => Array.from({ length: 8 }, (_value, i) => cosine(k, i)));
  return Array.from({ length: SIDE * SIDE }, (_, n) => {
    // Coefficient (kx, ky) of a patch is put where its sample (kx, ky) is.
    const [x, y] = [n % SIDE, Math.floor(n / SIDE)];
    const [kx, ky] = [x % 8, y % 8];
    let sum = 0;
    for (let j = 0; j < 8; j++) {
      for (let i = 0; i < 8; i++) sum += table[ky][j] * table[kx][i] * plane[(y - ky + j) * SIDE + x - kx + i];
    }
    return sum;
  });
}

/** The largest S such that v_(s) ≥ ln(M/s) for s = 1 … S, v falling. */
function worth(v: readonly number[]): number {
  const M = v.length;
  let S = 0;
  while (S < M && v[S] >= Math.log(M / (S + 1))) S++;
  return S;
}

describe('atoms that stand out from the noise', () => {
  it.each([5, 10, 20, 40])('on an orthonormal dictionary, σ = %i: exactly as the rule says', async (sigma) => {
    const kappa = 3.3;
    const input = noisy(await clean, sigma);
    const v = dctCoefficients(input.planes[0])
      .map((x) => x ** 2 / (kappa * sigma ** 2))
      .sort((a, b) => b - a);
    // v is resolved in steps of 1/256.
    const [fewest, most] = [-1 / 256, 1 / 256].map((step) => worth(v.map((value) => value + step)));
    expect(most).toBeLessThan(1.01 * fewest);
    for (const solver of solvers) {
      const { budget, nonzeros } = await represent(input, {
        ...{ solver, dictionary: completeDct(8), maxIterations: 2 },
        budget: { sigma, rule: 'threshold' },
      });
      // OMP uses the mean in every patch, in whole atoms.
      const shared = (S: number) => (solver === 'omp' ? Math.round(S / PATCHES) * PATCHES : S);
      expect(budget, solver).toBeGreaterThanOrEqual(shared(fewest));
      expect(budget, solver).toBeLessThanOrEqual(shared(most));
      expect(nonzeros, solver).toBe(budget);
    }
  });

  // Recorded by running this test: a failure prints the current number.
  it.each([
    [10, { qpm: 9571, admm: 8533, 'joint-omp': 7046, omp: 13248 }],
    [20, { qpm: 2698, admm: 2408, 'joint-omp': 2685, omp: 4032 }],
  ])('on the overcomplete DCT, σ = %i: as recorded, within 2%', async (sigma, recorded) => {
    const input = noisy(await clean, sigma);
    for (const solver of solvers) {
      const options = { solver, dictionary: 'paper', maxIterations: 2 } as const;
      const { nonzeros } = await represent(input, { ...options, budget: { sigma, rule: 'threshold' } });
      const change = nonzeros / recorded[solver] - 1;
      expect(Math.abs(change), `${solver}: ${nonzeros} atoms`).toBeLessThan(0.02);
    }
  });
});
