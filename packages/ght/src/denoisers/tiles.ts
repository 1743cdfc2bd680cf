/**
 * A picture too large for memory is denoised tile by tile. The threshold is the same everywhere, since it depends on the
 * noise alone. Each tile has a margin so wide that the part that is kept does not depend on anything outside, and it begins
 * where the denoiser's alignment allows. So the tiles together give exactly the untiled result.
 */
import type { Denoiser } from './denoiser.js';

/** A rectangle of pixels. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The rectangle that is processed (`outer`) and the part of it that is kept (`inner`), in pixels of the whole picture. */
export interface Placement {
  readonly outer: Rectangle;
  readonly inner: Rectangle;
}

/** The properties of a denoiser that the tiles depend on. */
export type TileGeometry = Pick<Denoiser, 'margin' | 'alignment'>;

/** The tiles of a picture, row by row. Each keeps side × side pixels or slightly more; a small picture is one tile. */
export function tilesOf({ margin, alignment }: TileGeometry, width: number, height: number, side: number): Placement[] {
  const [columns, rows] = [along(alignment.columns, width), along(alignment.rows, height)];
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
    const wide = grid * Math.ceil(margin / grid);
    return Array.from({ length: Math.ceil(length / step) }, (_, i) => {
      const [from, to] = [i * step, Math.min(length, (i + 1) * step)];
      const [first, last] = [Math.max(0, from - wide), Math.min(length, to + wide)];
      return { inner: [from, to - from], outer: [first, last - first] };
    });
  }
}

/** The most bytes that a tile may need: what a browser grants a page without asking. */
const MOST_BYTES = 2 ** 30;
/** Enough bytes for a tile whose margin is small beside it. */
const ENOUGH_BYTES = 2 ** 27;
const CHEAP_MARGIN = 1.05;
/** The smallest side of a tile; below it the margin dominates. */
const LEAST_TILE = 240;

/**
 * The side of a tile: as large as memory allows, but no larger than needed. Where margins cost almost nothing there is no
 * reason to fill a gibibyte, and tiles are smaller.
 */
export function tileSide(
  { margin, bytes }: Pick<Denoiser, 'margin' | 'bytes'>,
  width: number,
  height: number,
  channels: number,
): number {
  let side = Math.max(width, height);
  const needed = () => bytes(Math.min(width, side + 2 * margin), Math.min(height, side + 2 * margin), channels);
  const limit = () => ((side + 2 * margin) ** 2 < CHEAP_MARGIN * side ** 2 ? ENOUGH_BYTES : MOST_BYTES);
  while (side > LEAST_TILE && needed() > limit()) side = Math.floor(0.9 * side);
  return Math.max(side, LEAST_TILE);
}
