import { OptionError } from '../../errors.js';

/** The smallest budget found to reach a target, and the result there. */
export interface Found<T> {
  readonly S: number;
  readonly result: T;
}

/** The budgets to try: multiples of `unit` up to `most`, beginning at `first`. `show` formats an error for messages. */
export interface SearchRange {
  readonly unit: number;
  readonly first: number;
  readonly most: number;
  readonly show?: (error: number) => string;
}

/**
 * The smallest budget whose error is at most `target`, among the multiples of `unit` up to `most`. The search doubles or
 * halves from `first` until it has a bracket. It then narrows the bracket by interpolating log(error), which is nearly
 * linear in log(S). It aims slightly beyond the expected point, so that the bracket closes from both sides, and bisects
 * where interpolation is too slow. It ends when the bracket is one unit or 0.1% of S wide. `attempt` solves at a budget; it
 * may start from where the last attempt ended.
 */
export async function fewestAtoms<T extends { readonly error: number }>(
  attempt: (S: number) => Promise<T>,
  target: number,
  { unit, first, most, show = String }: SearchRange,
): Promise<Found<T>> {
  const whole = (S: number) => Math.min(most, Math.max(0, Math.round(S / unit) * unit));
  const zero = await attempt(0);
  if (zero.error <= target) return { S: 0, result: zero };
  let low = { S: 0, error: zero.error };
  let high: (Found<T> & { error: number }) | undefined;
  let S = whole(Math.max(unit, first));
  let width = Number.POSITIVE_INFINITY;
  // Successive attempts that did not halve the bracket, and that ended on the same side.
  let slow = 0;
  let same = 0;
  let reached: boolean | undefined;
  for (;;) {
    const result = await attempt(S);
    const reaches = result.error <= target;
    same = reaches === reached ? same + 1 : 0;
    reached = reaches;
    if (reaches) high = { S, result, error: result.error };
    else if (S === most) throw unreachable(show(target), show(result.error), most);
    else low = { S, error: result.error };
    if (!high) {
      S = whole(2 * S);
      continue;
    }
    const narrowed = high.S - low.S;
    if (narrowed <= unit || narrowed <= high.S / 1000) return high;
    slow = narrowed > width / 2 ? slow + 1 : 0;
    width = narrowed;
    const beyond = Math.max(unit, high.S / 2500) * 2 ** same * (reaches ? -1 : 1);
    const at = low.S === 0 || slow > 2 ? (low.S + high.S) / 2 : expected(low, high, target) + beyond;
    if (slow > 2) slow = 0;
    S = Math.min(high.S - unit, Math.max(low.S + unit, whole(at)));
  }
}

/** The budget between two others at which the error should equal the target, if log(error) is linear in log(S). */
function expected(low: Attempted, high: Attempted, target: number): number {
  const slope = Math.log(low.error / Math.max(high.error, Number.MIN_VALUE));
  const share = Math.min(1, Math.max(0, Math.log(low.error / target) / slope));
  return low.S * (high.S / low.S) ** share;
}

interface Attempted {
  readonly S: number;
  readonly error: number;
}

function unreachable(target: string, reached: string, most: number): OptionError {
  const rule = `must be reachable: with ${most} atoms, as many as can help, it is ${reached}`;
  return new OptionError('budget', rule, target, 'ask for less, allow more iterations or use another solver');
}
