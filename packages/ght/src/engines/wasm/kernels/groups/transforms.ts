/** The transform of a group, as in denoisers/groups/transforms.ts. */
import { F32, type Fn, I32, type Module } from '../assembler.js';
import { product } from '../maps.js';
import type { GroupTarget, PatchFunctions } from './target.js';
import { whitened } from './whitening.js';

/** The functions that a filter on transform coefficients uses. */
export interface TransformFunctions extends PatchFunctions {
  /** (group, members): the Haar transform along a group, in place, and its inverse. Sums and differences replace their pair. */
  readonly haar: Fn;
  readonly inverseHaar: Fn;
}

/** Emits the transform of a patch. */
export function patchFunctions(module: Module, name: string, target: GroupTarget): PatchFunctions {
  const { pass, width, scratch, tables, noise } = target;
  const n = pass.patch;
  const size = { rows: n, inner: n, vectors: n / 4 };

  /** L X R for the patch X at `from`, whose rows are `row` bytes apart. */
  const applyBothSides = (f: Fn, from: I32, row: number, L: number, R: number, out: I32, at: I32) => {
    product(
      f,
      target,
      size,
      { base: I32.of(0), offset: L, row: 4 * n, step: 4 },
      { base: from, offset: 0, row },
      (i, v, sum) => f.store(at, sum, scratch.half + 4 * n * i + 16 * v),
    );
    product(
      f,
      target,
      size,
      { base: at, offset: scratch.half, row: 4 * n, step: 4 },
      { base: I32.of(0), offset: R, row: 4 * n },
      (i, v, sum) => f.store(out, sum, 4 * n * i + 16 * v),
    );
  };

  const plain = {
    analysis: module.fn(`${name}Analysis`, ['i32', 'i32', 'i32'], undefined, (f) => {
      const [from, out, at] = f.parameters as [I32, I32, I32];
      applyBothSides(f, from, 4 * width, tables.A, tables.AT, out, at);
    }),
    synthesis: module.fn(`${name}Synthesis`, ['i32', 'i32'], undefined, (f) => {
      const [patch, at] = f.parameters as [I32, I32];
      applyBothSides(f, patch, 4 * n, tables.B, tables.BT, patch, at);
    }),
  };
  return noise ? whitened(module, name, target, plain) : plain;
}

/** Emits the transform of a patch and of a group. */
export function transformFunctions(module: Module, name: string, target: GroupTarget): TransformFunctions {
  const n = target.pass.patch;
  const butterflies = (inverse: boolean) => (f: Fn) => {
    const [group, members] = f.parameters as [I32, I32];
    const bytes = 4 * n * n;
    const end = f.i32(members.mul(bytes).add(group));
    const step = f.i32(inverse ? members.mul(bytes / 2) : bytes);
    const [a, b] = [f.i32(), f.i32()];
    const [x, y, half] = [f.v128(), f.v128(), f.v128(F32.of(Math.SQRT1_2).splat())];
    const one = () => {
      for (let v = 0; v < (n * n) / 4; v++) {
        x.set(a.v128(16 * v).mul(half));
        y.set(b.v128(16 * v).mul(half));
        f.store(a, x.add(y), 16 * v);
        f.store(b, x.sub(y), 16 * v);
      }
    };
    f.while(inverse ? step.ge(bytes) : group.add(step).lt(end), () => {
      a.set(group);
      f.repeat(() => {
        b.set(a.add(step));
        one();
        a.set(b.add(step));
      }, a.lt(end));
      step.set(inverse ? step.shr(1) : step.shl(1));
    });
  };

  return {
    ...patchFunctions(module, name, target),
    haar: module.fn(`${name}Haar`, ['i32', 'i32'], undefined, butterflies(false)),
    inverseHaar: module.fn(`${name}InverseHaar`, ['i32', 'i32'], undefined, butterflies(true)),
  };
}
