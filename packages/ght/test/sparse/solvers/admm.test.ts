import { describe, expect, it } from 'vitest';
import { admmStep } from '../../../src/sparse/solvers/admm.js';
import { correlations, factor } from '../../../src/sparse/solvers/qpm.js';
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

describe('one step of GHT-ADMM', () => {
  it('updates X, Z and Λ by the equations of its module', () => {
    const [Z0, Lambda0] = [problem(L, 1, P, 2).Y, problem(L, 1, P, 3).Y];
    const [X, Z, Lambda] = [new Float64Array(L * P), Z0.slice(), Lambda0.slice()];
    const selection = finish(admmStep(factor(D, rho), correlations(D, Y, P), X, Z, Lambda, rho, 17));
    const newX = Array.from({ length: P }, (_, p) => {
      const Dy = correlationsOf(D, signal(Y, N, p));
      return solved(
        system,
        Dy.map((value, l) => value + rho * Z0[p * L + l] - Lambda0[p * L + l]),
      );
    }).flat();
    const newZ = thresholded(
      newX.map((value, i) => value + Lambda0[i] / rho),
      17,
    );
    expectClose(X, newX);
    expectClose(Z, newZ);
    expectClose(
      Lambda,
      newX.map((value, i) => Lambda0[i] + rho * (value - newZ[i])),
    );
    expect(selection.kept).toBe(17);
  });

  it('reports progress every 64 patches', () => {
    const many = problem(2, 4, 128, 3);
    const [X, Z, Lambda] = [new Float64Array(512), new Float64Array(512), new Float64Array(512)];
    const step = admmStep(factor(many.D, rho), correlations(many.D, many.Y, 128), X, Z, Lambda, rho, 10);
    expect(watched(step).fractions).toEqual([0, 64 / 128]);
  });
});
