/**
 * Orthogonal pursuit of a signal y: atoms join the support one by one, and after each the residual is made orthogonal
 * to all of them. With an orthonormal basis Q of the support, built by Gram–Schmidt,
 *
 *     q = (d_j − QQᵀd_j)/‖·‖,   r ← r − q qᵀr,   c = Dᵀq,   α = Dᵀr ← α − (qᵀr) c,   ν ← ν − c∘c
 *
 * α_j is the correlation of atom j with the residual, and ν_j is the squared norm of its component outside the support.
 * The rules differ only in the atom they choose:
 *
 *     OMP                 the largest |⟨d_j, r⟩| / ‖d_j‖, the atom most correlated with the residual
 *     order-recursive     the largest α_j² / ν_j, the drop of ‖r‖² once the atom has joined (also called OLS)
 *
 * Several signals that are to share their atoms are pursued together: r, α and qᵀr then have a column for each, and the rules
 * have sums of squares over them (simultaneous OMP; Tropp, Gilbert and Strauss 2006).
 */
import { addScaled, dot } from '../../math/matrix.js';
import type { Dictionary } from '../dictionary/dictionary.js';

/** Which atom joins next. */
export type AtomRule = 'omp' | 'order-recursive';

/** The pursuit of a signal: the support in the order of choice, and the error after each atom. */
export interface Pursuit {
  /** Number of atoms chosen: fewer than requested if fewer represent the signal exactly. */
  readonly count: number;
  /** The atoms, in the order they joined. Valid until the next call. */
  readonly support: Int32Array;
  /** ‖r‖² after 0, 1, …, count atoms. Valid until the next call. */
  readonly errors: Float64Array;
  /** Their coefficients: the least-squares fit on the whole support, in the order of `support`; those of several signals for each atom. */
  coefficients(): Float64Array;
}

/** An atom cannot join if it lies almost in the span of the support, or is almost orthogonal to the residual. */
const NEGLIGIBLE = 1e-12;

/** Optional rules of a pursuit. */
export interface PursuitRules {
  /** Asked after each atom with its gain, the drop of ‖r‖²: false ends the pursuit. */
  readonly goOn?: (gain: number) => boolean;
  /** An atom that may not join; −1 for none. */
  readonly without?: number;
}

/** Pursues the signal that starts at `Y[from]`, with this many atoms at most. */
export type Pursue = (Y: Float64Array, from: number, atMost: number, rules?: PursuitRules) => Pursuit;

/** A pursuer for signals over D; for `many` signals at a time, one after the other, if they share their atoms. */
export function pursuer(D: Pick<Dictionary, 'N' | 'L' | 'atoms'>, rule: AtomRule, many = 1): Pursue {
  const { N, L } = D;
  const atoms = D.atoms.data;
  const most = Math.min(N, L);
  const Q = new Float64Array(N * most);
  // Column k of the triangle R holds Qᵀ d of the k-th atom: D restricted to the support is QR.
  const R = new Float64Array(most * most);
  const beta = new Float64Array(most * many);
  const support = new Int32Array(most);
  const errors = new Float64Array(most + 1);
  const r = new Float64Array(N * many);
  const alpha = new Float64Array(L * many);
  const nu = new Float64Array(L);
  const norms = Float64Array.from({ length: L }, (_, l) => dot(atoms, l * N, atoms, l * N, N));

  /** The atom that joins next, or −1 if none would lower the error. */
  const choose = (floor: number) => {
    let best = -1;
    let bestScore = floor;
    for (let l = 0; l < L; l++) {
      if (nu[l] <= NEGLIGIBLE * norms[l]) continue;
      let square = alpha[l * many] ** 2;
      for (let i = 1; i < many; i++) square += alpha[l * many + i] ** 2;
      const score = square / (rule === 'omp' ? norms[l] : nu[l]);
      if (score > bestScore) {
        bestScore = score;
        best = l;
      }
    }
    return best;
  };

  /** Makes atom j the k-th of the support. */
  const join = (j: number, k: number) => {
    const q = Q.subarray(k * N, (k + 1) * N);
    q.set(atoms.subarray(j * N, (j + 1) * N));
    // Twice: one Gram–Schmidt sweep loses orthogonality when the atom is nearly in the span.
    for (let sweep = 0; sweep < 2; sweep++) {
      for (let i = 0; i < k; i++) {
        const along = dot(Q, i * N, q, 0, N);
        addScaled(q, 0, -along, Q, i * N, N);
        R[k * most + i] = sweep === 0 ? along : R[k * most + i] + along;
      }
    }
    const length = Math.sqrt(dot(q, 0, q, 0, N));
    for (let n = 0; n < N; n++) q[n] /= length;
    R[k * most + k] = length;
    for (let i = 0; i < many; i++) {
      beta[k * many + i] = dot(q, 0, r, i * N, N);
      addScaled(r, i * N, -beta[k * many + i], q, 0, N);
    }
    for (let l = 0; l < L; l++) {
      const c = dot(atoms, l * N, q, 0, N);
      for (let i = 0; i < many; i++) alpha[l * many + i] -= beta[k * many + i] * c;
      nu[l] -= c * c;
    }
    nu[j] = 0;
    support[k] = j;
  };

  const coefficients = (count: number) => {
    const x = beta.slice(0, count * many);
    for (let c = 0; c < many; c++) {
      for (let k = count - 1; k >= 0; k--) {
        x[k * many + c] /= R[k * most + k];
        for (let i = 0; i < k; i++) x[i * many + c] -= x[k * many + c] * R[k * most + i];
      }
    }
    return x;
  };

  return (Y, from, atMost, { goOn = () => true, without = -1 } = {}) => {
    for (let n = 0; n < N * many; n++) r[n] = Y[from + n];
    for (let l = 0; l < L; l++) for (let i = 0; i < many; i++) alpha[l * many + i] = dot(atoms, l * N, r, i * N, N);
    nu.set(norms);
    if (without >= 0) nu[without] = 0;
    errors[0] = dot(r, 0, r, 0, N * many);
    const floor = NEGLIGIBLE ** 2 * errors[0];
    let count = 0;
    while (count < Math.min(atMost, most)) {
      const j = choose(floor);
      if (j < 0) break;
      join(j, count++);
      errors[count] = dot(r, 0, r, 0, N * many);
      if (!goOn(errors[count - 1] - errors[count])) break;
    }
    return { count, support, errors, coefficients: () => coefficients(count) };
  };
}
