/**
 * A picture too large for memory is denoised tile by tile. The threshold is the same everywhere, since it depends on the
 * noise alone. Each tile has a margin so wide that the part that is kept does not depend on anything outside, and it begins
 * where the denoiser's alignment allows. So the tiles together give exactly the untiled result.
 */
import { gridOf, type Rectangle, type Size } from '../image/rectangle.js';
import type { Denoiser } from './denoiser.js';

/** The rectangle that is processed (`outer`) and the part of it that is kept (`inner`), in pixels of the whole picture. */
export interface Placement {
  readonly outer: Rectangle;
  readonly inner: Rectangle;
}

/** The properties of a denoiser that the tiles depend on. */
export type TileGeometry = Pick<Denoiser, 'margin' | 'alignment'>;

/** The tiles of a picture, row by row. Each keeps side × side pixels or slightly more; a small picture is one tile. */
export function tilesOf(geometry: TileGeometry, width: number, height: number, side: number): Placement[] {
  const { columns, rows } = geometry.alignment;
  const step = (grid: number) => grid * Math.max(1, Math.ceil(side / grid));
  const inners = gridOf({ width, height }, { width: step(columns), height: step(rows) });
  return inners.map((inner) => placementOf(geometry, inner, { width, height }));
}

/** The tile that keeps the rectangle `inner` of a picture, which may begin anywhere. */
export function placementOf({ margin, alignment }: TileGeometry, inner: Rectangle, picture: Size): Placement {
  const [left, width] = along(inner.left, inner.width, alignment.columns, picture.width);
  const [top, height] = along(inner.top, inner.height, alignment.rows, picture.height);
  return { inner, outer: { left, top, width, height } };

  /** Only the beginning must be a multiple of the grid. */
  function along(from: number, length: number, grid: number, end: number) {
    const first = Math.max(0, grid * Math.floor((from - margin) / grid));
    return [first, Math.min(end, from + length + margin) - first] as const;
  }
}

/** The smallest number that both divide: where tiles of two denoisers may begin. */
export function leastCommonMultiple(a: number, b: number): number {
  let [larger, rest] = [a, b];
  while (rest !== 0) [larger, rest] = [rest, larger % rest];
  return (a * b) / larger;
}

/** The most bytes that a tile may need: what a browser grants a page without asking. */
const MOST_BYTES = 2 ** 30;
/** Enough bytes for a tile whose margin is small compared with it. */
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
  most = MOST_BYTES,
): number {
  let side = Math.max(width, height);
  const needed = () => bytes(Math.min(width, side + 2 * margin), Math.min(height, side + 2 * margin), channels);
  const limit = () => ((side + 2 * margin) ** 2 < CHEAP_MARGIN * side ** 2 ? Math.min(most, ENOUGH_BYTES) : most);
  while (side > LEAST_TILE && needed() > limit()) side = Math.floor(0.9 * side);
  return Math.max(side, LEAST_TILE);
}
