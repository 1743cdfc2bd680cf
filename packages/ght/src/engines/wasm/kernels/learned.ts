/**
 * The unrolled iteration (`denoisers/learned/unrolled.ts`) for one row of sites. A site is a square of 2×2 pixels, which lie one
 * after the other: four floats, a vector. So the 8×8 pixels of a patch are four runs of 16 floats, and neither `fold` nor `unfold` moves
 * anything: the product with A reads patches where they lie, and the product with B adds to them there.
 *
 * The codes of a row lie panel after panel: 8 atoms of all sites, then the next 8. So the product with A goes through them in order.
 * The product with A is dense. About a third of the coefficients are not zero, so the product with B uses those alone, from lists.
 */
import { SAMPLES } from '../../../denoisers/learned/model.js';
import { Module, V128 } from './assembler.js';
import { type Fused, madd } from './maps.js';
import { define, learnedKernels } from './signatures.js';

/** Sites by vectors of atoms whose sums stay in registers in the product with A; see also {@link GROUPS}. */
const TILE = { sites: 4, vectors: 2 } as const;

/** Bytes of a site in a panel of codes. */
const PANEL_SITE = 16 * TILE.vectors;

/** Sites are computed in whole tiles: a row has room for this many. */
export function paddedSites(sites: number): number {
  return TILE.sites * Math.ceil(sites / TILE.sites);
}

/** Bytes of a site. */
export const SITE = 16;
/** Sites of a patch in a row and in a column, and samples per row of sites. */
const TAPS = 4;
const RUN = SAMPLES / TAPS;
/**
 * The vectors of a patch, one per site, whose sums stay in registers in the product with B. Compilers load all that a turn of the loop needs
 * before they multiply, so that sums, sources and one coefficient must fit in the 15 registers there are.
 */
const GROUPS = [
  [0, 1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10],
  [11, 12, 13, 14, 15],
] as const;
/** Bytes of the samples of an atom in a table of a group. */
const GROUP_ROW = 16 * GROUPS[0].length;

/** The list of a site: values, the places of their atoms in the table of a group, and their number. */
export function listOf(atoms: number) {
  // Four are written at once.
  const [values, places] = [0, 4 * atoms + 16];
  const count = places + 4 * atoms + 16;
  return { values, places, count, bytes: count + 16 };
}

/** What the code depends on. */
export interface LearnedShape {
  readonly atoms: number;
  /** The sites that a row of codes has room for. */
  readonly sites: number;
  /** Bytes of a row of sites of a picture, with its rim. */
  readonly row: number;
  /** The addresses of the tables of {@link compression}. */
  readonly lanes: number;
  readonly places: number;
}

/** A matrix of M × 64 as the product with A reads it: 8 atoms at a time, sample after sample. */
export function analysisTable(A: Float32Array, atoms: number): Float32Array {
  const wide = 4 * TILE.vectors;
  return Float32Array.from({ length: atoms * SAMPLES }, (_, i) => {
    const [panel, n, m] = [Math.floor(i / (wide * SAMPLES)), Math.floor(i / wide) % SAMPLES, i % wide];
    return A[(wide * panel + m) * SAMPLES + n];
  });
}

/** A matrix of M × 64, times a sign, as the product with B reads it: the samples of the first group of all atoms, then of the next. */
export function synthesisTable(B: Float32Array, atoms: number, sign: number): Float32Array {
  const table = new Float32Array((GROUPS.length * atoms * GROUP_ROW) / 4);
  for (const [g, vectors] of GROUPS.entries()) {
    for (let m = 0; m < atoms; m++) {
      const [from, to] = [m * SAMPLES + 4 * vectors[0], ((g * atoms + m) * GROUP_ROW) / 4];
      for (let n = 0; n < 4 * vectors.length; n++) table[to + n] = sign * B[from + n];
    }
  }
  return table;
}

/** The constants for lists: which bytes move the lanes of a mask to the front, and the places of all atoms in the table of a group. */
export function compression(atoms: number): { readonly lanes: Uint8Array; readonly places: Uint32Array } {
  const lanes = new Uint8Array(16 * 16);
  for (let mask = 0; mask < 16; mask++) {
    const set = [0, 1, 2, 3].filter((lane) => mask & (1 << lane));
    for (const [i, lane] of set.entries()) for (let b = 0; b < 4; b++) lanes[16 * mask + 4 * i + b] = 4 * lane + b;
  }
  return { lanes, places: Uint32Array.from({ length: atoms }, (_, m) => GROUP_ROW * m) };
}

/** The code for one row of sites. */
export function learnedModule(shape: LearnedShape, fma: boolean, shared: boolean): Uint8Array<ArrayBuffer> {
  const module = new Module();
  analyse(module, shape, { fma });
  shrink(module, shape, { fma });
  synthesise(module, shape, { fma });
  return module.bytes(shared);
}

/** Adds the kernel `analyse`: α ← α + A unfold(r). The patch of the first site begins at r. */
function analyse(module: Module, { atoms, sites: capacity, row }: LearnedShape, target: Fused): void {
  define(module, 'analyse', learnedKernels.analyse, (f, { r, codes, table, sites }) => {
    const sums = f.vectors(TILE.sites * TILE.vectors);
    const sources = f.vectors(TILE.vectors);
    const splat = f.v128();
    const [patch, code, sample, source, end, left] = f.words(6);
    f.count(atoms / (4 * TILE.vectors), () => {
      patch.set(r);
      code.set(codes);
      left.set(sites);
      f.repeat(() => {
        for (const [n, sum] of sums.entries()) sum.set(code.v128(16 * n));
        sample.set(patch);
        source.set(table);
        f.count(TAPS, () => {
          end.set(sample.add(4 * RUN));
          f.repeat(() => {
            for (const [v, vector] of sources.entries()) vector.set(source.v128(16 * v));
            for (let s = 0; s < TILE.sites; s++) {
              splat.set(sample.splat(SITE * s));
              for (let v = 0; v < TILE.vectors; v++) {
                const sum = sums[s * TILE.vectors + v];
                sum.set(madd(target, splat, sources[v], sum));
              }
            }
            sample.set(sample.add(4));
            source.set(source.add(16 * TILE.vectors));
          }, sample.lt(end));
          sample.set(sample.add(row - 4 * RUN));
        });
        for (const [n, sum] of sums.entries()) f.store(code, sum, 16 * n);
        patch.set(patch.add(SITE * TILE.sites));
        code.set(code.add(PANEL_SITE * TILE.sites));
        left.set(left.sub(TILE.sites));
      }, left.ne(0));
      codes.set(codes.add(PANEL_SITE * capacity));
      table.set(table.add(16 * TILE.vectors * SAMPLES));
    });
  });
}

/** Adds the kernel `shrink`: α ← soft(α, κ), and the list of each site. */
function shrink(module: Module, { atoms, sites: capacity, lanes, places }: LearnedShape, { fma }: Fused): void {
  const list = listOf(atoms);
  define(module, 'shrink', learnedKernels.shrink, (f, { codes, kappa, lists, sites }) => {
    const [z, threshold, kept, order] = f.vectors(4);
    const [mask, end] = f.words(2);
    const zero = f.i32(0);
    const compressed = (vector: V128) => (fma ? vector.relaxedSwizzle(order) : vector.swizzle(order));
    f.count(sites, () => {
      end.set(lists);
      for (let v = 0; v < atoms / 4; v++) {
        const there = PANEL_SITE * capacity * Math.floor(v / TILE.vectors) + 16 * (v % TILE.vectors);
        z.set(codes.v128(there));
        threshold.set(kappa.v128(16 * v));
        kept.set(z.sub(V128.zero.sub(threshold).max(threshold.min(z))));
        f.store(codes, kept, there);
        mask.set(z.abs().gt(threshold).mask());
        order.set(mask.shl(4).v128(lanes));
        f.store(end, compressed(kept), list.values);
        f.store(end, compressed(zero.v128(places + 16 * v)), list.places);
        end.set(end.add(mask.bitCount().shl(2)));
      }
      f.store(lists, end.sub(lists), list.count);
      codes.set(codes.add(PANEL_SITE));
      lists.set(lists.add(list.bytes));
    });
  });
}

/** Adds the kernel `synthesise`: r ← r + fold(B α). The patch of the first site begins at r. */
function synthesise(module: Module, { atoms, row }: LearnedShape, target: Fused): void {
  const list = listOf(atoms);
  define(module, 'synthesise', learnedKernels.synthesise, (f, { r, lists, table, sites }) => {
    const registers = f.vectors(GROUPS[0].length);
    const splat = f.v128();
    const [patch, here, next, end, source] = f.words(5);
    for (const vectors of GROUPS) {
      const sums = registers.slice(0, vectors.length);
      patch.set(r);
      here.set(lists);
      f.count(sites, () => {
        for (const sum of sums) sum.set(V128.zero);
        next.set(here);
        end.set(here.add(here.i32(list.count)));
        f.while(next.lt(end), () => {
          splat.set(next.splat(list.values));
          source.set(table.add(next.i32(list.places)));
          for (const [i, sum] of sums.entries()) sum.set(madd(target, splat, source.v128(16 * i), sum));
          next.set(next.add(4));
        });
        for (const [i, sum] of sums.entries()) {
          const there = row * Math.floor(vectors[i] / TAPS) + SITE * (vectors[i] % TAPS);
          f.store(patch, patch.v128(there).add(sum), there);
        }
        patch.set(patch.add(SITE));
        here.set(here.add(list.bytes));
      });
      table.set(table.add(GROUP_ROW * atoms));
    }
  });
}
