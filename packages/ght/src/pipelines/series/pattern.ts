/**
 * The fixed pattern of a sensor, and its hot pixels: what is at the same place on every page while the content moves. The pattern is the
 * mean of what denoising removes from pages far apart, p̂ = p + n̄, where the noise n̄ has the variance of n divided by the number of pages.
 * It is shrunk by σ_p² / (σ_p² + σ_n̄²). If the content does not move, its finest details are in p̂ as well and look like
 * a pattern; then nothing is estimated.
 */
import type { Image, Samples } from '../../image/image.js';
import { allOf, cut, type Rectangle, type Size } from '../../image/rectangle.js';
import { IMPULSE_REACH, withoutImpulses } from '../../noise/impulses/impulses.js';
import type { NoiseModel } from '../../noise/model.js';
import { quantile } from '../../noise/order.js';
import type { Work } from '../../work.js';
import { fromAxes, toAxes } from '../denoise/axes.js';
import type { FirstRemoved } from '../denoise/parts.js';

/** The fewest pages from which a pattern is estimated. */
export const FEWEST_PAGES = 4;
/** Patterns below this share of the deviation of the noise are left: they are as weak as what is left of the noise. */
const LEAST = 0.1;
/** The deviation of Gaussian noise is this multiple of the median of its magnitudes. */
const GAUSSIAN = 1.4826;
/** Hot pixels differ from their neighbours by this many deviations of the medians of all pixels, and are at most this share of them. */
const [HOT, MOST_HOT] = [8, 0.01];
/** Content moves if this share of the samples with structure change from page to page by more than the noise. */
const MOVING = 0.8;
/** With fewer samples with structure, nothing is concluded from a sample of the pages. */
const FEWEST_SAMPLES = 100;

/** A page, and what was removed from it by denoising. */
export interface PageResidual {
  readonly denoised: Samples;
  readonly removed: Samples;
}

/** What is at the same place on all pages; plain data. */
export interface FixedDefects {
  /** The noise whose axes the pattern is in, and the pattern of each axis; null if it has none. */
  readonly model: NoiseModel;
  readonly pattern: readonly (Float32Array | null)[];
  /** The largest deviation of the pattern of an axis, in deviations of its noise. */
  readonly deviation: number;
  /** The hot and dead pixels of each channel. */
  readonly sites: readonly Uint32Array[];
}

/** The fixed defects of pages whose content moves; undefined if there are none, or if they cannot be told from the content. */
export function* findFixed(
  axes: readonly (readonly PageResidual[])[],
  pages: readonly Image[],
  deviations: readonly number[],
  model: NoiseModel,
  { impulses, banding }: { readonly impulses: boolean; readonly banding: boolean },
): Work<FixedDefects | undefined> {
  const [{ width, planes }] = pages;
  const { structured, moving } = yield* movement(axes[0], width, deviations[0]);
  if (structured === 0 || moving < MOVING * structured) return undefined;
  const found = [];
  for (const [c, residuals] of axes.entries()) found.push(banding ? patternOf(residuals, deviations[c]) : null);
  const sites = planes.map((_, c) =>
    impulses
      ? hotPixels(
          pages.map((page) => page.planes[c]),
          width,
        )
      : [],
  );
  const deviation = Math.max(...found.map((each) => each?.deviation ?? 0));
  if (deviation === 0 && sites.every(({ length }) => length === 0)) return undefined;
  return {
    model,
    pattern: found.map((each) => each?.pattern ?? null),
    deviation,
    sites: sites.map((some) => Uint32Array.from(some)),
  };
}

/**
 * Whether pages may have fixed defects, as far as a sample of their residuals shows: if half of what is needed is there, or the sample has
 * too little structure to say how the content moves.
 */
export function* mayHaveFixed(
  axes: readonly (readonly PageResidual[])[],
  width: number,
  pages: readonly Image[],
  deviations: readonly number[],
  { impulses, banding }: { readonly impulses: boolean; readonly banding: boolean },
): Work<boolean> {
  const { structured, moving } = yield* movement(axes[0], width, deviations[0]);
  if (structured >= FEWEST_SAMPLES && moving < (MOVING / 2) * structured) return false;
  const least = LEAST / Math.SQRT2;
  if (banding && axes.some((residuals, c) => meanRemoved(residuals).variance >= (least * deviations[c]) ** 2))
    return true;
  yield 0.5;
  const hot = (c: number) => {
    const planes = pages.map((page) => page.planes[c]);
    return hotPixels(planes, pages[0].width).length > 0;
  };
  return impulses && [...pages[0].planes.keys()].some(hot);
}

/** How fixed defects are removed from the parts of a page in working units. */
export function fixedRemoved({ model, pattern, sites }: FixedDefects, size: Size): FirstRemoved {
  const page = allOf(size);
  return {
    reach: IMPULSE_REACH,
    *without({ at, planes: given }) {
      const { width, height } = at;
      const here = sites.map((all) => Uint32Array.from(sitesIn(all, size.width, at)));
      const planes = yield* withoutImpulses(given, width, height, { sites: here });
      if (pattern.every((each) => each === null)) return planes;
      const parts = pattern.map((each) => each && cut(each, page, at));
      const axes = yield* toAxes(planes, model);
      const even = axes.map((plane, c) => Float64Array.from(plane, (value, i) => value - (parts[c]?.[i] ?? 0)));
      return yield* fromAxes(even, model);
    },
  };
}

/** The sites of a page that are in a part of it, as indices in the part. */
function* sitesIn(sites: Uint32Array, wide: number, { left, top, width, height }: Rectangle): Generator<number> {
  for (const site of sites) {
    const [x, y] = [(site % wide) - left, Math.floor(site / wide) - top];
    if (x >= 0 && x < width && y >= 0 && y < height) yield y * width + x;
  }
}

/**
 * The samples that differ from their neighbours in the same way on most pages. Structure that moves is at one place on few of them, so
 * the median over the pages leaves it out.
 */
function hotPixels(pages: readonly Samples[], width: number): number[] {
  const { length } = pages[0];
  const excess = new Float64Array(length);
  const each = new Float64Array(pages.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [i % width > 0 ? i - 1 : i + 1, i % width < width - 1 ? i + 1 : i - 1];
    const [above, below] = [i >= width ? i - width : i + width, i + width < length ? i + width : i - width];
    for (const [p, plane] of pages.entries()) {
      const [a, b, c, d] = [plane[left], plane[right], plane[above], plane[below]];
      // The mean of the two in the middle.
      const middle = (a + b + c + d - Math.min(a, b, c, d) - Math.max(a, b, c, d)) / 2;
      each[p] = plane[i] - middle;
    }
    excess[i] = medianOfFew(each);
  }
  const limit = HOT * GAUSSIAN * quantile(Float64Array.from(excess, Math.abs), 0.5);
  const found: number[] = [];
  for (let i = 0; i < length; i++) if (Math.abs(excess[i]) > limit) found.push(i);
  return found.length <= MOST_HOT * length ? found : [];
}

/** The median of a few values, which are sorted. */
function medianOfFew(values: Float64Array): number {
  for (let i = 1; i < values.length; i++) {
    const value = values[i];
    let k = i;
    for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
    values[k] = value;
  }
  const [low, high] = [values[(values.length - 1) >> 1], values[values.length >> 1]];
  return low + 0.5 * (high - low);
}

/** The pattern of one axis; null if it has none. */
function patternOf(
  pages: readonly PageResidual[],
  scale: number,
): { readonly pattern: Float32Array; readonly deviation: number } | null {
  const { mean, all, variance } = meanRemoved(pages);
  if (variance < (LEAST * scale) ** 2) return null;
  return { pattern: mean.map((value) => (value * variance) / all), deviation: Math.sqrt(variance) / scale };
}

/** The mean of what was removed, its variance, and what of that is not noise. */
function meanRemoved(pages: readonly PageResidual[]) {
  const { length } = pages[0].removed;
  const mean = new Float32Array(length);
  let variances = 0;
  for (let i = 0; i < length; i++) {
    let [sum, squares] = [0, 0];
    for (const { removed } of pages) {
      sum += removed[i];
      squares += removed[i] ** 2;
    }
    mean[i] = sum / pages.length;
    variances += (squares - sum * mean[i]) / (pages.length - 1);
  }
  const noise = variances / length / pages.length;
  // A median, because what is left of edges is far from Gaussian.
  const all = (GAUSSIAN * quantile(Float64Array.from(mean, Math.abs), 0.5)) ** 2;
  return { mean, all, variance: all - noise };
}

/** The samples of a page with structure, and those of them where another page has something else. */
function* movement(
  pages: readonly PageResidual[],
  width: number,
  deviation: number,
): Work<{ readonly structured: number; readonly moving: number }> {
  const [first, ...others] = pages.map(({ denoised }) => denoised);
  let [structured, moving] = [0, 0];
  for (let i = width; i < first.length; i++) {
    const isEdge = Math.max(Math.abs(first[i] - first[i - 1]), Math.abs(first[i] - first[i - width])) > deviation;
    if (!isEdge) continue;
    structured++;
    // Half of the others, because content may come back.
    let changed = 0;
    for (const other of others) if (Math.abs(other[i] - first[i]) > deviation / 2) changed++;
    if (2 * changed > others.length) moving++;
  }
  yield 0.2;
  return { structured, moving };
}
