/** One iteration of GHT-QPM or GHT-ADMM on a run of patches, as a WebAssembly function. */
import type { F32, Fn, I32, Module } from './assembler.js';
import { mask16, V128 } from './assembler.js';
import type { Target } from './blocks.js';
import { addLanes, analysis, madd, nmadd, synthesis } from './blocks.js';
import { BIN_SHIFT, BINS } from './tables.js';

/**
 * What to do with the dual variable. GHT-ADMM carries q = Vᵀv, the coordinates of V = X + U, from one iteration to the next:
 *
 *     M = g ∘ (r − σ(t − q)),   q ← t + M
 *
 * - `none`: GHT-QPM, M = g ∘ r;
 * - `start`: the first iteration of GHT-ADMM, where U = 0, so t − q = 0;
 * - `step`: every other;
 * - `again`: the iteration is repeated with a lower `lo`; q is already the new one, so M = q − t.
 */
export type Dual = 'none' | 'start' | 'step' | 'again';

/**
 * iterate(patches, counts, values, indices, countsOut, valuesOut, indicesOut, c, q, scratch, threshold, lo) → end of valuesOut
 *
 * For each patch: filter its code by the threshold (H_S, in place), t = Vᵀz, the residual r = c − σt and its square, M,
 * X = Z + VM, and write out every |x| ≥ lo as a candidate for the next code, counting it in the histogram.
 */
export function iteration(module: Module, target: Target, name: string, dual: Dual): void {
  const types = [...new Array(10).fill('i32'), 'f32', 'f32'];
  module.fn(name, types, 'i32', (f) => buildIteration(f, target, dual));
}

function buildIteration(f: Fn, target: Target, dual: Dual): void {
  const { shape, tables, scratch } = target;
  const [patches, counts, values, indices, countsOut, valuesOut, indicesOut, c, q, at, tau, lo] = f.parameters as [
    ...[I32, I32, I32, I32, I32, I32, I32, I32, I32, I32],
    ...[F32, F32],
  ];
  const threshold = f.v128(tau.splat());
  const lowest = f.v128(lo.splat());
  const lowestBits = f.i32(lo.bits());
  const error = f.v128(V128.zero);
  const [count, start] = [f.i32(), f.i32()];
  const [squares, r, M] = [f.v128(), f.v128(), f.v128()];
  const zero = f.i32(0);

  const coordinate = (v: number, t: V128) => {
    const there = 16 * v;
    if (dual === 'again') {
      f.store(at, q.v128(there).sub(t), scratch.M + there);
      return;
    }
    r.set(nmadd(target, zero.v128(tables.sigma + there), t, c.v128(there)));
    squares.set(madd(target, r, r, squares));
    if (dual === 'step') r.set(nmadd(target, zero.v128(tables.sigma + there), t.sub(q.v128(there)), r));
    M.set(r.mul(zero.v128(tables.g + there)));
    if (dual !== 'none') {
      // M is taken as q − t, not as computed, so that `again` finds the same bits.
      M.set(t.add(M));
      f.store(q, M, there);
      M.set(M.sub(t));
    }
    f.store(at, M, scratch.M + there);
  };

  f.while(
    () => patches.gt(0),
    () => {
      count.set(counts.u16());
      start.set(valuesOut);
      squares.set(V128.zero);
      analysis(f, target, at, { values, indices, count }, threshold, coordinate);
      if (dual !== 'again') addLanes(error, squares);
      synthesis(f, target, at);
      addCode(f, target, at, values, indices, count);
      emitCandidates(f, target, at, { lowest, lowestBits, valuesOut, indicesOut });
      f.store16(countsOut, valuesOut.sub(start).shr(2));
      values.set(values.add(count.shl(2)));
      indices.set(indices.add(count.mul(shape.indexBytes)));
      counts.set(counts.add(2));
      countsOut.set(countsOut.add(2));
      c.set(c.add(4 * shape.R4));
      if (dual !== 'none') q.set(q.add(4 * shape.R4));
      patches.set(patches.sub(1));
    },
  );
  if (dual !== 'again') f.store(at, at.f64(scratch.error).add(error.double(0)).add(error.double(1)), scratch.error);
  f.return(valuesOut);
}

/** X ← X + Z at the places of the code. */
function addCode(f: Fn, { shape, scratch }: Target, at: I32, values: I32, indices: I32, count: I32): void {
  const place = f.i32();
  f.count(count, (i) => {
    const index = indices.add(i.mul(shape.indexBytes));
    place.set((shape.indexBytes === 1 ? index.u8() : index.u16()).shl(2).add(at));
    f.store(place, place.f32(scratch.X).add(values.add(i.shl(2)).f32()), scratch.X);
  });
}

/** Writes every |x| ≥ lo of scratch X to the output, 64 atoms at a time by a bit mask, and counts it in the histogram. */
function emitCandidates(
  f: Fn,
  { shape, scratch }: Target,
  at: I32,
  out: { lowest: V128; lowestBits: I32; valuesOut: I32; indicesOut: I32 },
): void {
  const { lowest, lowestBits, valuesOut, indicesOut } = out;
  const set = f.i64();
  const [atom, bin] = [f.i32(), f.i32()];
  const value = f.f32();
  for (let first = 0; first < shape.L4; first += 64) {
    const vectors = Math.min(16, (shape.L4 - first) / 4);
    const large = (v: number) =>
      at
        .v128(scratch.X + 4 * first + 16 * v)
        .abs()
        .ge(lowest);
    for (let v = 0; v < vectors; v += 4) {
      const four = Array.from({ length: Math.min(4, vectors - v) }, (_, i) => large(v + i));
      const bits = mask16(four);
      set.set(v === 0 ? bits : set.or(bits.shl(4 * v)));
    }
    f.while(
      () => set.isZero().not(),
      () => {
        atom.set(set.lowest());
        value.set(at.add(atom.shl(2)).f32(scratch.X + 4 * first));
        f.store(valuesOut, value);
        if (shape.indexBytes === 1) f.store8(indicesOut, atom.add(first));
        else f.store16(indicesOut, atom.add(first));
        bin.set(value.abs().bits().sub(lowestBits).shr(BIN_SHIFT));
        bin.set(
          smaller(bin, BINS - 1)
            .shl(2)
            .add(at),
        );
        f.store(bin, bin.i32(scratch.histogram).add(1), scratch.histogram);
        valuesOut.set(valuesOut.add(4));
        indicesOut.set(indicesOut.add(shape.indexBytes));
        set.set(set.withoutLowest());
      },
    );
  }
}

function smaller(a: I32, b: number): I32 {
  return a.choose(a.lt(b), b);
}

/**
 * collect(from, end, out, low, high) → end of out: the magnitudes, as bits, of the values whose bits are from `low` up to
 * but not including `high`.
 */
export function collect(module: Module): void {
  module.fn('collect', ['i32', 'i32', 'i32', 'i32', 'i32'], 'i32', (f) => {
    const [from, end, out, low, high] = f.parameters as [I32, I32, I32, I32, I32];
    const bits = f.i32();
    const width = f.i32(high.sub(low));
    f.while(
      () => from.lt(end),
      () => {
        bits.set(from.i32().and(0x7fffffff));
        f.store(out, bits);
        out.set(out.add(bits.sub(low).lt(width).shl(2)));
        from.set(from.add(4));
      },
    );
    f.return(out);
  });
}
