/**
 * The path of one patch, atom by atom, by the order-recursive choice: the atom that lowers the error most. In addition to α and the
 * rows p (pursue.ts) it keeps ν_j, the squared length of what is new in each atom j, so that α_j²/ν_j is what j would gain:
 *
 *     ν ← ν − p²        after each join; ν_j is also v_j of pursue.ts, to the last bit
 */
import { PATIENCE } from '../../../sparse/solvers/joint-omp.js';
import { padded, type Shape } from '../../shape.js';
import { F32, type F64, type Fn, I32, type Module, V128 } from './assembler.js';
import { indexAt, madd, nmadd, select, sumLanes, type Target } from './maps.js';
import { ASTRAY, NEGLIGIBLE, type PursuitFunctions, startPursuit } from './pursue.js';

/**
 * Of ‖y‖², what the first atom must leave at least for α to be updated. The first atom is mostly the mean of the patch. Of a flat
 * patch it leaves so little that the rounding of α, which is of the size of ‖y‖, looks like gains of atoms that are hardly new;
 * a path of such gains has no end. So α = Dᵀr is then computed again from the residual r itself.
 */
const FLAT = 2 ** -8;

/** In place of an atom: none. */
export const NONE = 0xffff;

/**
 * The largest of the scores of all atoms, made one vector after the other, and whose it is. None is negative, so they compare as integers
 * do, which is faster. Each lane keeps the number of its best atom: to look for the largest afterwards takes a branch that no
 * processor foresees.
 */
class Scores {
  private readonly largest: V128;
  private readonly best: V128;
  private readonly atoms: V128;
  private readonly score: V128;
  private readonly better: V128;
  private readonly four: V128;

  constructor(
    private readonly f: Fn,
    private readonly target: Target,
  ) {
    [this.largest, this.best, this.atoms, this.score, this.better, this.four] = f.vectors(6);
    this.four.set(V128.words(4, 4, 4, 4));
    this.largest.set(V128.zero);
    this.best.set(V128.zero);
    this.atoms.set(V128.words(0, 1, 2, 3));
  }

  /** Takes in the next vector. */
  add(score: V128): void {
    const { largest, best, atoms, better } = this;
    this.score.set(score);
    better.set(this.score.gtBits(largest));
    best.set(select(this.target, better, atoms, best));
    largest.set(largest.maxBits(this.score));
    atoms.set(atoms.addBits(this.four));
  }

  /** The atom with the largest score, the first of equals; NONE if that is not above the floor. */
  atom(floor: F32): I32 {
    const { f, largest, best, score } = this;
    score.set(largest);
    for (const lanes of [
      [2, 3, 0, 1],
      [1, 0, 3, 2],
    ] as const)
      score.set(score.maxBits(score.shuffle(lanes)));
    best.set(best.choose(score.eq(largest), V128.words(NONE, NONE, NONE, NONE)));
    for (const lanes of [
      [2, 3, 0, 1],
      [1, 0, 3, 2],
    ] as const)
      best.set(best.minBits(best.shuffle(lanes)));
    return f.i32(best.word(0).choose(score.lane(0).gt(floor), NONE));
  }
}

/**
 * advance(scratch, j, out, inverse, β, floor) → the atom to join next, or NONE: what the join of atom j changes. `inverse` is
 * 1/√v_j. One loop over all atoms makes p (as orthogonalise does) and updates α, ν and the scores.
 */
function advance(module: Module, target: Target, orthogonalised: Fn): Fn {
  const { shape, tables, scratch } = target;
  return module.fn('advance', ['i32', 'i32', 'i32', 'f32', 'f32', 'f32'], 'i32', (f) => {
    const [at, j, out, inverse, beta, floor] = f.parameters as [I32, I32, I32, F32, F32, F32];
    const [p, x, nu] = f.vectors(3);
    f.call(orthogonalised, at, j, out);
    const scores = new Scores(f, target);
    const [scale, step, one] = [f.v128(inverse.splat()), f.v128(beta.splat()), f.v128(F32.of(1).splat())];
    const [here, table] = [f.i32(at), f.i32(tables.leastNew)];
    eachVector(f, shape, [out, here, table], (v) => {
      p.set(out.v128(v).mul(scale));
      f.store(out, p, v);
      x.set(nmadd(target, step, p, here.v128(scratch.X + v)));
      f.store(here, x, scratch.X + v);
      nu.set(nmadd(target, p, p, here.v128(scratch.nu + v)));
      f.store(here, nu, scratch.nu + v);
      scores.add(x.mul(x).mul(one.div(nu).and(nu.gtBits(table.v128(v)))));
    });
    f.return(scores.atom(floor));
  });
}

/** Vectors per turn of a loop over all atoms. A body for every vector would leave the compiler too few registers. */
const UNROLLED = 2;

/** A loop over the vectors of all atoms: `body` gets the bytes from the places in rows to its vector, and the places move along. */
function eachVector(f: Fn, { L4 }: Shape, places: readonly I32[], body: (offset: number) => void): void {
  const vectors = L4 / 4;
  f.count(Math.floor(vectors / UNROLLED), () => {
    for (let v = 0; v < UNROLLED; v++) body(16 * v);
    for (const place of places) place.set(place.add(16 * UNROLLED));
  });
  for (let v = 0; v < vectors % UNROLLED; v++) body(16 * v);
}

/** startAgain(scratch, c, j, step) → ‖r‖²: r = y − step · d_j in coordinates to M, and α = Dᵀr to X. */
export function startAgain(module: Module, target: Target, functions: PursuitFunctions): Fn {
  const { shape, tables, scratch } = target;
  return module.fn('startAgain', ['i32', 'i32', 'i32', 'f32'], 'f32', (f) => {
    const [at, c, j, step] = f.parameters as [I32, I32, I32, F32];
    const zero = f.i32(0);
    const atom = f.i32(j.mul(4 * shape.R4).add(tables.V));
    const [energy, r] = f.vectors(2);
    const length = f.v128(step.splat());
    energy.set(V128.zero);
    for (let v = 0; v < shape.R4 / 4; v++) {
      const sigma = zero.v128(tables.sigma + 16 * v);
      r.set(nmadd(target, length, atom.v128(16 * v).mul(sigma), c.v128(16 * v)));
      energy.set(energy.add(r.mul(r)));
      f.store(at, r, scratch.M + 16 * v);
    }
    const left = f.f32(sumLanes(f, energy));
    f.call(functions.correlate, at);
    f.return(left);
  });
}

/** choose(scratch, floor) → the atom to join next, or NONE, from α and ν as they are. */
function choose(module: Module, target: Target): Fn {
  const { shape, tables, scratch } = target;
  return module.fn('choose', ['i32', 'f32'], 'i32', (f) => {
    const [at, floor] = f.parameters as [I32, F32];
    const [x, nu] = f.vectors(2);
    const one = f.v128(F32.of(1).splat());
    const scores = new Scores(f, target);
    const table = f.i32(tables.leastNew);
    eachVector(f, shape, [at, table], (v) => {
      x.set(at.v128(scratch.X + v));
      nu.set(at.v128(scratch.nu + v));
      scores.add(x.mul(x).mul(one.div(nu).and(nu.gtBits(table.v128(v)))));
    });
    f.return(scores.atom(floor));
  });
}

/**
 * follow(scratch, c, correlated, atMost, price, without) → how many atoms joined: the pursuit of one patch by the order-recursive choice,
 * which ends where a longer path is not worth its price. `correlated` is whether α = Dᵀy is at X already. One atom may not
 * join; NONE excludes none. What each atom gained is in the scratch.
 *
 * ν_j, the squared length of what is new in atom j, is known for every atom, so its gain is known before it joins. What the
 * last join of a path would change is never computed. ν is −1 where an atom may not join.
 */
export function follow(module: Module, target: Target, functions: PursuitFunctions, startedAgain: Fn): Fn {
  const { shape, tables, scratch } = target;
  const row = 4 * shape.L4;
  const most = Math.min(shape.N, shape.L);
  const advanced = advance(module, target, functions.orthogonalise);
  const chosen = choose(module, target);
  return module.fn('follow', ['i32', 'i32', 'i32', 'i32', 'f64', 'i32'], 'i32', (f) => {
    const [at, c, correlated, atMost, price, without] = f.parameters as [I32, I32, I32, I32, F64, I32];
    const [k, j, slot] = [f.i32(0), f.i32(), f.i32()];
    const [fresh, inverse, beta, gain] = [f.f32(), f.f32(), f.f32(), f.f32()];
    const x = f.v128();
    const left = f.f32(startPursuit(f, target, functions.correlate, at, c, correlated));
    const floor = f.f32(left.mul(NEGLIGIBLE));
    const rounding = f.f32(left.mul(ASTRAY.energy));
    const flat = f.f32(left.mul(FLAT));
    const first = f.i32();
    // How far Σ(gain − price) is below the best it has been.
    const [lost, patience] = [f.f64(0), f.f64(price.mul(PATIENCE))];
    const limit = f.i32(atMost.choose(atMost.lt(most), most));
    const out = f.i32(at.add(scratch.rows));
    slot.set(at.add(without.shl(2)));
    f.if(without.ne(NONE), () => f.store(slot, F32.of(0), scratch.X));
    const scores = new Scores(f, target);
    const [here, table] = [f.i32(at), f.i32(0)];
    eachVector(f, shape, [here, table], (v) => {
      x.set(here.v128(scratch.X + v));
      f.store(here, table.v128(tables.norms + v), scratch.nu + v);
      scores.add(x.mul(x).mul(table.v128(tables.inverseNorms + v)));
    });
    f.if(without.ne(NONE), () => f.store(slot, F32.of(-1), scratch.nu));
    /** Ends where all that is left of the patch could not pay for what was lost and one more atom, or too much was lost. */
    const endWhereLost = () => {
      f.if(lost.add(price).gt(left.add(rounding).promote()).or(lost.gt(patience)), () => limit.set(k));
    };
    j.set(scores.atom(floor));
    endWhereLost();
    f.while(k.lt(limit).and(j.ne(NONE)), () => {
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
        first.set(j);
        j.set(f.value(advanced, at, j, out, inverse, beta, floor) as I32);
        out.set(out.add(row));
        f.if(k.eq(1).and(left.lt(flat)), () => {
          left.set(f.value(startedAgain, at, c, first, beta.mul(inverse)) as F32);
          rounding.set(left.mul(ASTRAY.energy));
          j.set(f.value(chosen, at, floor) as I32);
        });
      });
    });
    f.return(k);
  });
}

/**
 * retrace(scratch, c, indices, count): leaves the scratch as {@link follow} does after this many joins, of the atoms at
 * `indices`. The choice is known, so α and p are made for these atoms alone, in rows without the others, by the same
 * operations in the same order.
 */
export function retrace(module: Module, target: Target, functions: PursuitFunctions, startedAgain: Fn): Fn {
  const { shape, tables, scratch } = target;
  const row = 4 * shape.L4;
  const short = 4 * padded(Math.min(shape.N, shape.L));
  // No local search is under way.
  const [rows, alpha] = [scratch.neighbours, scratch.trial];
  return module.fn('retrace', ['i32', 'i32', 'i32', 'i32'], undefined, (f) => {
    const [at, c, indices, count] = f.parameters as [I32, I32, I32, I32];
    const [i, atom, gram, place, from, v] = f.words(6);
    const [inverse, beta, left] = [f.f32(), f.f32(), f.f32()];
    const [p, scale, step] = f.vectors(3);
    const [out, full] = [f.i32(at.add(rows)), f.i32(at.add(scratch.rows))];
    const end = f.i32(count.shl(2));
    /** For each atom from the k-th on, with its place in a short row and in a full one. */
    const eachFrom = (k: I32, body: (place: I32, atom: I32) => void) => {
      i.set(k);
      f.while(i.lt(count), () => {
        atom.set(indexAt(target, indices.add(i.mul(shape.indexBytes))).shl(2));
        body(i.shl(2), atom);
        i.set(i.add(1));
      });
    };
    /** For each vector of a short row from that of the k-th atom on. */
    const eachVectorFrom = (k: I32, body: () => void) => {
      v.set(k.shr(2).shl(4));
      f.while(v.lt(end), () => {
        body();
        v.set(v.add(16));
      });
    };
    // Over a dense dictionary, α of these atoms alone costs less than that of all.
    const dense = shape.parts.length === 1;
    const energy = f.f32(startPursuit(f, target, functions.correlate, at, c, I32.of(dense ? 1 : 0)));
    const correlations = (from: I32) =>
      eachFrom(from, (place, atom) => f.store(at.add(place), at.add(atom).f32(scratch.X), alpha));
    eachFrom(I32.of(0), (place, atom) => f.store(at.add(place), atom.shr(2), scratch.support));
    if (dense) {
      for (let v = 0; v < shape.R4 / 4; v++) {
        f.store(at, at.v128(scratch.M + 16 * v).mul(I32.of(0).v128(tables.sigma + 16 * v)), scratch.M + 16 * v);
      }
      eachFrom(I32.of(0), (place, atom) => {
        from.set(atom.mul(shape.R4).add(tables.V));
        p.set(V128.zero);
        for (let v = 0; v < shape.R4 / 4; v++) {
          p.set(madd(target, from.v128(16 * v), at.v128(scratch.M + 16 * v), p));
        }
        f.store(at.add(place), sumLanes(f, p), alpha);
      });
    } else correlations(I32.of(0));
    f.count(count, (k) => {
      place.set(k.shl(2));
      gram.set(at.add(place).i32(scratch.support).mul(row));
      eachFrom(k, (place, atom) => f.store(out.add(place), gram.add(atom).f32(tables.gram)));
      eachVectorFrom(k, () => {
        p.set(out.add(v).v128());
        from.set(at.add(rows));
        f.while(from.lt(out), () => {
          p.set(nmadd(target, from.add(place).splat(), from.add(v).v128(), p));
          from.set(from.add(short));
        });
        f.store(out.add(v), p);
      });
      inverse.set(F32.of(1).div(out.add(place).f32().sqrt()));
      place.set(place.add(at));
      beta.set(place.f32(alpha).mul(inverse));
      f.store(place, beta, scratch.beta);
      f.store(place, beta.mul(beta), scratch.gains);
      scale.set(inverse.splat());
      step.set(beta.splat());
      eachVectorFrom(k, () => {
        p.set(out.add(v).v128().mul(scale));
        f.store(out.add(v), p);
        f.store(at.add(v), nmadd(target, step, p, at.add(v).v128(alpha)), alpha);
      });
      eachFrom(k, (place, atom) => f.store(full.add(atom), out.add(place).f32()));
      f.if(k.eq(0).and(energy.sub(beta.mul(beta)).lt(energy.mul(FLAT))), () => {
        left.set(f.value(startedAgain, at, c, at.i32(scratch.support), beta.mul(inverse)) as F32);
        correlations(I32.of(1));
      });
      out.set(out.add(short));
      full.set(full.add(row));
    });
  });
}
