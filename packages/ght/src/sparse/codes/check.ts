/** Checks codes, from a file or from a caller, before their pointers are used. */
import { InputError, kindOf } from '../../errors.js';
import type { Codes } from './codes.js';
import type { NpyData } from './npy.js';

/** Codes whose numbers may not yet fit the types of `Codes`. */
export interface Columns {
  readonly L: number;
  readonly P: number;
  readonly indptr: NpyData;
  readonly indices: NpyData;
  readonly values: NpyData;
}

/** The caller's names for the codes and their values, and the remedy for each kind of error. */
export interface Naming {
  readonly codes: string;
  readonly values: string;
  readonly pointers: string;
  readonly lengths: string;
  readonly order: string;
}

/** Rejects arrays that are not a valid CSC matrix. The order of the atoms is not checked here. */
export function checkColumns({ L, P, indptr, indices, values }: Columns, naming: Naming): void {
  const { codes, values: label } = naming;
  const sizes = [L, P].every((n) => Number.isInteger(n) && n >= 0 && n < 2 ** 31);
  if (!sizes) {
    const rule = 'must be atoms × patches, whole numbers from 0 to 2147483647';
    throw new InputError(`${codes}.shape`, rule, `${L}×${P}`, 'give the size of the matrix');
  }
  if (indptr.length !== P + 1) {
    const rule = `must hold ${P + 1} numbers, one more than there are patches`;
    throw new InputError(`${codes}.indptr`, rule, indptr.length, naming.pointers);
  }
  if (indptr[0] !== 0) throw new InputError(`${codes}.indptr`, 'must begin with 0', indptr[0], naming.pointers);
  for (let p = 0; p < P; p++) {
    if (indptr[p + 1] < indptr[p]) {
      throw new InputError(
        `${codes}.indptr[${p + 1}]`,
        `must be at least ${indptr[p]}`,
        indptr[p + 1],
        naming.pointers,
      );
    }
  }
  for (const [array, { length }] of [['indices', indices] as const, [label, values] as const]) {
    if (length !== indptr[P]) {
      const rule = `must hold the ${indptr[P]} numbers that indptr ends with`;
      throw new InputError(`${codes}.${array}`, rule, length, naming.lengths);
    }
  }
  const stray = indices.findIndex((atom: number) => !(atom >= 0 && atom < L));
  if (stray >= 0) {
    const rule = `must be an atom, from 0 to ${L - 1}`;
    throw new InputError(`${codes}.indices[${stray}]`, rule, indices[stray], 'check the shape: it is atoms × patches');
  }
  const bad = values.findIndex((value: number) => !Number.isFinite(value));
  if (bad >= 0) {
    const remedy = 'replace NaN and infinities first';
    throw new InputError(`${codes}.${label}[${bad}]`, 'must be a finite number', values[bad], remedy);
  }
}

/** Rejects atoms that are not in strictly rising order within each patch. */
export function checkRising({ P, indptr, indices }: Codes, { codes, order }: Naming): void {
  for (let p = 0; p < P; p++) {
    for (let n = indptr[p] + 1; n < indptr[p + 1]; n++) {
      if (indices[n] > indices[n - 1]) continue;
      const rule = `must be above ${indices[n - 1]}, the atom before it in patch ${p}`;
      throw new InputError(`${codes}.indices[${n}]`, rule, indices[n], order);
    }
  }
}

const AS_THEY_WERE = 'give the codes of a result as they are';

/** Rejects codes that are not L×P or not valid {@link Codes}. */
export function checkCodes(parameter: string, codes: Codes, L: number, P: number): void {
  const sized = typeof codes === 'object' && codes !== null;
  if (!sized || codes.L !== L || codes.P !== P) {
    const value = sized ? `${codes.L}×${codes.P}` : codes;
    const remedy = 'use codes made for the same patches and atoms';
    throw new InputError(parameter, `must be codes of size ${L}×${P}`, value, remedy);
  }
  for (const [array, kind] of [
    ['indptr', 'Int32Array'],
    ['indices', 'Int32Array'],
    ['values', 'Float64Array'],
  ] as const) {
    if (kindOf(codes[array]) === kind) continue;
    throw new InputError(`${parameter}.${array}`, `must be of type ${kind}`, kindOf(codes[array]), AS_THEY_WERE);
  }
  const remedies = { pointers: AS_THEY_WERE, lengths: AS_THEY_WERE, order: 'sort them, and leave each atom once' };
  const naming = { codes: parameter, values: 'values', ...remedies };
  checkColumns(codes, naming);
  checkRising(codes, naming);
}
