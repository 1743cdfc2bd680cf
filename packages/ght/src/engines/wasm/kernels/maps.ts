/** The linear maps that the kernels are made of, emitted for one shape. */

import { PANEL_ROW, padded, panelVector, type Shape } from '../../shape.js';
import { type F32, type Fn, I32, V128 } from './assembler.js';
import type { Scratch, Tables } from './tables.js';

/** Whether the host has fused multiply-add. */
export interface Fused {
  readonly fma: boolean;
}

/** What every kernel is emitted for: a shape, its places in memory, and what the host can do. */
export interface Target extends Fused {
  readonly shape: Shape;
  readonly tables: Tables;
  readonly scratch: Scratch;
}

/** a·b + c, fused where the host can. */
export function madd({ fma }: Fused, a: V128, b: V128, c: V128): V128 {
  return fma ? a.relaxedMadd(b, c) : c.add(a.mul(b));
}

/** c − a·b, fused where the host can. */
export function nmadd({ fma }: Fused, a: V128, b: V128, c: V128): V128 {
  return fma ? a.relaxedNmadd(b, c) : c.sub(a.mul(b));
}

/** `chosen` where the lanes of a comparison are set, and the other elsewhere. */
export function select({ fma }: Fused, comparison: V128, chosen: V128, other: V128): V128 {
  return fma ? chosen.relaxedChoose(comparison, other) : chosen.choose(comparison, other);
}

/** Rows of numbers in memory: entry (i, j) is at base + offset + i·row + j·step bytes. */
export interface Rows {
  readonly base: I32;
  readonly offset: number;
  readonly row: number;
  readonly step: number;
}

/** The rows that {@link product} multiplies; `place` is where vector v of a row begins, in bytes. @default 16·v */
interface Source {
  readonly base: I32;
  readonly offset: number;
  readonly row: number;
  readonly place?: (v: number) => number;
}

/** A table of panels with this many rows. */
function inPanels(offset: number, rows: number): Source {
  return { base: I32.of(0), offset, row: PANEL_ROW, place: (v) => panelVector(rows, v) };
}

/** Registers a tile may hold as sums; with its sources and one coefficient it stays within the sixteen there are. */
const SUMS = 10;

/**
 * out(i, ·) = Σ_k coefficient(i, k) · source(k, ·), in tiles whose sums stay in registers; a source row is `vectors` wide.
 * `done(i, v, sum)` says what to do with vector v of row i.
 */
export function product(
  f: Fn,
  target: Fused,
  size: { readonly rows: number; readonly inner: number; readonly vectors: number },
  coefficient: Rows,
  source: Source,
  done: (row: number, vector: number, sum: V128) => void,
): void {
  const place = source.place ?? ((v: number) => 16 * v);
  // Even tiles: the last one should not be a sliver.
  const wide = Math.ceil(size.vectors / Math.ceil(size.vectors / SUMS));
  const sums = f.vectors(Math.min(SUMS, size.rows * wide));
  const sources = f.vectors(Math.min(wide, 4));
  const splat = f.v128();
  const [from, along, end] = [f.i32(), f.i32(), f.i32()];
  for (let left = 0; left < size.vectors; left += wide) {
    const width = Math.min(wide, size.vectors - left);
    const tallest = Math.max(1, Math.floor(SUMS / width));
    const tiles = Math.ceil(size.rows / tallest);
    for (let tile = 0, top = 0; tile < tiles; tile++) {
      const height = Math.floor((size.rows - top) / (tiles - tile));
      const used = sums.slice(0, height * width);
      for (const sum of used) sum.set(V128.zero);
      from.set(coefficient.base.add(coefficient.offset + top * coefficient.row));
      const ahead = (v: number) => place(left + v) - place(left);
      along.set(source.base.add(source.offset + place(left)));
      end.set(along.add(size.inner * source.row));
      f.repeat(() => {
        const inRegisters = width <= sources.length && height > 1;
        if (inRegisters) for (let v = 0; v < width; v++) sources[v].set(along.v128(ahead(v)));
        for (let i = 0; i < height; i++) {
          splat.set(from.splat(i * coefficient.row));
          for (let v = 0; v < width; v++) {
            const sum = used[i * width + v];
            sum.set(madd(target, splat, inRegisters ? sources[v] : along.v128(ahead(v)), sum));
          }
        }
        from.set(from.add(coefficient.step));
        along.set(along.add(source.row));
      }, along.lt(end));
      for (let i = 0; i < height; i++) for (let v = 0; v < width; v++) done(top + i, left + v, used[i * width + v]);
      top += height;
    }
  }
}

/**
 * X = V M: a vector of coordinates at scratch M becomes a row of all coefficients at scratch X; `plus`, where it is given,
 * is another such row that is added.
 */
export function toCoefficients(f: Fn, target: Target, at: I32, plus?: number): void {
  const { shape, tables, scratch } = target;
  const [A, B] = shape.parts;
  const store = (sum: V128, offset: number) =>
    f.store(at, plus === undefined ? sum : sum.add(at.v128(plus + offset)), scratch.X + offset);
  if (!B) {
    const inner = A.sigma.length;
    product(
      f,
      target,
      { rows: 1, inner, vectors: shape.L4 / 4 },
      { base: at, offset: scratch.M, row: 0, step: 4 },
      inPanels(tables.VT, inner),
      (_, v, sum) => store(sum, 16 * v),
    );
    return;
  }
  // T = V_A M, then X = T V_Bᵀ.
  const width = 4 * padded(B.sigma.length);
  product(
    f,
    target,
    { rows: A.V.rows, inner: A.sigma.length, vectors: width / 16 },
    { base: I32.of(0), offset: tables.VA, row: 4 * padded(A.sigma.length), step: 4 },
    { base: at, offset: scratch.M, row: width },
    (i, v, sum) => f.store(at, sum, scratch.T + i * width + 16 * v),
  );
  const out = 4 * padded(B.V.rows);
  product(
    f,
    target,
    { rows: A.V.rows, inner: B.sigma.length, vectors: out / 16 },
    { base: at, offset: scratch.T, row: width, step: 4 },
    { base: I32.of(0), offset: tables.VT, row: out },
    // Rows of X touch: what a padded row writes beyond its end is zero, and the next row overwrites it.
    (i, v, sum) => store(sum, 4 * B.V.rows * i + 16 * v),
  );
}

/** c = Qᵀy: a signal at scratch M is rotated and stored at `out`. */
export function rotateSignal(f: Fn, target: Target, at: I32, out: I32): void {
  const { shape, tables, scratch } = target;
  const [A, B] = shape.parts;
  if (!B) {
    product(
      f,
      target,
      { rows: 1, inner: shape.N, vectors: shape.R4 / 4 },
      { base: at, offset: scratch.M, row: 0, step: 4 },
      inPanels(tables.QA, shape.N),
      (_, v, sum) => f.store(out, sum, 16 * v),
    );
    return;
  }
  // T = Q_Aᵀ Y, then C = T Q_B.
  const width = 4 * padded(B.Q.rows);
  product(
    f,
    target,
    { rows: A.sigma.length, inner: A.Q.rows, vectors: width / 16 },
    { base: I32.of(0), offset: tables.QA, row: 4, step: 4 * padded(A.sigma.length) },
    { base: at, offset: scratch.M, row: 4 * B.Q.rows },
    (i, v, sum) => f.store(at, sum, scratch.T + i * width + 16 * v),
  );
  const coordinates = 4 * padded(B.sigma.length);
  product(
    f,
    target,
    { rows: A.sigma.length, inner: B.Q.rows, vectors: coordinates / 16 },
    { base: at, offset: scratch.T, row: width, step: 4 },
    { base: I32.of(0), offset: tables.QB, row: coordinates },
    (i, v, sum) => f.store(out, sum, i * coordinates + 16 * v),
  );
}

/** A sparse code in memory: where its values and indices begin, and how many there are. */
export interface SparseCode {
  readonly values: I32;
  readonly indices: I32;
  readonly count: I32;
}

/** The address of the row of V that an index in a code names. */
function rowOf({ shape, tables }: Target, index: I32): I32 {
  return index.mul(4 * shape.R4).add(tables.V);
}

/** The index at an address, or this many further on. */
export function indexAt({ shape }: Target, address: I32, ahead = 0): I32 {
  return shape.indexBytes === 1 ? address.u8(ahead) : address.u16(2 * ahead);
}

/** Writes the index of a code's entry to an address. */
export function storeIndex(f: Fn, { shape }: Target, address: I32, index: I32): void {
  if (shape.indexBytes === 1) f.store8(address, index);
  else f.store16(address, index);
}

/** Copies this many entries of a code. */
export function copyCode(
  f: Fn,
  target: Target,
  count: I32,
  from: Omit<SparseCode, 'count'>,
  to: Omit<SparseCode, 'count'>,
): void {
  f.count(count, (i) => {
    const apart = i.mul(target.shape.indexBytes);
    f.store(to.values.add(i.shl(2)), from.values.add(i.shl(2)).i32());
    storeIndex(f, target, to.indices.add(apart), indexAt(target, from.indices.add(apart)));
  });
}

/** Moves on from a code with this many entries to the one after it. */
export function passCode({ shape }: Target, { values, indices }: Omit<SparseCode, 'count'>, count: I32): void {
  values.set(values.add(count.shl(2)));
  indices.set(indices.add(count.mul(shape.indexBytes)));
}

/** H_S on a code: values under the threshold are set to zero, in place. What follows it is filtered too, by the same rule. */
export function filter(f: Fn, code: SparseCode, threshold: V128): void {
  const [value, at] = [f.v128(), f.i32(code.values)];
  const end = f.i32(code.values.add(code.count.shl(2)));
  f.while(at.lt(end), () => {
    value.set(at.v128());
    f.store(at, value.and(value.abs().ge(threshold)));
    at.set(at.add(16));
  });
}

/** Vectors of coordinates whose sums are held in registers at once. */
const GROUP = 4;

/**
 * t = Vᵀz of a sparse code, handed to `done` vector by vector. Where a row is given, the code is also laid out in it, zero
 * elsewhere.
 */
export function toCoordinates(
  f: Fn,
  target: Target,
  at: I32,
  code: SparseCode,
  row: number | undefined,
  done: (vector: number, t: V128) => void,
): void {
  const { shape } = target;
  const [A, B] = shape.parts;
  const vectors = shape.R4 / 4;
  const [z, value, index, atom] = [f.v128(), f.i32(), f.i32(), f.i32()];
  const end = f.i32(code.values.add(code.count.shl(2)));
  if (row !== undefined) for (let v = 0; v < shape.L4 / 4; v++) f.store(at, V128.zero, row + 16 * v);
  const eachValue = (first: boolean, body: () => void) => {
    const one = (ahead: number) => {
      z.set(value.splat(4 * ahead));
      atom.set(indexAt(target, index, ahead));
      if (first && row !== undefined) f.storeLane(atom.shl(2).add(at), z, row);
      body();
    };
    const several = (n: number) => {
      for (let ahead = 0; ahead < n; ahead++) one(ahead);
      value.set(value.add(4 * n));
      index.set(index.add(n * shape.indexBytes));
    };
    value.set(code.values);
    index.set(code.indices);
    f.while(value.add(4).lt(end), () => several(2));
    f.if(value.lt(end), () => several(1));
  };
  const direct = () => {
    const sums = f.vectors(GROUP);
    const from = f.i32();
    for (let left = 0; left < vectors; left += GROUP) {
      const used = sums.slice(0, Math.min(GROUP, vectors - left));
      for (const sum of used) sum.set(V128.zero);
      eachValue(left === 0, () => {
        from.set(rowOf(target, atom));
        for (const [v, sum] of used.entries()) sum.set(madd(target, z, from.v128(16 * (left + v)), sum));
      });
      for (const [v, sum] of used.entries()) done(left + v, sum);
    }
  };
  if (!B) {
    direct();
    return;
  }
  // By the factors: with z as a matrix Z(k, j), T = Zᵀ V_A gathers what falls into each column j, and t = Tᵀ V_B, which costs
  // the same for any code. Atoms follow each other along a row of Z, so neighbours fall into different rows of T, and
  // none has to wait for the one before it.
  const byFactors = () => {
    const { scratch, tables } = target;
    const width = 4 * padded(A.sigma.length);
    for (let v = 0; v < (B.V.rows * width) / 16; v++) f.store(at, V128.zero, scratch.T + 16 * v);
    const [k, j] = [f.i32(), f.i32()];
    eachValue(true, () => {
      j.set(atom.shl(2));
      k.set(j.u16(tables.rowsOfAtom));
      j.set(j.u16(tables.rowsOfAtom + 2).add(at));
      for (let v = 0; v < width / 16; v++) {
        const there = scratch.T + 16 * v;
        f.store(j, madd(target, z, k.v128(tables.VA + 16 * v), j.v128(there)), there);
      }
    });
    const out = 4 * padded(B.sigma.length);
    product(
      f,
      target,
      { rows: A.sigma.length, inner: B.V.rows, vectors: out / 16 },
      { base: at, offset: scratch.T, row: 4, step: width },
      { base: I32.of(0), offset: tables.VB, row: out },
      (a, v, sum) => done((a * out) / 16 + v, sum),
    );
  };
  f.if(code.count.gt(A.V.rows + 2), byFactors, direct);
}

/** The sum of the four lanes. */
export function sumLanes(f: Fn, value: V128): F32 {
  const halves = f.v128(value.add(value.shuffle([2, 3, 0, 1])));
  return halves.lane(0).add(halves.lane(1));
}

/** sum ← sum + the four lanes of `value`, in double precision: two sums side by side. */
export function addLanes(sum: V128, value: V128): void {
  sum.set(sum.addDoubles(value.promoteLow().addDoubles(value.shuffle([2, 3, 2, 3]).promoteLow())));
}
