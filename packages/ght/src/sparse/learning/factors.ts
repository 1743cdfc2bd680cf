/**
 * Alternating least squares, the dictionary step for a separable D = A ⊗ B: D(rn + c, jK + k) = A(r, j) B(c, k). With the codes and one
 * factor held, the other is linear least squares, and the sums S = ZZᵀ and C = YZᵀ are all that it needs of the patches:
 *
 *     A WW = WYᵀ:    WW(i, j) = Σ_kl S(iK + k, jK + l) (BᵀB)(k, l),    WY(j, r) = Σ_ck C(rn + c, jK + k) B(c, k)
 *
 * and the same for B with the roles exchanged. The columns of the new factor are then scaled to norm 1 and the codes by the inverse, which
 * leaves DZ as it is. So ‖Y − DZ‖ never rises. Constant columns are held as well.
 */
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { dot, gram, type Matrix, matrix } from '../../math/matrix.js';
import { isConstantAtom } from '../dictionary/dictionary.js';
import { type Sums, scaleCodes } from './sums.js';

/** Relative to the mean diagonal entry: enough to factor a matrix in which an atom is hardly used. */
const RIDGE = 1e-9;

/** A and B after one update each. The sums become those of the scaled codes. */
export function fitFactors([A, B]: readonly [Matrix, Matrix], sums: Sums): [Matrix, Matrix] {
  const nextA = fitFactor(A, B, 'rows', sums);
  return [nextA, fitFactor(B, nextA, 'columns', sums)];
}

/** The factor that acts on the rows (A) or the columns (B) of a patch by least squares, the other one held. */
function fitFactor(own: Matrix, other: Matrix, acts: 'rows' | 'columns', sums: Sums): Matrix {
  const { S, C } = sums;
  const [n, m] = [own.rows, other.rows];
  const [J, K] = [own.cols, other.cols];
  // Atom l of D is atom ⌊l / K⌋ of A times atom l mod K of B, where B has K atoms; samples likewise.
  const atomOf = acts === 'rows' ? (j: number, k: number) => j * K + k : (j: number, k: number) => k * J + j;
  const [ownStep, otherStep] = acts === 'rows' ? [m, 1] : [1, n];
  const G = gram(other);
  const WW = matrix(J, J);
  const WY = matrix(J, n);
  for (let j = 0; j < J; j++) {
    for (let k = 0; k < K; k++) {
      const column = atomOf(j, k);
      for (let i = 0; i < J; i++) {
        let sum = 0;
        for (let l = 0; l < K; l++) sum += S.data[column * S.rows + atomOf(i, l)] * G.data[k * K + l];
        WW.data[j * J + i] += sum;
      }
      for (let r = 0; r < n; r++) {
        let sum = 0;
        for (let c = 0; c < m; c++)
          sum += C.data[column * C.rows + r * ownStep + c * otherStep] * other.data[k * m + c];
        WY.data[r * J + j] += sum;
      }
    }
  }
  for (let j = 0; j < J; j++) if (isConstantAtom(own, j)) hold(own, j, WW, WY);
  const fitted = solved(WW, WY);
  if (!fitted) return own;
  for (let j = 0; j < J; j++) {
    const atom = fitted.data.subarray(j * n, (j + 1) * n);
    const norm = Math.sqrt(dot(atom, 0, atom, 0, n));
    if (norm > 0) {
      for (let r = 0; r < n; r++) atom[r] /= norm;
      for (let k = 0; k < K; k++) scaleCodes(sums, atomOf(j, k), norm);
    } else {
      // No patch uses it: it stays as it is.
      atom.set(own.data.subarray(j * n, (j + 1) * n));
    }
  }
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
