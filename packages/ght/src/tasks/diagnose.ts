import { knownOptions, oneOf } from '../errors.js';
import { checkShape, type Image } from '../image/image.js';
import { SAMPLED } from '../image/sample.js';
import type { NoiseOptions } from '../noise/estimate.js';
import { checkJpeg } from '../noise/model.js';
import { type DiagnosisSettings, diagnoseWhole } from '../pipelines/denoise/diagnosis.js';
import type { Diagnosis } from '../pipelines/denoise/findings.js';
import type { MissingSamples } from '../pipelines/denoise/missing.js';
import { diagnosePooled, type PooledImage } from '../pipelines/denoise/pooled.js';
import { drive, rising } from '../work.js';

/** Options of `diagnose`. All are optional. */
export interface DiagnoseOptions extends NoiseOptions {
  /** `auto` searches for salt and pepper, hot and dead pixels, and leaves them out of the noise; `off` does not. @default 'auto' */
  readonly impulses?: 'auto' | 'off';
  /** `auto` searches for offsets of whole rows and columns, and leaves them out of the noise; `off` does not. @default 'auto' */
  readonly banding?: 'auto' | 'off';
  /**
   * As in `denoise`: samples that are NaN are missing and do not count; `keep` and `fill` make no difference here.
   *
   * @default NaN is refused
   */
  readonly missing?: MissingSamples;
}

/**
 * Says what is wrong with an image: the kind of its noise, its strength, and how certain that is; its impulses and its banding. It is
 * what `denoise` finds and reports for the same image, to the last bit. The event loop gets control every few milliseconds. Of an
 * image with more than 2^24 pixels, windows that are spread evenly are used.
 *
 * Of several images, a list or anything else to iterate over, one common diagnosis is made. Use it for images with the same noise: of
 * one camera, at one ISO, developed in the same way. The flat areas of one are then known for all. Images are taken one after the other,
 * and only windows of 128×128 pixels are kept of them; each must be at least that large. The result does not depend on their order. A member may also be
 * `{ image, jpeg }`, with the JPEG that its file is, as `readImage` of `ght-images/node` returns it.
 *
 * The diagnosis can be given to `denoise` as the option `noise`.
 *
 * @example
 * ```js
 * import { denoise, describe, diagnose } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const diagnosis = await diagnose(image); // or of several: diagnose([first, second])
 * console.log(describe(diagnosis).join('; ')); // such as: noise: white, σ = 25.1
 * const result = await denoise(image, { noise: diagnosis });
 * ```
 */
export async function diagnose(
  images: Image | Iterable<PooledImage> | AsyncIterable<PooledImage>,
  options: DiagnoseOptions = {},
): Promise<Diagnosis> {
  const settings = resolveDiagnoseOptions(options);
  const { signal, onProgress } = options;
  const onFraction = rising(onProgress && ((fraction) => onProgress({ fraction })));
  let diagnosis: Diagnosis;
  if (isIterable(images)) diagnosis = await diagnosePooled(images, settings, { signal, onFraction });
  else {
    checkShape(images);
    diagnosis = await drive(diagnoseWhole(images, settings), { signal, onFraction });
  }
  onFraction?.(1);
  return diagnosis;
}

function resolveDiagnoseOptions(options: DiagnoseOptions): DiagnosisSettings {
  knownOptions(options, ['kind', 'jpeg', 'offset', 'impulses', 'banding', 'missing', 'signal', 'onProgress']);
  const { kind = 'auto', jpeg = 'auto', offset, impulses = 'auto', banding = 'auto', missing } = options;
  oneOf('kind', kind, ['auto', 'white', 'coloured', 'signal-dependent']);
  if (typeof jpeg === 'object') checkJpeg(jpeg);
  else oneOf('jpeg', jpeg, ['auto', 'off']);
  return {
    given: undefined,
    estimate: { kind, jpeg, offset },
    impulses: oneOf('impulses', impulses, ['auto', 'off']) === 'auto',
    banding: oneOf('banding', banding, ['auto', 'off']) === 'auto',
    missing: missing && oneOf('missing', missing, ['keep', 'fill'] as const),
    sampled: SAMPLED,
  };
}

function isIterable(images: object): images is Iterable<PooledImage> | AsyncIterable<PooledImage> {
  return typeof images === 'object' && images !== null && (Symbol.iterator in images || Symbol.asyncIterator in images);
}
