/** The size of the tiles in which an image is denoised. */
import type { DenoiseOptions } from 'ght';
import { gridOf, type LoadedDenoiser, loadDenoiser, placementOf, type Size, settleDenoise, tileSide } from 'ght/parts';
import type { Picture } from './picture.js';

/** The most bytes that the passes of a tile may need. */
const MOST_BYTES = 2 ** 29;

/** The chunks of a Zarr that is created. */
const CHUNK = { width: 512, height: 512 } as const;

/** How an image would be divided. */
export interface TileSize {
  /** Pixels per row of a tile, without its margin. */
  readonly width: number;
  /** Rows of a tile, without its margin. */
  readonly height: number;
  /** The number of tiles. */
  readonly tiles: number;
  /** Approximate bytes that one tile needs, with its margin. */
  readonly memoryBytes: number;
}

/**
 * The tiles in which `denoiseLarge` would denoise an image.
 *
 * @param chunk the chunks of the sink @default 512×512
 */
export async function denoiseTileSize(
  picture: Picture,
  options: DenoiseOptions = {},
  chunk: Size = CHUNK,
): Promise<TileSize> {
  const { width, height, channels } = picture;
  const denoiser = await loadDenoiser(picture, 'white', settleDenoise(channels, options).planes);
  const step = stepOf(sideOf(denoiser, picture, channels), chunk);
  const tiles = gridOf({ width, height }, step);
  const outers = tiles.map((inner) => placementOf(denoiser, inner, picture).outer);
  const memoryBytes = Math.max(...outers.map((outer) => denoiser.bytes(outer.width, outer.height, channels)));
  return {
    ...{ width: Math.min(width, step.width), height: Math.min(height, step.height) },
    ...{ tiles: tiles.length, memoryBytes },
  };
}

/** The side of tiles that need at most about 512 MiB. */
export function sideOf(denoiser: LoadedDenoiser, { width, height }: Size, channels: number, told?: number): number {
  return told ?? tileSide(denoiser, width, height, channels, MOST_BYTES);
}

/** The size of tiles of about this side that consist of whole chunks. */
export function stepOf(side: number, chunk: Size): Size {
  const along = (length: number) => length * Math.max(1, Math.floor(side / length));
  return { width: along(chunk.width), height: along(chunk.height) };
}
