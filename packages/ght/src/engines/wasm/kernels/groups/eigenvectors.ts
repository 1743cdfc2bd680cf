/**
 * The eigenvectors of a symmetric tridiagonal matrix T for the eigenvalues that were found, by inverse iteration,
 * (T − λ) z ← z: four at a time, one per lane.
 */
import { F32, type Fn, type I32, type Module, V128 } from '../assembler.js';
import { madd, nmadd, sumLanes } from '../maps.js';
import { awayFromZero, boundAbove } from './eigenvalues.js';
import type { GroupTarget } from './target.js';

/** The number of inverse iterations, starting from an arbitrary vector. */
const SOLUTIONS = 3;
/** Replaces a pivot that is zero, relative to the largest eigenvalue. */
const LEAST_PIVOT = 1e-7;

/** eigenvectors(scratch, rank): writes the orthonormal vectors of the first `rank` eigenvalues of the scratch to its vectors. */
export function eigenvectors(module: Module, name: string, target: GroupTarget, N: number): Fn {
  const { scratch, tables } = target;
  const { diagonal, off, values, pivots, solutions, vectors } = scratch;
  const pitch = 4 * N;
  /** Offsets in a row of pivots: the multiplier, three entries of the upper factor, and whether rows were exchanged. */
  const [MULTIPLIER, U0, U1, U2, EXCHANGED] = [0, 16, 32, 48, 64];
  const PIVOT_BYTES = 80;
  return module.fn(`${name}Eigenvectors`, ['i32', 'i32'], undefined, (f) => {
    const [at, rank] = f.parameters as [I32, I32];
    const least = f.v128(boundAbove(f, target, at, N).mul(LEAST_PIVOT).max(1e-20).splat());
    const [place, from, to, row, end, chosen] = [f.i32(), f.i32(), f.i32(), f.i32(), f.i32(), f.i32(0)];
    const lambda = f.v128();
    const one = f.v128(F32.of(1).splat());

    const [a, b, below, nextA, nextB, swap, pivot, multiplier] = f.vectors(8);
    /** T − λ = P L U, with rows exchanged where the entry below the diagonal is larger. */
    const factor = () => {
      place.set(at);
      to.set(at.add(pivots));
      end.set(at.add(4 * (N - 1)));
      a.set(place.splat(diagonal).sub(lambda));
      b.set(place.splat(off));
      f.repeat(() => {
        below.set(place.splat(off));
        nextA.set(place.splat(diagonal + 4).sub(lambda));
        nextB.set(place.splat(off + 4));
        swap.set(below.abs().gt(a.abs()));
        pivot.set(below.choose(swap, a));
        pivot.set(awayFromZero(pivot, least));
        multiplier.set(a.choose(swap, below).div(pivot));
        f.store(to, multiplier, MULTIPLIER);
        f.store(to, pivot, U0);
        f.store(to, nextA.choose(swap, b), U1);
        f.store(to, nextB.and(swap), U2);
        f.store(to, swap, EXCHANGED);
        a.set(nmadd(target, multiplier, nextA.choose(swap, b), b.choose(swap, nextA)));
        b.set(V128.zero.sub(multiplier.mul(nextB)).choose(swap, nextB));
        place.set(place.add(4));
        to.set(to.add(PIVOT_BYTES));
      }, place.lt(end));
      f.store(to, awayFromZero(a, least), U0);
      f.store(to, V128.zero, U1);
      f.store(to, V128.zero, U2);
    };

    const [z, z1, z2, squares] = f.vectors(4);
    /** z ← L⁻¹Pz. */
    const forward = () => {
      row.set(at.add(pivots));
      from.set(at);
      end.set(at.add(16 * (N - 1)));
      z.set(from.v128(solutions));
      f.repeat(() => {
        swap.set(row.v128(EXCHANGED));
        z1.set(from.v128(solutions + 16));
        z2.set(z1.choose(swap, z));
        f.store(from, z2, solutions);
        z.set(nmadd(target, row.v128(MULTIPLIER), z2, z.choose(swap, z1)));
        row.set(row.add(PIVOT_BYTES));
        from.set(from.add(16));
      }, from.lt(end));
      f.store(from, z, solutions);
    };
    /** z ← U⁻¹z, then scaled to norm 1. */
    const backward = () => {
      row.set(at.add(pivots + PIVOT_BYTES * (N - 1)));
      from.set(at.add(16 * (N - 1)));
      for (const each of [z1, z2, squares]) each.set(V128.zero);
      f.repeat(() => {
        z.set(nmadd(target, row.v128(U1), z1, from.v128(solutions)));
        z.set(nmadd(target, row.v128(U2), z2, z).div(row.v128(U0)));
        f.store(from, z, solutions);
        squares.set(madd(target, z, z, squares));
        z2.set(z1);
        z1.set(z);
        row.set(row.sub(PIVOT_BYTES));
        from.set(from.sub(16));
      }, from.ge(at));
      squares.set(one.div(squares.sqrt()));
      from.set(at);
      end.set(at.add(16 * N));
      f.repeat(() => {
        f.store(from, from.v128(solutions).mul(squares), solutions);
        from.set(from.add(16));
      }, from.lt(end));
    };

    /** The four starting vectors: arbitrary numbers, different for each. */
    const begin = () => {
      from.set(at);
      place.set(chosen.shl(2));
      end.set(at.add(16 * N));
      f.repeat(() => {
        f.store(from, place.v128(tables.start), solutions);
        from.set(from.add(16));
        place.set(place.add(16));
      }, from.lt(end));
    };
    /** Writes the lanes as rows of vectors. */
    const spread = () => {
      from.set(at);
      to.set(chosen.mul(pitch).add(at));
      end.set(at.add(16 * N));
      f.repeat(() => {
        z.set(from.v128(solutions));
        for (const lane of [0, 1, 2, 3]) f.store(to, z.lane(lane), vectors + lane * pitch);
        from.set(from.add(16));
        to.set(to.add(4));
      }, from.lt(end));
    };

    f.repeat(() => {
      lambda.set(chosen.shl(2).add(at).v128(values));
      factor();
      begin();
      backward();
      f.count(SOLUTIONS - 1, () => {
        forward();
        backward();
      });
      spread();
      chosen.set(chosen.add(4));
    }, chosen.lt(rank));
    orthonormalise(f, target, at, rank, pitch);
  });
}

/** Gram–Schmidt on the first vectors of the scratch, twice: inverse iteration for close eigenvalues gives vectors that are not orthogonal. */
function orthonormalise(f: Fn, target: GroupTarget, at: I32, rank: I32, pitch: number): void {
  const { vectors } = target.scratch;
  const [x, y, along, beside, end] = [f.i32(at), f.i32(), f.i32(), f.i32(), f.i32()];
  const [sums, scale] = [f.vectors(2), f.v128()];
  const eachPair = (body: () => void) => {
    along.set(x);
    beside.set(y);
    end.set(x.add(pitch));
    f.repeat(() => {
      body();
      along.set(along.add(32));
      beside.set(beside.add(32));
    }, along.lt(end));
  };
  const dot = (): F32 => {
    for (const sum of sums) sum.set(V128.zero);
    eachPair(() => {
      for (const [v, sum] of sums.entries())
        sum.set(madd(target, along.v128(vectors + 16 * v), beside.v128(vectors + 16 * v), sum));
    });
    return sumLanes(f, sums[0].add(sums[1]));
  };
  f.count(rank, () => {
    f.count(2, () => {
      y.set(at);
      f.while(y.lt(x), () => {
        scale.set(dot().splat());
        eachPair(() => {
          for (const v of [0, 16]) {
            f.store(along, nmadd(target, scale, beside.v128(vectors + v), along.v128(vectors + v)), vectors + v);
          }
        });
        y.set(y.add(pitch));
      });
      y.set(x);
      scale.set(F32.of(1).div(dot().max(1e-30).sqrt()).splat());
      eachPair(() => {
        for (const v of [0, 16]) f.store(along, along.v128(vectors + v).mul(scale), vectors + v);
      });
    });
    x.set(x.add(pitch));
  });
}
