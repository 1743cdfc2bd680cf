/** What a problem may ask for in addition, of the solvers that pursue: joint OMP and OMP. */
import type { Dictionary } from '../dictionary/dictionary.js';
import { nonnegativePursuer } from './nonnegative.js';
import { type AtomRule, type Pursue, pursuer } from './pursuit.js';
import { weightedPursuer } from './weighted.js';

/** Additional rules for the codes. */
export interface Constraints {
  /** Whether no coefficient may be below zero. */
  readonly nonnegative?: boolean;
  /** A weight for every sample; the samples have been multiplied by them. */
  readonly weights?: Float64Array;
  /** The number of the group of each signal: signals of a group share their atoms. */
  readonly groups?: Int32Array;
}

/** The pursuer of a problem. */
export function pursuerOf(D: Dictionary, rule: AtomRule, { nonnegative, weights }: Constraints = {}): Pursue {
  const make = (own: Pick<Dictionary, 'N' | 'L' | 'atoms'>) =>
    nonnegative ? nonnegativePursuer(own) : pursuer(own, rule);
  return weights ? weightedPursuer(D, weights, make) : make(D);
}
