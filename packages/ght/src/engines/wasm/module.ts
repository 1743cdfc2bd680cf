import { Module } from './assembler.js';
import type { Target } from './blocks.js';
import { collect, iteration } from './iteration.js';
import { turnSignals } from './turning.js';

/** One iteration on a run of patches; its arguments are said in iteration.ts. */
export type Iterate = (
  patches: number,
  counts: number,
  values: number,
  indices: number,
  countsOut: number,
  valuesOut: number,
  indicesOut: number,
  c: number,
  q: number,
  scratch: number,
  threshold: number,
  lo: number,
) => number;

/** The names of the iterations among the kernels. */
export type IterationName = 'qpm' | 'admmStart' | 'admm' | 'admmAgain';

/** The functions of a problem's module; what they take is said where they are made. */
export interface Kernels extends Readonly<Record<IterationName, Iterate>> {
  turnSignals(signals: number, patches: number, c: number, scratch: number): void;
  collect(from: number, end: number, out: number, low: number, high: number): number;
}

/** The code of all kernels for one problem. */
export function moduleFor(target: Target, shared: boolean): Uint8Array<ArrayBuffer> {
  const module = new Module();
  turnSignals(module, target);
  iteration(module, target, 'qpm', 'none');
  iteration(module, target, 'admmStart', 'start');
  iteration(module, target, 'admm', 'step');
  iteration(module, target, 'admmAgain', 'again');
  collect(module);
  return module.bytes(shared);
}
