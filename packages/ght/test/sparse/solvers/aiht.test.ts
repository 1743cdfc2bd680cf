import { describe, expect, it } from 'vitest';
import type { Dictionary } from '../../../src/index.js';
import { aiht } from '../../../src/sparse/solvers/aiht.js';
import {
  correlationsOf,
  dictionaryOf,
  expectClose,
  imageOf,
  inner,
  minus,
  problem,
  signal,
  thresholded,
} from './definitions.js';

const squared = (a: readonly number[]) => inner(a, a);
const along = (x: readonly number[], a: number, d: readonly number[]) => x.map((value, i) => value + a * d[i]);
const supportOf = (x: readonly number[]) => x.map((value) => value !== 0).join();

/**
 * AIHT by its definition, as long as rounding does not decide the step size: once a code is optimal on its support, g_Γ is zero
 * up to rounding. Also counts how often the step was shortened and how often the over-relaxed code was used.
 */
function byDefinition(D: Dictionary, y: readonly number[], s: number, iterations: number) {
  const error = (x: readonly number[]) => squared(minus(y, imageOf(D, x)));
  let [x, last] = [new Array<number>(D.L).fill(0), new Array<number>(D.L).fill(0)];
  const errors: number[] = [];
  let [shortened, relaxed] = [0, 0];

  const step = () => {
    const g = correlationsOf(D, minus(y, imageOf(D, x)));
    const onSupport = x.some((value) => value !== 0)
      ? g.map((value, l) => (x[l] !== 0 ? value : 0))
      : thresholded(g, s);
    if (squared(onSupport) < 1e-12 * squared(g)) return undefined;
    let mu = squared(onSupport) / squared(imageOf(D, onSupport));
    for (;;) {
      const next = thresholded(along(x, mu, g), s);
      const move = minus(next, x);
      const stable = (0.99 * squared(move)) / squared(imageOf(D, move));
      if (supportOf(next) === supportOf(onSupport) || !(mu > stable)) return next;
      mu /= 2 * 0.99;
      shortened++;
    }
  };
  /** The minimiser of ‖y − D·‖² on the line through two codes. */
  const lineSearch = (z: readonly number[], from: readonly number[]) => {
    const d = minus(z, from);
    const Dd = imageOf(D, d);
    return squared(Dd) === 0 ? [...z] : along(z, inner(Dd, minus(y, imageOf(D, z))) / squared(Dd), d);
  };

  while (errors.length < iterations) {
    let next = step();
    if (!next) break;
    const over = thresholded(lineSearch(lineSearch(next, x), last), s);
    if (error(over) < error(next)) {
      next = over;
      relaxed++;
    }
    if (error(next) >= error(x)) break;
    [x, last] = [next, x];
    errors.push(error(x));
  }
  return { x, errors, shortened, relaxed };
}

describe('AIHT', () => {
  it.each([2, 3, 4])('with %i atoms takes the steps of its definition', (s) => {
    const [N, L, P] = [10, 20, 15];
    const { D, Y } = problem(N, L, P, s);
    const seen = { shortened: 0, relaxed: 0, refused: 0 };
    for (let p = 0; p < P; p++) {
      const decided = byDefinition(D, signal(Y, N, p), s, 7).errors.length;
      for (let maxIterations = 1; maxIterations <= decided; maxIterations++) {
        const { shortened, relaxed, ...expected } = byDefinition(D, signal(Y, N, p), s, maxIterations);
        const x = new Float64Array(L);
        const { errors, kept } = aiht(D, s, { maxIterations, tolerance: 0 })(Y, p * N, x);
        expectClose(x, expected.x, 8);
        expectClose(errors, expected.errors, 8);
        expect(kept).toEqual(expected.errors.map(() => s));
        seen.shortened += shortened;
        seen.relaxed += relaxed;
        seen.refused += errors.length - relaxed;
      }
    }
    // Every branch of the algorithm was taken.
    expect(seen.relaxed).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.shortened).toBeGreaterThan(0);
  });

  it('stops when the residual falls by less than the tolerance, with that iterate', () => {
    const { D, Y } = problem(10, 20, 1, 3);
    const course = (tolerance: number) =>
      aiht(D, 3, { maxIterations: 20, tolerance })(Y, 0, new Float64Array(20)).errors;
    const norms = Array.from(course(0), Math.sqrt);
    const fall = norms[0] - norms[1];
    expect(fall).toBeLessThan(Math.sqrt(squared(signal(Y, 10, 0))) - norms[0]);
    expect(course(fall * 1.001)).toHaveLength(2);
    expect(course(fall).length).toBeGreaterThan(2);
  });

  it('continues only while the error falls', () => {
    const { D, Y } = problem(10, 20, 6, 5);
    for (let p = 0; p < 6; p++) {
      const { errors } = aiht(D, 3, { maxIterations: 400, tolerance: 0 })(Y, 10 * p, new Float64Array(20));
      expect(errors.length).toBeLessThan(400);
      for (let k = 1; k < errors.length; k++) expect(errors[k]).toBeLessThan(errors[k - 1]);
    }
  });

  it('stops at once on an exact representation', () => {
    const axes = dictionaryOf([
      [2, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
    const x = new Float64Array(3);
    const { errors, kept } = aiht(axes, 1, { maxIterations: 9, tolerance: 0 })(Float64Array.of(6, 0, 0), 0, x);
    expect([...x]).toEqual([3, 0, 0]);
    expect([errors, kept]).toEqual([[0], [1]]);
    aiht(axes, 1, { maxIterations: 9, tolerance: 0 })(Float64Array.of(0, 1, 0), 0, x.fill(0));
    expect([...x]).toEqual([0, 1, 0]);
  });

  it('counts the atoms used, if fewer are needed than allowed', () => {
    const axes = dictionaryOf([
      [1, 0],
      [0, 1],
    ]);
    expect(
      aiht(axes, 2, { maxIterations: 9, tolerance: 0 })(Float64Array.of(0, 5), 0, new Float64Array(2)).kept,
    ).toEqual([1]);
  });

  it('does nothing with no atoms, no iterations, a zero signal or only orthogonal atoms', () => {
    const { D, Y } = problem(5, 8, 1, 1);
    const nothing = (dictionary: Dictionary, s: number, maxIterations: number, y: Float64Array) => {
      const x = new Float64Array(dictionary.L);
      const { errors, kept } = aiht(dictionary, s, { maxIterations, tolerance: 0 })(y, 0, x);
      expect(Math.max(...x.map(Math.abs), errors.length, kept.length)).toBe(0);
    };
    nothing(D, 0, 5, Y);
    nothing(D, 2, 0, Y);
    nothing(D, 2, 5, new Float64Array(5));
    nothing(dictionaryOf([[1, 0]]), 1, 5, Float64Array.of(0, 1));
  });
});
