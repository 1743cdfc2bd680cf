import { OptionError } from '../../errors.js';
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { symmetricEigen } from '../../math/eigen.js';
import { gram, type Matrix, times, transpose } from '../../math/matrix.js';
import type { Dictionary } from './dictionary.js';

/** Writes the image of the vector at `x[xFrom…]` to `out[outFrom…]`. */
export type LinearMap = (x: Float64Array, xFrom: number, out: Float64Array, outFrom: number) => void;

/** z ↦ D z, by the factors if D is separable. */
export function synthesis(D: Dictionary): LinearMap {
  return D.factors ? kronecker(D.factors[0], D.factors[1]) : dense(D.atoms);
}

/**
 * r ↦ K r with K = Dᵀ(DDᵀ + ρI)⁻¹. For a separable D = A ⊗ B, with AAᵀ = Q_A diag(λ) Q_Aᵀ and BBᵀ = Q_B diag(μ) Q_Bᵀ,
 *
 *     K = (AᵀQ_A ⊗ BᵀQ_B) diag(1/(λᵢμⱼ + ρ)) (Q_A ⊗ Q_B)ᵀ
 */
export function resolvent(D: Dictionary, rho: number): LinearMap {
  return D.factors ? separableResolvent(D.factors[0], D.factors[1], rho) : dense(denseResolvent(D, rho));
}

function separableResolvent(A: Matrix, B: Matrix, rho: number): LinearMap {
  const a = symmetricEigen(gram(transpose(A)));
  const b = symmetricEigen(gram(transpose(B)));
  const rotate = kronecker(transpose(a.vectors), transpose(b.vectors));
  const back = kronecker(times(transpose(A), a.vectors), times(transpose(B), b.vectors));
  const scale = new Float64Array(A.rows * B.rows);
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < B.rows; j++) scale[i * B.rows + j] = 1 / (a.values[i] * b.values[j] + rho);
  }
  const rotated = new Float64Array(scale.length);
  return (x, xFrom, out, outFrom) => {
    rotate(x, xFrom, rotated, 0);
    for (let n = 0; n < scale.length; n++) rotated[n] *= scale[n];
    back(rotated, 0, out, outFrom);
  };
}

function denseResolvent(D: Dictionary, rho: number): Matrix {
  const A = gram(transpose(D.atoms));
  for (let n = 0; n < D.N; n++) A.data[n * D.N + n] += rho;
  const C = cholesky(A);
  if (!C) throw new OptionError('rho', 'must keep DDᵀ + ρI positive definite', rho, 'use a larger ρ, such as 0.1');
  // DDᵀ + ρI is symmetric, so its inverse times D is Kᵀ, atom by atom.
  const Kt = { ...D.atoms, data: D.atoms.data.slice() };
  for (let l = 0; l < D.L; l++) {
    forwardSubstitute(C, Kt.data, l * D.N);
    backwardSubstitute(C, Kt.data, l * D.N);
  }
  return transpose(Kt);
}

/** x ↦ M x. */
function dense(M: Matrix): LinearMap {
  const { rows, cols, data } = M;
  return (x, xFrom, out, outFrom) => {
    out.fill(0, outFrom, outFrom + rows);
    for (let j = 0; j < cols; j++) {
      const value = x[xFrom + j];
      for (let i = 0; i < rows; i++) out[outFrom + i] += value * data[j * rows + i];
    }
  };
}

/** x ↦ (A ⊗ B) x = vec(B X Aᵀ), where X is x as a matrix with as many rows as B has columns. */
function kronecker(A: Matrix, B: Matrix): LinearMap {
  const BX = new Float64Array(B.rows * A.cols);
  return (x, xFrom, out, outFrom) => {
    BX.fill(0);
    for (let j = 0; j < A.cols; j++) {
      for (let k = 0; k < B.cols; k++) {
        const value = x[xFrom + j * B.cols + k];
        if (value === 0) continue;
        for (let i = 0; i < B.rows; i++) BX[j * B.rows + i] += value * B.data[k * B.rows + i];
      }
    }
    out.fill(0, outFrom, outFrom + B.rows * A.rows);
    for (let j = 0; j < A.rows; j++) {
      for (let k = 0; k < A.cols; k++) {
        const value = A.data[k * A.rows + j];
        for (let i = 0; i < B.rows; i++) out[outFrom + j * B.rows + i] += value * BX[k * B.rows + i];
      }
    }
  };
}
