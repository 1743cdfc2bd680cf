import { aiht } from './aiht.js';
import { Module } from './assembler.js';
import { cosamp } from './cosamp.js';
import { groupCorrelations } from './dense.js';
import { inOrder } from './in-order.js';
import { collect, iterations } from './iterate.js';
import type { Target } from './maps.js';
import { keepLargest } from './patchwise.js';
import { jointOmp } from './paths.js';
import { omp, pursuitFunctions, write } from './pursue.js';
import { measure, refit, residual } from './refit.js';
import { rotateSignals } from './rotate.js';
import { swap } from './swaps.js';

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
  inOrder(module, target);
  measure(module, target, functions.residual);
  refit(module, target, functions);
  cosamp(module, target, functions);
  aiht(module, target, functions);
  return module.bytes(shared);
}
