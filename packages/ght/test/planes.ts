import type { PlanesNoise } from '../src/denoisers/frame.js';
import type { Samples } from '../src/image/image.js';
import { denoiseBy, loadDenoiser, type PlanesSettings } from '../src/pipelines/denoise/planes.js';

/** Denoises planes with noise that is known, without the rest of the pipeline. */
export async function denoisePlanes(
  planes: readonly Samples[],
  width: number,
  height: number,
  noise: PlanesNoise,
  settings: PlanesSettings,
) {
  const denoiser = await loadDenoiser({ width, height }, 'sigma' in noise ? 'white' : 'coloured', settings);
  return denoiseBy(denoiser, planes, width, height, noise, settings);
}
