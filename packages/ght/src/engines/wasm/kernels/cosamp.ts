/** The kernel of CoSaMP: sparse/solvers/cosamp.ts for one patch after another, in the coordinates of shape.ts. */
import { F32, type Fn, type I32, type Module } from './assembler.js';
import type { Target } from './maps.js';
import { clearRow, copyCode, copyRow, indexOf, magnitudes, patchKernel, setIndex } from './patchwise.js';
import { DEPENDENT_IN_FIT, type PursuitFunctions } from './pursue.js';

/** Adds the kernel `cosamp` to a module. */
export function cosamp(
  module: Module,
  target: Target,
  functions: PursuitFunctions & { readonly residual: Fn; readonly keepLargest: Fn },
): void {
  const { shape, scratch } = target;
  const { L4 } = shape;
  const most = Math.min(shape.N, shape.L);
  // The code of this iteration, the best one so far, and the merged support T.
  const [a, best, T] = scratch.codes;
  patchKernel(module, target, 'cosamp', (f, { at, c, s, maxIterations, tolerance, record }) => {
    const [count, bestCount, merged, joined, iterations, going] = Array.from({ length: 6 }, () => f.i32(0));
    const [error, next, fall] = [f.f32(), f.f32(), f.f32()];
    const alpha = at.add(scratch.atomRows[0]);
    const b = at.add(scratch.atomRows[1]);
    const v = at.add(scratch.coordinateRows[0]);
    const marks = at.add(scratch.weight);
    const score = at.add(scratch.score);
    const X = at.add(scratch.X);
    const M = at.add(scratch.M);
    const residual = (code: typeof a, n: I32) =>
      f.value(functions.residual, at.add(code.values), at.add(code.indices), n, c, v, at) as F32;
    const keep = (row: I32, n: I32, code: typeof a) =>
      f.value(functions.keepLargest, score, row, n, at.add(code.values), at.add(code.indices)) as I32;

    copyRow(f, shape.R4, c, M);
    f.call(functions.correlate, at);
    copyRow(f, L4, X, alpha);
    count.set(0);
    bestCount.set(0);
    iterations.set(0);
    error.set(residual(a, count));
    going.set(error.gt(0).and(s.gt(0)).and(maxIterations.gt(0)));
    f.while(going, () => {
      // u = Dᵀv; T is the union of its 2s largest atoms and the atoms of a.
      copyRow(f, shape.R4, v, M);
      f.call(functions.correlate, at);
      magnitudes(f, L4, X, score);
      merged.set(keep(X, s.shl(1), T));
      clearRow(f, L4, marks);
      f.count(merged, (i) => f.store(marks.add(indexOf(target, at, T, i).shl(2)), i.add(1)));
      f.count(count, (i) => {
        const index = f.i32(indexOf(target, at, a, i));
        f.if(marks.add(index.shl(2)).i32().eq(0), () => {
          setIndex(f, target, at, T, merged, index);
          merged.set(merged.add(1));
        });
      });
      // b = argmin ‖D_T b − y‖², then its s largest.
      copyRow(f, L4, alpha, X);
      joined.set(0);
      f.count(merged, (i) => {
        f.if(joined.lt(most), () => {
          const least = F32.of(DEPENDENT_IN_FIT);
          const gain = f.value(functions.join, at, indexOf(target, at, T, i), joined, least) as F32;
          joined.set(joined.add(gain.ge(0)));
        });
      });
      f.call(functions.coefficients, at, joined);
      clearRow(f, L4, b);
      f.count(joined, (i) => {
        const slot = at.add(i.shl(2));
        f.store(b.add(slot.i32(scratch.support).shl(2)), slot.f32(scratch.x));
      });
      magnitudes(f, L4, b, score);
      count.set(keep(b, s, a));
      next.set(residual(a, count));
      f.if(
        next.lt(error),
        () => {
          copyCode(f, target, at, a, best, count);
          bestCount.set(count);
          record(iterations, next);
          iterations.set(iterations.add(1));
          fall.set(error.sqrt().sub(next.sqrt()));
          error.set(next);
          going.set(fall.ge(tolerance).and(iterations.lt(maxIterations)).and(error.gt(0)));
        },
        () => going.set(0),
      );
    });
    return { code: best, count: bestCount, iterations, error };
  });
}
