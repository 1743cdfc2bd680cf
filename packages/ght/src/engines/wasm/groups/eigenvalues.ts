/**
 * The eigenvalues of a symmetric tridiagonal matrix T above a bound, and their vectors. By Sturm the number of eigenvalues
 * above x is the number of positive terms in
 *
 *     q₀ = d₀ − x,   qᵢ = dᵢ − x − eᵢ₋₁² / qᵢ₋₁
 *
 * so each is found by bisection; its vector by inverse iteration, (T − λ) z ← z. Four go at a time, one a lane. Only few
 * of the eigenvalues of a group stand out of its noise, so this costs far less than the whole decomposition.
 */
import type { Fn, I32, Module } from '../assembler.js';
import { F32, V128 } from '../assembler.js';
import { madd, nmadd, sumLanes } from '../blocks.js';
import type { GroupTarget } from './target.js';

/** Halvings of the interval of an eigenvalue: all that float32 can tell. */
const HALVINGS = 24;
/** Solutions with T − λ, from a vector without preference on. */
const SOLUTIONS = 3;
/** Instead of a pivot that is zero, relative to the largest eigenvalue. */
const LEAST_PIVOT = 1e-7;

/** The value away from zero: itself where its magnitude is at least `least`. */
function awayFromZero(value: V128, least: V128): V128 {
  return value.choose(value.abs().gt(least), least);
}

/** rank(scratch, bound) → how many eigenvalues lie above the bound. */
export function rankAbove(module: Module, name: string, target: GroupTarget, N: number): Fn {
  const { diagonal, off } = target.scratch;
  return module.fn(`${name}Rank`, ['i32', 'f32'], 'i32', (f) => {
    const [at, bound] = f.parameters as [I32, F32];
    const [q, e, rank, end] = [f.f32(), f.f32(0), f.i32(0), f.i32(at.add(4 * N))];
    const place = f.i32(at);
    q.set(1);
    f.repeat(
      () => {
        q.set(place.f32(diagonal).sub(bound).sub(e.mul(e).div(q)));
        f.if(q.abs().lt(1e-20), () => q.set(1e-20));
        rank.set(rank.add(q.gt(0)));
        e.set(place.f32(off));
        place.set(place.add(4));
      },
      () => place.lt(end),
    );
    f.return(rank);
  });
}

/** A bound above all eigenvalues, by Gershgorin. */
function above(f: Fn, target: GroupTarget, at: I32, N: number): F32 {
  const { diagonal, off } = target.scratch;
  const [most, e, place, end] = [f.f32(0), f.f32(0), f.i32(at), f.i32(at.add(4 * N))];
  f.repeat(
    () => {
      most.set(most.max(place.f32(diagonal).add(e).add(place.f32(off).abs())));
      e.set(place.f32(off).abs());
      place.set(place.add(4));
    },
    () => place.lt(end),
  );
  return most;
}

/** The lanes 0, 1, 2, 3. */
const lanes = new V128([0xfd, 0x0c, ...new Uint8Array(Float32Array.of(0, 1, 2, 3).buffer)]);

/**
 * eigenvectors(scratch, bound, rank): those of the `rank` eigenvalues above the bound, orthonormal, to the vectors of the
 * scratch; what the pursuit of a vector begins with is at `start`.
 */
export function eigenvectors(module: Module, name: string, target: GroupTarget, N: number): Fn {
  const { scratch, tables } = target;
  const { diagonal, off, pivots, solutions, vectors } = scratch;
  const pitch = 4 * N;
  /** Of a row of pivots: the multiplier, three entries of the upper factor, and whether rows were exchanged. */
  const [MULTIPLIER, U0, U1, U2, EXCHANGED] = [0, 16, 32, 48, 64];
  const PIVOT_BYTES = 80;
  return module.fn(`${name}Eigenvectors`, ['i32', 'f32', 'i32'], undefined, (f) => {
    const [at, bound, rank] = f.parameters as [I32, F32, I32];
    const most = above(f, target, at, N);
    const least = f.v128(most.mul(LEAST_PIVOT).max(1e-20).splat());
    const [place, from, to, row, end, chosen] = [f.i32(), f.i32(), f.i32(), f.i32(), f.i32(), f.i32(0)];
    const [lambda, low, high, wanted] = [f.v128(), f.v128(), f.v128(), f.v128()];
    const [q, e, count] = [f.v128(), f.v128(), f.v128()];
    const one = f.v128(F32.of(1).splat());

    /** λ of the four that are wanted: the interval (low, high] is halved. */
    const bisect = () => {
      low.set(bound.splat());
      high.set(most.splat());
      f.count(HALVINGS, () => {
        lambda.set(low.add(high).mul(F32.of(0.5).splat()));
        count.set(V128.zero);
        q.set(one);
        e.set(V128.zero);
        place.set(at);
        end.set(at.add(4 * N));
        f.repeat(
          () => {
            q.set(place.splat(diagonal).sub(lambda).sub(e.mul(e).div(q)));
            q.set(awayFromZero(q, F32.of(1e-20).splat()));
            count.set(count.add(one.and(q.gt(V128.zero))));
            e.set(place.splat(off));
            place.set(place.add(4));
          },
          () => place.lt(end),
        );
        const higher = count.gt(wanted);
        low.set(lambda.choose(higher, low));
        high.set(high.choose(count.gt(wanted), lambda));
      });
      lambda.set(low.add(high).mul(F32.of(0.5).splat()));
    };

    const [a, b, below, nextA, nextB, swap, pivot, multiplier] = f.vectors(8);
    /** T − λ = P L U with rows exchanged where the entry below is the larger. */
    const factor = () => {
      place.set(at);
      to.set(at.add(pivots));
      end.set(at.add(4 * (N - 1)));
      a.set(place.splat(diagonal).sub(lambda));
      b.set(place.splat(off));
      f.repeat(
        () => {
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
        },
        () => place.lt(end),
      );
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
      f.repeat(
        () => {
          swap.set(row.v128(EXCHANGED));
          z1.set(from.v128(solutions + 16));
          z2.set(z1.choose(swap, z));
          f.store(from, z2, solutions);
          z.set(nmadd(target, row.v128(MULTIPLIER), z2, z.choose(swap, z1)));
          row.set(row.add(PIVOT_BYTES));
          from.set(from.add(16));
        },
        () => from.lt(end),
      );
      f.store(from, z, solutions);
    };
    /** z ← U⁻¹z, then scaled to norm 1. */
    const backward = () => {
      row.set(at.add(pivots + PIVOT_BYTES * (N - 1)));
      from.set(at.add(16 * (N - 1)));
      for (const each of [z1, z2, squares]) each.set(V128.zero);
      f.repeat(
        () => {
          z.set(nmadd(target, row.v128(U1), z1, from.v128(solutions)));
          z.set(nmadd(target, row.v128(U2), z2, z).div(row.v128(U0)));
          f.store(from, z, solutions);
          squares.set(madd(target, z, z, squares));
          z2.set(z1);
          z1.set(z);
          row.set(row.sub(PIVOT_BYTES));
          from.set(from.sub(16));
        },
        () => from.ge(at),
      );
      squares.set(one.div(squares.sqrt()));
      from.set(at);
      end.set(at.add(16 * N));
      f.repeat(
        () => {
          f.store(from, from.v128(solutions).mul(squares), solutions);
          from.set(from.add(16));
        },
        () => from.lt(end),
      );
    };

    /** What the four begin with: any numbers, but others for each. */
    const begin = () => {
      from.set(at);
      place.set(chosen.shl(2));
      end.set(at.add(16 * N));
      f.repeat(
        () => {
          f.store(from, place.v128(tables.start), solutions);
          from.set(from.add(16));
          place.set(place.add(16));
        },
        () => from.lt(end),
      );
    };
    /** The lanes as rows of vectors. */
    const spread = () => {
      from.set(at);
      to.set(chosen.mul(pitch).add(at));
      end.set(at.add(16 * N));
      f.repeat(
        () => {
          z.set(from.v128(solutions));
          for (const lane of [0, 1, 2, 3]) f.store(to, z.lane(lane), vectors + lane * pitch);
          from.set(from.add(16));
          to.set(to.add(4));
        },
        () => from.lt(end),
      );
    };

    f.repeat(
      () => {
        // Beyond the last one the lanes repeat it.
        wanted.set(chosen.toFloat().splat().add(lanes));
        const lastOne = rank.sub(1).toFloat().splat();
        wanted.set(lastOne.choose(wanted.gt(lastOne), wanted));
        bisect();
        factor();
        begin();
        backward();
        f.count(SOLUTIONS - 1, () => {
          forward();
          backward();
        });
        spread();
        chosen.set(chosen.add(4));
      },
      () => chosen.lt(rank),
    );
    orthonormalise(f, target, at, rank, pitch);
  });
}

/** Gram–Schmidt on the first vectors of the scratch, twice: eigenvalues that are close have vectors that are not orthogonal. */
function orthonormalise(f: Fn, target: GroupTarget, at: I32, rank: I32, pitch: number): void {
  const { vectors } = target.scratch;
  const [x, y, along, beside, end] = [f.i32(at), f.i32(), f.i32(), f.i32(), f.i32()];
  const [sums, scale] = [f.vectors(2), f.v128()];
  const eachPair = (body: () => void) => {
    along.set(x);
    beside.set(y);
    end.set(x.add(pitch));
    f.repeat(
      () => {
        body();
        along.set(along.add(32));
        beside.set(beside.add(32));
      },
      () => along.lt(end),
    );
  };
  const dot = (): F32 => {
    for (const sum of sums) sum.set(V128.zero);
    eachPair(() => {
      sums.forEach((sum, v) => {
        sum.set(madd(target, along.v128(vectors + 16 * v), beside.v128(vectors + 16 * v), sum));
      });
    });
    return sumLanes(f, sums[0].add(sums[1]));
  };
  f.count(rank, () => {
    f.count(2, () => {
      y.set(at);
      f.while(
        () => y.lt(x),
        () => {
          scale.set(dot().splat());
          eachPair(() => {
            for (const v of [0, 16]) {
              f.store(along, nmadd(target, scale, beside.v128(vectors + v), along.v128(vectors + v)), vectors + v);
            }
          });
          y.set(y.add(pitch));
        },
      );
      y.set(x);
      scale.set(F32.of(1).div(dot().max(1e-30).sqrt()).splat());
      eachPair(() => {
        for (const v of [0, 16]) f.store(along, along.v128(vectors + v).mul(scale), vectors + v);
      });
    });
    x.set(x.add(pitch));
  });
}
