/**
 * How joint OMP finds its price λ in one pass over the patches: it is estimated from a sample, then from a larger one, each time
 * within a narrower bracket. The pass over all patches follows every path once, at the lower end of the bracket, and gathers the
 * prices of the few atoms that are bought inside it, their offers; the exact λ is one of them. If it is not, the pass is
 * repeated with another bracket.
 *
 * Everything here is plain numbers, so it does not matter where the paths are followed: in one memory, or in parts of an image.
 */
import type { Spending } from './joint-omp.js';

/** Patches per chunk: the work of a thread between two checks of the clock, and small enough for the cache. */
export const CHUNK = 256;

/** The prices at which paths are followed: λ is expected at `mid`, and lies between the others. */
export interface Bracket {
  readonly low: number;
  readonly mid: number;
  readonly high: number;
}

/** The bracket of all prices: paths are followed to their end. */
export const OPEN: Bracket = { low: 0, mid: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** How often each patch is pursued again without one of its atoms, and the price at which its paths are compared. */
export interface Tries {
  readonly restarts: number;
  readonly lambda: number;
}

/** Every patch is pursued once. */
export const ONCE: Tries = { restarts: 0, lambda: 0 };

/** A sample: the first `each` patches of every step-th chunk, and how many those are. */
export interface Sample {
  readonly step: number;
  readonly each: number;
  readonly patches: number;
}

/**
 * Patches of the first sample, and of the second one: this share of all, within limits. A larger sample takes longer, and a better estimate
 * leaves fewer codes to be made again. One is taken only if there are several times as many patches.
 */
const FIRST_SAMPLE = 128;
const SECOND_SAMPLE = { share: 1 / 64, least: 1024, most: 8192 };
const SEVERAL = 6;
/** Half the width of a bracket times √(patches of the sample): two and a half standard deviations of λ, as measured. */
const DEVIATION = 4;
/** How often a bracket is moved before whole paths are followed. */
const MOVES = 3;
/** Better paths move λ by less than this factor, as measured. */
const NEARBY = 0.9;

/** The samples of P patches from which λ is estimated, the smaller one first; none for few patches. */
export function samplesOf(P: number): Sample[] {
  const chunks = Math.ceil(P / CHUNK);
  const { share, least, most } = SECOND_SAMPLE;
  const second = Math.min(most, Math.max(least, Math.ceil(share * P)));
  return [FIRST_SAMPLE, second]
    .filter((n) => P >= SEVERAL * n)
    .map((n) => {
      const step = Math.max(1, Math.floor(chunks / n));
      const each = Math.min(CHUNK, Math.ceil(n / chunks));
      let patches = 0;
      for (let chunk = 0; chunk < chunks; chunk += step) patches += Math.min(each, P - chunk * CHUNK);
      return { step, each, patches };
    });
}

/** The share of a sample in what may be spent on P patches. */
export function shareOf(S: Spending, { patches }: Sample, P: number): Spending {
  return typeof S === 'number' ? Math.ceil((S * patches) / P) : S;
}

/** How far the paths of a sample are followed, at most `longest` atoms: a rough estimate needs no whole paths. */
export function depthOf(S: Spending, P: number, bracket: Bracket, longest: number): number {
  return typeof S === 'number' && bracket === OPEN ? Math.min(4 * Math.ceil(S / P) + 4, longest) : longest;
}

/** A bracket around the λ of a sample. How many atoms are worth a price is found from the prices of all of them. */
export function around(lambda: number, S: Spending, { patches }: Sample, longest: number): Bracket {
  const width = Math.min(0.5, DEVIATION / Math.sqrt(patches));
  if (typeof S === 'number')
    return lambda > 0 ? { low: lambda * (1 - width), mid: lambda, high: lambda / (1 - width) } : OPEN;
  const mid = Math.min(lambda, S.price * Math.log(patches * longest));
  return { ...OPEN, low: mid * (1 - width), mid };
}

/** A bracket around a price at which λ is expected, as wide as after a sample. */
export function aroundExpected(lambda: number, S: Spending, longest: number): Bracket {
  return around(lambda, S, { step: 1, each: CHUNK, patches: SECOND_SAMPLE.least }, longest);
}

/** The bracket in which λ lies once better paths have been found. */
export function nearby(lambda: number, S: Spending): Bracket {
  const high = typeof S === 'number' ? lambda / NEARBY : Number.POSITIVE_INFINITY;
  return { low: lambda * NEARBY, mid: lambda, high };
}

/** The bracket to try next, after this many moves, where λ lies above or below this one. */
export function moved(bracket: Bracket, side: 'above' | 'below', moves: number, S: Spending): Bracket {
  const { low, high } = bracket;
  if (moves === MOVES) return OPEN;
  if (side === 'above') return { low: high, mid: high, high: Number.POSITIVE_INFINITY };
  return { low: low / 4, mid: low / 2, high: typeof S === 'number' ? low : high };
}

/** How many of the offers in a bracket H_S keeps: a rank among them, none or all of them; or on which side of it λ lies. */
export function rankIn(
  bracket: Bracket,
  S: number,
  sure: number,
  offered: number,
): number | 'none' | 'all' | 'above' | 'below' {
  const rank = S - sure;
  if (S === 0) return 'none';
  if (rank < 1) return 'above';
  if (rank > offered && bracket.low > 0) return 'below';
  return rank >= offered && bracket.low === 0 ? 'all' : rank;
}
