import { InputError, knownOptions, oneOf } from '../errors.js';
import { checkImage, type Image } from '../image/image.js';
import { POOLED_SIDE, PooledSample } from '../image/pooled-sample.js';
import { SAMPLED, sampledImage, sampleLayout } from '../image/sample.js';
import { imageExponent, shifted, shiftedImage } from '../image/scale.js';
import {
  jpegOf,
  type NoiseEstimate,
  type NoiseOptions,
  type NoiseSought,
  noiseOf,
  shiftedEstimate,
} from '../noise/estimate.js';
import { checkJpeg, type JpegInfo } from '../noise/model.js';
import { drive, rising, type Work } from '../work.js';

/**
 * Estimates the noise of an image: its kind, its strength, and how certain that is. The result is deterministic. The event loop
 * gets control every few milliseconds. Of an image with more than 2^24 pixels, windows that are spread evenly are used.
 *
 * Of several images, a list or anything else to iterate over, one common estimate is made. Use it for images with the same noise: of
 * one camera, at one ISO, developed in the same way. The flat areas of one are then known for all. Images are taken one after the other,
 * and only windows of 128×128 pixels are kept of them; each must be at least that large. The estimate does not depend on their order.
 *
 * The model can be given to `denoise` as the option `noise`.
 *
 * @example
 * ```js
 * import { denoise, describe, estimateNoise } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const estimate = await estimateNoise(image); // or of several: estimateNoise([first, second])
 * console.log(describe(estimate).join('; ')); // such as: noise: white, σ = 25.1
 * const result = await denoise(image, { noise: estimate.model });
 * ```
 */
export async function estimateNoise(
  images: Image | Iterable<Image> | AsyncIterable<Image>,
  options: NoiseOptions = {},
): Promise<NoiseEstimate> {
  knownOptions(options, ['kind', 'jpeg', 'offset', 'signal', 'onProgress']);
  const { kind = 'auto', jpeg = 'auto', signal, onProgress } = options;
  oneOf('kind', kind, ['auto', 'white', 'coloured', 'signal-dependent']);
  if (typeof jpeg === 'object') checkJpeg(jpeg);
  else oneOf('jpeg', jpeg, ['auto', 'off']);
  const onFraction = rising(onProgress && ((fraction) => onProgress({ fraction })));
  let [image, sought]: [Image, NoiseSought] = [images as Image, options];
  if (isIterable(images)) {
    const pool = await pooled(images, jpeg, signal);
    [image, sought] = [pool.image, { ...options, jpeg: pool.jpeg }];
  } else checkImage(image);
  const estimate = await drive(inUsualUnits(image, sought), { signal, onFraction });
  onFraction?.(1);
  return estimate;
}

function isIterable(images: object): images is Iterable<Image> | AsyncIterable<Image> {
  return typeof images === 'object' && images !== null && (Symbol.iterator in images || Symbol.asyncIterator in images);
}

/** The sample of several images, and the JPEG that its grid of blocks is of. */
async function pooled(
  images: Iterable<Image> | AsyncIterable<Image>,
  jpeg: JpegInfo | 'auto' | 'off',
  signal: AbortSignal | undefined,
): Promise<{ readonly image: Image; readonly jpeg: JpegInfo | 'off' }> {
  const sample = new PooledSample();
  const found: (JpegInfo | undefined)[] = [];
  let first: Image | undefined;
  let [count, peak] = [0, 0];
  for await (const image of images) {
    checkImage(image);
    first ??= image;
    checkFits(image, first, count);
    const own = typeof jpeg === 'object' ? jpeg : jpeg === 'auto' ? await drive(jpegOf(image), { signal }) : undefined;
    found.push(own);
    await drive(sample.add(image, own?.origin), { signal });
    peak = Math.max(peak, image.peak);
    count++;
  }
  const image = sample.image(peak);
  if (!image) throw new InputError('images', 'must hold at least one image', 'none', 'give a list of images');
  const common = commonJpeg(found);
  // The windows begin where the grid of their image does.
  return { image, jpeg: common ? { ...common, origin: [0, 0] } : 'off' };
}

function checkFits({ width, height, planes }: Image, first: Image, i: number): void {
  if (planes.length !== first.planes.length) {
    const rule = `must have ${first.planes.length} planes, as the first of the images`;
    throw new InputError(
      `images[${i}]`,
      rule,
      planes.length,
      'estimate the noise of grey and of colour images separately',
    );
  }
  if (Math.min(width, height) < POOLED_SIDE) {
    const rule = `must have at least ${POOLED_SIDE}×${POOLED_SIDE} pixels to be one of several`;
    throw new InputError(`images[${i}]`, rule, `${width}×${height}`, 'leave it out, or give it alone');
  }
}

/** The tables that most images have; undefined if most have none. Of as many, the first in the order of their text. */
function commonJpeg(found: readonly (JpegInfo | undefined)[]): JpegInfo | undefined {
  const counts = new Map<string, { readonly jpeg: JpegInfo | undefined; count: number }>();
  for (const jpeg of found) {
    const key = jpeg ? JSON.stringify([[...arrayOf(jpeg.luma)], [...arrayOf(jpeg.chroma)], jpeg.subsampling]) : '';
    const entry = counts.get(key) ?? { jpeg, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  const sorted = [...counts].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
  return sorted[0]?.[1].jpeg;
}

function arrayOf(table: ArrayLike<number> = []): number[] {
  return Array.from(table);
}

/**
 * The estimate of an image of any scale and size. An image far from 1 is scaled first, so that no square overflows. Of a large
 * image, the same sample is used as for denoising it.
 */
function* inUsualUnits(whole: Image, options: NoiseSought): Work<NoiseEstimate> {
  const e = yield* imageExponent(whole);
  const image = sampledImage(whole, sampleLayout(whole, SAMPLED));
  if (e === 0) return yield* noiseOf(image, options);
  const { offset } = options;
  const shiftedOptions = offset === undefined ? options : { ...options, offset: shifted(offset, -e) };
  return shiftedEstimate(yield* noiseOf(yield* shiftedImage(image, -e), shiftedOptions), e);
}
