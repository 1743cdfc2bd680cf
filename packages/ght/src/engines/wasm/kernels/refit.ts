/** Residuals and refit of existing codes. */
import { F32, type Fn, type I32, type Module } from './assembler.js';
import { inGroups } from './dense.js';
import { indexAt, madd, nmadd, sumLanes, type Target, toCoordinates } from './maps.js';
import { DEPENDENT_IN_FIT, type PursuitFunctions } from './pursue.js';
import { define, problemKernels } from './signatures.js';

/** residual(values, indices, count, c, out, scratch) → ‖r‖²: r = c − σ∘Vᵀz of one patch, written to `out`. */
export function residual(module: Module, target: Target): Fn {
  const { tables } = target;
  return module.fn('residual', ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'], 'f32', (f) => {
    const [values, indices, count, c, out, at] = f.parameters as I32[];
    const zero = f.i32(0);
    const [r, squares] = f.vectors(2);
    toCoordinates(f, target, at, { values, indices, count }, undefined, (v, t) => {
      r.set(nmadd(target, zero.v128(tables.sigma + 16 * v), t, c.v128(16 * v)));
      f.store(out, r, 16 * v);
      squares.set(madd(target, r, r, squares));
    });
    f.return(sumLanes(f, squares));
  });
}

/** Adds the kernel `measure`, which adds ‖y − Dz‖² of a run of patches to the scratch's error. */
export function measure(module: Module, target: Target, residualOf: Fn): void {
  const { shape, scratch } = target;
  define(module, 'measure', problemKernels.measure, (f, { patches, counts, values, indices, c, scratch: at }) => {
    const sum = f.f64(at.f64(scratch.error));
    const count = f.i32();
    f.count(patches, () => {
      count.set(counts.u16());
      const error = f.value(residualOf, values, indices, count, c, at.add(scratch.M), at) as F32;
      sum.set(sum.add(error.promote()));
      values.set(values.add(count.shl(2)));
      indices.set(indices.add(count.mul(shape.indexBytes)));
      counts.set(counts.add(2));
      c.set(c.add(4 * shape.R4));
    });
    f.store(at, sum, scratch.error);
  });
}

/** A place in the codes of a run of patches: the next patch's count, values and indices, and its coordinates c. */
interface Cursor {
  readonly counts: I32;
  readonly values: I32;
  readonly indices: I32;
  readonly c: I32;
}

/**
 * Adds the kernel `refit`: least squares on the support of each code, in place. What the
 * code leaves of its patch is fitted by the same atoms and added; an atom that depends on the ones before it stays as it
 * is, which loses nothing. A code that would not become better stays as it is.
 */
export function refit(
  module: Module,
  target: Target,
  functions: PursuitFunctions & { readonly residual: Fn; readonly together?: Fn },
): void {
  const { shape, scratch } = target;
  const { group } = scratch;
  const fit = fitPatch(module, target, functions);
  const { together } = functions;
  define(module, 'refit', problemKernels.refit, (f, { patches, counts, values, indices, c, scratch: at }) => {
    const count = f.i32();
    const error = f.f32();
    const next = ({ counts, values, indices, c }: Cursor, body: () => void) => {
      count.set(counts.u16());
      body();
      values.set(values.add(count.shl(2)));
      indices.set(indices.add(count.mul(shape.indexBytes)));
      counts.set(counts.add(2));
      c.set(c.add(4 * shape.R4));
    };
    const fitted: Cursor = { counts, values, indices, c };
    if (!(group && together)) {
      f.count(patches, () => {
        next(fitted, () => {
          error.set(f.value(functions.residual, values, indices, count, c, at.add(scratch.M), at) as F32);
          f.call(functions.correlate, at);
          f.call(fit, values, indices, count, c, at, error);
        });
      });
      return;
    }
    const measured: Cursor = { counts: f.i32(counts), values: f.i32(values), indices: f.i32(indices), c: f.i32(c) };
    const prepare = (slot: I32) => {
      next(measured, () => {
        const code = [measured.values, measured.indices, count] as const;
        f.store(slot, f.value(functions.residual, ...code, measured.c, slot.add(group.M), at) as F32, group.error);
      });
    };
    const finish = (slot: I32) => {
      next(fitted, () => {
        for (let v = 0; v < shape.L4 / 4; v++) f.store(at, slot.v128(group.X + 16 * v), scratch.X + 16 * v);
        f.call(fit, values, indices, count, c, at, slot.f32(group.error));
      });
    };
    inGroups(f, group, { patches, scratch: at }, { prepare, together, finish });
  });
}

/**
 * fitPatch(values, indices, count, c, scratch, error): refits the code of one patch, whose correlations with all atoms are at
 * X and whose squared error is given.
 */
function fitPatch(module: Module, target: Target, functions: PursuitFunctions & { readonly residual: Fn }): Fn {
  const { shape, scratch } = target;
  const most = Math.min(shape.N, shape.L);
  // For each atom that has joined, its place in the code; and the code as it was.
  const position = scratch.weight;
  const before = scratch.codes[0].values;
  return module.fn('fitPatch', [...new Array(5).fill('i32'), 'f32'], undefined, (f) => {
    const [values, indices, count, c, at, error] = f.parameters as [I32, I32, I32, I32, I32, F32];
    const [joined, slot, place] = [f.i32(0), f.i32(), f.i32()];
    const gain = f.f32();
    f.count(count, (i) => {
      f.store(at.add(i.shl(2)), values.add(i.shl(2)).f32(), before);
      // Once they span all signals every other atom depends on them.
      f.if(joined.lt(most), () => {
        const index = indexAt(target, indices.add(i.mul(shape.indexBytes)));
        gain.set(f.value(functions.join, at, index, joined, F32.of(DEPENDENT_IN_FIT)) as F32);
        f.if(gain.ge(0), () => {
          f.store(at.add(joined.shl(2)), i, position);
          joined.set(joined.add(1));
        });
      });
    });
    f.call(functions.coefficients, at, joined);
    f.count(joined, (i) => {
      slot.set(at.add(i.shl(2)));
      place.set(values.add(slot.i32(position).shl(2)));
      f.store(place, place.f32().add(slot.f32(scratch.x)));
    });
    const after = f.value(functions.residual, values, indices, count, c, at.add(scratch.M), at) as F32;
    f.if(after.lt(error).not(), () => {
      f.count(count, (i) => f.store(values.add(i.shl(2)), at.add(i.shl(2)).f32(before)));
    });
  });
}
