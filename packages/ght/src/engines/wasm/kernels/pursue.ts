/**
 * Orthogonal pursuit in the Gram domain, one patch at a time: the kernel of OMP and of every least-squares fit.
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
import { F32, type Fn, I32, type Module, V128 } from './assembler.js';
import { nmadd, storeIndex, sumLanes, type Target, toCoefficients } from './maps.js';
import { define, problemKernels } from './signatures.js';
import { DEPENDENT } from './tables.js';

/** What DEPENDENT is for a fit on given atoms, which has no choice among them: as little as rounding allows. */
export const DEPENDENT_IN_FIT = 1e-5;
/** Vectors of a row whose sums are held in registers at once, at most. */
const SUMS = 13;
/** Of ‖y‖², what an atom must gain at least: less is rounding, in float32. */
export const NEGLIGIBLE = 1e-12;
/** Of ‖y‖², and of the error that the gains leave, what a code may be off before it is called astray. */
export const ASTRAY = { energy: 1e-5, error: 1.1 };

/** The functions that pursuits and fits are made of. */
export interface PursuitFunctions {
  /** correlate(scratch): X ← Dᵀ of the vector of coordinates at M, that is V(σ ∘ M); M is overwritten. */
  readonly correlate: Fn;
  /**
   * orthogonalise(scratch, j, out): v = G_j − Σ pᵢ(j) pᵢ to the row `out` behind the last pᵢ: what is new in atom j, in inner
   * products with all atoms. A function of its own, so that its sums have all registers.
   */
  readonly orthogonalise: Fn;
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
  const orthogonalised = orthogonalise(module, target);
  return {
    correlate: correlate(module, target),
    orthogonalise: orthogonalised,
    join: join(module, target, orthogonalised),
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

function orthogonalise(module: Module, target: Target): Fn {
  const { shape, tables, scratch } = target;
  const row = 4 * shape.L4;
  const vectors = shape.L4 / 4;
  // Even tiles: a last one of one vector would wait for every product.
  const tiles = Math.ceil(vectors / SUMS);
  return module.fn('orthogonalise', ['i32', 'i32', 'i32'], undefined, (f) => {
    const [at, j, out] = f.parameters as I32[];
    const column = f.i32(j.shl(2));
    const gram = f.i32(j.mul(row));
    const sums = f.vectors(Math.min(SUMS, vectors));
    const [coefficient, from] = [f.v128(), f.i32()];
    for (let tile = 0, left = 0; tile < tiles; tile++) {
      const used = sums.slice(0, Math.ceil((vectors - left) / (tiles - tile)));
      for (const [v, sum] of used.entries()) sum.set(gram.v128(tables.gram + 16 * (left + v)));
      from.set(at.add(scratch.rows));
      f.while(from.lt(out), () => {
        coefficient.set(from.add(column).splat());
        for (const [v, sum] of used.entries()) sum.set(nmadd(target, coefficient, from.v128(16 * (left + v)), sum));
        from.set(from.add(row));
      });
      for (const [v, sum] of used.entries()) f.store(out, sum, 16 * (left + v));
      left += used.length;
    }
  });
}

function join(module: Module, target: Target, orthogonalised: Fn): Fn {
  const { shape, tables, scratch } = target;
  const row = 4 * shape.L4;
  const vectors = shape.L4 / 4;
  return module.fn('join', ['i32', 'i32', 'i32', 'f32'], 'f32', (f) => {
    const [at, j, k, least] = f.parameters as [I32, I32, I32, F32];
    const out = f.i32(at.add(scratch.rows).add(k.mul(row)));
    const column = f.i32(j.shl(2));
    f.call(orthogonalised, at, j, out);
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
    f.while(k.gt(0), () => {
      k.set(k.sub(1));
      p.set(at.add(scratch.rows).add(k.mul(row)));
      sum.set(at.add(k.shl(2)).f32(scratch.beta));
      i.set(k.add(1));
      f.while(i.lt(count), () => {
        slot.set(at.add(i.shl(2)));
        sum.set(sum.sub(p.add(slot.i32(scratch.support).shl(2)).f32().mul(slot.f32(scratch.x))));
        i.set(i.add(1));
      });
      slot.set(at.add(k.shl(2)));
      f.store(slot, sum.div(p.add(slot.i32(scratch.support).shl(2)).f32()), scratch.x);
    });
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
      mask.not().and(from.lt(end)),
    );
    f.return(from.sub(at).shr(2).sub(4).add(mask.lowestBit()));
  });
}

/** Takes a patch in: ‖y‖² to the scratch, and α = Dᵀy to X, unless it is there already. Returns ‖y‖². */
export function startPursuit(
  f: Fn,
  { shape, scratch }: Target,
  correlated: Fn,
  at: I32,
  c: I32,
  isThere: I32 = I32.of(0),
): F32 {
  const [energy, vector] = f.vectors(2);
  energy.set(V128.zero);
  for (let v = 0; v < shape.R4 / 4; v++) {
    vector.set(c.v128(16 * v));
    energy.set(energy.add(vector.mul(vector)));
    f.store(at, vector, scratch.M + 16 * v);
  }
  const all = f.f32(sumLanes(f, energy));
  f.store(at, all, scratch.energy);
  f.if(isThere.not(), () => f.call(correlated, at));
  return all;
}

/**
 * write(scratch, c, gains, count, values, indices) → count: writes the code of the leading atoms that have joined, in
 * the order of choice. Fewer if the last of them were nearly dependent, so that rounding errors dominate. Leaves
 * the squared error of the code in the scratch.
 */
export function write(module: Module, target: Target, functions: PursuitFunctions & { readonly residual: Fn }): Fn {
  const { scratch } = target;
  return module.fn('write', new Array(6).fill('i32'), 'i32', (f) => {
    const [at, c, gains, count, values, indices] = f.parameters as I32[];
    const [slot, out, index, astray] = [f.i32(), f.i32(), f.i32(), f.i32()];
    const error = f.f32();
    const left = f.f32(at.f32(scratch.energy));
    const allowed = f.f32(left.mul(ASTRAY.energy));
    f.count(count, (i) => left.set(left.sub(gains.add(i.shl(2)).f32())));
    f.repeat(() => {
      f.call(functions.coefficients, at, count);
      out.set(values);
      index.set(indices);
      f.count(count, (i) => {
        slot.set(at.add(i.shl(2)));
        f.store(out, slot.f32(scratch.x));
        storeIndex(f, target, index, slot.i32(scratch.support));
        out.set(out.add(4));
        index.set(index.add(target.shape.indexBytes));
      });
      error.set(f.value(functions.residual, values, indices, count, c, at.add(scratch.M), at) as F32);
      astray.set(error.le(left.max(0).mul(ASTRAY.error).add(allowed)).not().and(count.gt(0)));
      f.if(astray, () => {
        count.set(count.sub(1));
        left.set(left.add(gains.add(count.shl(2)).f32()));
      });
    }, astray);
    f.store(at, error, scratch.left);
    f.return(count);
  });
}

/**
 * Adds the kernel `omp`, which pursues each patch up to its limit (two bytes per patch) by the atom most like the residual, and writes its code, and what
 * each of its atoms gained, a row of `gainsRow` bytes per patch.
 */
export function omp(module: Module, target: Target, functions: PursuitFunctions & { readonly write: Fn }): void {
  const { shape, tables, scratch } = target;
  const vectors = shape.L4 / 4;
  const most = Math.min(shape.N, shape.L);
  define(module, 'omp', problemKernels.omp, (f, parameters) => {
    const { patches, c, limits, countsOut, valuesOut, indicesOut, scratch: at, gains, gainsRow } = parameters;
    const zero = f.i32(0);
    const [limit, k, j, slot] = [f.i32(), f.i32(), f.i32(), f.i32()];
    const [floor, gain] = [f.f32(), f.f32()];
    const vector = f.v128();
    const score = () => {
      for (let v = 0; v < vectors; v++) {
        vector.set(at.v128(scratch.X + 16 * v));
        f.store(at, vector.mul(vector).mul(at.v128(scratch.weight + 16 * v)), scratch.score + 16 * v);
      }
    };
    f.count(patches, () => {
      floor.set(startPursuit(f, target, functions.correlate, at, c).mul(NEGLIGIBLE));
      for (let v = 0; v < vectors; v++) {
        f.store(at, zero.v128(tables.inverseNorms + 16 * v), scratch.weight + 16 * v);
      }
      score();
      limit.set(limits.u16());
      limit.set(limit.choose(limit.lt(most), most));
      k.set(0);
      f.while(k.lt(limit), () => {
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
                score();
                k.set(k.add(1));
              },
              () => f.store(slot, F32.of(0), scratch.score),
            );
          },
          // Nothing is left to gain.
          () => limit.set(k),
        );
      });
      k.set(f.value(functions.write, at, c, gains, k, valuesOut, indicesOut) as I32);
      f.store16(countsOut, k);
      valuesOut.set(valuesOut.add(k.shl(2)));
      indicesOut.set(indicesOut.add(k.mul(shape.indexBytes)));
      c.set(c.add(4 * shape.R4));
      limits.set(limits.add(2));
      countsOut.set(countsOut.add(2));
      gains.set(gains.add(gainsRow));
    });
    f.return(valuesOut);
  });
}
