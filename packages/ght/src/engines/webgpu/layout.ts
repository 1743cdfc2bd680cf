/**
 * How the patches of a problem lie in the memory of a GPU: in tiles of 32, so that what 32 threads with one patch each read together
 * lies together. Coordinates are vectors of four: number k of patch p is at ((p >> 5)·K + k)·32 + (p & 31), where K is their number.
 * The last tile is filled with patches of zeros.
 */

/** Patches of a tile. */
export const TILE = 32;

/** Tiles for P patches. */
export function tilesFor(P: number): number {
  return Math.ceil(P / TILE);
}
