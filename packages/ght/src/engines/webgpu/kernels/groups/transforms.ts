/** The transforms of denoisers/groups/transforms.ts, for patches in workgroup memory. */
import type { Matrix } from '../../../../math/matrix.js';
import { each, float, range } from './target.js';

/** Floats of a patch of n×n samples: a float more per row keeps threads that have rows, or columns, on different banks. */
export function patchFloats(n: number): number {
  return n * (n + 1);
}

/** out_k = Σ A_ki in_i, with literals for A: its zeros cost nothing. */
export function product(A: Matrix, input: (i: number) => string, output: (k: number, sum: string) => string): string {
  const n = A.rows;
  return each(n, (k) => {
    const sum = range(n).reduce((terms, i) => {
      const entry = A.data[i * n + k];
      if (entry === 0) return terms;
      return terms ? `fma(${float(entry)}, ${input(i)}, ${terms})` : `${float(entry)} * ${input(i)}`;
    }, '');
    return output(k, sum);
  });
}

/** Applies A to a line of the patch at `at` in `patches`: to a row or a column. */
export function alongLine(A: Matrix, direction: 'row' | 'column', at: string, line: string): string {
  const n = A.rows;
  const place = (i: number) =>
    direction === 'row' ? `${at} + ${line} * ${n + 1}u + ${i}u` : `${at} + ${i * (n + 1)}u + ${line}`;
  return `{
  ${each(n, (i) => `let a${i} = patches[${place(i)}];`)}
  ${product(
    A,
    (i) => `a${i}`,
    (k, sum) => `patches[${place(k)}] = ${sum};`,
  )}
}`;
}

/** One over the root of two. */
const HALF = float(Math.SQRT1_2);

/** Haar over the variables name0 … of a group: only over the first `count` of them, a power of two up to `most`. */
export function haar(name: string, most: number, count: string): string {
  return levels(most)
    .map((length) => {
      const half = length / 2;
      return `if (${count} >= ${length}u) {
  ${each(half, (k) => `let s${k} = (${name}${2 * k} + ${name}${2 * k + 1}) * ${HALF}; let d${k} = (${name}${2 * k} - ${name}${2 * k + 1}) * ${HALF};`)}
  ${each(half, (k) => `${name}${k} = s${k}; ${name}${half + k} = d${k};`)}
}`;
    })
    .join('\n');
}

/** The inverse of {@link haar}. */
export function inverseHaar(name: string, most: number, count: string): string {
  return levels(most)
    .reverse()
    .map((length) => {
      const half = length / 2;
      return `if (${count} >= ${length}u) {
  ${each(half, (k) => `let s${k} = (${name}${k} + ${name}${half + k}) * ${HALF}; let d${k} = (${name}${k} - ${name}${half + k}) * ${HALF};`)}
  ${each(half, (k) => `${name}${2 * k} = s${k}; ${name}${2 * k + 1} = d${k};`)}
}`;
    })
    .join('\n');
}

/** most, most / 2, …, 2. */
function levels(most: number): number[] {
  return range(Math.log2(most)).map((level) => most / 2 ** level);
}
