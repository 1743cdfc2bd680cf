import { describe, expect, it } from 'vitest';
import { pursuer } from '../../../src/sparse/solvers/pursuit.js';
import {
  atomsOf,
  bruteForcePursuit,
  correlationsOf,
  dictionaryOf,
  expectClose,
  imageOf,
  inner,
  leastSquares,
  minus,
  problem,
  signal,
} from './definitions.js';

const [N, L, P] = [5, 8, 4];
const { D, Y } = problem(N, L, P, 1);
const atoms = atomsOf(D);
const fitOf = (support: readonly number[], y: readonly number[]) =>
  leastSquares(
    support.map((l) => atoms[l]),
    y,
  );

/** OMP by its definition: repeatedly the atom most correlated with the residual of the least-squares fit. */
function matchingPursuit(y: readonly number[], depth: number) {
  const support: number[] = [];
  const errors = [inner(y, y)];
  while (support.length < depth) {
    const x = new Array<number>(L).fill(0);
    if (support.length > 0)
      fitOf(support, y).x.forEach((value, k) => {
        x[support[k]] = value;
      });
    const residual = minus(y, imageOf(D, x));
    const likeness = correlationsOf(D, residual).map((value, l) =>
      support.includes(l) ? -1 : Math.abs(value) / Math.sqrt(inner(atoms[l], atoms[l])),
    );
    support.push(likeness.indexOf(Math.max(...likeness)));
    errors.push(fitOf(support, y).error);
  }
  return { support, errors };
}

describe.each(['omp', 'order-recursive'] as const)('pursuit by the rule %s', (rule) => {
  const pursue = pursuer(D, rule);

  it.each([0, 1, 2, 3, 4])('follows its definition with %i atoms', (depth) => {
    for (let p = 0; p < P; p++) {
      const y = signal(Y, N, p);
      const expected = rule === 'omp' ? matchingPursuit(y, depth) : bruteForcePursuit(D, y, depth);
      const { count, support, errors, coefficients } = pursue(Y, p * N, depth);
      expect(count).toBe(depth);
      expect([...support.subarray(0, depth)]).toEqual(expected.support);
      expectClose(errors.subarray(0, depth + 1), expected.errors);
      expectClose(coefficients(), depth === 0 ? [] : fitOf(expected.support, y).x);
    }
  });

  it('ends with as many atoms as there are samples or atoms', () => {
    expect(pursue(Y, 0, 100).count).toBe(N);
    const few = problem(6, 3, 1, 2);
    expect(pursuer(few.D, rule)(few.Y, 0, 100).count).toBe(3);
  });

  it('takes the first of equal atoms, and no zero atom', () => {
    const equal = dictionaryOf([
      [0, 0],
      [3, 4],
      [3, 4],
      [-3, -4],
    ]);
    const { count, support, coefficients } = pursuer(equal, rule)(Float64Array.of(6, 8), 0, 2);
    expect([count, support[0], coefficients()[0]]).toEqual([1, 1, 2]);
  });

  it('adds an atom that is 1e-5 from the span of the support, exactly, and none that is 1e-7 from it', () => {
    const away = (distance: number, scale = 1) =>
      dictionaryOf([
        [scale, 0, 0],
        [scale, scale * distance, 0],
        [0, 0, 1],
      ]);
    const y = Float64Array.of(2, 1, 0.5);
    const near = pursuer(away(1e-5), rule)(y, 0, 3);
    expect(near.count).toBe(3);
    expect(near.errors[3]).toBeLessThan(1e-18);
    // y = 1e5 d₂ + (2 − 1e5) d₁ + d₃ / 2.
    const x = new Float64Array(3);
    near.coefficients().forEach((value, k) => {
      x[near.support[k]] = value;
    });
    expect(x[1] / 1e5).toBeCloseTo(1, 8);
    expect(x[0] + x[1]).toBeCloseTo(2, 8);
    expect(x[2]).toBeCloseTo(0.5, 8);
    // For any scale.
    for (const scale of [1, 1000]) {
      expect(pursuer(away(1e-5, scale), rule)(y, 0, 3).count).toBe(3);
      expect(pursuer(away(1e-7, scale), rule)(y, 0, 3).count).toBe(2);
    }
  });

  it('continues down to 1e-11 of the signal, and ignores 1e-13', () => {
    const axes = dictionaryOf([
      [1, 0],
      [0, 1],
    ]);
    for (const scale of [1, 1000]) {
      expect(pursuer(axes, rule)(Float64Array.of(scale, 1e-11 * scale), 0, 2).count).toBe(2);
      expect(pursuer(axes, rule)(Float64Array.of(scale, 1e-13 * scale), 0, 2).count).toBe(1);
    }
  });
});
