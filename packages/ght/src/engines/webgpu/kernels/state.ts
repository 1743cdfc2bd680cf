/**
 * The state of the iterations, which lives on the GPU: any number of iterations can be submitted at once, and nothing is read back
 * in between. Magnitudes are kept as the bits of their floats, whose order is that of the numbers.
 */

/** Its words: a multiple of four, so that it can be read as uniform memory too. */
export const stateWords = [
  // Not 0: all kernels leave at once. `halt` is set after an iteration that may be the last, `missed` where the window was.
  ...['halt', 'missed'],
  // The number of the codes selected last, and of those whose error is in the history.
  ...['k', 'judged'],
  // The number of the best codes, and their threshold and last patch with ties.
  ...['best', 'bestT', 'bestTie'],
  // Whether the best codes are in the set for them, and whether they have to be copied there now.
  ...['saved', 'save'],
  // Of the codes that are read, what is ≥ T survives up to the patch `tie`, and what is > T in the patches after it.
  ...['T', 'tie', 'kept'],
  // The window in which magnitudes are counted, and how many bits of them a bin leaves out.
  ...['lo', 'hi', 'shift'],
  // The budget of what is selected; the threshold before T; every how many pairs of tiles a pass looks at.
  ...['S', 'before', 'step'],
  // Selection: whether the bin of the threshold has to be counted again, where it begins, the rank in it, what lies above.
  ...['refine', 'base', 'rank', 'above'],
  // Whether values equal to T have to be dropped, and how many of them stay.
  ...['ties', 'need'],
  // The stopping rule: whether the best is kept here, its error, the error before; floats.
  ...['keeps', 'bestError', 'lastError', 'tolerance'],
  // No stop up to this iteration; the number of the first iteration in the history; P and ‖Y‖² outside the range of D, floats.
  ...['least', 'first', 'patches', 'outside'],
] as const;

/** The name of a word of the state. */
export type StateWord = (typeof stateWords)[number];

/** Iterations in the history: the most of a batch. */
export const HISTORY = 40;

/** Room for the budgets of a batch and of the iteration after it. */
const BUDGETS = Math.ceil((HISTORY + 1) / 4);

/** Where the budgets begin in the state, and the history behind them, in words. */
export const budgetsAt = stateWords.length;
export const historyAt = budgetsAt + 4 * BUDGETS;

/** Bytes of state, budgets and history. */
export const STATE_BYTES = 4 * historyAt + 16 * HISTORY;

/** WGSL: the state, with the budgets and the history behind it: threshold, error, kept. */
export const stateStruct = `
struct State {
  ${stateWords.map((name) => `${name}: u32,`).join(' ')}
  budgets: array<vec4u, ${BUDGETS}>,
  history: array<vec4u, ${HISTORY}>,
}`;

/** WGSL: whether the kernels leave at once. */
export const idle = '(s.halt | s.missed) != 0u';

/** The least magnitude that counts: smaller ones may be flushed to zero. */
export const LEAST = 0x00800000;
/** The bits of infinity. */
export const INFINITE = 0x7f800000;

/** Bins of the histogram, and the workgroups that clear it while another selects. */
export interface Counting {
  /** log₂ of the number of bins, from 16 on: two rounds then tell all floats apart. */
  readonly logBins: number;
  /** A power of two, at most 256. */
  readonly clearers: number;
}

/** Fine bins of a coarse one. */
export const COARSE = 256;
/** Counters of what lies above the window: several, so that workgroups seldom meet in one. */
export const ABOVE = 64;

/** Words of a histogram: fine bins, coarse bins, and the counters. */
export function histogramWords({ logBins }: Counting): number {
  return 2 ** logBins + 2 ** logBins / COARSE + ABOVE;
}

/** The window of all magnitudes, which cannot be missed. */
export function widestWindow({ logBins }: Counting): { lo: number; hi: number; shift: number } {
  return { lo: LEAST, hi: INFINITE, shift: 31 - logBins };
}
