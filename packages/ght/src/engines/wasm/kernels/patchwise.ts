/** Shared code of the kernels of the patch-wise iterative solvers, CoSaMP and AIHT. */
import { F32, type Fn, type I32, type Module, V128 } from './assembler.js';
import { indexAt, storeIndex, sumLanes, type Target } from './maps.js';
import { define, patchSolver } from './signatures.js';

/** A code in the scratch of a thread: the offsets of its values and indices, in bytes from the start of the scratch. */
export interface ScratchCode {
  readonly values: number;
  readonly indices: number;
}

/** Emits `body` for each vector of a row, with its offset from the start of the row in bytes. */
export function eachVector(f: Fn, floats: number, body: (offset: I32) => void): void {
  const offset = f.i32(0);
  f.repeat(
    () => {
      body(offset);
      offset.set(offset.add(16));
    },
    offset.lt(4 * floats),
  );
}

/** Copies a row. */
export function copyRow(f: Fn, floats: number, from: I32, to: I32): void {
  eachVector(f, floats, (v) => f.store(to.add(v), from.add(v).v128()));
}

/** Fills a row with zeros. */
export function clearRow(f: Fn, floats: number, row: I32): void {
  eachVector(f, floats, (v) => f.store(row.add(v), V128.zero));
}

/** to ← |from|. */
export function magnitudes(f: Fn, floats: number, from: I32, to: I32): void {
  eachVector(f, floats, (v) => f.store(to.add(v), from.add(v).v128().abs()));
}

/** ⟨a, b⟩. */
export function dotRows(f: Fn, floats: number, a: I32, b: I32): F32 {
  const sum = f.v128(V128.zero);
  eachVector(f, floats, (v) => sum.set(sum.add(a.add(v).v128().mul(b.add(v).v128()))));
  return f.f32(sumLanes(f, sum));
}

/** out ← a + scale·b. */
export function combine(f: Fn, floats: number, out: I32, a: I32, scale: F32, b: I32): void {
  const factor = f.v128(scale.splat());
  eachVector(f, floats, (v) =>
    f.store(
      out.add(v),
      a
        .add(v)
        .v128()
        .add(factor.mul(b.add(v).v128())),
    ),
  );
}

/** The index of entry i of a code. */
export function indexOf(target: Target, at: I32, code: ScratchCode, i: I32): I32 {
  return indexAt(target, at.add(code.indices).add(i.mul(target.shape.indexBytes)));
}

/** Sets the index of entry i of a code. */
export function setIndex(f: Fn, target: Target, at: I32, code: ScratchCode, i: I32, index: I32): void {
  storeIndex(f, target, at.add(code.indices).add(i.mul(target.shape.indexBytes)), index);
}

/** Copies a code with `count` entries. */
export function copyCode(f: Fn, target: Target, at: I32, from: ScratchCode, to: ScratchCode, count: I32): void {
  f.count(count, (i) => {
    const slot = at.add(i.shl(2));
    f.store(slot, slot.f32(from.values), to.values);
    setIndex(f, target, at, to, i, indexOf(target, at, from, i));
  });
}

/** Writes a code to a row of all atoms, which is zero elsewhere. */
export function scatter(f: Fn, target: Target, at: I32, code: ScratchCode, count: I32, row: I32): void {
  clearRow(f, target.shape.L4, row);
  f.count(count, (i) => {
    f.store(row.add(indexOf(target, at, code, i).shl(2)), at.add(i.shl(2)).f32(code.values));
  });
}

/**
 * keepLargest(score, row, s, values, indices) → count: the s entries of a row with the largest score, as a code; fewer
 * if fewer scores are above zero. The scores of the selected entries are set to zero.
 */
export function keepLargest(module: Module, target: Target, largest: Fn): Fn {
  return module.fn('keepLargest', new Array(5).fill('i32'), 'i32', (f) => {
    const [score, row, s, values, indices] = f.parameters as I32[];
    const [count, j, slot] = [f.i32(0), f.i32(), f.i32()];
    f.while(count.lt(s), () => {
      j.set(f.value(largest, score) as I32);
      slot.set(score.add(j.shl(2)));
      f.if(slot.f32().le(0), () => f.return(count));
      f.store(slot, F32.of(0));
      f.store(values.add(count.shl(2)), row.add(j.shl(2)).f32());
      storeIndex(f, target, indices.add(count.mul(target.shape.indexBytes)), j);
      count.set(count.add(1));
    });
    f.return(count);
  });
}

/** The current patch and the stopping rule of a patch-wise iterative kernel. */
export interface PatchContext {
  readonly at: I32;
  readonly c: I32;
  readonly s: I32;
  readonly maxIterations: I32;
  readonly tolerance: F32;
  /** Records the error after an iteration. */
  readonly record: (iteration: I32, error: F32) => void;
}

/** The result for a patch: its code, its error and the number of iterations. */
export interface PatchEnd {
  readonly code: ScratchCode;
  readonly count: I32;
  readonly iterations: I32;
  readonly error: F32;
}

/**
 * Adds the kernel of a patch-wise solver, which runs `solve` on each patch and writes its code. `curve` is two arrays of float64. The first has `recorded` entries: for each
 * iteration, the sum of the errors of the patches that ran it. The second has `recorded` + 1 entries: for each number of
 * iterations, the sum of the final errors of the patches that ended after it.
 */
export function patchKernel(
  module: Module,
  target: Target,
  name: 'aiht' | 'cosamp',
  solve: (f: Fn, context: PatchContext) => PatchEnd,
): void {
  const { shape } = target;
  define(module, name, patchSolver, (f, parameters) => {
    const { patches, c, countsOut, valuesOut, indicesOut, scratch: at } = parameters;
    const { s, maxIterations, curve, recorded, tolerance } = parameters;
    const add = (slot: I32, error: F32) => f.store(slot, slot.f64().add(error.promote()));
    const record = (iteration: I32, error: F32) =>
      f.if(iteration.lt(recorded), () => add(curve.add(iteration.shl(3)), error));
    const last = f.i32();
    f.count(patches, () => {
      const { code, count, iterations, error } = solve(f, { at, c, s, maxIterations, tolerance, record });
      f.count(count, (i) => {
        f.store(valuesOut, at.add(i.shl(2)).f32(code.values));
        storeIndex(f, target, indicesOut, indexOf(target, at, code, i));
        valuesOut.set(valuesOut.add(4));
        indicesOut.set(indicesOut.add(shape.indexBytes));
      });
      f.store16(countsOut, count);
      last.set(iterations);
      f.if(last.gt(recorded), () => last.set(recorded));
      add(curve.add(recorded.add(last).shl(3)), error);
      countsOut.set(countsOut.add(2));
      c.set(c.add(4 * shape.R4));
    });
    f.return(valuesOut);
  });
}
