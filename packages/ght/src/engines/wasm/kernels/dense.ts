/**
 * Products with a dense V, several patches at a time. For one patch every multiplication would load its own vector of V.
 * Here a tile of sums, a few patches by a few vectors, stays in registers, so that what is loaded is used several times.
 */

import { PANEL_ROW, TILE } from '../../shape.js';
import { type Fn, I32, type Module, V128 } from './assembler.js';
import { type Fused, madd, type Target } from './maps.js';
import type { Group } from './tables.js';

/** A table in panels, the rows it is multiplied with, and the rows of the result, a row per patch of a tile. */
interface TiledProduct {
  /** Rows of the table, and vectors in each of them. */
  readonly inner: number;
  readonly vectors: number;
  readonly table: number;
  readonly from: I32;
  readonly fromRow: number;
  readonly out: I32;
  readonly outRow: number;
  /** Whether the product is added to what is there. */
  readonly add: boolean;
}

/** out(i, ·) ← Σ_k from(i, k) · table(k, ·) for each patch i of a tile. */
export function tiledProduct(f: Fn, target: Fused, product: TiledProduct): void {
  const { inner, vectors, table, from, fromRow, outRow, add } = product;
  const sums = f.vectors(TILE.patches * TILE.vectors);
  const sources = f.vectors(TILE.vectors);
  const splat = f.v128();
  const [coefficient, source, end, out] = [f.i32(), f.i32(table), f.i32(), f.i32(product.out)];
  const tile = (width: number) => {
    const used = sums.slice(0, TILE.patches * width);
    const place = (n: number) => Math.floor(n / width) * outRow + 16 * (n % width);
    for (const [n, sum] of used.entries()) sum.set(add ? out.v128(place(n)) : V128.zero);
    coefficient.set(from);
    end.set(source.add(inner * PANEL_ROW));
    f.repeat(() => {
      for (let v = 0; v < width; v++) sources[v].set(source.v128(16 * v));
      for (let i = 0; i < TILE.patches; i++) {
        splat.set(coefficient.splat(i * fromRow));
        for (let v = 0; v < width; v++) {
          const sum = used[i * width + v];
          sum.set(madd(target, splat, sources[v], sum));
        }
      }
      coefficient.set(coefficient.add(4));
      source.set(source.add(PANEL_ROW));
    }, source.lt(end));
    for (const [n, sum] of used.entries()) f.store(out, sum, place(n));
  };
  f.count(Math.floor(vectors / TILE.vectors), () => {
    tile(TILE.vectors);
    out.set(out.add(PANEL_ROW));
  });
  if (vectors % TILE.vectors > 0) tile(vectors % TILE.vectors);
}

/**
 * Goes through a run of patches in groups: `prepare` fills the slot of each patch, the function `together` works on all slots
 * of a group, and `finish` reads the slot of each patch. What is left in the slots of an incomplete group is worked on too, and
 * not read.
 */
export function inGroups(
  f: Fn,
  { patches: most, at, bytes }: Group,
  { patches, scratch }: { readonly patches: I32; readonly scratch: I32 },
  { prepare, together, finish }: Steps,
): void {
  const [slots, slot, here, left] = [f.i32(scratch.add(at)), f.i32(), f.i32(), f.i32(patches)];
  const each = (body: (slot: I32) => void) => {
    slot.set(slots);
    f.count(here, () => {
      body(slot);
      slot.set(slot.add(bytes));
    });
  };
  f.while(left.gt(0), () => {
    here.set(I32.of(most).choose(left.gt(most), left));
    each(prepare);
    f.call(together, slots);
    each(finish);
    left.set(left.sub(here));
  });
}

interface Steps {
  readonly prepare: (slot: I32) => void;
  readonly together: Fn;
  readonly finish: (slot: I32) => void;
}

/** groupCoefficients(slots): X ← X + V M in every slot. */
export function groupCoefficients(module: Module, target: Target, group: Group): Fn {
  return module.fn('groupCoefficients', ['i32'], undefined, (f) => {
    const [slots] = f.parameters as [I32];
    multiplySlots(f, target, group, slots, true);
  });
}

/** groupCorrelations(slots): X ← Dᵀr = V(σ ∘ M) in every slot, where M holds the coordinates of r, and is overwritten. */
export function groupCorrelations(module: Module, target: Target, group: Group): Fn {
  const { shape, tables } = target;
  return module.fn('groupCorrelations', ['i32'], undefined, (f) => {
    const [slots] = f.parameters as [I32];
    const zero = f.i32(0);
    const sigma = f.v128();
    for (let v = 0; v < shape.R4 / 4; v++) {
      sigma.set(zero.v128(tables.sigma + 16 * v));
      for (let i = 0; i < group.patches; i++) {
        const there = i * group.bytes + group.M + 16 * v;
        f.store(slots, slots.v128(there).mul(sigma), there);
      }
    }
    multiplySlots(f, target, group, slots, false);
  });
}

function multiplySlots(f: Fn, { shape, tables, fma }: Target, group: Group, slots: I32, add: boolean): void {
  tiledProduct(
    f,
    { fma },
    {
      ...{ inner: shape.parts[0].sigma.length, vectors: shape.L4 / 4, table: tables.VT, add },
      ...{ from: slots.add(group.M), fromRow: group.bytes, out: slots.add(group.X), outRow: group.bytes },
    },
  );
}
