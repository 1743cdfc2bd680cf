/**
 * Simultaneous OMP: groups of signals that share their atoms, with one budget for all groups,
 *
 *     minimise Σ_g ‖D X_g − Y_g‖²   subject to   Σ_g m_g |Ω_g| ≤ S,   the rows of X_g outside Ω_g are 0
 *
 * for groups of m_g signals: an atom of a group costs m_g nonzeros. Every group is pursued (`pursuit.ts`), and its k-th atom gains
 * (e_g(k − 1) − e_g(k)) / m_g per nonzero. As in `joint-omp.ts`, these gains are made to fall within a group, and the atoms are taken
 * from the largest gain per nonzero on, each if its group has all atoms before it and S has room for it.
 */
import type { Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { envelope } from './joint-omp.js';
import { type AtomRule, type Pursue, pursuer } from './pursuit.js';

/** The codes, ‖DZ − Y‖² and the smallest gain per nonzero that was taken. */
export interface SimultaneousCodes {
  readonly codes: Codes;
  readonly error: number;
  readonly threshold: number;
}

/** Group by group: `each` atoms for every group, or atoms for S nonzeros in all. */
export function* simultaneousOmp(
  D: Dictionary,
  Y: Float64Array,
  groups: Int32Array,
  rule: AtomRule,
  limit: { readonly each: number } | number,
): Work<SimultaneousCodes> {
  const { N, L } = D;
  const members = membersOf(groups);
  const pursuers = new Map<number, Pursue>();
  const most = Math.min(N, L);
  const pursue = (group: readonly number[], atMost: number) => {
    const m = group.length;
    const own = pursuers.get(m) ?? pursuer(D, rule, m);
    pursuers.set(m, own);
    const signals = new Float64Array(N * m);
    for (const [i, p] of group.entries()) signals.set(Y.subarray(p * N, (p + 1) * N), i * N);
    return own(signals, 0, atMost);
  };

  let counts = members.map(() => (typeof limit === 'number' ? 0 : Math.min(limit.each, most)));
  let threshold = 0;
  if (typeof limit === 'number') {
    const gains: Float64Array[] = [];
    const pool = envelope(most);
    for (const [g, group] of members.entries()) {
      yield (0.5 * g) / members.length;
      const { count, errors } = pursue(group, Math.min(most, Math.floor(limit / group.length)));
      const own = Float64Array.from({ length: count }, (_, k) => (errors[k] - errors[k + 1]) / group.length);
      gains.push(new Float64Array(count));
      pool(own, 0, count, gains[g], 0);
    }
    ({ counts, threshold } = divideAmong(members, gains, limit));
  }

  const columns = Array.from({ length: groups.length }, (): { l: number; value: number }[] => []);
  let error = 0;
  for (const [g, group] of members.entries()) {
    yield 0.5 + (0.5 * g) / members.length;
    const { count, support, errors, coefficients } = pursue(group, counts[g]);
    const x = coefficients();
    error += errors[count];
    for (const [i, p] of group.entries()) {
      for (let k = 0; k < count; k++) columns[p].push({ l: support[k], value: x[k * group.length + i] });
      columns[p].sort((a, b) => a.l - b.l);
    }
  }
  const indptr = new Int32Array(columns.length + 1);
  for (const [p, column] of columns.entries()) indptr[p + 1] = indptr[p] + column.length;
  const entries = columns.flat();
  const indices = Int32Array.from(entries, ({ l }) => l);
  const values = Float64Array.from(entries, ({ value }) => value);
  return { codes: { L, P: columns.length, indptr, indices, values }, error, threshold };
}

/** The signals of each group, in the order of their first signals. */
function membersOf(groups: Int32Array): number[][] {
  const members = new Map<number, number[]>();
  for (const [p, group] of groups.entries()) {
    const own = members.get(group);
    if (own) own.push(p);
    else members.set(group, [p]);
  }
  return [...members.values()];
}

/** The number of atoms of each group. */
function divideAmong(
  members: readonly (readonly number[])[],
  gains: readonly Float64Array[],
  S: number,
): { readonly counts: number[]; readonly threshold: number } {
  const counts = members.map(() => 0);
  const offers = gains.flatMap((own, g) => Array.from(own, (gain, k) => ({ g, k, gain })));
  offers.sort((a, b) => b.gain - a.gain || a.g - b.g || a.k - b.k);
  let left = S;
  let threshold = Number.POSITIVE_INFINITY;
  for (const { g, k, gain } of offers) {
    const cost = members[g].length;
    if (counts[g] !== k || cost > left) continue;
    counts[g]++;
    left -= cost;
    threshold = gain;
  }
  return { counts, threshold };
}
