import { describe, expect, it } from 'vitest';
import { correlations, factor, qpmStep } from '../../../src/sparse/solvers/qpm.js';
import { finish } from '../../../src/work.js';
import {
  atomsOf,
  correlationsOf,
  expectClose,
  inner,
  problem,
  signal,
  solved,
  thresholded,
  watched,
} from './definitions.js';

const [N, L, P, rho] = [3, 5, 4, 0.7];
const { D, Y } = problem(N, L, P, 1);
const system = atomsOf(D).map((a, i) => atomsOf(D).map((b, j) => inner(a, b) + (i === j ? rho : 0)));

describe('one step of GHT-QPM', () => {
  it('solves (DᵀD + ρI)X = DᵀY + ρZ for every patch and keeps the S largest of all', () => {
    const before = problem(L, 1, P, 2).Y;
    const Z = before.slice();
    const X = new Float64Array(L * P);
    const selection = finish(qpmStep(factor(D, rho), correlations(D, Y, P), X, Z, rho, 17));
    const expected = Array.from({ length: P }, (_, p) => {
      const Dy = correlationsOf(D, signal(Y, N, p));
      return solved(
        system,
        Dy.map((value, l) => value + rho * before[p * L + l]),
      );
    }).flat();
    expectClose(X, expected);
    expectClose(Z, thresholded(expected, 17));
    expect(selection.kept).toBe(17);
  });

  it('reports progress every 64 patches', () => {
    const many = problem(2, 4, 128, 3);
    const [X, Z] = [new Float64Array(512), new Float64Array(512)];
    const step = qpmStep(factor(many.D, rho), correlations(many.D, many.Y, 128), X, Z, rho, 10);
    expect(watched(step).fractions).toEqual([0, 64 / 128]);
  });
});

it('a ρ that leaves the system indefinite is rejected', () => {
  expect(() => factor(D, -1)).toThrow('rho must keep DᵀD + ρI positive definite, but got -1');
});
