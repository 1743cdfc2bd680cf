/**
 * The local search of joint OMP in the Gram domain (its page is sparse/solvers/swaps.ts). With the rows pᵢ = Dᵀqᵢ of a pursuit and
 * D_Ω = QR,
 *
 *     U = H D_ΩᵀD = R⁻¹P,     Hᵢᵢ = ‖row i of R⁻¹‖²,     ν = ‖d‖² − Σ pᵢ∘pᵢ
 *
 * so the rows [U | R⁻¹] come from [P | I] by one back substitution. A support is pursued again after each move.
 */
import { LEAST_NEW } from '../../../sparse/solvers/swaps.js';
import { padded } from '../../shape.js';
import { F32, type Fn, type I32, type Module, V128 } from './assembler.js';
import { copyCode, indexAt, madd, nmadd, passCode, sumLanes, type Target } from './maps.js';
import { DEPENDENT_IN_FIT, type PursuitFunctions, startPursuit } from './pursue.js';
import { define, problemKernels } from './signatures.js';

/** Vectors of a row whose sums are held in registers at once. */
const SUMS = 9;
/** ν of an atom that is in the support. */
const INSIDE = -1e30;
const [ADD, DROP, SWAP] = [1, 2, 3];

/** Bytes of a row [U | R⁻¹]. */
function rowBytes({ shape }: Target): number {
  return 4 * (shape.L4 + padded(Math.min(shape.N, shape.L)));
}

/** backSubstitute(scratch, count): makes the rows [U | R⁻¹] of the atoms that have joined. */
function backSubstitute(module: Module, target: Target): Fn {
  const { shape, scratch } = target;
  const [row, wide] = [4 * shape.L4, rowBytes(target)];
  return module.fn('backSubstitute', ['i32', 'i32'], undefined, (f) => {
    const [at, count] = f.parameters as [I32, I32];
    const [i, k, p, out, from] = f.words(5);
    const sums = f.vectors(SUMS);
    const [coefficient, inverse] = f.vectors(2);
    const atom = (n: I32) => at.add(n.shl(2)).i32(scratch.support).shl(2);
    i.set(count);
    f.while(i.gt(0), () => {
      i.set(i.sub(1));
      p.set(at.add(scratch.rows).add(i.mul(row)));
      out.set(at.add(scratch.neighbours).add(i.mul(wide)));
      for (let v = row / 16; v < wide / 16; v++) f.store(out, V128.zero, 16 * v);
      f.store(out.add(i.shl(2)), F32.of(1), row);
      inverse.set(
        F32.of(1)
          .div(p.add(atom(i)).f32())
          .splat(),
      );
      for (let left = 0; left < wide / 16; left += SUMS) {
        const used = sums.slice(0, Math.min(SUMS, wide / 16 - left));
        for (const [v, sum] of used.entries()) sum.set((16 * (left + v) < row ? p : out).v128(16 * (left + v)));
        k.set(i.add(1));
        from.set(out.add(wide));
        f.while(k.lt(count), () => {
          coefficient.set(p.add(atom(k)).splat());
          for (const [v, sum] of used.entries()) sum.set(nmadd(target, coefficient, from.v128(16 * (left + v)), sum));
          from.set(from.add(wide));
          k.set(k.add(1));
        });
        for (const [v, sum] of used.entries()) f.store(out, sum.mul(inverse), 16 * (left + v));
      }
    });
  });
}

/** outside(scratch, count): ν of every atom; INSIDE for those that have joined. */
function outside(module: Module, target: Target): Fn {
  const { shape, tables, scratch } = target;
  const row = 4 * shape.L4;
  return module.fn('outside', ['i32', 'i32'], undefined, (f) => {
    const [at, count] = f.parameters as [I32, I32];
    const zero = f.i32(0);
    const from = f.i32();
    const end = f.i32(at.add(scratch.rows).add(count.mul(row)));
    const sums = f.vectors(SUMS);
    const p = f.v128();
    for (let left = 0; left < row / 16; left += SUMS) {
      const used = sums.slice(0, Math.min(SUMS, row / 16 - left));
      for (const [v, sum] of used.entries()) sum.set(zero.v128(tables.norms + 16 * (left + v)));
      from.set(at.add(scratch.rows));
      f.while(from.lt(end), () => {
        used.forEach((sum, v) => {
          p.set(from.v128(16 * (left + v)));
          sum.set(nmadd(target, p, p, sum));
        });
        from.set(from.add(row));
      });
      for (const [v, sum] of used.entries()) f.store(at, sum, scratch.nu + 16 * (left + v));
    }
    f.count(count, (i) => {
      f.store(at.add(at.add(i.shl(2)).i32(scratch.support).shl(2)), F32.of(INSIDE), scratch.nu);
    });
  });
}

/**
 * Adds the kernel `swap`, which searches from the support of each patch, with this many moves at most, each of which gains more than `least`, and writes its
 * code; to `prices`, two floats per patch, what ‖r‖² would rise by without its least atom, and fall by with the best other one.
 * The code of a patch whose prices from an earlier search allow no move at λ is copied. With no moves the least atom is
 * dropped instead, once, where its price is no more than λ.
 */
export function swap(module: Module, target: Target, functions: PursuitFunctions & { readonly write: Fn }): void {
  const { shape, tables, scratch } = target;
  const most = Math.min(shape.N, shape.L);
  const [row, wide] = [4 * shape.L4, rowBytes(target)];
  const own = { back: backSubstitute(module, target), outside: outside(module, target) };
  define(module, 'swap', problemKernels.swap, (f, parameters) => {
    const { patches, c, counts, values, indices, countsOut, valuesOut, indicesOut, scratch: at } = parameters;
    const { prices, moves, lambda, least: leastGain } = parameters;
    const zero = f.i32(0);
    const [n, had, joined, left, kind, out, into, slot, u] = f.words(9);
    const [gain, best, loss, cheapest, joining, inverse] = [f.f32(), f.f32(), f.f32(), f.f32(), f.f32(), f.f32()];
    const [score, largest, nu, alpha, shift, scale] = f.vectors(6);
    const searching = moves.gt(0);

    /** Makes the support at `trial`: its rows, coefficients and what its atoms gain. */
    const pursue = () => {
      startPursuit(f, target, functions.correlate, at, c);
      joined.set(0);
      f.count(n, (i) => {
        const atom = at.add(i.shl(2)).i32(scratch.trial);
        gain.set(f.value(functions.join, at, atom, joined, F32.of(DEPENDENT_IN_FIT)) as F32);
        f.if(gain.ge(0), () => {
          f.store(at.add(joined.shl(2)), gain, scratch.gains);
          joined.set(joined.add(1));
        });
      });
      n.set(joined);
      f.call(functions.coefficients, at, n);
    };
    /** The largest of (α + shift·u)²/(ν + scale·u²) over the atoms that may join; with u = 0, those that may be added. */
    const scan = (swapping: boolean) => {
      const least = f.v128(F32.of(LEAST_NEW).splat());
      largest.set(V128.zero);
      for (let v = 0; v < row / 16; v++) {
        nu.set(at.v128(scratch.nu + 16 * v));
        alpha.set(at.v128(scratch.X + 16 * v));
        if (swapping) {
          score.set(u.v128(16 * v));
          alpha.set(madd(target, shift, score, alpha));
          nu.set(madd(target, scale, score.mul(score), nu));
        }
        score.set(
          alpha
            .mul(alpha)
            .div(nu)
            .and(nu.gt(zero.v128(tables.norms + 16 * v).mul(least))),
        );
        f.store(at, score, scratch.score + 16 * v);
        largest.set(largest.max(score));
      }
      largest.set(largest.max(largest.shuffle([2, 3, 0, 1])));
      largest.set(largest.max(largest.shuffle([1, 0, 3, 2])));
    };
    const consider = (value: F32, which: number, note: () => void) => {
      gain.set(value);
      f.if(gain.gt(best), () => {
        best.set(gain);
        kind.set(which);
        note();
      });
    };
    const noteJoining = () => into.set(f.value(functions.largest, at.add(scratch.score)) as I32);

    const findMove = () => {
      f.call(own.back, at, n);
      f.call(own.outside, at, n);
      kind.set(0);
      best.set(leastGain);
      cheapest.set(F32.of(Number.POSITIVE_INFINITY));
      joining.set(0);
      f.if(searching.and(n.lt(most)), () => {
        scan(false);
        joining.set(largest.lane(0));
        consider(largest.lane(0).sub(lambda), ADD, noteJoining);
      });
      f.count(n, (i) => {
        u.set(at.add(scratch.neighbours).add(i.mul(wide)));
        score.set(V128.zero);
        for (let v = row / 16; v < wide / 16; v++) score.set(madd(target, u.v128(16 * v), u.v128(16 * v), score));
        inverse.set(F32.of(1).div(sumLanes(f, score)));
        slot.set(at.add(i.shl(2)));
        loss.set(slot.f32(scratch.x).mul(slot.f32(scratch.x)).mul(inverse));
        f.if(loss.lt(cheapest), () => {
          cheapest.set(loss);
          f.if(searching.not(), () => out.set(i));
        });
        f.if(searching, () => {
          consider(lambda.sub(loss), DROP, () => out.set(i));
          shift.set(slot.f32(scratch.x).mul(inverse).splat());
          scale.set(inverse.splat());
          scan(true);
          consider(largest.lane(0).sub(loss), SWAP, () => {
            out.set(i);
            noteJoining();
          });
        });
      });
    };
    /** The support with the move made, at `trial`. */
    const move = () => {
      f.count(n, (i) => f.store(at.add(i.shl(2)), at.add(i.shl(2)).i32(scratch.support), scratch.trial));
      f.if(kind.eq(ADD), () => {
        f.store(at.add(n.shl(2)), into, scratch.trial);
        n.set(n.add(1));
      });
      f.if(kind.eq(DROP), () => {
        n.set(n.sub(1));
        f.store(at.add(out.shl(2)), at.add(n.shl(2)).i32(scratch.trial), scratch.trial);
      });
      f.if(kind.eq(SWAP), () => f.store(at.add(out.shl(2)), into, scratch.trial));
    };

    /** The least atom costs more than λ, and the best other one would bring less. */
    const isSettled = () => {
      const dropping = lambda.sub(prices.f32()).le(leastGain);
      const adding = prices.f32(4).sub(lambda).le(leastGain);
      return searching
        .and(dropping)
        .and(adding)
        .or(searching.not().and(prices.f32().gt(lambda)));
    };
    const search = () => {
      left.set(moves);
      f.repeat(() => {
        pursue();
        findMove();
        // A search that is cut short is not settled.
        f.if(left.eq(0).and(kind.gt(0)), () => {
          kind.set(0);
          f.if(searching, () => cheapest.set(-1));
        });
        f.if(searching.not().and(cheapest.le(lambda)), () => {
          kind.set(DROP);
          move();
          pursue();
          kind.set(0);
        });
        f.if(kind.gt(0), () => {
          move();
          left.set(left.sub(1));
        });
      }, kind.gt(0));
    };

    f.count(patches, () => {
      had.set(counts.u16());
      n.set(had);
      f.if(
        isSettled(),
        () => copyCode(f, target, n, { values, indices }, { values: valuesOut, indices: indicesOut }),
        () => {
          f.count(n, (i) => {
            f.store(at.add(i.shl(2)), indexAt(target, indices.add(i.mul(shape.indexBytes))), scratch.trial);
          });
          search();
          f.store(prices, cheapest);
          f.store(prices, joining, 4);
          joined.set(n);
          n.set(f.value(functions.write, at, c, at.add(scratch.gains), n, valuesOut, indicesOut) as I32);
          // Nor is one whose code could not be written as it was found.
          f.if(n.lt(joined), () => f.store(prices, F32.of(-1)));
        },
      );
      f.store16(countsOut, n);
      passCode(target, { values, indices }, had);
      passCode(target, { values: valuesOut, indices: indicesOut }, n);
      counts.set(counts.add(2));
      countsOut.set(countsOut.add(2));
      prices.set(prices.add(8));
      c.set(c.add(4 * shape.R4));
    });
    f.return(valuesOut);
  });
}
