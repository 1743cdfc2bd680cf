/** The pages of a series: each is read as a whole or in parts. */
import { InputError } from '../../errors.js';
import type { Image, Samples } from '../../image/image.js';
import type { PartedImage } from '../../image/parted-image.js';
import { allOf, cut, type Rectangle } from '../../image/rectangle.js';
import { drive, type Watch } from '../../work.js';
import type { TileDivision } from '../denoise/context.js';
import { type ImageRange, mergeRanges, scanRange, toWorkingUnits } from '../denoise/findings.js';
import { readSample } from '../denoise/parts.js';
import { measuredParts } from '../denoise/plan.js';

/** A page that is read in parts. */
export interface SeriesPage extends PartedImage {
  /** The value that counts as full scale. */
  readonly peak: number;
}

/** A page that is in memory. */
export interface WholePage extends SeriesPage {
  readonly image: Image;
}

/** A page that is in memory: all of it is read by reference. */
export function wholePage(image: Image): WholePage {
  const { width, height, peak } = image;
  const read = async (at: Rectangle) => image.planes.map((plane) => cut(plane, allOf(image), at));
  return { width, height, peak, image, read };
}

/** The planes of two pages that follow each other, in a rectangle: those by which pages are compared. */
export type Pair = readonly [before: readonly Samples[], after: readonly Samples[]];

/** Reads two pages that follow each other. */
export type ReadPair = (at: Rectangle) => Promise<Pair>;

/** The range of a page; its first sample that is not a number is refused. */
export async function scanPage(
  page: SeriesPage,
  number: number,
  tiles: TileDivision | undefined,
  { signal }: Watch,
): Promise<ImageRange> {
  const ranges: ImageRange[] = [];
  try {
    for (const at of measuredParts({ tiles, image: page })) {
      ranges.push(await drive(scanRange({ at, planes: await page.read(at, signal) }), { signal }));
    }
  } catch (error) {
    if (!(error instanceof InputError) || !error.parameter.startsWith('image ')) throw error;
    throw new InputError(`images[${number}]: ${error.parameter}`, error.rule, error.value, error.remedy);
  }
  return mergeRanges(ranges);
}

/** A page in working units, or a sample of it if it is large. */
export async function sampleOf(page: SeriesPage, range: ImageRange, pixels: number, { signal }: Watch) {
  const { size, whole, planes } = await readSample(page, pixels, (at) => page.read(at, signal));
  const image = await drive(toWorkingUnits({ ...size, planes, peak: page.peak }, range), { signal });
  return { image, whole, given: planes };
}
