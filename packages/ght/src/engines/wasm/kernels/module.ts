import { aiht } from './aiht.js';
import { Module } from './assembler.js';
import { cosamp } from './cosamp.js';
import { groupCorrelations } from './dense.js';
import { collect, type IterationName, iterations } from './iterate.js';
import type { Target } from './maps.js';
import { keepLargest } from './patchwise.js';
import { jointOmp } from './paths.js';
import { omp, pursuitFunctions, write } from './pursue.js';
import { measure, refit, residual } from './refit.js';
import { rotateSignals } from './rotate.js';
import { swap } from './swaps.js';

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
  many: number,
  threshold: number,
  lo: number,
) => number;

/** OMP of a run of patches; its arguments are said in pursue.ts. */
export type Pursue = (
  patches: number,
  c: number,
  limits: number,
  countsOut: number,
  valuesOut: number,
  indicesOut: number,
  scratch: number,
  gains: number,
  gainsRow: number,
) => number;

/** The paths of a run of patches at three prices; its arguments are said in paths.ts. */
export type FollowPaths = (
  patches: number,
  c: number,
  atMost: number,
  restarts: number,
  bounds: number,
  countsOut: number,
  valuesOut: number,
  indicesOut: number,
  scratch: number,
  offers: number,
  low: number,
  mid: number,
  high: number,
  lambda: number,
) => number;

/** The codes of a run of patches at the price that was settled; its arguments are said in paths.ts. */
export type Settle = (
  patches: number,
  c: number,
  bounds: number,
  offers: number,
  counts: number,
  values: number,
  indices: number,
  countsOut: number,
  valuesOut: number,
  indicesOut: number,
  scratch: number,
  ties: number,
  threshold: number,
) => number;

/** The local search of a run of patches; its arguments are said in swaps.ts. */
export type Swap = (
  patches: number,
  c: number,
  counts: number,
  values: number,
  indices: number,
  countsOut: number,
  valuesOut: number,
  indicesOut: number,
  scratch: number,
  prices: number,
  moves: number,
  lambda: number,
  least: number,
) => number;

/** A patch-wise iterative solver on a run of patches; its arguments are said in patches.ts. */
export type PatchKernel = (
  patches: number,
  c: number,
  countsOut: number,
  valuesOut: number,
  indicesOut: number,
  scratch: number,
  s: number,
  maxIterations: number,
  curve: number,
  recorded: number,
  tolerance: number,
) => number;

/** Something done with the codes of a run of patches; see fits.ts. */
export type OnCodes = (
  patches: number,
  counts: number,
  values: number,
  indices: number,
  c: number,
  scratch: number,
) => void;

/** The functions of a problem's module; what they take is said where they are made. */
export interface Kernels extends Readonly<Record<IterationName, Iterate>> {
  rotateSignals(signals: number, patches: number, c: number, scratch: number): void;
  omp: Pursue;
  paths: FollowPaths;
  settle: Settle;
  swap: Swap;
  cosamp: PatchKernel;
  aiht: PatchKernel;
  measure: OnCodes;
  refit: OnCodes;
  collect(from: number, end: number, out: number, limit: number, low: number, high: number): number;
}

/** The code of all kernels for one problem. */
export function moduleFor(target: Target, shared: boolean): Uint8Array<ArrayBuffer> {
  const module = new Module();
  rotateSignals(module, target);
  iterations(module, target);
  collect(module);
  const pursuit = pursuitFunctions(module, target);
  const fits = { ...pursuit, residual: residual(module, target) };
  const functions = {
    ...fits,
    write: write(module, target, fits),
    together: target.scratch.group && groupCorrelations(module, target, target.scratch.group),
    keepLargest: keepLargest(module, target, pursuit.largest),
  };
  omp(module, target, functions);
  jointOmp(module, target, functions);
  swap(module, target, functions);
  measure(module, target, functions.residual);
  refit(module, target, functions);
  cosamp(module, target, functions);
  aiht(module, target, functions);
  return module.bytes(shared);
}
