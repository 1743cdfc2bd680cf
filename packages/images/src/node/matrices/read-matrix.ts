/** Matrices from files: `.npy`, and one variable of a `.npz` or `.mat`, which `file.mat:NAME` names. */

import { extname } from 'node:path';
import type { Refuse } from '../../refuse.js';
import { readBytes } from '../files.js';
import { readArray, refusing } from '../read-image.js';
import type { DenseMatrix, Variable } from './matrix.js';
import { variablesOfMat } from './read-mat.js';
import { denseOf, variablesOfNpz } from './read-npz.js';

/** A file of matrices, and the name of one of them if it is given. */
export interface MatrixPath {
  /** The path of the file. */
  readonly path: string;
  /** The variable in it; absent if none is named. */
  readonly variable?: string;
}

/** `file.npz:NAME` and `file.mat:NAME` apart; other paths stay whole. */
export function matrixPath(text: string): MatrixPath {
  const [, path, variable] = /^(.+\.(?:npz|mat)):([^:/\\]+)$/i.exec(text) ?? [];
  return path === undefined ? { path: text } : { path, variable };
}

/**
 * Reads a matrix of real numbers: from a `.npy` file, or a variable of a `.npz` or `.mat` file, also a sparse one. If none is named it is
 * the only matrix in the file, or the one called `usual`.
 *
 * @param most - The most bytes of the file.
 */
export async function readMatrix(
  text: string,
  parameter: string,
  usual: string,
  most?: number,
): Promise<DenseMatrix & { readonly variable?: string }> {
  const { path, variable } = matrixPath(text);
  const refuse = refusing(path, parameter);
  const kind = extname(path).toLowerCase();
  if (kind !== '.mat' && kind !== '.npz') return denseOf('it', await readArray(path, parameter, most), refuse);
  const bytes = await readBytes(path, parameter, { most });
  const variables = kind === '.mat' ? variablesOfMat(bytes, refuse) : variablesOfNpz(bytes, parameter, refuse);
  const chosen = choose(variables, variable, usual, refuse);
  return { ...(await chosen.read()), variable: chosen.name };
}

function choose(variables: readonly Variable[], name: string | undefined, usual: string, refuse: Refuse): Variable {
  const list = (some: readonly Variable[]) =>
    some
      .map((each) => each.name.replace(/[^ -~]/g, '?'))
      .join(', ')
      .slice(0, 120) || 'nothing';
  if (name !== undefined) {
    const found = variables.find((each) => each.name === name);
    if (found) return found;
    throw refuse(`must have the variable ${name}, and it has ${list(variables)}`, 'write a name that is in the file');
  }
  const matrices = variables.filter(({ isMatrix }) => isMatrix);
  const found = matrices.length === 1 ? matrices[0] : matrices.find((each) => each.name === usual);
  if (found) return found;
  if (matrices.length > 0) {
    const remedy = `write its name after the file: file:${matrices[0].name.replace(/[^ -~]/g, '?')}`;
    throw refuse(`must name one of its variables (${list(matrices)})`, remedy);
  }
  throw refuse(`must hold a real matrix, and it has ${list(variables)}`, 'save one signal or atom per column');
}
