/** One iteration of GHT-QPM or GHT-ADMM on a run of patches, as a WebAssembly function. */
import { type Fn, type I32, type Module, mask16, V128 } from './assembler.js';
import { groupCoefficients, inGroups } from './dense.js';
import { addLanes, filter, madd, nmadd, storeIndex, type Target, toCoefficients, toCoordinates } from './maps.js';
import { define, iteration, problemKernels, type VariablesOf } from './signatures.js';

/**
 * What to do with the dual variable. GHT-ADMM carries q = Vᵀv, the coordinates of V = X + U, from one iteration to the next:
 *
 *     M = g ∘ (r − fσ(t − q)),   q ← t + M
 *
 * q − t is the scaled dual variable U = Λ/ρ of the last iteration, and f = ρᵏ⁻¹/ρᵏ rescales it when ρ changes.
 *
 * - `none`: GHT-QPM, M = g ∘ r;
 * - `start`: the first iteration of GHT-ADMM, where U = 0, so t − q = 0;
 * - `step`: every other;
 * - `again`: the iteration is repeated with another `lo`; q is already the new one, so M = q − t.
 */
type Dual = 'none' | 'start' | 'step' | 'again';
const duals: Readonly<Record<IterationName, Dual>> = {
  qpm: 'none',
  admmStart: 'start',
  admm: 'step',
  admmAgain: 'again',
};

/** The names of the iterations among the kernels. */
export type IterationName = 'qpm' | 'admmStart' | 'admm' | 'admmAgain';

/**
 * Adds the kernels of iterations. For each patch: filter its code by the threshold (H_S, in place), t = Vᵀz, the residual r = c − σt and its square, M,
 * X = Z + VM, and write out every |x| ≥ lo as a candidate for the next code, the way that is quicker for `many` or few.
 * In a dense shape X = Z + VM is made for a group of patches at once.
 */
export function iterations(module: Module, target: Target): void {
  const { group } = target.scratch;
  const together = group && groupCoefficients(module, target, group);
  for (const [name, dual] of Object.entries(duals)) {
    define(module, name, iteration, (f, parameters) => buildIteration(f, parameters, target, dual, together));
  }
}

function buildIteration(
  f: Fn,
  parameters: VariablesOf<(typeof iteration)['parameters']>,
  target: Target,
  dual: Dual,
  together: Fn | undefined,
): void {
  const { shape, tables, scratch } = target;
  const { group } = scratch;
  // Z is laid out where X is made, or in the row of scores, which iterations do not need.
  const place = group ? { M: group.M, Z: group.X, X: group.X } : { M: scratch.M, Z: scratch.score, X: scratch.X };
  const { patches, counts, values, indices, countsOut, valuesOut, indicesOut, c, q, scratch: at, many } = parameters;
  const threshold = f.v128(parameters.threshold.splat());
  const lowest = f.v128(parameters.lo.splat());
  const error = f.v128(V128.zero);
  const [count, start] = [f.i32(), f.i32()];
  const [squares, r, M] = [f.v128(), f.v128(), f.v128()];
  const zero = f.i32(0);

  const coordinate = (slot: I32, v: number, t: V128) => {
    const there = 16 * v;
    if (dual === 'again') {
      f.store(slot, q.v128(there).sub(t), place.M + there);
      return;
    }
    r.set(nmadd(target, zero.v128(tables.sigma + there), t, c.v128(there)));
    squares.set(madd(target, r, r, squares));
    if (dual === 'step') r.set(nmadd(target, zero.v128(tables.dualSigma + there), t.sub(q.v128(there)), r));
    M.set(r.mul(zero.v128(tables.g + there)));
    if (dual !== 'none') {
      // M is taken as q − t, not as computed, so that `again` finds the same bits.
      M.set(t.add(M));
      f.store(q, M, there);
      M.set(M.sub(t));
    }
    f.store(slot, M, place.M + there);
  };

  /** From the code of a patch to its M, and its row Z. */
  const prepare = (slot: I32) => {
    count.set(counts.u16());
    squares.set(V128.zero);
    filter(f, { values, indices, count }, threshold);
    toCoordinates(f, target, slot, { values, indices, count }, place.Z, (v, t) => coordinate(slot, v, t));
    if (dual !== 'again') addLanes(error, squares);
    values.set(values.add(count.shl(2)));
    indices.set(indices.add(count.mul(shape.indexBytes)));
    counts.set(counts.add(2));
    c.set(c.add(4 * shape.R4));
    if (dual !== 'none') q.set(q.add(4 * shape.R4));
  };
  /** From the X of a patch to its candidates. */
  const finish = (slot: I32) => {
    const out = { row: slot, X: place.X, lowest, valuesOut, indicesOut };
    start.set(valuesOut);
    if (shape.indexBytes === 1)
      f.if(
        many,
        () => packCandidates(f, target, out),
        () => emitCandidates(f, target, out),
      );
    else emitCandidates(f, target, out);
    f.store16(countsOut, valuesOut.sub(start).shr(2));
    countsOut.set(countsOut.add(2));
  };
  if (group && together) inGroups(f, group, { patches, scratch: at }, { prepare, together, finish });
  else {
    f.count(patches, () => {
      prepare(at);
      toCoefficients(f, target, at, place.Z);
      finish(at);
    });
  }
  if (dual !== 'again') f.store(at, at.f64(scratch.error).add(error.double(0)).add(error.double(1)), scratch.error);
  f.return(valuesOut);
}

/** Where X is, `X` bytes from the start of `row`, and where candidates go. */
interface Candidates {
  readonly row: I32;
  readonly X: number;
  readonly lowest: V128;
  readonly valuesOut: I32;
  readonly indicesOut: I32;
}

/** Writes every |x| ≥ lo of X to the output, four atoms at a time: the same work however many there are. */
function packCandidates(f: Fn, target: Target, { row, X, lowest, valuesOut, indicesOut }: Candidates): void {
  const { shape, tables, fma } = target;
  const [value, set] = [f.v128(), f.i32()];
  for (let v = 0; v < shape.L4 / 4; v++) {
    value.set(row.v128(X + 16 * v));
    set.set(value.abs().ge(lowest).mask());
    const front = set.shl(4).v128(tables.packBytes);
    f.store(valuesOut, fma ? value.relaxedSwizzle(front) : value.swizzle(front));
    f.store(
      indicesOut,
      set
        .shl(2)
        .i32(tables.packLanes)
        .add(4 * v * 0x01010101),
    );
    set.set(set.bitCount());
    valuesOut.set(valuesOut.add(set.shl(2)));
    indicesOut.set(indicesOut.add(set));
  }
}

/** Writes every |x| ≥ lo of X to the output, one by one: 64 atoms at a time by a bit mask. */
function emitCandidates(f: Fn, target: Target, { row, X, lowest, valuesOut, indicesOut }: Candidates): void {
  const { shape } = target;
  const set = f.i64();
  const atom = f.i32();
  for (let first = 0; first < shape.L4; first += 64) {
    const vectors = Math.min(16, (shape.L4 - first) / 4);
    const large = (v: number) =>
      row
        .v128(X + 4 * first + 16 * v)
        .abs()
        .ge(lowest);
    for (let v = 0; v < vectors; v += 4) {
      const four = Array.from({ length: Math.min(4, vectors - v) }, (_, i) => large(v + i));
      const lanes = mask16(four);
      set.set(v === 0 ? lanes : set.or(lanes.shl(4 * v)));
    }
    f.while(set.isZero().not(), () => {
      atom.set(set.lowest());
      f.store(valuesOut, row.add(atom.shl(2)).i32(X + 4 * first));
      const index = first === 0 ? atom : atom.add(first);
      storeIndex(f, target, indicesOut, index);
      valuesOut.set(valuesOut.add(4));
      indicesOut.set(indicesOut.add(shape.indexBytes));
      set.set(set.withoutLowest());
    });
  }
}

/**
 * Adds the kernel `collect`: writes the magnitudes, as bits, of the values whose bits are from `low`
 * up to but not including `high`, as many as fit below `limit`. There are few of them, so vectors without
 * any are passed over.
 */
export function collect(module: Module): void {
  define(module, 'collect', problemKernels.collect, (f, { from, end, out, limit, low, high }) => {
    const [least, most, magnitude] = [f.v128(low.splatBits()), f.v128(high.splatBits()), f.v128()];
    const [bits, width] = [f.i32(), f.i32(high.sub(low))];
    f.while(from.lt(end).and(out.lt(limit)), () => {
      magnitude.set(from.v128().abs());
      f.if(magnitude.ge(least).and(magnitude.lt(most)).any(), () => {
        for (let lane = 0; lane < 4; lane++) {
          bits.set(from.i32(4 * lane).and(0x7fffffff));
          f.store(out, bits);
          // What lies behind the end is not counted.
          const wanted = bits
            .sub(low)
            .lt(width)
            .and(from.add(4 * lane).lt(end));
          out.set(out.add(wanted.shl(2)));
        }
      });
      from.set(from.add(16));
    });
    f.return(out);
  });
}
