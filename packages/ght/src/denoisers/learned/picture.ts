/** The picture that the network for colour works on: a block with its surroundings, taken apart into sites. */
import type { Samples } from '../../image/image.js';
import type { Rectangle, Size } from '../../image/rectangle.js';
import { gatherBlock, type Surroundings, surrounded } from './blocks.js';
import { COLOUR_HALO, PICTURE_CHANNELS, PIXELS, PLANES, SQUARE } from './colour-model.js';

/** How the sites of a picture lie in an array: the first site, and the distance of neighbours in a row and in a column. */
export interface SiteGrid {
  readonly first: number;
  readonly site: number;
  readonly row: number;
}

/** The sites of a block with its surroundings at the finest scale. */
export function sitesOf(block: Size, surroundings: Surroundings) {
  const { width, height } = surrounded(block, surroundings);
  return { columns: width / SQUARE, rows: height / SQUARE };
}

/** Sites one after the other, without anything between. */
export function denseGrid(columns: number): SiteGrid {
  return { first: 0, site: PICTURE_CHANNELS, row: PICTURE_CHANNELS * columns };
}

/** Where a sample lies: that of pixel (x, y) in plane c. */
function placeOf({ first, site, row }: SiteGrid, c: number, x: number, y: number): number {
  const within = SQUARE ** 2 * c + SQUARE * (y % SQUARE) + (x % SQUARE);
  return first + Math.floor(y / SQUARE) * row + Math.floor(x / SQUARE) * site + within;
}

/** Writes a block of planes in units of their noise, and the noise: in one unit, that of luma. */
export function readPicture(
  block: Rectangle,
  planes: readonly Samples[],
  size: Size,
  deviations: readonly number[],
  surroundings: Surroundings,
  into: Samples,
  grid: SiteGrid,
): void {
  for (const [c, plane] of planes.entries()) {
    const deviation = deviations[c];
    const take = (x: number, y: number, from: number) => {
      into[placeOf(grid, c, x, y)] = plane[from] * deviation;
    };
    gatherBlock(block, size, take, surroundings);
  }
  const { columns, rows } = sitesOf(block, surroundings);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const maps = grid.first + y * grid.row + x * grid.site + PIXELS;
      for (let c = 0; c < PLANES; c++) into[maps + c] = deviations[c];
    }
  }
}

/** Writes a block without its surroundings to its place in the result, in units of the noise of each plane. */
export function writePicture(
  picture: Samples,
  grid: SiteGrid,
  deviations: readonly number[],
  { left, top, width, height }: Rectangle,
  results: readonly Samples[],
  stride: number,
): void {
  for (const [c, result] of results.entries()) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        result[(top + y) * stride + left + x] =
          picture[placeOf(grid, c, x + COLOUR_HALO, y + COLOUR_HALO)] / deviations[c];
      }
    }
  }
}

/** The deviations of the noise of the planes in units of luma's; a tile without scales has the same in all. */
export function deviationsOf(scales: readonly number[] | undefined): readonly number[] {
  return Array.from({ length: PLANES }, (_, c) => (scales ? scales[c] / scales[0] : 1));
}
