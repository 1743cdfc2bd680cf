import { blockExtents, frameOf, type PlanesNoise } from '../src/denoisers/frame.js';
import { tileSide, tilesOf } from '../src/denoisers/tiles.js';
import type { Samples } from '../src/image/image.js';
import { allOf } from '../src/image/rectangle.js';
import { denoiseTiles, loadDenoiser, type PlanesSettings } from '../src/pipelines/denoise/planes.js';
import { finish } from '../src/work.js';

/** Denoises planes with noise that is known, without the rest of the pipeline. */
export async function denoisePlanes(
  planes: readonly Samples[],
  width: number,
  height: number,
  noise: PlanesNoise,
  settings: PlanesSettings,
) {
  const denoiser = await loadDenoiser({ width, height }, 'sigma' in noise ? 'white' : 'coloured', settings);
  const whole = allOf({ width, height });
  const framed = frameOf(finish(blockExtents(planes, whole)), width * height, noise);
  const side = settings.tile ?? tileSide(denoiser, width, height, planes.length);
  const tiles = tilesOf(denoiser, width, height, side);
  const denoised = await denoiseTiles(denoiser, { at: whole, planes }, framed, tiles, whole, settings);
  return { planes: denoised, noisy: framed.noisy };
}
