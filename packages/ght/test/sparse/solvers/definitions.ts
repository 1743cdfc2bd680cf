/** Small linear algebra by its definitions, on plain arrays, to compare the solvers with. */
import { expect } from 'vitest';
import type { Dictionary } from '../../../src/index.js';
import { denseDictionary, randomSource } from '../../../src/index.js';
import type { Work } from '../../../src/work.js';

/** A dictionary of random atoms with norms from 0.5 to 2, and P random signals. */
export function problem(N: number, L: number, P: number, seed: number): { D: Dictionary; Y: Float64Array } {
  const random = randomSource(seed);
  const atoms = Array.from({ length: L }, () => {
    const atom = Array.from({ length: N }, () => random.normal());
    const scale = (0.5 + 1.5 * random.uniform()) / Math.sqrt(inner(atom, atom));
    return atom.map((value) => scale * value);
  });
  return { D: dictionaryOf(atoms), Y: Float64Array.from({ length: N * P }, () => random.normal()) };
}

export function dictionaryOf(atoms: readonly (readonly number[])[]): Dictionary {
  return denseDictionary(atoms[0].length, atoms.length, atoms.flat());
}

export const atomsOf = ({ N, L, atoms }: Dictionary): number[][] =>
  Array.from({ length: L }, (_, l) => [...atoms.data.subarray(l * N, (l + 1) * N)]);

export const signal = (Y: Float64Array, N: number, p: number): number[] => [...Y.subarray(p * N, (p + 1) * N)];

export const inner = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i], 0);

export const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((value, i) => value - b[i]);

/** D x. */
export const imageOf = (D: Dictionary, x: readonly number[]): number[] =>
  atomsOf(D).reduce((sum, atom, l) => sum.map((value, n) => value + x[l] * atom[n]), new Array<number>(D.N).fill(0));

/** Dᵀ y. */
export const correlationsOf = (D: Dictionary, y: readonly number[]): number[] =>
  atomsOf(D).map((atom) => inner(atom, y));

/** The indices of the s largest magnitudes, without zeros; ties go to the lowest index. */
export const largestOf = (x: readonly number[], s: number): number[] =>
  [...x.keys()]
    .filter((i) => x[i] !== 0)
    .sort((a, b) => Math.abs(x[b]) - Math.abs(x[a]) || a - b)
    .slice(0, s);

/** H_s. */
export function thresholded(x: readonly number[], s: number): number[] {
  const kept = new Set(largestOf(x, s));
  return x.map((value, i) => (kept.has(i) ? value : 0));
}

/** The solution of A x = b by elimination with pivoting. */
export function solved(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = A.map((row, i) => [...row, b[i]]);
  for (let c = 0; c < rows.length; c++) {
    const pivot = rows
      .slice(c)
      .reduce((best, row, i) => (Math.abs(row[c]) > Math.abs(rows[best][c]) ? c + i : best), c);
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = 0; r < rows.length; r++) {
      if (r === c) continue;
      const factor = rows[r][c] / rows[c][c];
      rows[r] = rows[r].map((value, j) => value - factor * rows[c][j]);
    }
  }
  return rows.map((row, i) => row[rows.length] / row[i]);
}

/** argmin ‖Σ xᵢ columnᵢ − y‖² for independent columns, and that minimum. */
export function leastSquares(columns: readonly (readonly number[])[], y: readonly number[]) {
  const x = solved(
    columns.map((a) => columns.map((b) => inner(a, b))),
    columns.map((a) => inner(a, y)),
  );
  const residual = columns.reduce((rest, column, i) => rest.map((value, n) => value - x[i] * column[n]), [...y]);
  return { x, error: inner(residual, residual) };
}

/** Order-recursive pursuit by trying every atom: the support in order, and the errors after 0, 1, … atoms. */
export function bruteForcePursuit(D: Dictionary, y: readonly number[], depth: number) {
  const atoms = atomsOf(D);
  const support: number[] = [];
  const errors = [inner(y, y)];
  while (support.length < depth) {
    const candidates = [...atoms.keys()].filter((l) => !support.includes(l));
    const after = candidates.map(
      (l) =>
        leastSquares(
          [...support, l].map((j) => atoms[j]),
          y,
        ).error,
    );
    const least = Math.min(...after);
    support.push(candidates[after.indexOf(least)]);
    errors.push(least);
  }
  return { support, errors };
}

/** The fractions that work yields, and its result. */
export function watched<T>(work: Work<T>): { fractions: number[]; result: T } {
  const fractions: number[] = [];
  for (;;) {
    const next = work.next();
    if (next.done) return { fractions, result: next.value };
    fractions.push(next.value);
  }
}

export function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, digits = 9): void {
  expect(actual).toHaveLength(expected.length);
  for (let i = 0; i < expected.length; i++) expect(actual[i]).toBeCloseTo(expected[i], digits);
}
