/**
 * A picture too large for one memory is denoised tile by tile. The threshold is the same everywhere, since it follows from
 * the noise alone, and a tile is worked on with so wide a margin that what is kept of it depends on nothing outside; its
 * references and bands lie where they would in the whole. So the tiles make up the very same picture.
 */
import type { Pass, Step } from './recipes.js';
import { isPass } from './recipes.js';

/** A rectangle of pixels. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What is worked on, and the part of it that is kept; both in pixels of the whole. */
export interface Tile {
  readonly outer: Rectangle;
  readonly inner: Rectangle;
}

/**
 * How far a pixel of the result looks. In one pass it is shown by members of groups, each no further from its reference
 * than the reach, where the others of its group may lie as far on the other side; and a patch is as wide as it is.
 */
export function marginOf(recipe: readonly Step[]): number {
  return recipe.filter(isPass).reduce((sum, { reach, patch }) => sum + 2 * (reach + patch), 0);
}

/** The fewest rows of a band of references: groups of a band must not touch those of the band after the next. */
export function leastBand({ reach, patch }: Pick<Pass, 'reach' | 'patch'>): number {
  return 2 * reach + patch;
}

/** Rows of a band for all passes of a recipe: as few as that allows, and a number that many strides divide. */
export function bandOf(recipe: readonly Step[]): number {
  return 30 * Math.ceil(Math.max(...recipe.filter(isPass).map(leastBand)) / 30);
}

/** The tiles of a picture, row by row, each keeping side × side pixels or a little more; one, if that is all of it. */
export function tilesOf(recipe: readonly Step[], width: number, height: number, side: number): Tile[] {
  const strides = recipe.filter(isPass).reduce((common, { stride }) => leastCommonMultiple(common, stride), 1);
  // Even bands must stay even.
  const [columns, rows] = [along(strides, width), along(leastCommonMultiple(strides, 2 * bandOf(recipe)), height)];
  return rows.flatMap((row) =>
    columns.map((column) => {
      const cut = (part: 'inner' | 'outer') => {
        const [left, wide] = column[part];
        const [top, high] = row[part];
        return { left, top, width: wide, height: high };
      };
      return { inner: cut('inner'), outer: cut('outer') };
    }),
  );

  /** The tiles along a side; all begin at multiples of `grid`. */
  function along(grid: number, length: number) {
    const step = grid * Math.max(1, Math.ceil(side / grid));
    const margin = grid * Math.ceil(marginOf(recipe) / grid);
    return Array.from({ length: Math.ceil(length / step) }, (_, i) => {
      const [from, to] = [i * step, Math.min(length, (i + 1) * step)];
      const [first, last] = [Math.max(0, from - margin), Math.min(length, to + margin)];
      return { inner: [from, to - from], outer: [first, last - first] };
    });
  }
}

function leastCommonMultiple(a: number, b: number): number {
  let [larger, rest] = [a, b];
  while (rest !== 0) [larger, rest] = [rest, larger % rest];
  return (a * b) / larger;
}
