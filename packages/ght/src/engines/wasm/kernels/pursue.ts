/**
 * Orthogonal pursuit in the Gram domain, a patch at a time: the kernel of OMP, joint OMP and every least-squares fit.
 *
 * With an orthonormal basis Q of the atoms chosen so far, only inner products with all atoms are kept: α = Dᵀr, and the
 * rows pᵢ = Dᵀqᵢ. Atom j joins by
 *
 *     v = Dᵀ(d_j − QQᵀd_j) = G_j − Σᵢ pᵢ(j) pᵢ       v_j is the squared length of what is new in the atom
 *     β = α_j / √v_j,   p = v / √v_j,   α ← α − β p
 *
 * β² is what the error falls by, and R(i, k) = pᵢ(j_k) is the triangle of D restricted to the support: R x = β gives the
 * coefficients. There is no solve inside the loop.
 */
import type { Fn, I32, Module } from './assembler.js';
import { F32, V128 } from './assembler.js';
import type { Target } from './maps.js';
import { nmadd, storeIndex, sumLanes, toCoefficients } from './maps.js';

/**
 * Of an atom's squared length, what must be new in it for it to join. In float32 every join can lose as many digits as
 * this has zeros; at less than 1e-3 pursuits of 30 atoms and more were seen to go astray.
 */
const DEPENDENT = 3e-3;
/** The same for a fit on given atoms, which has no choice among them: as little as rounding allows. */
export const DEPENDENT_IN_FIT = 1e-5;
/** Of ‖y‖², what an atom must gain at least: less is rounding, in float32. */
const NEGLIGIBLE = 1e-12;
/** Of ‖y‖², and of the error that the gains leave, what a code may be off before it is called astray. */
const ASTRAY = { energy: 1e-5, error: 1.1 };

/** The functions that pursuits and fits are made of. */
export interface PursuitFunctions {
  /** correlate(scratch): X ← Dᵀ of the vector of coordinates at M, that is V(σ ∘ M); M is overwritten. */
  readonly correlate: Fn;
  /**
   * join(scratch, j, k, least) → β²: makes atom j the k-th of the support; −1, and α unchanged, if less than `least` of its
   * squared length is new.
   */
  readonly join: Fn;
  /** coefficients(scratch, count): solves R x = β. */
  readonly coefficients: Fn;
  /** largest(row) → index of the largest entry of a row of all atoms, none of them negative; the first of equals. */
  readonly largest: Fn;
}

/** Adds the functions of pursuits to a module. */
export function pursuitFunctions(module: Module, target: Target): PursuitFunctions {
  return {
    correlate: correlate(module, target),
    join: join(module, target),
    coefficients: coefficients(module, target),
    largest: largest(module, target),
  };
}

function correlate(module: Module, target: Target): Fn {
  const { shape, tables, scratch } = target;
  return module.fn('correlate', ['i32'], undefined, (f) => {
    const [at] = f.parameters as [I32];
    const zero = f.i32(0);
    for (let v = 0; v < shape.R4 / 4; v++) {
      const there = scratch.M + 16 * v;
      f.store(at, at.v128(there).mul(zero.v128(tables.sigma + 16 * v)), there);
    }
    toCoefficients(f, target, at);
  });
}

function join(module: Module, target: Target): Fn {
  const { shape, tables, scratch } = target;
  const row = 4 * shape.L4;
  const vectors = shape.L4 / 4;
  return module.fn('join', ['i32', 'i32', 'i32', 'f32'], 'f32', (f) => {
    const [at, j, k, least] = f.parameters as [I32, I32, I32, F32];
    const out = f.i32(at.add(scratch.rows).add(k.mul(row)));
    const column = f.i32(j.shl(2));
    const gram = f.i32(j.mul(row));
    const sums = f.vectors(Math.min(target.fma ? 9 : 7, vectors));
    const [coefficient, from] = [f.v128(), f.i32()];
    // v = G_j − Σ pᵢ(j) pᵢ, a few vectors at a time so that the sums stay in registers.
    for (let left = 0; left < vectors; left += sums.length) {
      const used = sums.slice(0, Math.min(sums.length, vectors - left));
      used.forEach((sum, v) => {
        sum.set(gram.v128(tables.gram + 16 * (left + v)));
      });
      from.set(at.add(scratch.rows));
      f.while(
        () => from.lt(out),
        () => {
          coefficient.set(from.add(column).splat());
          used.forEach((sum, v) => {
            sum.set(nmadd(target, coefficient, from.v128(16 * (left + v)), sum));
          });
          from.set(from.add(row));
        },
      );
      used.forEach((sum, v) => {
        f.store(out, sum, 16 * (left + v));
      });
    }
    const fresh = f.f32(out.add(column).f32());
    f.if(fresh.le(column.f32(tables.norms).mul(least)), () => f.return(F32.of(-1)));
    const inverse = f.f32(F32.of(1).div(fresh.sqrt()));
    const beta = f.f32(at.add(column).f32(scratch.X).mul(inverse));
    const slot = f.i32(at.add(k.shl(2)));
    f.store(slot, beta, scratch.beta);
    f.store(slot, j, scratch.support);
    const [scale, step, p] = [f.v128(inverse.splat()), f.v128(beta.splat()), f.v128()];
    for (let v = 0; v < vectors; v++) {
      p.set(out.v128(16 * v).mul(scale));
      f.store(out, p, 16 * v);
      f.store(at, nmadd(target, step, p, at.v128(scratch.X + 16 * v)), scratch.X + 16 * v);
    }
    f.return(beta.mul(beta));
  });
}

function coefficients(module: Module, { shape, scratch }: Target): Fn {
  const row = 4 * shape.L4;
  return module.fn('coefficients', ['i32', 'i32'], undefined, (f) => {
    const [at, count] = f.parameters as [I32, I32];
    const k = f.i32(count);
    const [p, i, slot, sum] = [f.i32(), f.i32(), f.i32(), f.f32()];
    f.while(
      () => k.gt(0),
      () => {
        k.set(k.sub(1));
        p.set(at.add(scratch.rows).add(k.mul(row)));
        sum.set(at.add(k.shl(2)).f32(scratch.beta));
        i.set(k.add(1));
        f.while(
          () => i.lt(count),
          () => {
            slot.set(at.add(i.shl(2)));
            sum.set(sum.sub(p.add(slot.i32(scratch.support).shl(2)).f32().mul(slot.f32(scratch.x))));
            i.set(i.add(1));
          },
        );
        slot.set(at.add(k.shl(2)));
        f.store(slot, sum.div(p.add(slot.i32(scratch.support).shl(2)).f32()), scratch.x);
      },
    );
  });
}

function largest(module: Module, { shape }: Target): Fn {
  const vectors = shape.L4 / 4;
  return module.fn('largest', ['i32'], 'i32', (f) => {
    const [at] = f.parameters as [I32];
    const most = f.v128(V128.zero);
    for (let v = 0; v < vectors; v++) most.set(most.max(at.v128(16 * v)));
    most.set(most.max(most.shuffle([2, 3, 0, 1])));
    most.set(most.max(most.shuffle([1, 0, 3, 2])));
    const [from, end, mask] = [f.i32(at), f.i32(at.add(16 * vectors)), f.i32()];
    f.repeat(
      () => {
        mask.set(from.v128().eq(most).mask());
        from.set(from.add(16));
      },
      () => mask.not().and(from.lt(end)),
    );
    f.return(from.sub(at).shr(2).sub(4).add(mask.lowestBit()));
  });
}

/**
 * omp(patches, c, limits, countsOut, valuesOut, indicesOut, scratch, gains, gainsRow) → end of valuesOut, and `ols` alike
 *
 * Pursues each patch up to its limit (two bytes a patch) and writes its code, atoms in the order of choice, and what each
 * of them gained, a row of `gainsRow` bytes a patch.
 */
export function pursue(
  module: Module,
  target: Target,
  functions: PursuitFunctions & { readonly residual: Fn },
  rule: 'omp' | 'ols',
): void {
  module.fn(rule, new Array(9).fill('i32'), 'i32', (f) => buildPursue(f, target, functions, rule));
}

function buildPursue(
  f: Fn,
  target: Target,
  functions: PursuitFunctions & { readonly residual: Fn },
  rule: 'omp' | 'ols',
): void {
  const { shape, tables, scratch } = target;
  const vectors = shape.L4 / 4;
  const most = Math.min(shape.N, shape.L);
  const [patches, c, limits, countsOut, valuesOut, indicesOut, at, gains, gainsRow] = f.parameters as I32[];
  const zero = f.i32(0);
  const [limit, k, j, slot, row] = [f.i32(), f.i32(), f.i32(), f.i32(), f.i32()];
  const [floor, gain, left, allowed] = [f.f32(), f.f32(), f.f32(), f.f32()];
  const [valuesStart, indicesStart, astray] = [f.i32(), f.i32(), f.i32()];
  const [energy, vector, p, nu, open] = f.vectors(5);

  const prepare = () => {
    energy.set(V128.zero);
    for (let v = 0; v < shape.R4 / 4; v++) {
      vector.set(c.v128(16 * v));
      energy.set(energy.add(vector.mul(vector)));
      f.store(at, vector, scratch.M + 16 * v);
    }
    left.set(sumLanes(f, energy));
    allowed.set(left.mul(ASTRAY.energy));
    floor.set(left.mul(NEGLIGIBLE));
    f.call(functions.correlate, at);
    for (let v = 0; v < vectors; v++) {
      f.store(at, zero.v128(tables.inverseNorms + 16 * v), scratch.weight + 16 * v);
      if (rule === 'ols') f.store(at, zero.v128(tables.norms + 16 * v), scratch.nu + 16 * v);
    }
    score();
  };
  const score = () => {
    for (let v = 0; v < vectors; v++) {
      vector.set(at.v128(scratch.X + 16 * v));
      f.store(at, vector.mul(vector).mul(at.v128(scratch.weight + 16 * v)), scratch.score + 16 * v);
    }
  };
  /** Order-recursive: ν ← ν − p∘p, and 1/ν is the weight of every atom that may still join. */
  const reweigh = () => {
    const one = f.v128(F32.of(1).splat());
    const least = f.v128(F32.of(DEPENDENT).splat());
    row.set(at.add(k.mul(4 * shape.L4)));
    for (let v = 0; v < vectors; v++) {
      p.set(row.v128(scratch.rows + 16 * v));
      nu.set(nmadd(target, p, p, at.v128(scratch.nu + 16 * v)));
      f.store(at, nu, scratch.nu + 16 * v);
      open.set(nu.gt(zero.v128(tables.norms + 16 * v).mul(least)).and(at.v128(scratch.weight + 16 * v).gt(V128.zero)));
      vector.set(one.div(nu).and(open));
      f.store(at, vector, scratch.weight + 16 * v);
      p.set(at.v128(scratch.X + 16 * v));
      f.store(at, p.mul(p).mul(vector), scratch.score + 16 * v);
    }
  };

  f.while(
    () => patches.gt(0),
    () => {
      prepare();
      limit.set(limits.u16());
      limit.set(limit.choose(limit.lt(most), most));
      k.set(0);
      f.while(
        () => k.lt(limit),
        () => {
          j.set(f.value(functions.largest, at.add(scratch.score)) as I32);
          slot.set(at.add(j.shl(2)));
          f.if(
            slot.f32(scratch.score).gt(floor),
            () => {
              gain.set(f.value(functions.join, at, j, k, F32.of(DEPENDENT)) as F32);
              f.store(slot, F32.of(0), scratch.weight);
              f.if(
                gain.ge(0),
                () => {
                  f.store(gains.add(k.shl(2)), gain);
                  left.set(left.sub(gain));
                  if (rule === 'ols') reweigh();
                  else score();
                  k.set(k.add(1));
                },
                () => f.store(slot, F32.of(0), scratch.score),
              );
            },
            // Nothing is left to gain.
            () => limit.set(k),
          );
        },
      );
      valuesStart.set(valuesOut);
      indicesStart.set(indicesOut);
      f.repeat(
        () => {
          f.call(functions.coefficients, at, k);
          valuesOut.set(valuesStart);
          indicesOut.set(indicesStart);
          writeCode(f, target, at, k, valuesOut, indicesOut);
          const error = f.value(functions.residual, valuesStart, indicesStart, k, c, at.add(scratch.M), at) as F32;
          astray.set(error.le(left.max(0).mul(ASTRAY.error).add(allowed)).not().and(k.gt(0)));
          // The last atoms were all but dependent, and rounding has the better of them: do with fewer.
          f.if(astray, () => {
            k.set(k.sub(1));
            left.set(left.add(gains.add(k.shl(2)).f32()));
          });
        },
        () => astray,
      );
      f.store16(countsOut, k);
      c.set(c.add(4 * shape.R4));
      limits.set(limits.add(2));
      countsOut.set(countsOut.add(2));
      gains.set(gains.add(gainsRow));
      patches.set(patches.sub(1));
    },
  );
  f.return(valuesOut);
}

/** Writes the atoms that have joined and their coefficients to the output, and moves it on. */
function writeCode(f: Fn, target: Target, at: I32, count: I32, valuesOut: I32, indicesOut: I32): void {
  const { shape, scratch } = target;
  const slot = f.i32();
  f.count(count, (i) => {
    slot.set(at.add(i.shl(2)));
    f.store(valuesOut, slot.f32(scratch.x));
    storeIndex(f, target, indicesOut, slot.i32(scratch.support));
    valuesOut.set(valuesOut.add(4));
    indicesOut.set(indicesOut.add(shape.indexBytes));
  });
}
