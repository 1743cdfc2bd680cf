/**
 * Joint OMP in one pass (the page is sparse/solvers/joint-omp.ts). At a price λ per atom, the best prefix of a path is
 *
 *     n(λ) = argmax_k Σ_{i≤k} (gainᵢ − λ)
 *
 * a running maximum, and it grows as λ falls. Every patch is pursued once, with three prices: its code is n(mid) atoms, mid
 * being where λ is expected. Of the atoms between n(high) and n(low) it tells the price at which each is bought: the steps
 * of the envelope of its gains. When the patches together have determined λ from those, all that is left is to code the few
 * patches again whose n(λ) is not n(mid), by the atoms that their paths have found.
 */
import { type F64, type Fn, I32, type Module } from './assembler.js';
import { inGroups } from './dense.js';
import { follow, NONE, retrace, startAgain } from './follow.js';
import { copyCode, passCode, storeIndex, type Target } from './maps.js';
import type { PursuitFunctions } from './pursue.js';
import { define, problemKernels } from './signatures.js';

/** bestPrefix(gains, count, price) → n(price) of a path of `count` atoms. */
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

/** The largest Σ(gain − price) of the prefixes of a path; `better` is called for each that is larger than all before it. */
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
    f.while(from.lt(end), () => {
      sum.set(0);
      steepest.set(-1);
      k.set(from);
      f.while(k.lt(end), () => {
        sum.set(sum.add(gains.add(k.shl(2)).f32().promote()));
        k.set(k.add(1));
        mean.set(sum.div(k.sub(from).toDouble()));
        f.if(mean.ge(steepest), () => {
          steepest.set(mean);
          runEnd.set(k);
        });
      });
      f.while(from.lt(runEnd), () => {
        f.store(offers, steepest);
        offers.set(offers.add(8));
        from.set(from.add(1));
      });
    });
    f.return(offers);
  });
}

/**
 * Adds the kernels of joint OMP:
 *
 * `paths` follows each patch, and `restarts` times again without one of its first atoms; keeps the path that is worth most at λ.
 *     It writes its code of n(mid) atoms, with the indices of the further ones up to n(low); n(high), n(low) and n(mid) to `bounds`
 *     (half-words, then the squared error of the code), and the prices of the atoms between the first two to `offers`. The
 *     tally is where the offers end and the sum of all n(high).
 *
 * `commit` writes the codes with n(high) atoms and those whose offer is above λ; of those equal to it the first `ties`. A code
 *     that has as many atoms already is copied; another is made from the indices of its path. The scratch's error is the sum
 *     of their squared errors.
 */
export function jointOmp(
  module: Module,
  target: Target,
  functions: PursuitFunctions & { readonly write: Fn; readonly together?: Fn },
): void {
  const startedAgain = startAgain(module, target, functions);
  const own = {
    ...functions,
    follow: follow(module, target, functions, startedAgain),
    retrace: retrace(module, target, functions, startedAgain),
    bestPrefix: bestPrefix(module),
    worth: worth(module),
    offer: offer(module),
  };
  paths(module, target, own);
  commit(module, target, own);
}

/** Bytes of a patch's bounds, and where its error is among them. */
export const BOUNDS = { bytes: 12, error: 8 };

type Own = PursuitFunctions &
  Readonly<Record<'write' | 'follow' | 'retrace' | 'bestPrefix' | 'worth' | 'offer', Fn>> & {
    /** groupCorrelations of a dense shape. */
    readonly together?: Fn;
  };

function paths(module: Module, target: Target, own: Own): void {
  const { shape, scratch } = target;
  const most = Math.min(shape.N, shape.L);
  define(module, 'paths', problemKernels.paths, (f, parameters) => {
    const { patches, c, atMost, restarts, bounds, countsOut, valuesOut, indicesOut, scratch: at, offers } = parameters;
    const { low, mid, high, lambda } = parameters;
    const [length, followed, n, wanted, upper, lower, entries] = f.words(7);
    const [tried, restart] = f.words(2);
    const [value, best] = [f.f64(), f.f64()];
    const sure = f.i32(0);
    const gains = f.i32(at.add(scratch.bestGains));
    const prefix = (price: F64, most: I32) => f.value(own.bestPrefix, gains, most, price) as I32;
    /** Follows the path without the atom `tried`; it becomes the patch's own if it is worth more than all before it. */
    const consider = (correlated: 0 | 1) => {
      length.set(f.value(own.follow, at, c, I32.of(correlated), atMost, low, tried) as I32);
      f.if(restarts.gt(0), () => value.set(f.value(own.worth, at.add(scratch.gains), length, lambda) as F64));
      f.if(value.gt(best), () => {
        best.set(value);
        followed.set(length);
        for (let v = 0; v < Math.ceil(most / 4); v++) f.store(gains, at.v128(scratch.gains + 16 * v), 16 * v);
        upper.set(prefix(low, followed));
        wanted.set(prefix(mid, upper));
        n.set(f.value(own.write, at, c, gains, wanted, valuesOut, indicesOut) as I32);
        f.store(bounds, at.f32(scratch.left), BOUNDS.error);
        // A path that rounding leads astray ends there.
        f.if(n.lt(wanted), () => {
          followed.set(n);
          upper.set(prefix(low, n));
        });
        entries.set(n);
        f.while(entries.lt(upper), () => {
          const atom = entries.shl(2).add(at).i32(scratch.support);
          storeIndex(f, target, indicesOut.add(entries.mul(shape.indexBytes)), atom);
          entries.set(entries.add(1));
        });
      });
    };
    /** All of one patch; `correlated` is whether α = Dᵀy is at X already. */
    const each = (correlated: 0 | 1) => {
      best.set(-1);
      tried.set(NONE);
      consider(correlated);
      f.if(restarts.gt(0), () => {
        // The first atom is almost always the mean of the patch, without which no path is better.
        restart.set(prefix(lambda, followed));
        restart.set(restarts.choose(restarts.lt(restart), restart.sub(1).choose(restart.gt(0), 0)));
        f.count(restart, (i) => {
          const slot = i.shl(2).add(at);
          f.store(slot, slot.i32(scratch.support + 4), scratch.excluded);
        });
        f.count(restart, (i) => {
          tried.set(i.shl(2).add(at).i32(scratch.excluded));
          consider(0);
        });
      });
      lower.set(prefix(high, upper));
      offers.set(f.value(own.offer, gains, lower, upper, offers) as I32);
      sure.set(sure.add(lower));
      f.store16(bounds, lower);
      f.store16(bounds, upper, 2);
      f.store16(bounds, n, 4);
      f.store16(countsOut, entries);
      passCode(target, { values: valuesOut, indices: indicesOut }, entries);
      bounds.set(bounds.add(BOUNDS.bytes));
      countsOut.set(countsOut.add(2));
      c.set(c.add(4 * shape.R4));
    };
    const { group } = scratch;
    if (group && own.together) {
      const next = f.i32(c);
      const prepare = (slot: I32) => {
        for (let v = 0; v < shape.R4 / 4; v++) f.store(slot, next.v128(16 * v), group.M + 16 * v);
        next.set(next.add(4 * shape.R4));
      };
      const finish = (slot: I32) => {
        for (let v = 0; v < shape.L4 / 4; v++) f.store(at, slot.v128(group.X + 16 * v), scratch.X + 16 * v);
        each(1);
      };
      inGroups(f, group, { patches, scratch: at }, { prepare, together: own.together, finish });
    } else f.count(patches, () => each(0));
    f.store(at, offers, scratch.tally);
    f.store(at, sure, scratch.tally + 4);
    f.return(valuesOut);
  });
}

function commit(module: Module, target: Target, own: Own): void {
  const { shape, scratch } = target;
  define(module, 'commit', problemKernels.commit, (f, parameters) => {
    const { patches, c, bounds, offers, counts, values, indices, scratch: at, ties, threshold } = parameters;
    const { countsOut, valuesOut, indicesOut } = parameters;
    const [n, end] = [f.i32(), f.i32()];
    const [price, sum] = [f.f64(), f.f64(0)];
    f.count(patches, () => {
      n.set(bounds.u16());
      end.set(offers.add(bounds.u16(2).sub(n).shl(3)));
      f.while(offers.lt(end), () => {
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
      });
      f.if(
        n.eq(bounds.u16(4)),
        () => {
          copyCode(f, target, n, { values, indices }, { values: valuesOut, indices: indicesOut });
          sum.set(sum.add(bounds.f32(BOUNDS.error).promote()));
        },
        () => {
          f.call(own.retrace, at, c, indices, n);
          n.set(f.value(own.write, at, c, at.add(scratch.gains), n, valuesOut, indicesOut) as I32);
          sum.set(sum.add(at.f32(scratch.left).promote()));
        },
      );
      f.store16(countsOut, n);
      passCode(target, { values, indices }, counts.u16());
      passCode(target, { values: valuesOut, indices: indicesOut }, n);
      bounds.set(bounds.add(BOUNDS.bytes));
      counts.set(counts.add(2));
      countsOut.set(countsOut.add(2));
      c.set(c.add(4 * shape.R4));
    });
    f.store(at, sum, scratch.error);
    f.return(valuesOut);
  });
}
