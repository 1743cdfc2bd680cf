/**
 * Joint OMP in one pass (the page is solvers/joint-omp.ts). At a price λ per atom, the best prefix of a path is
 *
 *     n(λ) = argmax_k Σ_{i≤k} (gainᵢ − λ)
 *
 * a running maximum, and it grows as λ falls. Every patch is pursued once, with three prices: its code is n(mid) atoms, mid
 * being where λ is expected. Of the atoms between n(high) and n(low) it tells the price at which each is bought: the steps
 * of the envelope of its gains. When the patches together have settled λ from those, all that is left is to pursue again
 * the few patches whose n(λ) is not n(mid).
 */
import { PATIENCE } from '../../../solvers/joint-omp.js';
import type { Fn, Module } from './assembler.js';
import { F32, F64, type I32, V128 } from './assembler.js';
import type { Target } from './maps.js';
import { copyCode, nmadd, passCode } from './maps.js';
import type { PursuitFunctions } from './pursue.js';
import { ASTRAY, NEGLIGIBLE, startPursuit } from './pursue.js';

/** In place of an atom: none. */
const NONE = 0xffff;

/** The scores of all atoms, made one vector after the other; none is negative, so they compare as integers do, which is faster. */
class Scores {
  private readonly largest: V128;
  private readonly score: V128;

  constructor(
    private readonly f: Fn,
    private readonly row: I32,
  ) {
    [this.largest, this.score] = f.vectors(2);
    this.largest.set(V128.zero);
  }

  /** Takes in vector v. */
  add(v: number, score: V128): void {
    const { f, row, largest } = this;
    this.score.set(score);
    f.store(row, this.score, 16 * v);
    largest.set(largest.maxBits(this.score));
  }

  /** The atom with the largest score, the first of equals; NONE if that is not above the floor. */
  best(floor: F32): I32 {
    const { f, row, largest } = this;
    const [from, lanes, best] = [f.i32(row), f.i32(), f.i32(NONE)];
    largest.set(largest.max(largest.shuffle([2, 3, 0, 1])));
    largest.set(largest.max(largest.shuffle([1, 0, 3, 2])));
    f.if(largest.lane(0).gt(floor), () => {
      f.repeat(
        () => {
          lanes.set(from.v128().eq(largest).mask());
          from.set(from.add(16));
        },
        () => lanes.not(),
      );
      best.set(from.sub(row).shr(2).sub(4).add(lanes.lowestBit()));
    });
    return best;
  }
}

/**
 * advance(scratch, j, out, inverse, β, floor) → the atom to join next, or NONE: what the join of atom j changes. `inverse` is
 * 1/√v_j. One loop over all atoms makes p (as orthogonalise does) and updates α, ν and the scores.
 */
function advance(module: Module, target: Target, orthogonalised: Fn): Fn {
  const { shape, tables, scratch } = target;
  const vectors = shape.L4 / 4;
  return module.fn('advance', ['i32', 'i32', 'i32', 'f32', 'f32', 'f32'], 'i32', (f) => {
    const [at, j, out, inverse, beta, floor] = f.parameters as [I32, I32, I32, F32, F32, F32];
    const zero = f.i32(0);
    const [p, x, nu] = f.vectors(3);
    f.call(orthogonalised, at, j, out);
    const scores = new Scores(f, f.i32(at.add(scratch.score)));
    const [scale, step, one] = [f.v128(inverse.splat()), f.v128(beta.splat()), f.v128(F32.of(1).splat())];
    for (let v = 0; v < vectors; v++) {
      p.set(out.v128(16 * v).mul(scale));
      f.store(out, p, 16 * v);
      x.set(nmadd(target, step, p, at.v128(scratch.X + 16 * v)));
      f.store(at, x, scratch.X + 16 * v);
      nu.set(nmadd(target, p, p, at.v128(scratch.nu + 16 * v)));
      f.store(at, nu, scratch.nu + 16 * v);
      const weight = one.div(nu).and(nu.gtBits(zero.v128(tables.leastNew + 16 * v)));
      scores.add(v, x.mul(x).mul(weight));
    }
    f.return(scores.best(floor));
  });
}

/**
 * follow(scratch, c, atMost, price, without) → how many atoms joined: the pursuit of one patch by the order-recursive choice,
 * which ends where a longer path is not worth its price. One atom may not join; NONE excludes none. What each atom gained is
 * in the scratch.
 *
 * ν_j, the squared length of what is new in atom j, is known for every atom, so its gain is known before it joins. What the
 * last join of a path would change is never computed. ν is −1 where an atom may not join.
 */
function follow(module: Module, target: Target, functions: PursuitFunctions): Fn {
  const { shape, tables, scratch } = target;
  const vectors = shape.L4 / 4;
  const row = 4 * shape.L4;
  const most = Math.min(shape.N, shape.L);
  const advanced = advance(module, target, functions.orthogonalise);
  return module.fn('follow', ['i32', 'i32', 'i32', 'f64', 'i32'], 'i32', (f) => {
    const [at, c, atMost, price, without] = f.parameters as [I32, I32, I32, F64, I32];
    const zero = f.i32(0);
    const [k, j, slot] = [f.i32(0), f.i32(), f.i32()];
    const [fresh, inverse, beta, gain] = [f.f32(), f.f32(), f.f32(), f.f32()];
    const x = f.v128();
    const left = f.f32(startPursuit(f, target, functions.correlate, at, c));
    const floor = f.f32(left.mul(NEGLIGIBLE));
    const rounding = f.f32(left.mul(ASTRAY.energy));
    // How far Σ(gain − price) is below the best it has been.
    const [lost, patience] = [f.f64(0), f.f64(price.mul(PATIENCE))];
    const limit = f.i32(atMost.choose(atMost.lt(most), most));
    const out = f.i32(at.add(scratch.rows));
    slot.set(at.add(without.shl(2)));
    f.if(without.ne(NONE), () => f.store(slot, F32.of(0), scratch.X));
    const scores = new Scores(f, f.i32(at.add(scratch.score)));
    for (let v = 0; v < vectors; v++) {
      x.set(at.v128(scratch.X + 16 * v));
      f.store(at, zero.v128(tables.norms + 16 * v), scratch.nu + 16 * v);
      scores.add(v, x.mul(x).mul(zero.v128(tables.inverseNorms + 16 * v)));
    }
    f.if(without.ne(NONE), () => f.store(slot, F32.of(-1), scratch.nu));
    /** Ends where all that is left of the patch could not pay for what was lost and one more atom, or too much was lost. */
    const endWhereLost = () => {
      f.if(lost.add(price).gt(left.add(rounding).promote()).or(lost.gt(patience)), () => limit.set(k));
    };
    j.set(scores.best(floor));
    endWhereLost();
    f.while(
      () => k.lt(limit).and(j.ne(NONE)),
      () => {
        slot.set(at.add(j.shl(2)));
        fresh.set(slot.f32(scratch.nu));
        inverse.set(F32.of(1).div(fresh.sqrt()));
        beta.set(slot.f32(scratch.X).mul(inverse));
        gain.set(beta.mul(beta));
        f.store(slot, F32.of(-1), scratch.nu);
        // All that the coefficients need of the last row.
        f.store(out.add(j.shl(2)), fresh.mul(inverse));
        slot.set(at.add(k.shl(2)));
        f.store(slot, beta, scratch.beta);
        f.store(slot, j, scratch.support);
        f.store(slot, gain, scratch.gains);
        left.set(left.sub(gain));
        lost.set(lost.add(price).sub(gain.promote()).max(0));
        k.set(k.add(1));
        endWhereLost();
        f.if(k.lt(limit), () => {
          j.set(f.value(advanced, at, j, out, inverse, beta, floor) as I32);
          out.set(out.add(row));
        });
      },
    );
    f.return(k);
  });
}

/** bestPrefix(gains, count, price) → n(price) of a path of so many atoms. */
function bestPrefix(module: Module): Fn {
  return module.fn('bestPrefix', ['i32', 'i32', 'f64'], 'i32', (f) => {
    const n = f.i32(0);
    prefixes(f, (k) => n.set(k.add(1)));
    f.return(n);
  });
}

/** worth(gains, count, price) → Σ(gain − price) over those n(price) atoms. */
function worth(module: Module): Fn {
  return module.fn('worth', ['i32', 'i32', 'f64'], 'f64', (f) => f.return(prefixes(f, () => {})));
}

/** The largest Σ(gain − price) of the prefixes of a path; `better` is told of each that is larger than all before it. */
function prefixes(f: Fn, better: (k: I32) => void): F64 {
  const [gains, count, price] = f.parameters as [I32, I32, F64];
  const [sum, best] = [f.f64(0), f.f64(0)];
  f.count(count, (k) => {
    sum.set(sum.add(gains.add(k.shl(2)).f32().promote().sub(price)));
    f.if(sum.gt(best), () => {
      best.set(sum);
      better(k);
    });
  });
  return best;
}

/**
 * offer(gains, from, end, offers) → end of the offers: the prices at which a path buys its atoms from the `from`-th on, in
 * float64. They fall: each run of rising gains has its mean for a price, the steepest chord of the envelope.
 */
function offer(module: Module): Fn {
  return module.fn('offer', ['i32', 'i32', 'i32', 'i32'], 'i32', (f) => {
    const [gains, from, end, offers] = f.parameters as I32[];
    const [k, runEnd] = [f.i32(), f.i32()];
    const [sum, mean, steepest] = [f.f64(), f.f64(), f.f64()];
    f.while(
      () => from.lt(end),
      () => {
        sum.set(0);
        steepest.set(-1);
        k.set(from);
        f.while(
          () => k.lt(end),
          () => {
            sum.set(sum.add(gains.add(k.shl(2)).f32().promote()));
            k.set(k.add(1));
            mean.set(sum.div(k.sub(from).toDouble()));
            f.if(mean.ge(steepest), () => {
              steepest.set(mean);
              runEnd.set(k);
            });
          },
        );
        f.while(
          () => from.lt(runEnd),
          () => {
            f.store(offers, steepest);
            offers.set(offers.add(8));
            from.set(from.add(1));
          },
        );
      },
    );
    f.return(offers);
  });
}

/**
 * Adds the kernels of joint OMP:
 *
 * paths(patches, c, atMost, restarts, bounds, countsOut, valuesOut, indicesOut, scratch, offers, low, mid, high, λ) → end of valuesOut
 *     follows each patch, and so many times again without one of its first atoms; keeps the path that is worth most at λ.
 *     Writes its code of n(mid) atoms, n(high), n(low) and the atom that was left out to `bounds` (four half-words, the last of
 *     them unused), and the prices of the atoms between those to `offers`. The tally is where the offers end and the sum of
 *     all n(high).
 *
 * settle(patches, c, bounds, offers, counts, values, indices, countsOut, valuesOut, indicesOut, scratch, ties, λ) → end of valuesOut
 *     writes the codes with n(high) atoms and those whose offer is above λ; of those equal to it the first `ties`. A code
 *     that has as many atoms already is copied; another is made by pursuing its patch again.
 */
export function jointOmp(module: Module, target: Target, functions: PursuitFunctions & { readonly write: Fn }): void {
  const own = {
    ...functions,
    follow: follow(module, target, functions),
    bestPrefix: bestPrefix(module),
    worth: worth(module),
    offer: offer(module),
  };
  paths(module, target, own);
  settle(module, target, own);
}

type Own = PursuitFunctions & Readonly<Record<'write' | 'follow' | 'bestPrefix' | 'worth' | 'offer', Fn>>;

function paths(module: Module, { shape, scratch }: Target, own: Own): void {
  const types = [...new Array(10).fill('i32'), 'f64', 'f64', 'f64', 'f64'] as const;
  const most = Math.min(shape.N, shape.L);
  module.fn('paths', types, 'i32', (f) => {
    const [patches, c, atMost, restarts, bounds, countsOut, valuesOut, indicesOut, at, offers] = f.parameters as I32[];
    const [low, mid, high, lambda] = f.parameters.slice(10) as F64[];
    const [length, followed, wanted, n, upper, lower] = f.words(6);
    const [tried, without, restart] = f.words(3);
    const [value, best] = [f.f64(), f.f64()];
    const sure = f.i32(0);
    const gains = f.i32(at.add(scratch.bestGains));
    const prefix = (price: F64) => f.value(own.bestPrefix, gains, followed, price) as I32;
    /** Follows the path without the atom `tried`; it becomes the patch's own if it is worth more than all before it. */
    const consider = () => {
      length.set(f.value(own.follow, at, c, atMost, low, tried) as I32);
      value.set(f.value(own.worth, at.add(scratch.gains), length, lambda) as F64);
      f.if(value.gt(best), () => {
        best.set(value);
        without.set(tried);
        followed.set(length);
        for (let v = 0; v < Math.ceil(most / 4); v++) f.store(gains, at.v128(scratch.gains + 16 * v), 16 * v);
        wanted.set(prefix(mid));
        n.set(f.value(own.write, at, c, gains, wanted, valuesOut, indicesOut) as I32);
        // A path that rounding leads astray ends there.
        f.if(n.lt(wanted), () => followed.set(n));
      });
    };
    f.count(patches, () => {
      best.set(-1);
      tried.set(NONE);
      consider();
      f.if(restarts.gt(0), () => {
        // The first atom is next to always the mean of the patch, without which no path is better.
        restart.set(f.value(own.bestPrefix, gains, followed, lambda) as I32);
        restart.set(restarts.choose(restarts.lt(restart), restart.sub(1).choose(restart.gt(0), 0)));
        f.count(restart, (i) => {
          const slot = i.shl(2).add(at);
          f.store(slot, slot.i32(scratch.support + 4), scratch.excluded);
        });
        f.count(restart, (i) => {
          tried.set(i.shl(2).add(at).i32(scratch.excluded));
          consider();
        });
      });
      lower.set(prefix(high));
      upper.set(prefix(low));
      offers.set(f.value(own.offer, gains, lower, upper, offers) as I32);
      sure.set(sure.add(lower));
      f.store16(bounds, lower);
      f.store16(bounds, upper, 2);
      f.store16(bounds, without, 4);
      f.store16(countsOut, n);
      valuesOut.set(valuesOut.add(n.shl(2)));
      indicesOut.set(indicesOut.add(n.mul(shape.indexBytes)));
      bounds.set(bounds.add(8));
      countsOut.set(countsOut.add(2));
      c.set(c.add(4 * shape.R4));
    });
    f.store(at, offers, scratch.tally);
    f.store(at, sure, scratch.tally + 4);
    f.return(valuesOut);
  });
}

function settle(module: Module, target: Target, own: Own): void {
  const { shape, scratch } = target;
  module.fn('settle', [...new Array(12).fill('i32'), 'f64'], 'i32', (f) => {
    const [patches, c, bounds, offers, counts, values, indices, countsOut, valuesOut, indicesOut, at, ties] =
      f.parameters as I32[];
    const threshold = f.parameters[12] as F64;
    const [n, end, had, made] = [f.i32(), f.i32(), f.i32(), f.i32()];
    const price = f.f64();
    f.count(patches, () => {
      n.set(bounds.u16());
      end.set(offers.add(bounds.u16(2).sub(n).shl(3)));
      f.while(
        () => offers.lt(end),
        () => {
          price.set(offers.f64());
          offers.set(offers.add(8));
          f.if(
            price.gt(threshold),
            () => n.set(n.add(1)),
            () =>
              f.if(price.eq(threshold).and(ties.gt(0)), () => {
                ties.set(ties.sub(1));
                n.set(n.add(1));
              }),
          );
        },
      );
      had.set(counts.u16());
      f.if(
        n.eq(had),
        () => {
          copyCode(f, target, n, { values, indices }, { values: valuesOut, indices: indicesOut });
        },
        () => {
          made.set(f.value(own.follow, at, c, n, F64.of(0), bounds.u16(4)) as I32);
          n.set(f.value(own.write, at, c, at.add(scratch.gains), made, valuesOut, indicesOut) as I32);
        },
      );
      f.store16(countsOut, n);
      passCode(target, { values, indices }, had);
      passCode(target, { values: valuesOut, indices: indicesOut }, n);
      bounds.set(bounds.add(8));
      counts.set(counts.add(2));
      countsOut.set(countsOut.add(2));
      c.set(c.add(4 * shape.R4));
    });
    f.return(valuesOut);
  });
}
