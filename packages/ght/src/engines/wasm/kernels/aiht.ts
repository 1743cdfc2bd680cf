/** The kernel of AIHT: sparse/solvers/aiht.ts for one patch after another, in the coordinates of shape.ts. */
import { F32, type Fn, type I32, type Module } from './assembler.js';
import type { Target } from './maps.js';
import type { ScratchCode } from './patchwise.js';
import {
  clearRow,
  combine,
  copyCode,
  copyRow,
  dotRows,
  indexOf,
  magnitudes,
  patchKernel,
  scatter,
  setIndex,
} from './patchwise.js';
import type { PursuitFunctions } from './pursue.js';

/** c of the step-size rule. μ is divided by 2(1 − c) until it satisfies the rule. */
const MARGIN = 0.01;

/** Adds the kernel `aiht` to a module. */
export function aiht(
  module: Module,
  target: Target,
  functions: PursuitFunctions & { readonly residual: Fn; readonly keepLargest: Fn },
): void {
  const { shape, scratch } = target;
  const { L4, R4 } = shape;
  // The codes of x, of the next iterate, and of the gradient on the support Γ (later of the relaxed iterate).
  const [own, proposed, other] = scratch.codes;
  patchKernel(module, target, 'aiht', (f, { at, c, s, maxIterations, tolerance, record }) => {
    const [x, last, next, z, g, difference] = scratch.atomRows.map((row) => at.add(row));
    // Residuals y − D(·) of the same iterates: D(a − b) is the residual of b minus that of a.
    const [rx, rlast, rnext, rz, moved, zero, unused] = scratch.coordinateRows.map((row) => at.add(row));
    const [count, nextCount, otherCount, iterations, going, trying] = Array.from({ length: 6 }, () => f.i32(0));
    const [error, nextError, relaxedError, mu, length, fall] = Array.from({ length: 6 }, () => f.f32());
    const score = at.add(scratch.score);
    const marks = at.add(scratch.weight);
    const residual = (code: ScratchCode, n: I32, y: I32, out: I32) =>
      f.value(functions.residual, at.add(code.values), at.add(code.indices), n, y, out, at) as F32;
    /** H_s of a row, as a code. */
    const threshold = (row: I32, code: ScratchCode) => {
      magnitudes(f, L4, row, score);
      return f.value(functions.keepLargest, score, row, s, at.add(code.values), at.add(code.indices)) as I32;
    };
    /** iterate ← iterate + a(iterate − from) with the a that minimises its residual. */
    const relax = (from: I32, rfrom: I32) => {
      combine(f, L4, difference, z, F32.of(-1), from);
      combine(f, R4, moved, rfrom, F32.of(-1), rz);
      const square = dotRows(f, R4, moved, moved);
      f.if(square.gt(0), () => {
        const a = f.f32(dotRows(f, R4, moved, rz).div(square));
        combine(f, L4, z, z, a, difference);
        combine(f, R4, rz, rz, F32.of(0).sub(a), moved);
      });
    };

    clearRow(f, L4, x);
    clearRow(f, L4, last);
    clearRow(f, R4, zero);
    copyRow(f, R4, c, rx);
    copyRow(f, R4, c, rlast);
    count.set(0);
    iterations.set(0);
    error.set(dotRows(f, R4, c, c));
    going.set(error.gt(0).and(s.gt(0)).and(maxIterations.gt(0)));
    f.while(going, () => {
      copyRow(f, R4, rx, at.add(scratch.M));
      f.call(functions.correlate, at);
      copyRow(f, L4, at.add(scratch.X), g);
      // g on Γ, the support of x, or of the first iterate if x = 0.
      f.if(
        count.eq(0),
        () => otherCount.set(threshold(g, other)),
        () => {
          otherCount.set(count);
          f.count(count, (i) => {
            const index = f.i32(indexOf(target, at, own, i));
            f.store(at.add(i.shl(2)), g.add(index.shl(2)).f32(), other.values);
            setIndex(f, target, at, other, i, index);
          });
        },
      );
      clearRow(f, L4, marks);
      length.set(0);
      f.count(otherCount, (i) => {
        const value = f.f32(at.add(i.shl(2)).f32(other.values));
        length.set(length.add(value.mul(value)));
        f.store(marks.add(indexOf(target, at, other, i).shl(2)), i.add(1));
      });
      const bent = f.f32(residual(other, otherCount, zero, unused));
      mu.set(length.div(bent));
      trying.set(bent.gt(0));
      going.set(trying);
      f.while(trying, () => {
        combine(f, L4, next, x, mu, g);
        nextCount.set(threshold(next, proposed));
        scatter(f, target, at, proposed, nextCount, next);
        nextError.set(residual(proposed, nextCount, c, rnext));
        const strangers = f.i32(0);
        f.count(nextCount, (i) => {
          const mark = marks.add(indexOf(target, at, proposed, i).shl(2)).i32();
          strangers.set(strangers.add(mark.eq(0)));
        });
        trying.set(0);
        f.if(strangers.gt(0).or(nextCount.ne(otherCount)), () => {
          combine(f, L4, difference, next, F32.of(-1), x);
          combine(f, R4, moved, rx, F32.of(-1), rnext);
          const bound = dotRows(f, L4, difference, difference)
            .mul(1 - MARGIN)
            .div(dotRows(f, R4, moved, moved));
          f.if(mu.gt(bound), () => {
            mu.set(mu.div(2 * (1 - MARGIN)));
            trying.set(1);
          });
        });
      });
      f.if(going, () => {
        copyRow(f, L4, next, z);
        copyRow(f, R4, rnext, rz);
        relax(x, rx);
        relax(last, rlast);
        otherCount.set(threshold(z, other));
        relaxedError.set(residual(other, otherCount, c, rz));
        f.if(relaxedError.lt(nextError), () => {
          copyCode(f, target, at, other, proposed, otherCount);
          nextCount.set(otherCount);
          scatter(f, target, at, proposed, nextCount, next);
          copyRow(f, R4, rz, rnext);
          nextError.set(relaxedError);
        });
        f.if(
          nextError.lt(error),
          () => {
            copyRow(f, L4, x, last);
            copyRow(f, R4, rx, rlast);
            copyRow(f, L4, next, x);
            copyRow(f, R4, rnext, rx);
            copyCode(f, target, at, proposed, own, nextCount);
            count.set(nextCount);
            record(iterations, nextError);
            iterations.set(iterations.add(1));
            fall.set(error.sqrt().sub(nextError.sqrt()));
            error.set(nextError);
            going.set(fall.ge(tolerance).and(iterations.lt(maxIterations)).and(error.gt(0)));
          },
          () => going.set(0),
        );
      });
    });
    return { code: own, count, iterations, error };
  });
}
