import type { EngineInfo } from '../engines/engine.js';
import type { Image } from '../signal/image.js';
import { checkShape, copyOf } from '../signal/image.js';
import { allOf } from '../signal/rectangle.js';
import { sampledImage, sampleLayout } from '../signal/sample.js';
import { drive, part, rising } from '../work.js';
import { hasDefects, withoutDefects } from './defects.js';
import { asGiven, find, inUsualUnits, lookAt, type NoiseReport, reportOf } from './denoise-findings.js';
import type { DenoiseOptions, DenoiseSettings } from './denoise-options.js';
import { settleDenoise } from './denoise-options.js';
import { removeNoise } from './remove-noise.js';

/** A denoised image. */
export interface Denoised extends NoiseReport {
  /** The denoised image in the units of the input, neither rounded nor clipped. */
  readonly image: Image;
  /** Whether the noise was estimated from the image. */
  readonly estimated: boolean;
  /** Whether the image differs from the input. */
  readonly changed: boolean;
  /** The engine that computed the result, and why it was chosen. */
  readonly engine: EngineInfo;
}

/**
 * Removes noise, with one global threshold over all patches of all planes. No options are needed: the noise, white or coloured,
 * is estimated, and impulses and banding are removed first if they are found. RGB is denoised as luma and two chromas, with groups
 * of similar patches found on luma. Equal channels stay equal, and alpha is passed through.
 *
 * Values may have any scale, and images any size. Only the estimate of the noise needs at least 3×3 pixels, or 32×32 if the noise
 * grows with the signal. An image without noise is returned bit for bit. The input must not change before the promise has settled,
 * because it is not copied.
 *
 * @example
 * ```js
 * import { denoise } from 'ght';
 *
 * const noisy = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const { image, words } = await denoise(noisy);
 * console.log(words); // what was found, such as: white, σ = 25.1
 * ```
 */
export async function denoise(noisy: Image, options: DenoiseOptions = {}): Promise<Denoised> {
  checkShape(noisy);
  return denoiseSettled(noisy, settleDenoise(noisy.planes.length, options));
}

/** {@link denoise} with checked options. */
export async function denoiseSettled(noisy: Image, settings: DenoiseSettings): Promise<Denoised> {
  const { signal, onProgress } = settings.planes;
  const onFraction = rising(onProgress && ((fraction) => onProgress({ fraction, pass: 'estimate' })));
  const seen = await drive(lookAt({ at: allOf(noisy), planes: noisy.planes }), { signal });
  const image = await drive(inUsualUnits(noisy, seen), { signal });
  const layout = sampleLayout(image, settings.sampled);
  const sample = sampledImage(image, layout);
  const findings = await drive(part(find(sample, layout.whole, seen, settings), 0, ESTIMATE_SHARE), {
    signal,
    onFraction,
  });
  const whole = allOf(image);
  const repaired = layout.whole
    ? findings
    : await drive(withoutDefects({ at: whole, planes: image.planes }, findings.defects, whole), { signal });
  const { planes, estimate, engine } = await removeNoise(
    { ...image, planes: repaired.planes },
    seen,
    findings.estimate,
    {
      ...settings,
      planes: { ...settings.planes, onProgress: rest(onProgress) },
    },
  );
  const changed = planes !== undefined || hasDefects(findings.defects, repaired.impulses);
  const result = changed
    ? await drive(asGiven(planes ?? repaired.planes, noisy, seen, settings.keepGrain), { signal })
    : noisy.planes.map(copyOf);
  const report = reportOf(noisy, seen, findings.defects, repaired.impulses, estimate, settings);
  return {
    image: { ...noisy, planes: result },
    ...report,
    estimated: settings.told === undefined,
    changed,
    engine,
  };
}

/** The progress after the estimate of the noise. */
const ESTIMATE_SHARE = 0.1;

/** Maps the progress of the work after the estimate to its share of the whole. */
function rest(onProgress: DenoiseOptions['onProgress']): DenoiseOptions['onProgress'] {
  const from = ESTIMATE_SHARE;
  return onProgress && (({ fraction, pass }) => onProgress({ fraction: from + (1 - from) * fraction, pass }));
}
