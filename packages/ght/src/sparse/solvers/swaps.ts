/**
 * Swaps: a local search for codes that are better at the same budget (joint OMP, effort 3). With a price λ of an atom every
 * patch has an objective of its own,
 *
 *     ‖y − D_Ω x‖² + λ |Ω|
 *
 * Three kinds of moves change its support Ω. With H = (D_ΩᵀD_Ω)⁻¹, x = H D_Ωᵀy, r = y − D_Ω x, α = Dᵀr, U = H D_ΩᵀD and
 * ν_j = ‖d_j‖² − Σᵢ ⟨dᵢ, d_j⟩ U_ij, the squared length of what of atom j lies outside the support, they change ‖r‖² by
 *
 *     drop i           + xᵢ²/Hᵢᵢ
 *     add j            − α_j²/ν_j
 *     swap i for j     + xᵢ²/Hᵢᵢ − (α_j + xᵢU_ij/Hᵢᵢ)² / (ν_j + U_ij²/Hᵢᵢ)
 *
 * exactly. The best of all moves is made as long as one lowers the objective, so it never rises.
 *
 * Fewer atoms remain than joint OMP had at the same λ. So λ is changed until a few more than S remain, and of those the ones
 * that matter least are dropped, one per patch at most.
 */
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { dot, gram, matrix } from '../../math/matrix.js';
import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import type { Dictionary } from '../dictionary/dictionary.js';

/** Of its squared length, what of an atom must lie outside the support for it to join. */
export const LEAST_NEW = 1e-2;
/** Of the first λ, what a move must gain. Less would be rounding, in float32. */
export const LEAST_GAIN = 1e-3;
/** Of the squared length of an atom: enough to factor a support that is dependent to rounding. */
const RIDGE = 1e-10;
/** Moves of a patch at most. */
export const MOST_MOVES = 60;

/** Of S, how many atoms more may remain before the last are dropped. */
const SURPLUS = 0.01;
/** −d ln λ / d ln S, about, on patches of photographs: until it has been measured. */
const ELASTICITY = 2.3;
/** How often λ is changed at most. */
const CHANGES = 12;

/** The code of one patch, and what ‖r‖² would rise by without the atom that matters least. */
export interface LocalCode {
  readonly support: readonly number[];
  readonly x: Float64Array;
  readonly error: number;
  readonly cheapest: { readonly i: number; readonly loss: number };
}

/** The price at which about S atoms remain. */
export class PriceSearch {
  #changes = 0;
  #last: { readonly lambda: number; readonly atoms: number } | undefined;

  constructor(
    readonly S: number,
    /** The price to search at next. */
    public lambda: number,
  ) {}

  /** Takes the number of atoms that remain at λ; true if that is S or a few more. If not, λ has changed. */
  isFound(atoms: number): boolean {
    const { S } = this;
    const surplus = Math.ceil(SURPLUS * S);
    if ((atoms >= S && atoms <= S + surplus) || this.#changes++ >= CHANGES) return true;
    const { lambda } = this;
    const change = this.#last ? Math.log(atoms / this.#last.atoms) : 0;
    const measured = change === 0 ? ELASTICITY : Math.log((this.#last?.lambda ?? lambda) / lambda) / change;
    const factor = (atoms / (S + surplus / 2)) ** Math.min(8, Math.max(0.5, measured));
    this.#last = { lambda, atoms };
    this.lambda *= Math.min(2, Math.max(0.5, factor));
    return false;
  }
}

/**
 * A local search from a support of the signal at `Y[from]`, at the price λ, with moves that gain more than `least` each, and so
 * many of them at most.
 */
export type LocalSearch = (
  Y: Float64Array,
  from: number,
  support: readonly number[],
  lambda: number,
  least?: number,
  moves?: number,
) => LocalCode;

/** The local search over D. */
export function localSearch(D: Dictionary): LocalSearch {
  const { N, L } = D;
  const atoms = D.atoms.data;
  const G = gram(D.atoms).data;
  return (Y, from, start, lambda, least = LEAST_GAIN * lambda, moves = MOST_MOVES) => {
    let support = [...start];
    const correlations = Float64Array.from({ length: L }, (_, l) => dot(atoms, l * N, Y, from, N));
    for (let move = 0; ; move++) {
      const state = neighbourhood(G, L, support, correlations);
      const next = move < moves ? bestMove(state, support, lambda, least) : undefined;
      if (next) {
        support = next;
        continue;
      }
      const r = Y.slice(from, from + N);
      for (const [i, l] of support.entries()) for (let n = 0; n < N; n++) r[n] -= state.x[i] * atoms[l * N + n];
      return { support, x: state.x, error: dot(r, 0, r, 0, N), cheapest: cheapestOf(state) };
    }
  };
}

/** What the moves from a support are scored with; rows of U are L long. */
interface Neighbourhood {
  readonly x: Float64Array;
  readonly diagonal: Float64Array;
  readonly U: Float64Array;
  readonly alpha: Float64Array;
  readonly nu: Float64Array;
  readonly norms: Float64Array;
}

function neighbourhood(G: Float64Array, L: number, support: number[], correlations: Float64Array): Neighbourhood {
  const n = support.length;
  const C = cholesky(matrix(n, n, (i, j) => G[support[j] * L + support[i]] * (i === j ? 1 + RIDGE : 1)));
  if (!C) throw new Error('with a ridge the Gram matrix of a support is positive definite');
  const solve = (b: Float64Array) => {
    forwardSubstitute(C, b);
    backwardSubstitute(C, b);
    return b;
  };
  const x = solve(Float64Array.from(support, (l) => correlations[l]));
  const diagonal = Float64Array.from(
    support,
    (_, i) => solve(Float64Array.from(support, (_, k) => (i === k ? 1 : 0)))[i],
  );
  const norms = Float64Array.from({ length: L }, (_, l) => G[l * L + l]);
  const U = new Float64Array(n * L);
  const [alpha, nu] = [correlations.slice(), norms.slice()];
  for (let l = 0; l < L; l++) {
    const u = solve(Float64Array.from(support, (atom) => G[l * L + atom]));
    for (let i = 0; i < n; i++) {
      const g = G[l * L + support[i]];
      U[i * L + l] = u[i];
      alpha[l] -= x[i] * g;
      nu[l] -= g * u[i];
    }
  }
  return { x, diagonal, U, alpha, nu, norms };
}

function cheapestOf({ x, diagonal }: Neighbourhood): LocalCode['cheapest'] {
  let best = { i: -1, loss: Number.POSITIVE_INFINITY };
  x.forEach((value, i) => {
    const loss = value ** 2 / diagonal[i];
    if (loss < best.loss) best = { i, loss };
  });
  return best;
}

/** The support after the move that lowers the objective most, or undefined if none does. */
function bestMove(state: Neighbourhood, support: number[], lambda: number, least: number): number[] | undefined {
  const { x, diagonal, U, alpha, nu, norms } = state;
  const L = norms.length;
  const inside = new Set(support);
  let best = least;
  let next: number[] | undefined;
  const consider = (gain: number, after: () => number[]) => {
    if (gain <= best) return;
    best = gain;
    next = after();
  };
  for (let j = 0; j < L; j++) {
    if (inside.has(j) || nu[j] <= LEAST_NEW * norms[j]) continue;
    consider(alpha[j] ** 2 / nu[j] - lambda, () => [...support, j]);
  }
  for (let i = 0; i < support.length; i++) {
    const loss = x[i] ** 2 / diagonal[i];
    consider(lambda - loss, () => support.filter((_, k) => k !== i));
    for (let j = 0; j < L; j++) {
      const u = U[i * L + j];
      const outside = nu[j] + u ** 2 / diagonal[i];
      if (inside.has(j) || outside <= LEAST_NEW * norms[j]) continue;
      const gain = (alpha[j] + (x[i] * u) / diagonal[i]) ** 2 / outside;
      consider(gain - loss, () => support.map((l, k) => (k === i ? j : l)));
    }
  }
  return next;
}

/** Better codes than these with at most S atoms, from the price λ that made them. */
export function* swapped(D: Dictionary, Y: Float64Array, codes: Codes, S: number, lambda: number): Work<Swapped> {
  const { L, P } = codes;
  const search = localSearch(D);
  let local: LocalCode[] = Array.from({ length: P }, (_, p) => ({
    ...{ support: [...codes.indices.subarray(codes.indptr[p], codes.indptr[p + 1])], x: new Float64Array(0) },
    ...{ error: 0, cheapest: { i: -1, loss: 0 } },
  }));
  function* all(next: (code: LocalCode, p: number) => LocalCode): Work<number> {
    const made: LocalCode[] = [];
    for (let p = 0; p < P; p++) {
      if (p % PATCHES_PER_YIELD === 0) yield p / P;
      made.push(next(local[p], p));
    }
    local = made;
    return local.reduce((sum, { support }) => sum + support.length, 0);
  }
  const price = new PriceSearch(S, lambda);
  let found: number;
  do found = yield* all((code, p) => search(Y, p * D.N, code.support, price.lambda, LEAST_GAIN * lambda));
  while (!price.isFound(found));
  while (found > S) {
    const cut = cutFor(
      Float64Array.from(local, ({ cheapest }) => cheapest.loss),
      found - S,
    );
    found = yield* all((code, p) => {
      if (code.cheapest.loss > cut) return code;
      return search(
        Y,
        p * D.N,
        code.support.filter((_, i) => i !== code.cheapest.i),
        0,
        0,
        0,
      );
    });
  }
  return { codes: codesOf(local, L), error: local.reduce((sum, { error }) => sum + error, 0), lambda: price.lambda };
}

/** What a search has made: the codes, ‖DZ − Y‖² and the price. */
export interface Swapped {
  readonly codes: Codes;
  readonly error: number;
  readonly lambda: number;
}

/** The loss up to which atoms are dropped so that `surplus` are, or one of every patch where that is fewer. */
export function cutFor(losses: Float64Array | Float32Array, surplus: number): number {
  const rising = losses.filter((loss) => loss < Number.POSITIVE_INFINITY).sort();
  return rising[Math.min(surplus, rising.length) - 1];
}

function codesOf(local: readonly LocalCode[], L: number): Codes {
  const indptr = new Int32Array(local.length + 1);
  for (const [p, { support }] of local.entries()) indptr[p + 1] = indptr[p] + support.length;
  const indices = new Int32Array(indptr[local.length]);
  const values = new Float64Array(indptr[local.length]);
  local.forEach(({ support, x }, p) => {
    const rising = support.map((l, i) => [l, x[i]]).sort(([a], [b]) => a - b);
    rising.forEach(([l, value], i) => {
      indices[indptr[p] + i] = l;
      values[indptr[p] + i] = value;
    });
  });
  return { L, P: local.length, indptr, indices, values };
}
