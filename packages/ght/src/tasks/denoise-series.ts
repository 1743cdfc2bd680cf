import { InputError } from '../errors.js';
import { copyOf, type Image, type Samples } from '../image/image.js';
import { type Holes, restored, withoutMissing } from '../pipelines/denoise/missing.js';
import { denoiseWhole } from '../pipelines/denoise/whole.js';
import { resolveSeriesOptions, type SeriesOptions } from '../pipelines/series/options.js';
import { type WholePage, wholePage } from '../pipelines/series/page.js';
import { checkPage, type DenoisedPage, denoisePages, type SeriesOutput } from '../pipelines/series/series.js';
import { drive } from '../work.js';

/**
 * Removes noise from the pages of a series: a film, a time series, a stack of slices. Each patch is followed along its motion through
 * up to 8 pages, and groups of such volumes take the place of groups of patches. Pages that are not alike are denoised as by `denoise`,
 * each by itself.
 *
 * The pages are a list, or anything to iterate over, such as a generator that reads a file. They have one size. Results come in order,
 * one page at a time. At most 24 pages are in memory, whatever the length of the series. A page must not change
 * before its result is returned.
 *
 * The noise is the same in the whole series. It is estimated once: from up to 8 pages of a list, spread evenly, or from the
 * first pages of anything else, and where pages may have missing samples.
 *
 * @example
 * ```js
 * import { denoiseSeries } from 'ght';
 *
 * const page = () => ({ width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }); // your pages
 * for await (const { page: number, image } of denoiseSeries([page(), page(), page()])) {
 *   console.log(number, image.width); // the pixels are in image.planes
 * }
 * ```
 */
export async function* denoiseSeries(
  images: Iterable<Image> | AsyncIterable<Image>,
  options: SeriesOptions = {},
): AsyncGenerator<DenoisedPage, void> {
  const list = Array.isArray(images) ? (images as readonly Image[]) : undefined;
  checkIterable(images);
  if (list) for (const [i, image] of list.entries()) checkPage(image, list[0], i);
  const input = checked(images);
  const first = await input.next();
  if (first.done) return;
  const settings = resolveSeriesOptions(first.value.planes.length, options);
  const results = new Map<number, Image>();
  const output: SeriesOutput<WholePage> = {
    has: async () => false,
    async write(page, { image }, _, planes) {
      results.set(page, { ...image, planes: planes ?? image.planes.map(copyOf) });
    },
    async alone(page, { image }, own) {
      const { image: result, ...report } = await denoiseWhole(image, own);
      results.set(page, result);
      return report;
    },
  };
  const { missing, planes } = settings.page;
  const { signal } = planes;
  const holes = new Map<number, readonly Holes[]>();
  // The pages of which the noise is diagnosed are known again by what they are wrapped in.
  const wrapped = new Map(missing === undefined ? list?.map((image) => [image, wholePage(image)]) : []);
  const listed = missing === undefined ? list?.map((image) => wrapped.get(image) as WholePage) : undefined;
  let number = 0;
  const pageOf = async (image: Image) => {
    if (missing === undefined) return wrapped.get(image) ?? wholePage(image);
    const known = await drive(withoutMissing(image), { signal });
    holes.set(number++, known.holes);
    return wholePage(known.image);
  };
  for await (const result of denoisePages(
    resumed(first.value, input, pageOf),
    list?.length,
    listed,
    settings,
    output,
  )) {
    const { page } = result;
    let image = results.get(page) as Image;
    results.delete(page);
    if (missing !== undefined) {
      const filled: Samples[] = [];
      for (const [c, gone] of (holes.get(page) ?? []).entries()) {
        filled.push(gone ? await drive(restored(image.planes[c], image, gone, missing), { signal }) : image.planes[c]);
      }
      image = { ...image, planes: filled };
      for (const before of holes.keys()) if (before <= page) holes.delete(before);
    }
    yield { ...result, image };
  }
}

function checkIterable(images: unknown): void {
  const isIterable =
    typeof images === 'object' && images !== null && (Symbol.iterator in images || Symbol.asyncIterator in images);
  if (isIterable) return;
  const remedy = 'give a list of images, or a generator that reads them';
  throw new InputError('images', 'must be a list of images or iterable', images, remedy);
}

/** The pages, each of which is checked against the first one. */
async function* checked(images: Iterable<Image> | AsyncIterable<Image>): AsyncGenerator<Image, void> {
  let first: Image | undefined;
  let page = 0;
  for await (const image of images) {
    first ??= image;
    checkPage(image, first, page++);
    yield image;
  }
}

/** An iterator whose first page was taken. */
async function* resumed(
  first: Image,
  rest: AsyncGenerator<Image, void>,
  pageOf: (image: Image) => Promise<WholePage>,
): AsyncGenerator<WholePage, void> {
  try {
    yield await pageOf(first);
    for await (const image of rest) yield await pageOf(image);
  } finally {
    await rest.return();
  }
}
