import { describe, expect, it } from 'vitest';
import { signalsIn } from '../../../src/image/signals.js';
import { overcompleteDct } from '../../../src/index.js';
import { significantAtoms } from '../../../src/sparse/solvers/significant.js';
import { finish } from '../../../src/work.js';
import { atomsOf, dictionaryOf, inner, problem, signal, solved, watched } from './definitions.js';

/** S by its definition: all v = X² / (price ‖k‖²) sorted, and the largest S with v_(S) ≥ ln(LP/S) for it and all before. */
function byDefinition(D: ReturnType<typeof dictionaryOf>, Y: Float64Array, rho: number, price: number): number {
  const [atoms, P] = [atomsOf(D), Y.length / D.N];
  const unit = (n: number) => Array.from({ length: D.N }, (_, i) => Number(i === n));
  const system = Array.from({ length: D.N }, (_, i) =>
    Array.from({ length: D.N }, (_, j) => atoms.reduce((sum, atom) => sum + atom[i] * atom[j], i === j ? rho : 0)),
  );
  // Row l of K = Dᵀ(DDᵀ + ρI)⁻¹.
  const K = atoms.map((atom) => Array.from({ length: D.N }, (_, n) => inner(solved(system, atom), unit(n))));
  const values = Array.from({ length: P }, (_, p) =>
    K.map((row) => inner(row, signal(Y, D.N, p)) ** 2 / (price * inner(row, row))),
  )
    .flat()
    .sort((a, b) => b - a);
  const first = values.findIndex((value, i) => value < Math.log(values.length / (i + 1)));
  return first < 0 ? values.length : first;
}

describe('the threshold rule', () => {
  it.each([
    [5, 8, 40, 0.3, 0.8],
    [6, 9, 60, 2, 0.35],
    [8, 8, 50, 0.1, 0.4],
  ])(
    'counts the coefficients that stand out by its definition: %i samples, %i atoms, %i patches',
    (N, L, P, rho, price) => {
      const { D, Y } = problem(N, L, P, N);
      const expected = byDefinition(D, Y, rho, price);
      expect(expected).toBeGreaterThan(P / 10);
      expect(expected).toBeLessThan(Math.min(N, L) * P);
      // Values are resolved in steps of 1/256, so a few at the threshold may go either way.
      expect(Math.abs(finish(significantAtoms(D, signalsIn(Y, N), rho, price)) - expected)).toBeLessThanOrEqual(2);
    },
  );

  it('finds nothing in zero signals, and at most as many atoms as samples if everything stands out', () => {
    const { D, Y } = problem(4, 9, 5, 1);
    expect(finish(significantAtoms(D, signalsIn(new Float64Array(20), 4), 0.3, 1))).toBe(0);
    expect(finish(significantAtoms(D, signalsIn(Y, 4), 0.3, 1e-9))).toBe(4 * 5);
    // Zero signals contribute nothing, even if everything else stands out.
    const axes = dictionaryOf([
      [1, 0],
      [0, 1],
    ]);
    expect(finish(significantAtoms(axes, signalsIn(Float64Array.of(5, 5, 5, 0), 2), 0.3, 1e-9))).toBe(3);
    const few = problem(9, 4, 5, 1);
    expect(finish(significantAtoms(few.D, signalsIn(few.Y, 9), 0.3, 1e-9))).toBe(4 * 5);
  });

  it('reports progress every 64 patches', () => {
    const D = overcompleteDct(2, 3);
    const work = significantAtoms(D, signalsIn(new Float64Array(130 * D.N), D.N), 1, 1);
    expect(watched(work).fractions).toEqual([0, 64 / 130, 128 / 130]);
  });
});
