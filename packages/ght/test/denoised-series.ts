/** Made series of images, and what the tests of denoiseSeries measure. */
import { type DenoisedPage, denoise, denoiseSeries, type Image, psnr, type SeriesOptions } from '../src/index.js';
import { type SeriesOptions as Made, seriesOf } from './series.js';

/** A made series in 8-bit units: one unit of the picture is 10. */
export const made = (options: Partial<Made>): Image[] => {
  const { width = 72, height = 64 } = options;
  return seriesOf({ pages: 9, sigma: 2, ...options, width, height }).map((page) => ({
    ...{ width, height, peak: 255 },
    planes: [page.map((value) => 110 + 10 * value)],
  }));
};

export async function pagesOf(images: Iterable<Image> | AsyncIterable<Image>, options: SeriesOptions = {}) {
  const pages: DenoisedPage[] = [];
  for await (const page of denoiseSeries(images, options)) pages.push(page);
  return pages;
}

export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const qualityOf = (pages: readonly { image: Image }[], clean: readonly Image[]) =>
  mean(pages.map(({ image }, p) => psnr(clean[p].planes[0], image.planes[0], 255)));
export const alone = (images: readonly Image[], options = {}) =>
  Promise.all(images.map((image) => denoise(image, options)));
export const samplesOf = (pages: readonly DenoisedPage[]) => pages.map(({ image }) => [...image.planes[0]]);
