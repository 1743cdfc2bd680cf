/**
 * Noise that is given for an image, in working units. A model alone is used as it is. Noise that was measured on other images
 * includes the steps of their JPEG, if they were one; the steps of the image's own JPEG take their place:
 *
 *     deviation² − (share · step)² + (share · own step)²
 */
import type { Image } from '../../image/image.js';
import { shifted } from '../../image/scale.js';
import { colouredModel } from '../../noise/coloured/model.js';
import { jpegOf, type NoiseEstimate, shiftedEstimate } from '../../noise/estimate.js';
import { type GivenNoise, inUnits } from '../../noise/given-model.js';
import { JPEG_PEAK, jpegQuality, jpegSteps } from '../../noise/jpeg/jpeg.js';
import { type ColouredNoise, type JpegInfo, limitedModel } from '../../noise/model.js';
import type { Work } from '../../work.js';
import { ofDenoised } from './copies.js';

/** The given noise of an image in units of 2^e. Its JPEG is the one that is given, or is found in its pixels. */
export function* givenEstimate(
  image: Image,
  e: number,
  given: GivenNoise,
  jpeg: JpegInfo | 'auto' | 'off' = 'auto',
): Work<NoiseEstimate> {
  const { model, measured } = inUnits(given, shifted(image.peak, e));
  const { length } = image.planes;
  if (!measured) return ofDenoised({ model: limitedModel(model, -e), confidence: 1 }, length);
  const { peak: _peak, ...rest } = measured;
  const estimate = { ...shiftedEstimate({ ...rest, model }, -e), model: limitedModel(model, -e) };
  if (estimate.model.kind !== 'coloured') return ofDenoised(estimate, length);
  const own = typeof jpeg === 'object' ? jpeg : jpeg === 'off' ? undefined : yield* jpegOf(image);
  const withOwn = withSteps(estimate.model, measured.jpeg, own, image.peak / JPEG_PEAK);
  return ofDenoised({ ...estimate, model: withOwn, jpeg: own, jpegQuality: own && jpegQuality(own) }, length);
}

/** Coloured noise with the steps of the image's own JPEG in place of those that were counted. `unit` is a grey level of the JPEG. */
function withSteps(
  model: ColouredNoise,
  counted: JpegInfo | undefined,
  own: JpegInfo | undefined,
  unit: number,
): ColouredNoise {
  if (tablesOf(counted) === tablesOf(own)) return model;
  const [before, now] = [counted, own].map((jpeg) => jpeg && stepNoise(jpeg, model.deviations.length, unit));
  const deviations = model.deviations.map((rows, c) =>
    rows.map((row) =>
      row.map((deviation, f) => {
        const rest = Math.max(0, deviation ** 2 - (before?.[c][f] ?? 0) ** 2);
        return Math.sqrt(rest + (now?.[c][f] ?? 0) ** 2);
      }),
    ),
  );
  return { ...model, deviations };
}

/** The deviations that the steps of a JPEG alone count as, by plane and frequency. */
function stepNoise(jpeg: JpegInfo, channels: number, unit: number): readonly Float64Array[] {
  const silent = {
    ...{ deviations: [new Float64Array(64)], ratios: [1], anchor: 0, confidence: 1, believed: 1, structure: 1 },
    ...{ middle: 0, reference: 0, finest: 0, coarsest: 0 },
  };
  const nothing = { brightness: [0], planes: Array.from({ length: channels }, () => silent), blocks: 0 };
  const { deviations } = colouredModel(nothing, { jpegSteps: jpegSteps(jpeg, channels, unit) });
  return deviations.map(([row]) => row);
}

/** What the steps of a JPEG depend on, as text: not where its grid begins. */
function tablesOf(jpeg: JpegInfo | undefined): string {
  if (!jpeg) return '';
  const { luma, chroma = [], subsampling = [1, 1] } = jpeg;
  return JSON.stringify([Array.from(luma), Array.from(chroma), subsampling]);
}
