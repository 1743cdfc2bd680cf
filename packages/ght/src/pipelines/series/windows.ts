/**
 * A series is denoised in windows, so that the memory that it needs does not depend on its length. A window keeps the results of `KEPT`
 * pages and holds `NEIGHBOURS` more pages on each side, which help to denoise those. The last window keeps all pages that are left if they
 * fit, and holds at least as many pages as a volume has. Which pages a window holds depends on their numbers and on the length
 * of the series alone; so does every result.
 */
import { MOST_DEPTH } from './options.js';

const KEPT = 12;
const NEIGHBOURS = 2;
/** The pages that the last window keeps at most. */
const LAST = KEPT + 2 * NEIGHBOURS;

/** The pages [from, to) that a window holds, and those whose results it keeps. */
export interface Window {
  readonly held: readonly [from: number, to: number];
  readonly kept: readonly [from: number, to: number];
}

/** The window that begins with the result of page `from`, if `known` pages were read; undefined if more have to be read first. */
export function windowFrom(from: number, known: number, isEnd: boolean): Window | undefined {
  if (!isEnd && known <= from + LAST) return undefined;
  const isLast = isEnd && known <= from + LAST;
  const to = isLast ? known : from + KEPT;
  const end = Math.min(known, isLast ? known : to + NEIGHBOURS);
  return { kept: [from, to], held: [Math.max(0, Math.min(from - NEIGHBOURS, end - MOST_DEPTH)), end] };
}

/** The first page that the windows from page `from` on may hold. */
export function firstHeld(from: number): number {
  return Math.max(0, Math.min(from - NEIGHBOURS, from + 1 - MOST_DEPTH));
}
