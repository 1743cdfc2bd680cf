/**
 * G = Q T Qᵀ: a symmetric matrix brought to tridiagonal form by Householder reflections I − β v vᵀ, from the first row on,
 *
 *     p = β A v,   w = p − (β/2)(vᵀp) v,   A ← A − v wᵀ − w vᵀ
 *
 * The v of a reflection replaces its row of the matrix. All loops run over blocks of four vectors, so the first block of a
 * step also has entries before those of the step: v and w are zero there.
 */
import { F32, type Fn, type I32, type Module, V128 } from '../assembler.js';
import { madd, nmadd, sumLanes } from '../maps.js';
import type { GroupTarget } from './target.js';

/** Bytes of a block: four vectors. */
const BLOCK = 64;
/** A row whose sum of squares is below this counts as zero. */
const NOTHING = 1e-30;

/** The operations of a step on whole rows. */
class Rows {
  readonly pitch: number;
  readonly row: I32;
  private readonly end: I32;
  private readonly column: I32;

  constructor(
    private readonly f: Fn,
    private readonly target: GroupTarget,
    private readonly at: I32,
    private readonly N: number,
  ) {
    this.pitch = 4 * N;
    this.row = f.i32();
    this.end = f.i32(at.add(this.N * this.pitch));
    this.column = f.i32();
  }

  /** Loops over the blocks of columns from byte `start` on; `body` gets the address relative to the scratch. */
  eachBlock(start: I32, body: (column: I32) => void): void {
    const { f, at, column } = this;
    column.set(start.add(at));
    const end = f.i32(at.add(this.pitch));
    f.repeat(() => {
      body(column);
      column.set(column.add(BLOCK));
    }, column.lt(end));
  }

  /** Clears the vector at scratch offset `vector` from byte `start` to byte `end`. */
  clear(vector: number, start: I32, end: I32): void {
    const { f, at } = this;
    const place = f.i32(start.add(at));
    f.while(place.lt(end.add(at)), () => {
      f.store(place, F32.of(0), vector);
      place.set(place.add(4));
    });
  }

  /** The scalar product of two vectors from byte `start` on. */
  dot(x: number, y: number, start: I32): F32 {
    const { f, target } = this;
    const sums = f.vectors(4);
    for (const sum of sums) sum.set(V128.zero);
    this.eachBlock(start, (column) => {
      for (const [v, sum] of sums.entries())
        sum.set(madd(target, column.v128(x + 16 * v), column.v128(y + 16 * v), sum));
    });
    return sumLanes(f, sums[0].add(sums[1]).add(sums[2].add(sums[3])));
  }

  /** w = β A v by rows of the symmetric A, two at a time; `first` is the byte of the entry of v that belongs to the first row. */
  times(start: I32, first: I32, beta: V128): void {
    const { f, target, at, pitch, row, end } = this;
    const { matrix, v: V, w: W } = target.scratch;
    const sums = f.vectors(8);
    const [place, from, entry] = [f.i32(), f.i32(), f.v128()];
    const even = f.i32(first.and(~7));
    this.eachBlock(start, (column) => {
      for (const sum of sums) sum.set(V128.zero);
      from.set(even.add(at));
      row.set(even.mul(pitch / 4).add(column));
      place.set(end.add(column.sub(at)));
      f.repeat(() => {
        for (const r of [0, 1]) {
          entry.set(from.splat(V + 4 * r));
          for (let v = 0; v < 4; v++) {
            const sum = sums[4 * r + v];
            sum.set(madd(target, entry, row.v128(matrix + r * pitch + 16 * v), sum));
          }
        }
        from.set(from.add(8));
        row.set(row.add(2 * pitch));
      }, row.lt(place));
      for (let v = 0; v < 4; v++) f.store(column, sums[v].add(sums[4 + v]).mul(beta), W + 16 * v);
    });
  }

  /** A ← A − v wᵀ − w vᵀ in the rows from `first` on. */
  update(start: I32, first: I32): void {
    const { f, target, at, pitch, row, end } = this;
    const { matrix, v: V, w: W } = target.scratch;
    const [vs, ws] = [f.vectors(4), f.vectors(4)];
    const [place, from, vEntry, wEntry, value] = [f.i32(), f.i32(), f.v128(), f.v128(), f.v128()];
    this.eachBlock(start, (column) => {
      for (let v = 0; v < 4; v++) {
        vs[v].set(column.v128(V + 16 * v));
        ws[v].set(column.v128(W + 16 * v));
      }
      from.set(first.add(at));
      row.set(first.mul(pitch / 4).add(column));
      place.set(end.add(column.sub(at)));
      f.repeat(() => {
        vEntry.set(from.splat(V));
        wEntry.set(from.splat(W));
        for (let v = 0; v < 4; v++) {
          value.set(nmadd(target, vEntry, ws[v], row.v128(matrix + 16 * v)));
          f.store(row, nmadd(target, wEntry, vs[v], value), matrix + 16 * v);
        }
        from.set(from.add(4));
        row.set(row.add(pitch));
      }, row.lt(place));
    });
  }
}

/**
 * tridiagonal(scratch): computes the diagonal, the subdiagonal and β from the matrix of the scratch. The v of every reflection
 * replace the rows of the matrix.
 */
export function tridiagonal(module: Module, name: string, target: GroupTarget, N: number): Fn {
  const { matrix, diagonal, off, beta: BETA, v: V, w: W } = target.scratch;
  return module.fn(`${name}Tridiagonal`, ['i32'], undefined, (f) => {
    const [at] = f.parameters as [I32];
    const rows = new Rows(f, target, at, N);
    const { pitch } = rows;
    const [k, start, first, row, here, next] = [f.i32(0), f.i32(), f.i32(), f.i32(at), f.i32(), f.i32()];
    const [squares, x, root, beta, half] = [f.f32(), f.f32(), f.f32(), f.f32(), f.v128()];
    f.repeat(
      () => {
        // Offsets in bytes: the entry of the step, the next one, and the block of the next one.
        here.set(k.shl(2));
        first.set(here.add(4));
        start.set(first.and(~(BLOCK - 1)));
        next.set(first.add(at));
        f.store(at.add(here), row.add(here).f32(matrix), diagonal);
        rows.eachBlock(start, (column) => {
          for (let v = 0; v < 4; v++) {
            f.store(column, row.add(column.sub(at)).v128(matrix + 16 * v), V + 16 * v);
          }
        });
        rows.clear(V, start, first);
        squares.set(rows.dot(V, V, start));
        beta.set(0);
        root.set(0);
        f.if(squares.gt(NOTHING), () => {
          x.set(next.f32(V));
          root.set(squares.sqrt());
          beta.set(F32.of(1).div(squares.add(x.abs().mul(root))));
          // The sign that avoids cancellation.
          root.set(F32.of(0).sub(root.copySign(x)));
          f.store(next, x.sub(root), V);
          rows.times(start, first, beta.splat());
          rows.clear(W, start, first);
          half.set(rows.dot(V, W, start).mul(beta).mul(0.5).splat());
          rows.eachBlock(start, (column) => {
            for (let v = 0; v < 4; v++) {
              f.store(column, nmadd(target, half, column.v128(V + 16 * v), column.v128(W + 16 * v)), W + 16 * v);
            }
          });
          rows.update(start, first);
        });
        f.store(at.add(here), root, off);
        f.store(at.add(here), beta, BETA);
        rows.eachBlock(start, (column) => {
          for (let v = 0; v < 4; v++) {
            f.store(row.add(column.sub(at)), column.v128(V + 16 * v), matrix + 16 * v);
          }
        });
        k.set(k.add(1));
        row.set(row.add(pitch));
      },
      k.lt(N - 2),
    );
    f.store(at, row.f32(matrix + 4 * (N - 2)), diagonal + 4 * (N - 2));
    f.store(at, row.f32(matrix + 4 * (N - 1)), off + 4 * (N - 2));
    f.store(at, row.f32(matrix + pitch + 4 * (N - 1)), diagonal + 4 * (N - 1));
    f.store(at, F32.of(0), off + 4 * (N - 1));
  });
}

/** reflect(scratch, rank): x ← Qx for the first vectors of the scratch, by the reflections in reverse order. */
export function reflect(module: Module, name: string, target: GroupTarget, N: number): Fn {
  const { matrix, beta: BETA, vectors } = target.scratch;
  const pitch = 4 * N;
  return module.fn(`${name}Reflect`, ['i32', 'i32'], undefined, (f) => {
    const [at, rank] = f.parameters as [I32, I32];
    const [x, k, row, column, along, end] = [f.i32(at), f.i32(), f.i32(), f.i32(), f.i32(), f.i32()];
    const sums = f.vectors(4);
    const scale = f.v128();
    f.count(rank, () => {
      k.set(N - 2);
      f.repeat(() => {
        k.set(k.sub(1));
        row.set(k.mul(pitch).add(at));
        column.set(
          k
            .add(1)
            .shl(2)
            .and(~(BLOCK - 1)),
        );
        end.set(row.add(pitch));
        row.set(row.add(column));
        along.set(x.add(column));
        for (const sum of sums) sum.set(V128.zero);
        const eachBlock = (body: () => void) => {
          f.repeat(() => {
            body();
            row.set(row.add(BLOCK));
            along.set(along.add(BLOCK));
          }, row.lt(end));
        };
        eachBlock(() => {
          for (const [v, sum] of sums.entries())
            sum.set(madd(target, row.v128(matrix + 16 * v), along.v128(vectors + 16 * v), sum));
        });
        const product = sumLanes(f, sums[0].add(sums[1]).add(sums[2].add(sums[3])));
        scale.set(product.mul(k.shl(2).add(at).f32(BETA)).splat());
        row.set(end.sub(pitch).add(column));
        along.set(x.add(column));
        eachBlock(() => {
          for (let v = 0; v < 4; v++) {
            const there = vectors + 16 * v;
            f.store(along, nmadd(target, scale, row.v128(matrix + 16 * v), along.v128(there)), there);
          }
        });
      }, k.ne(0));
      x.set(x.add(pitch));
    });
  });
}
