/**
 * Alternating least squares, the dictionary step for a separable D = A ⊗ B. With a patch and its code as matrices,
 * y = vec(Y) and z = vec(X), a patch is Y ≈ B X Aᵀ. With all codes and one factor held, the other is linear least squares:
 *
 *     W = B X:     Aᵀ = (Σ WᵀW)⁻¹ Σ WᵀY
 *     W = A Xᵀ:    Bᵀ = (Σ WᵀW)⁻¹ Σ WᵀYᵀ        (sums over all patches)
 *
 * The columns of the new factor are then scaled to norm 1 and the codes by the inverse, which leaves DZ as it is. So
 * ‖Y − DZ‖ never rises. Constant columns are held as well.
 */
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { addScaled, dot, type Matrix, matrix } from '../../math/matrix.js';
import { PATCHES_PER_YIELD, part, type Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import { isConstantAtom } from '../dictionary/dictionary.js';

/** Relative to the mean diagonal entry: enough to factor a matrix in which an atom is hardly used. */
const RIDGE = 1e-9;

/** A and B after one update each. Changes the coefficients in place. */
export function* fitFactors([A, B]: readonly [Matrix, Matrix], codes: Codes, Y: Float64Array): Work<[Matrix, Matrix]> {
  const nextA = yield* part(fitFactor(A, B, 'rows', codes, Y), 0, 0.5);
  return [nextA, yield* part(fitFactor(B, nextA, 'columns', codes, Y), 0.5, 1)];
}

/** The factor that acts on the rows (A) or the columns (B) of a patch by least squares, the other one held. */
function* fitFactor(own: Matrix, other: Matrix, acts: 'rows' | 'columns', codes: Codes, Y: Float64Array): Work<Matrix> {
  const { P, indptr, indices, values } = codes;
  const [n, m] = [own.rows, other.rows];
  // Atom l of D is atom ⌊l / K⌋ of A times atom l mod K of B, where B has K atoms; samples likewise.
  const ownIndex = (l: number) => (acts === 'rows' ? Math.floor(l / other.cols) : l % own.cols);
  const otherIndex = (l: number) => (acts === 'rows' ? l % other.cols : Math.floor(l / own.cols));
  const [ownStep, otherStep] = acts === 'rows' ? [m, 1] : [1, n];
  const WW = matrix(own.cols, own.cols);
  const WY = matrix(own.cols, n);
  const W = new Float64Array(m * own.cols);
  const column = new Float64Array(m);
  // The patch that used each atom last, and the atoms that the present patch uses.
  const lastUse = new Int32Array(own.cols).fill(-1);
  const used: number[] = [];
  for (let p = 0; p < P; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield p / P;
    used.length = 0;
    for (let i = indptr[p]; i < indptr[p + 1]; i++) {
      const j = ownIndex(indices[i]);
      if (lastUse[j] !== p) {
        lastUse[j] = p;
        used.push(j);
        W.fill(0, j * m, (j + 1) * m);
      }
      addScaled(W, j * m, values[i], other.data, otherIndex(indices[i]) * m, m);
    }
    for (const j of used) for (const i of used) WW.data[j * own.cols + i] += dot(W, j * m, W, i * m, m);
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < m; c++) column[c] = Y[p * n * m + r * ownStep + c * otherStep];
      for (const j of used) WY.data[r * own.cols + j] += dot(W, j * m, column, 0, m);
    }
  }
  for (let j = 0; j < own.cols; j++) if (isConstantAtom(own, j)) hold(own, j, WW, WY);
  const fitted = solved(WW, WY);
  if (!fitted) return own;
  const norms = new Float64Array(own.cols).fill(1);
  for (let j = 0; j < own.cols; j++) {
    const atom = fitted.data.subarray(j * n, (j + 1) * n);
    const norm = Math.sqrt(dot(atom, 0, atom, 0, n));
    if (norm > 0) {
      norms[j] = norm;
      for (let r = 0; r < n; r++) atom[r] /= norm;
    } else {
      // No patch uses it: it stays as it is.
      atom.set(own.data.subarray(j * n, (j + 1) * n));
    }
  }
  for (let i = 0; i < values.length; i++) values[i] *= norms[ownIndex(indices[i])];
  return fitted;
}

/** Changes the equations so that column j of the factor stays as it is, and the others are fitted around it. */
function hold(own: Matrix, j: number, WW: Matrix, WY: Matrix): void {
  const { rows: n, cols: atoms } = own;
  let diagonal = 0;
  for (let i = 0; i < atoms; i++) diagonal = Math.max(diagonal, WW.data[i * atoms + i]);
  for (let i = 0; i < atoms; i++) {
    for (let r = 0; r < n; r++) WY.data[r * atoms + i] -= WW.data[j * atoms + i] * own.data[j * n + r];
    WW.data[j * atoms + i] = 0;
    WW.data[i * atoms + j] = 0;
  }
  WW.data[j * atoms + j] = diagonal;
  for (let r = 0; r < n; r++) WY.data[r * atoms + j] = diagonal * own.data[j * n + r];
}

/** The factor F with (WW + εI) Fᵀ = WY; undefined if there is nothing to fit. */
function solved(WW: Matrix, WY: Matrix): Matrix | undefined {
  const atoms = WW.cols;
  let trace = 0;
  for (let j = 0; j < atoms; j++) trace += WW.data[j * atoms + j];
  for (let j = 0; j < atoms; j++) WW.data[j * atoms + j] += (RIDGE * trace) / atoms;
  const C = cholesky(WW);
  if (!C) return undefined;
  for (let r = 0; r < WY.cols; r++) {
    forwardSubstitute(C, WY.data, r * atoms);
    backwardSubstitute(C, WY.data, r * atoms);
  }
  return matrix(WY.cols, atoms, (r, j) => WY.data[r * atoms + j]);
}
