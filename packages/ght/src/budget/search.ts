import { ParameterError } from '../errors.js';

/** The smallest budget that was found to reach a target, and what was found there. */
export interface Found<T> {
  readonly S: number;
  readonly result: T;
}

/** Which budgets are tried: multiples of `unit` up to `most`, beginning at `first`; `show` puts an error into words. */
export interface SearchRange {
  readonly unit: number;
  readonly first: number;
  readonly most: number;
  readonly show?: (error: number) => string;
}

/**
 * The smallest budget whose error is at most `target`, among the multiples of `unit` up to `most`: bracketed by doubling
 * from `first`, then narrowed by interpolating log(error), which falls almost linearly in S, and by halving where that
 * narrows too slowly. Ends when the bracket is one unit or 0.1% of S wide. `attempt` solves at a budget; it is free to
 * start from where the last attempt ended.
 */
export async function fewestAtoms<T extends { readonly error: number }>(
  attempt: (S: number) => Promise<T>,
  target: number,
  { unit, first, most, show = String }: SearchRange,
): Promise<Found<T>> {
  const whole = (S: number) => Math.min(most, Math.max(0, Math.round(S / unit) * unit));
  let low = { S: -unit, error: Number.POSITIVE_INFINITY };
  let high: (Found<T> & { error: number }) | undefined;
  let S = whole(Math.max(unit, first));
  const zero = await attempt(0);
  if (zero.error <= target) return { S: 0, result: zero };
  low = { S: 0, error: zero.error };
  let halve = false;
  for (;;) {
    const result = await attempt(S);
    if (result.error <= target) high = { S, result, error: result.error };
    else if (S === most) throw unreachable(show(target), show(result.error), most);
    else low = { S, error: result.error };
    if (!high) {
      S = whole(2 * S);
      continue;
    }
    const width = high.S - low.S;
    if (width <= unit || width <= high.S / 1000) return high;
    const slope = Math.log(low.error / Math.max(high.error, Number.MIN_VALUE));
    const at = halve ? 0.5 : Math.log(low.error / target) / slope;
    // A point too near an end of the bracket would narrow it by too little.
    const margin = Math.max(unit, width / 50);
    const inside = Math.min(high.S - margin, Math.max(low.S + margin, low.S + at * width));
    S = Math.min(high.S - unit, Math.max(low.S + unit, whole(inside)));
    halve = !halve;
  }
}

function unreachable(target: string, reached: string, most: number): ParameterError {
  const rule = `must be reachable: with ${most} atoms, as many as can help, it is ${reached}`;
  return new ParameterError('budget', rule, target, 'ask for less, allow more iterations or use another solver');
}
