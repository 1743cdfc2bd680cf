import { OptionError, wholeNumber } from '../../errors.js';
import { dctEntry } from '../../math/dct.js';
import { type Matrix, matrix } from '../../math/matrix.js';
import { type Dictionary, separableDictionary } from './dictionary.js';

/**
 * The overcomplete DCT for `patch`×`patch` patches with `atoms`×`atoms` atoms; 8 and 10 give the paper's 64×100.
 * In one dimension atom k is cos(n k π / m) with its mean removed for k > 0, scaled to norm 1; D = D₁ ⊗ D₁.
 */
export function overcompleteDct(patch = 8, atoms = 10): Dictionary {
  wholeNumber('patch', patch, 1, 32, 'use a side such as 8');
  wholeNumber('atoms', atoms, 1, 64, 'use a number per side such as 10');
  const D1 = matrix(patch, atoms, (n, k) => Math.cos((n * k * Math.PI) / atoms));
  for (let k = 0; k < atoms; k++) normaliseAtom(D1, k);
  return separableDictionary(D1, D1, 'overcomplete DCT');
}

/** Removes the mean of every atom except the constant one, and scales the atom to norm 1. */
function normaliseAtom(D1: Matrix, k: number): void {
  const atom = D1.data.subarray(k * D1.rows, (k + 1) * D1.rows);
  const mean = atom.reduce((sum, value) => sum + value, 0) / atom.length;
  if (k > 0) for (let n = 0; n < atom.length; n++) atom[n] -= mean;
  const norm = Math.sqrt(atom.reduce((sum, value) => sum + value * value, 0));
  if (norm < 1e-12) {
    const remedy = 'with a patch of one pixel use one atom';
    throw new OptionError('atoms', `must leave no atom empty for patch ${D1.rows}`, D1.cols, remedy);
  }
  for (let n = 0; n < atom.length; n++) atom[n] /= norm;
}

/** The complete orthonormal DCT-II for `patch`×`patch` patches: as many atoms as samples (the paper's Figure 1). */
export function completeDct(patch = 8): Dictionary {
  wholeNumber('patch', patch, 1, 32, 'use a side such as 8');
  const D1 = matrix(patch, patch, (n, k) => dctEntry(patch, k, n));
  return separableDictionary(D1, D1, 'complete DCT');
}
