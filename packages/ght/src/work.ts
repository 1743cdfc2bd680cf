/**
 * A long computation that can be interrupted. It yields the fraction done, from 0 to 1, every few milliseconds, and returns
 * its result. The caller decides what happens between yields, so the mathematics does not know about events or signals.
 */
export type Work<T> = Generator<number, T, void>;

/** Patches between two yields: a few milliseconds of work, so that an abort is noticed soon. */
export const PATCHES_PER_YIELD = 64;

/** Samples between two yields of work that reads each sample once: about a millisecond. */
const SAMPLES_PER_YIELD = 2 ** 16;

/** Splits `length` samples into ranges [from, to). The caller yields after each range. */
export function* stretches(length: number): Generator<readonly [number, number]> {
  for (let from = 0; from < length; from += SAMPLES_PER_YIELD) yield [from, Math.min(length, from + SAMPLES_PER_YIELD)];
}

/** Progress callback and abort signal. */
export interface Watch {
  /** Stops the work: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with the fraction done of the current work, rising from 0 to 1. */
  readonly onFraction?: (fraction: number) => void;
}

/** The watch over a part of the work, whose fractions are those of the whole. */
export function watchOver(watch: Watch | undefined, from: number, to: number): Watch | undefined {
  const report = watch?.onFraction;
  return report ? { ...watch, onFraction: (fraction) => report(from + (to - from) * fraction) } : watch;
}

/** The watches over successive passes whose number is unknown: each gets a share of what is left. */
export function passes(watch: Watch | undefined, share: number): () => Watch | undefined {
  let left = 1;
  return () => {
    const from = 1 - left;
    left *= 1 - share;
    return watchOver(watch, from, 1 - left);
  };
}

/** How long the event loop may be kept waiting, in milliseconds: longer where it costs a timer, which takes up to four. */
const MAX_BLOCKING_MS = 'setImmediate' in globalThis ? 8 : 30;

/** Calls a function after the event loop has run. */
function pause(act: () => void): void {
  const { setImmediate: soon } = globalThis as { setImmediate?: (act: () => void) => unknown };
  if (soon) soon(act);
  else setTimeout(act, 0);
}

/**
 * The work of this thread that waits for its next turn, in the order in which it was interrupted, and when the event loop last ran. Shared
 * by all work on purpose: many pieces that each run for some milliseconds would block the event loop as one long piece does.
 */
const waiting: (() => void)[] = [];
let lastPause = 0;

/** Ends after the event loop has run. One piece of work at a time continues, so that timers and requests come between any two. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) pause(resume);
  });
}

function resume(): void {
  lastPause = performance.now();
  waiting.shift()?.();
  if (waiting.length > 0) pause(resume);
}

/** Runs work to its end, letting the event loop (timers, requests, clicks, an abort) run every few milliseconds. */
export async function drive<T>(work: Work<T>, watch: Watch = {}): Promise<T> {
  for (;;) {
    watch.signal?.throwIfAborted();
    const next = work.next();
    if (next.done) return next.value;
    const since = performance.now() - lastPause;
    // Less than 0 after a clock was set back, as tests with a clock of their own do: without this, nothing would pause any more.
    if (!(since >= 0 && since <= MAX_BLOCKING_MS)) {
      watch.onFraction?.(next.value);
      await nextTurn();
    }
  }
}

/** A piece of larger work: its fractions from 0 to 1 become those of the whole, from `from` to `to`. */
export function* part<T>(work: Work<T>, from: number, to: number): Work<T> {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
    yield from + (to - from) * next.value;
  }
}

/** Passes on only fractions that are larger than all before. */
export function rising(onFraction: ((fraction: number) => void) | undefined): ((fraction: number) => void) | undefined {
  let furthest = 0;
  return (
    onFraction &&
    ((fraction) => {
      if (fraction <= furthest) return;
      furthest = fraction;
      onFraction(fraction);
    })
  );
}

/** Runs work to its end at once. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}
