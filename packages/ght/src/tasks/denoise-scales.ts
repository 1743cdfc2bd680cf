/**
 * Removes coloured noise at two scales. In an 8×8 patch, grain as coarse as the patch cannot be distinguished from shading. So the
 * means of 2×2 samples are denoised first, with the noise estimated in them, and the difference is enlarged and added. Then the
 * noise of the image itself is estimated again and removed.
 *
 * Frequencies 2 ≤ r < 3.2 of the half image are 1 ≤ r < 1.6 of the image, and the mean of 2×2 samples has half the deviation there.
 * So twice the noise of the half image can be no more than what was measured in the image at r < 2. If it is more than a quarter
 * above that, the estimate of the half image includes texture, and is reduced to that limit.
 */
import { colouredModel, UNCORRELATED } from '../noise/coloured.js';
import { colouredEstimate, type NoiseEstimate, type SpectrumLevel, spectrumOf } from '../noise/estimate.js';
import { levelOver, RING } from '../noise/frequencies.js';
import type { ColouredNoise } from '../noise/model.js';
import { colouredNoise, type PlaneSpectrum, times } from '../noise/spectrum.js';
import { addEnlarged, halfOf, halved } from '../signal/halves.js';
import type { Image, Samples } from '../signal/image.js';
import { drive, type Work } from '../work.js';
import type { DenoisedPlanes, PlanesSettings } from './denoise-planes.js';
import { denoisePlanes } from './denoise-planes.js';

/** The shortest side for two scales: half of it still has enough blocks. */
const SMALLEST = 128;
/** Twice the noise of the half image is at most this multiple of what was measured in the image. */
const AGREEMENT = 1.25;
/** The share of the progress for the coarse scale. */
const COARSE_SHARE = 0.2;

/** How strongly noise is removed: a factor of the deviation in all planes, and another one for the chromas. */
export interface Strength {
  readonly strength: number;
  readonly chroma: number;
}

/** The denoised planes, and the noise estimated at the fine scale. */
export interface TwoScales extends DenoisedPlanes {
  readonly estimate: NoiseEstimate;
}

/** Denoises the decorrelated planes of an image at both scales. The planes are overwritten. */
export async function denoiseScales(
  image: Image,
  planes: Float64Array[],
  { jpeg, levels }: NoiseEstimate,
  { strength, chroma }: Strength,
  settings: PlanesSettings,
): Promise<TwoScales> {
  const { width, height } = image;
  const { signal, onProgress } = settings;
  const coarse = Math.min(width, height) >= SMALLEST;
  const part = (from: number, share: number): PlanesSettings['onProgress'] =>
    onProgress && ((at) => onProgress({ ...at, fraction: from + share * at.fraction }));
  if (coarse) {
    const [w, h] = [halfOf(width), halfOf(height)];
    const { halves, noise } = await drive(coarseNoise(planes, image, levels, { strength, chroma }), {
      signal,
    });
    const quality = settings.quality === 'fast' ? 'fast' : 'balanced';
    const how = { ...settings, quality, onProgress: part(0, COARSE_SHARE) } as const;
    const denoised = await denoisePlanes(halves, w, h, noise, how);
    for (const [c, plane] of planes.entries()) {
      if (!denoised.noisy[c]) continue;
      await drive(addDifference(plane, width, height, denoised.planes[c], halves[c]), { signal });
    }
  }
  const spectrum = await drive(spectrumOf(image, planes, jpeg), { signal });
  const estimate = colouredEstimate(image, spectrum, jpeg);
  const model = scaled(estimate.model as ColouredNoise, { strength, chroma });
  const from = coarse ? COARSE_SHARE : 0;
  const fine = { ...settings, onProgress: part(from, 1 - from) };
  return { ...(await denoisePlanes(planes, width, height, model, fine)), estimate };
}

/** Planes at half their size, and the noise in them: 0 for a plane without flat areas. */
function* coarseNoise(
  planes: readonly Samples[],
  { width, height, peak }: Image,
  levels: readonly SpectrumLevel[] | undefined,
  { strength, chroma }: Strength,
): Work<{ readonly halves: Float32Array[]; readonly noise: ColouredNoise }> {
  const halves: Float32Array[] = [];
  for (const plane of planes) halves.push(yield* halved(plane, width, height));
  const spectrum = yield* colouredNoise(halves, halfOf(width), halfOf(height), { peak });
  const believed = spectrum.planes.map((plane, c) => bounded(plane, levels?.[c].coarsest));
  const estimate = { ...spectrum, planes: believed };
  const noise = colouredModel(estimate, { factor: UNCORRELATED, strength, chroma, onlyTrusted: true });
  return { halves, noise };
}

/** The noise of a half plane, reduced if it is more than the whole plane can have. */
function bounded(plane: PlaneSpectrum, low = Number.POSITIVE_INFINITY): PlaneSpectrum {
  const level = 2 * levelOver(plane.deviations, RING);
  return level > AGREEMENT * low ? times(plane, (AGREEMENT * low) / level) : plane;
}

function* addDifference(
  plane: Float64Array,
  width: number,
  height: number,
  denoised: Samples,
  half: Float32Array,
): Work<void> {
  for (let i = 0; i < half.length; i++) half[i] = denoised[i] - half[i];
  yield* addEnlarged(plane, width, height, half);
}

/** The noise multiplied by the strengths. The chromas are the second and third of three planes. */
export function scaled(noise: ColouredNoise, { strength, chroma }: Strength): ColouredNoise {
  const deviations = noise.deviations.map((rows, c) => {
    const factor = strength * (noise.deviations.length === 3 && c > 0 ? chroma : 1);
    return rows.map((row) => row.map((deviation) => factor * deviation));
  });
  return { ...noise, deviations };
}
