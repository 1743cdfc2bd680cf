import type { Samples } from './image.js';

/** Where signals are copied to: an engine that computes in float32 needs no float64 copy first. */
export type Floats = Float32Array | Float64Array;

/**
 * The signals Y of a problem: P signals of N samples each, read in runs. So patches can be cut out of the image when an
 * engine loads them, and the float64 copy of all patches, eight times the size of an 8-bit photograph, is never needed.
 */
export interface Signals {
  readonly N: number;
  readonly P: number;
  /** Copies the signals from number `from` on, one after the other, as many as fit in `into`. */
  read(from: number, into: Floats): void;
  /**
   * Makes `count` signals from number `from` on ready to be read, until the next call; called before they are read by an engine that
   * loads them. Absent where all of them are ready.
   */
  prepare?(from: number, count: number): Promise<void>;
}

/** The signals that lie in an array one after the other, N samples each. */
export function signalsIn(Y: Samples, N: number): Signals {
  return { N, P: Y.length / N, read: (from, into) => into.set(Y.subarray(from * N, from * N + into.length)) };
}

/** P of the signals, from number `first` on. */
export function someOf({ N, read, prepare }: Signals, first: number, P: number): Signals {
  return {
    ...{ N, P },
    read: (from, into) => read(first + from, into),
    prepare: prepare && ((from, count) => prepare(first + from, count)),
  };
}

/** Signals per copy. */
const RUN = 256;

/** All signals in one array. */
export function allOf(signals: Signals): Float64Array {
  const { N, P } = signals;
  const all = new Float64Array(N * P);
  for (const { from, Y } of runsOf(signals, RUN)) all.set(Y, from * N);
  return all;
}

/** All signals in runs of at most `length`, each starting at signal `from`. `Y` is valid until the next run. */
export function* runsOf({ N, P, read }: Signals, length: number): Generator<{ from: number; Y: Float64Array }> {
  const buffer = new Float64Array(N * Math.min(length, P));
  for (let from = 0; from < P; from += length) {
    const Y = buffer.subarray(0, N * Math.min(length, P - from));
    read(from, Y);
    yield { from, Y };
  }
}
