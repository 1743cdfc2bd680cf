/**
 * Nonnegative pursuit of one signal (Lawson and Hanson 1974; as a pursuit Bruckstein, Elad and Zibulevsky 2008): atoms join one by one,
 * and after each x is the least-squares fit with no coefficient below zero,
 *
 *     j = argmax ⟨d_j, r⟩ / ‖d_j‖  of those above 0,   Ω ← Ω ∪ {j},   r = y − D_Ω x_Ω
 *     s = argmin ‖D_Ω s − y‖²;   while some sᵢ ≤ 0:   x ← x + t (s − x) with the largest t ≤ 1 that keeps x ≥ 0,
 *         the atoms at 0 leave Ω,   s = argmin ‖D_Ω s − y‖²;   then x = s
 *
 * Without a limit it ends at argmin ‖Dx − y‖² subject to x ≥ 0. ‖r‖² falls with every step, but the support may shrink. So e(k) is the
 * error of the last step before more than k atoms are in use: the best code with at most k atoms on the way.
 */
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { dot, matrix } from '../../math/matrix.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { Pursue } from './pursuit.js';

/** Relative to ‖y‖ ‖d_j‖: a correlation that is rounding. */
const NEGLIGIBLE = 1e-10;
/** Relative to ‖d_j‖²: an atom whose part outside the support is smaller depends on it. */
const DEPENDENT = 1e-9;

/** A support with its coefficients, and the inner products of its atoms. */
interface State {
  readonly atoms: number[];
  readonly x: number[];
  readonly gram: number[][];
}

/** A pursuer for signals over D with coefficients above zero. */
export function nonnegativePursuer(D: Pick<Dictionary, 'N' | 'L' | 'atoms'>): Pursue {
  const { N, L } = D;
  const { data } = D.atoms;
  const most = Math.min(N, L);
  const support = new Int32Array(most);
  const errors = new Float64Array(most + 1);
  const r = new Float64Array(N);
  const target = new Float64Array(L);
  const lengths = Float64Array.from({ length: L }, (_, l) => Math.sqrt(dot(data, l * N, data, l * N, N)));

  /** s = argmin ‖D_Ω s − y‖²; undefined if the last atom depends on the others. */
  const fit = ({ atoms, gram }: State): Float64Array | undefined => {
    const n = atoms.length;
    const C = cholesky(matrix(n, n, (i, j) => gram[Math.max(i, j)][Math.min(i, j)]));
    if (!C || C.data[n * n - 1] ** 2 <= DEPENDENT * gram[n - 1][n - 1]) return undefined;
    const s = Float64Array.from(atoms, (atom) => target[atom]);
    forwardSubstitute(C, s);
    backwardSubstitute(C, s);
    return s;
  };

  /** The state after atom j has joined and others have perhaps left; undefined if it cannot join. */
  const join = (before: State, j: number): State | undefined => {
    const inner = [...before.atoms, j].map((atom) => dot(data, atom * N, data, j * N, N));
    let state: State = { atoms: [...before.atoms, j], x: [...before.x, 0], gram: [...before.gram, inner] };
    for (;;) {
      const s = fit(state);
      if (!s) return undefined;
      const { x } = state;
      if (s.every((value) => value > 0)) return { ...state, x: [...s] };
      let t = 1;
      for (const [i, value] of x.entries()) if (s[i] <= 0) t = Math.min(t, value / (value - s[i]));
      const moved = x.map((value, i) => value + t * (s[i] - value));
      const stays = (i: number) => moved[i] > 0 && !(s[i] <= 0 && x[i] / (x[i] - s[i]) === t);
      const left = [...x.keys()].filter(stays);
      if (left.length === 0) return undefined;
      const gram = left.map((i) => left.filter((k) => k <= i).map((k) => state.gram[i][k]));
      state = { atoms: left.map((i) => state.atoms[i]), x: left.map((i) => moved[i]), gram };
    }
  };

  /** r ← y − D_Ω x_Ω; returns ‖r‖². */
  const residual = (y: Float64Array, { atoms, x }: State): number => {
    r.set(y);
    for (const [i, atom] of atoms.entries()) for (let n = 0; n < N; n++) r[n] -= x[i] * data[atom * N + n];
    return dot(r, 0, r, 0, N);
  };

  return (Y, from, atMost, { goOn = () => true, without = -1 } = {}) => {
    const y = Y.subarray(from, from + N);
    for (let l = 0; l < L; l++) target[l] = dot(data, l * N, y, 0, N);
    let state: State = { atoms: [], x: [], gram: [] };
    const barred = new Set([without]);
    let error = residual(y, state);
    errors[0] = error;
    const floor = NEGLIGIBLE * Math.sqrt(error);
    /** The atom that joins next, or −1. */
    const choose = () => {
      let [best, bestScore] = [-1, floor];
      for (let l = 0; l < L; l++) {
        if (lengths[l] === 0 || barred.has(l) || state.atoms.includes(l)) continue;
        const score = dot(data, l * N, r, 0, N) / lengths[l];
        if (score > bestScore) [best, bestScore] = [l, score];
      }
      return best;
    };
    let count = 0;
    for (let j = choose(); j >= 0; j = choose()) {
      const next = join(state, j);
      const after = next ? residual(y, next) : error;
      if (!next || !(after < error)) {
        // Nothing but rounding is left of it.
        barred.add(j);
        residual(y, state);
        continue;
      }
      if (next.atoms.length > count) {
        if (count === Math.min(atMost, most) || (count > 0 && !goOn(errors[count - 1] - errors[count]))) break;
        count++;
      }
      state = next;
      error = after;
      errors[count] = error;
    }
    support.set(state.atoms);
    return { count, support, errors, coefficients: () => Float64Array.from(state.x) };
  };
}
