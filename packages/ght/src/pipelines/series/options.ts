import { callable, OptionError } from '../../errors.js';
import { type DenoiseOptions, type DenoiseSettings, resolveDenoiseOptions } from '../denoise/options.js';
import type { ChosenQuality } from '../denoise/quality.js';

/** The most pages of a volume. */
export const MOST_DEPTH = 8;

/** Progress of `denoiseSeries`. */
export interface SeriesProgress {
  /** The current pass. */
  readonly pass: string;
  /** The number of pages that were returned. */
  readonly page: number;
  /** The number of pages; absent until the end of a stream is known. */
  readonly pages?: number;
  /** The fraction of the series that is done, from 0 to 1 and never decreasing; absent while the number of pages is. */
  readonly fraction?: number;
}

/** Options of `denoiseSeries`: those of `denoise`, and how far patches are followed. All are optional. */
export interface SeriesOptions extends Omit<DenoiseOptions, 'onProgress'> {
  /**
   * The most pages through which a patch is followed, from 1 to 8. `auto` is 8: a patch is followed as far as pages are alike. `1`
   * denoises page by page with the noise of the whole series; `off` denoises every page by itself, as `denoise` does.
   *
   * @default 'auto'
   */
  readonly series?: 'auto' | 'off' | number;
  /**
   * Leaves out the results of pages, by their numbers: of those that an earlier run has written. All pages are read, because they
   * help to denoise others, but where a dozen pages in a row are left out, hardly any time is needed. The other results do not change.
   *
   * @default none are left out
   */
  readonly skip?: (page: number) => boolean;
  /** Called regularly with what was done. */
  readonly onProgress?: (progress: SeriesProgress) => void;
}

/** Checked options with all defaults. */
export interface SeriesSettings {
  /** How each page is denoised. */
  readonly page: DenoiseSettings;
  /** The most pages of a volume; undefined if every page is denoised by itself. */
  readonly depth: number | undefined;
  /** What took the place of a quality that denoises single images. */
  readonly qualityFallback?: ChosenQuality['qualityFallback'];
  readonly skip: (page: number) => boolean;
  readonly onProgress?: (progress: SeriesProgress) => void;
}

/** Checks the options for pages with this number of channels, and fills in the defaults. */
export function resolveSeriesOptions(
  channels: number,
  { series = 'auto', skip = () => false, onProgress, ...options }: SeriesOptions,
): SeriesSettings {
  callable('onProgress', onProgress, 'give a function that takes the progress');
  callable('skip', skip, 'give a function that takes the number of a page');
  const isNumber = typeof series === 'number' && Number.isInteger(series) && series >= 1 && series <= MOST_DEPTH;
  if (series !== 'auto' && series !== 'off' && !isNumber) {
    const rule = `must be auto, off, or a number of pages from 1 to ${MOST_DEPTH}`;
    throw new OptionError('series', rule, series, 'leave it out to follow patches as far as pages are alike');
  }
  const page = resolveDenoiseOptions(channels, options);
  if (series === 'off') return { page, depth: undefined, skip, onProgress };
  const depth = series === 'auto' ? MOST_DEPTH : series;
  const { quality } = page.planes;
  if (quality !== 'learned' && quality !== 'finest') return { page, depth, skip, onProgress };
  const replaced: DenoiseSettings = { ...page, planes: { ...page.planes, quality: 'best' } };
  return { page: replaced, depth, skip, onProgress, qualityFallback: { requested: quality, reason: 'series' } };
}
