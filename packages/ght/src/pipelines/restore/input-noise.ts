/**
 * The noise that is removed from a picture before it is enlarged: enlarging sharpens it like detail. Small pictures are full of detail
 * that looks like noise, and detail is what enlarging lives on, so noise is only removed if it is certain:
 *
 * - coloured noise, if flat areas show it, and the picture is large enough to have some;
 * - white noise, if the flattest blocks have it, a quarter of all blocks have hardly more, and they have about as much at middle
 *   frequencies, the more exactly the stronger it is. The blocks of a clean picture differ more, and texture falls towards the finest
 *   detail;
 * - the steps of a JPEG, without the noise that may be in it, if the picture was one.
 */
import type { Image, Samples } from '../../image/image.js';
import { SAMPLED, sampledImage, sampleLayout } from '../../image/sample.js';
import { imageExponent, shiftedImage } from '../../image/scale.js';
import { colouredModel } from '../../noise/coloured/model.js';
import { type NoiseEstimate, noiseOf, shiftedEstimate } from '../../noise/estimate.js';
import { JPEG_PEAK, jpegSteps } from '../../noise/jpeg/jpeg.js';
import type { ColouredNoise, JpegInfo } from '../../noise/model.js';
import { quantile } from '../../noise/order.js';
import type { Work } from '../../work.js';

/** Coloured noise: the least confidence, and the least pixels. */
const COLOURED = { confidence: 0.9, pixels: 2 ** 15 } as const;
/**
 * White noise: the least deviation in the flattest blocks, of a full scale of 255; the most in a quarter of all blocks, relative to it; and
 * the most at middle frequencies, relative to the finest detail. `flattest` and `quarter` are shares of the blocks.
 */
const WHITE = { least: 2, spread: 1.5, slope: 2, flattest: 0.05, quarter: 0.25 } as const;
/**
 * Noise alone has about this spread and slope. Texture adds to both, the less the stronger the noise: the sum of what is beyond may be
 * `least`, and `weak` divided by the deviation in the flattest blocks besides. Sand and foliage are as strong as noise, but differ more.
 */
const DOUBT = { spread: 1.15, slope: 1.2, least: 0.2, weak: 1.2 } as const;
/** The side of the blocks, and the distance from one to the next. */
const [BLOCK, STEP] = [8, 4];
/** In fewer blocks, which is below about 60×60 pixels, there may be nothing but texture. */
const LEAST_BLOCKS = 150;
const FULL_SCALE = 255;

/** The noise of an image of any scale and size that is certain enough to be removed; undefined if there is none. */
export function* certainNoise(whole: Image, jpeg: JpegInfo | 'auto' | 'off'): Work<NoiseEstimate | undefined> {
  const e = yield* imageExponent(whole);
  const sample = sampledImage(whole, sampleLayout(whole, SAMPLED));
  if (e === 0) return yield* certainIn(sample, jpeg);
  const found = yield* certainIn(yield* shiftedImage(sample, -e), jpeg);
  return found && shiftedEstimate(found, e);
}

/** {@link certainNoise} for an image in usual units. */
function* certainIn(image: Image, jpeg: JpegInfo | 'auto' | 'off'): Work<NoiseEstimate | undefined> {
  const estimate = yield* noiseOf(image, { jpeg });
  const isLarge = image.width * image.height >= COLOURED.pixels;
  if (estimate.model.kind === 'coloured' && isLarge && estimate.confidence >= COLOURED.confidence) return estimate;
  if (estimate.jpeg) return stepsAlone(estimate, image, estimate.jpeg);
  if (estimate.model.kind !== 'white') return undefined;
  return (yield* blocksAgree(image)) ? estimate : undefined;
}

/** The steps of a JPEG as the only noise. */
function stepsAlone({ jpegQuality }: NoiseEstimate, { planes, peak }: Image, jpeg: JpegInfo): NoiseEstimate {
  const levels = { middle: 0, reference: 0, finest: 0, coarsest: 0 };
  // A small picture has structure everywhere.
  const none = {
    deviations: [new Float64Array(64)],
    ratios: [1],
    anchor: 0,
    confidence: 1,
    believed: 1,
    structure: 1,
    ...levels,
  };
  const spectrum = { brightness: [peak / 2], planes: planes.map(() => none), blocks: 0 };
  const steps = jpegSteps(jpeg, planes.length, peak / JPEG_PEAK);
  const model: ColouredNoise = colouredModel(spectrum, { factor: 1, jpegSteps: steps });
  return { model, confidence: 1, jpeg, jpegQuality };
}

/** Whether the flattest blocks of some plane show white noise. */
function* blocksAgree({ width, height, planes, peak }: Image): Work<boolean> {
  for (const plane of planes) {
    const blocks = yield* detailOfBlocks(plane, width, height);
    if (blocks.length < LEAST_BLOCKS) return false;
    blocks.sort((a, b) => a.finest - b.finest);
    const ranked = (share: number) => blocks[Math.floor(share * (blocks.length - 1))].finest;
    const [flattest, quarter] = [ranked(WHITE.flattest), ranked(WHITE.quarter)];
    if (flattest <= (WHITE.least * peak) / FULL_SCALE || quarter >= WHITE.spread * flattest) continue;
    const slopes = Float64Array.from(
      blocks.slice(0, Math.ceil(WHITE.quarter * blocks.length)),
      (b) => b.middle / b.finest,
    );
    const slope = quantile(slopes, 0.5);
    const level = (FULL_SCALE * flattest) / peak;
    const doubt = quarter / flattest - DOUBT.spread + (slope - DOUBT.slope) / 3;
    if (slope < WHITE.slope && doubt < DOUBT.least + DOUBT.weak / level) return true;
  }
  return false;
}

/** The deviations of a block in its finest detail and at middle frequencies, scaled such that those of white noise are equal. */
interface BlockDetail {
  readonly finest: number;
  readonly middle: number;
}

/** Second differences: of rows and columns with the neighbours, and of either with every second pixel. */
function* detailOfBlocks(plane: Samples, width: number, height: number): Work<BlockDetail[]> {
  const second = (i: number, step: number) => plane[i - step] - 2 * plane[i] + plane[i + step];
  const blocks: BlockDetail[] = [];
  for (let top = 2; top + BLOCK < height - 1; top += STEP) {
    for (let left = 2; left + BLOCK < width - 1; left += STEP) {
      let [finest, middle] = [0, 0];
      for (let y = top; y < top + BLOCK; y++) {
        for (let i = y * width + left; i < y * width + left + BLOCK; i++) {
          finest += (second(i - width, 1) - 2 * second(i, 1) + second(i + width, 1)) ** 2;
          middle += second(i, 2) ** 2 + second(i, 2 * width) ** 2;
        }
      }
      // The squares of the weights have the sums 36 and 6.
      blocks.push({ finest: Math.sqrt(finest / 36) / BLOCK, middle: Math.sqrt(middle / 12) / BLOCK });
    }
    yield top / height;
  }
  return blocks;
}
