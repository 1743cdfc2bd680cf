import { type F32, type Fn, I32, type Module, V128 } from '../assembler.js';
import { madd } from '../maps.js';
import { define, planeKernels } from '../signatures.js';
import type { GroupTarget } from './target.js';

/** Adds the patches of a group, stored one after the other at `group`, to the planes Σ weight·window·patch and Σ weight·window. */
export function aggregation(
  f: Fn,
  target: GroupTarget,
  at: I32,
  { places, members, group }: { readonly places: I32; readonly members: I32; readonly group: I32 },
  weight: F32,
  sums: I32,
  weights: I32,
): void {
  const { pass, width, scratch, tables } = target;
  const n = pass.patch;
  const vectors = n / 4;
  const factor = f.v128(weight.splat());
  for (let v = 0; v < n * vectors; v++) {
    const window = I32.of(0).v128(tables.window + 16 * v);
    f.store(at, window.mul(factor), scratch.weights + 16 * v);
  }
  const [patch, sum, total, w, place] = [f.i32(group), f.i32(), f.i32(), f.v128(), f.i32(places)];
  f.count(members, () => {
    sum.set(sums.add(place.i32()));
    total.set(weights.add(place.i32()));
    for (let row = 0; row < n; row++) {
      for (let v = 0; v < vectors; v++) {
        const there = 4 * width * row + 16 * v;
        w.set(at.v128(scratch.weights + 16 * (vectors * row + v)));
        f.store(sum, madd(target, w, patch.v128(4 * n * row + 16 * v), sum.v128(there)), there);
        f.store(total, total.v128(there).add(w), there);
      }
    }
    patch.set(patch.add(4 * n * n));
    place.set(place.add(4));
  });
}

/**
 * combine(sums, others, weights, otherWeights, out, bytes): out = (sums + others) / (weights + otherWeights). The four inputs
 * are set to zero for the next pass. `bytes` must be a whole number of vectors.
 */
export function combine(module: Module): void {
  define(module, 'combine', planeKernels.combine, (f, { sums, others, weights, otherWeights, out, bytes }) => {
    const i = f.i32(0);
    f.while(i.lt(bytes), () => {
      const both = (a: I32, b: I32) => a.add(i).v128().add(b.add(i).v128());
      f.store(out.add(i), both(sums, others).div(both(weights, otherWeights)));
      for (const plane of [sums, others, weights, otherWeights]) f.store(plane.add(i), V128.zero);
      i.set(i.add(16));
    });
  });
}

/** blend(a, b, out, bytes, share): out = share·a + (1 − share)·b. `bytes` must be a whole number of vectors. */
export function blend(module: Module): void {
  define(module, 'blend', planeKernels.blend, (f, { a, b, out, bytes, share: shareOfA }) => {
    const share = f.v128(shareOfA.splat());
    const [i, other] = [f.i32(0), f.v128()];
    f.while(i.lt(bytes), () => {
      other.set(b.add(i).v128());
      f.store(out.add(i), other.add(a.add(i).v128().sub(other).mul(share)));
      i.set(i.add(16));
    });
  });
}
