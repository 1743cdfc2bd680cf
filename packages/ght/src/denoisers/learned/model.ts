/** The learned model as data, and the reader of its file. */

import { InputError } from '../../errors.js';
import { readWeights } from './weights.js';

/** The side of the square that an atom covers, and the distance of neighbouring atoms, in pixels. */
export const PATCH = 8;
export const STRIDE = 2;
/** Samples per atom. */
export const SAMPLES = PATCH ** 2;
/** Engines work on this many atoms at a time. */
const ATOMS_AT_ONCE = 8;

/**
 * The matrices and thresholds of the unrolled iteration (`unrolled.ts`). Atoms are rows of 64 samples, four rows and four columns of
 * squares of 2×2 pixels: in the order (row of squares, column of squares, row in the square, column in the square).
 */
export interface LearnedModel {
  /** The number of iterations, K. */
  readonly steps: number;
  /** The number of atoms, M. */
  readonly atoms: number;
  /** Analysis: K × M × 64. */
  readonly A: Float32Array;
  /** Synthesis: (K − 1) × M × 64; the first iteration has nothing to subtract. */
  readonly B: Float32Array;
  /** The dictionary of the result: M × 64. */
  readonly D: Float32Array;
  /** Thresholds in deviations of the noise: K × M. */
  readonly kappa: Float32Array;
}

const REMEDY = 'write it again with training/export.py';

/** Reads the model from a `.npz` file of the arrays A, B, D and kappa, which `training/export.py` writes in float16. */
export async function readModel(bytes: Uint8Array): Promise<LearnedModel> {
  const { array, values } = await readWeights(bytes, /^([ABD]|kappa)$/, REMEDY);
  const kappa = array('kappa');
  const [steps, atoms] = kappa.shape;
  if (kappa.shape.length !== 2 || steps < 1 || atoms < 1 || atoms % ATOMS_AT_ONCE !== 0) {
    const rule = `must have the shape steps × atoms, with atoms a multiple of ${ATOMS_AT_ONCE}`;
    throw new InputError('model.kappa', rule, `(${kappa.shape.join(', ')})`, REMEDY);
  }
  return {
    steps,
    atoms,
    A: values('A', [steps, atoms, SAMPLES]),
    B: values('B', [steps - 1, atoms, SAMPLES]),
    D: values('D', [atoms, SAMPLES]),
    kappa: values('kappa', [steps, atoms]),
  };
}
