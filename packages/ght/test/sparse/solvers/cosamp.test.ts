import { describe, expect, it } from 'vitest';
import type { Dictionary } from '../../../src/index.js';
import { cosamp } from '../../../src/sparse/solvers/cosamp.js';
import {
  atomsOf,
  correlationsOf,
  dictionaryOf,
  expectClose,
  imageOf,
  inner,
  largestOf,
  leastSquares,
  minus,
  problem,
  signal,
  thresholded,
} from './definitions.js';

/** CoSaMP by its definition, with the error of each iterate that was better than the one before. */
function byDefinition(D: Dictionary, y: readonly number[], s: number, iterations: number) {
  let best = new Array<number>(D.L).fill(0);
  let v = [...y];
  const errors: number[] = [];
  while (errors.length < iterations) {
    const support = [...new Set([...largestOf(correlationsOf(D, v), 2 * s), ...largestOf(best, s)])];
    const columns = support.map((l) => atomsOf(D)[l]);
    const b = new Array<number>(D.L).fill(0);
    leastSquares(columns, y).x.forEach((value, i) => {
      b[support[i]] = value;
    });
    const a = thresholded(b, s);
    const residual = minus(y, imageOf(D, a));
    if (inner(residual, residual) >= inner(v, v)) break;
    [best, v] = [a, residual];
    errors.push(inner(v, v));
  }
  return { x: best, errors };
}

describe('CoSaMP', () => {
  it.each([1, 2, 3])('with %i atoms takes the steps of its definition, until the error would rise', (s) => {
    const [N, L, P] = [14, 24, 12];
    const { D, Y } = problem(N, L, P, s);
    const courses: number[] = [];
    for (const maxIterations of [1, 2, 10]) {
      const solve = cosamp(D, s, { maxIterations, tolerance: 0 });
      for (let p = 0; p < P; p++) {
        const expected = byDefinition(D, signal(Y, N, p), s, maxIterations);
        const x = new Float64Array(L);
        const { errors, kept } = solve(Y, p * N, x);
        expectClose(x, expected.x);
        expectClose(errors, expected.errors);
        expect(kept).toEqual(expected.errors.map(() => s));
        courses.push(errors.length);
      }
    }
    // Some continue to the second iteration, and none to the tenth.
    expect(courses).toContain(2);
    expect(Math.max(...courses)).toBeLessThan(10);
  });

  it('stops when the residual falls by less than the tolerance, with that iterate', () => {
    // For y = (3, 4, 12) two atoms leave a residual of 3, and no more are allowed: ‖y‖ falls from 13 to 3, by 10.
    const axes = dictionaryOf([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
    const y = Float64Array.of(3, 4, 12);
    for (const tolerance of [9.9, 10.1]) {
      const x = new Float64Array(3);
      const { errors } = cosamp(axes, 2, { maxIterations: 5, tolerance })(y, 0, x);
      expectClose(x, [0, 4, 12]);
      expectClose(errors, [9]);
    }
    const { D, Y } = problem(14, 24, 12, 2);
    const long = Array.from({ length: 12 }, (_, p) => byDefinition(D, signal(Y, 14, p), 2, 10).errors);
    const p = long.findIndex((errors) => errors.length > 1);
    const course = (tolerance: number) =>
      cosamp(D, 2, { maxIterations: 10, tolerance })(Y, 14 * p, new Float64Array(24)).errors;
    const fall = Math.sqrt(inner(signal(Y, 14, p), signal(Y, 14, p))) - Math.sqrt(course(0)[0]);
    expect(course(fall * 1.001)).toHaveLength(1);
    expect(course(fall).length).toBeGreaterThan(1);
  });

  it('represents signals and correlations of any magnitude', () => {
    const axes = dictionaryOf([
      [1, 0],
      [0, 1],
    ]);
    for (const y of [
      [1, 2],
      [0.01, 0.02],
    ]) {
      const x = new Float64Array(2);
      cosamp(axes, 2, { maxIterations: 5, tolerance: 0 })(Float64Array.from(y), 0, x);
      expectClose(x, y);
    }
  });

  it('does nothing with no atoms, no iterations or a zero signal', () => {
    const { D, Y } = problem(5, 8, 1, 1);
    const nothing = (s: number, maxIterations: number, y: Float64Array) => {
      const x = new Float64Array(8);
      const { errors, kept } = cosamp(D, s, { maxIterations, tolerance: 0 })(y, 0, x);
      expect([...x, errors.length, kept.length]).toEqual(new Array(10).fill(0));
    };
    nothing(0, 5, Y);
    nothing(2, 0, Y);
    nothing(2, 5, new Float64Array(5));
  });
});
