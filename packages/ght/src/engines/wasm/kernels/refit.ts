/** Residuals and refit of existing codes. */
import type { Fn, I32, Module } from './assembler.js';
import { F32 } from './assembler.js';
import type { Target } from './maps.js';
import { indexAt, madd, nmadd, sumLanes, toCoordinates } from './maps.js';
import type { PursuitFunctions } from './pursue.js';
import { DEPENDENT_IN_FIT } from './pursue.js';

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

/** measure(patches, counts, values, indices, c, scratch): adds ‖y − Dz‖² of a run of patches to the scratch's error. */
export function measure(module: Module, target: Target, residualOf: Fn): void {
  const { shape, scratch } = target;
  module.fn('measure', new Array(6).fill('i32'), undefined, (f) => {
    const [patches, counts, values, indices, c, at] = f.parameters as I32[];
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

/**
 * refit(patches, counts, values, indices, c, scratch): least squares on the support of each code, in place. What the
 * code leaves of its patch is fitted by the same atoms and added; an atom that depends on the ones before it stays as it
 * is, which loses nothing. A code that would not become better stays as it is.
 */
export function refit(module: Module, target: Target, functions: PursuitFunctions & { readonly residual: Fn }): void {
  const { shape, scratch } = target;
  const most = Math.min(shape.N, shape.L);
  // For each atom that has joined, its place in the code; and the code as it was.
  const position = scratch.weight;
  const before = scratch.codes[0].values;
  module.fn('refit', new Array(6).fill('i32'), undefined, (f) => {
    const [patches, counts, values, indices, c, at] = f.parameters as I32[];
    const [count, joined, slot, place] = [f.i32(), f.i32(), f.i32(), f.i32()];
    const [error, gain] = [f.f32(), f.f32()];
    const residualNow = () => f.value(functions.residual, values, indices, count, c, at.add(scratch.M), at) as F32;
    f.count(patches, () => {
      count.set(counts.u16());
      error.set(residualNow());
      f.call(functions.correlate, at);
      joined.set(0);
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
      f.if(residualNow().lt(error).not(), () => {
        f.count(count, (i) => f.store(values.add(i.shl(2)), at.add(i.shl(2)).f32(before)));
      });
      values.set(values.add(count.shl(2)));
      indices.set(indices.add(count.mul(shape.indexBytes)));
      counts.set(counts.add(2));
      c.set(c.add(4 * shape.R4));
    });
  });
}
