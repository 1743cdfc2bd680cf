/** The one place that knows how the library denoises. */
import { denoise, type Image } from 'ght';
import type { Quality } from '../settings/settings.js';

/** What denoising takes. */
export interface DenoisingOptions {
  /** The deviation of the noise in the units of the image, or 'auto' to estimate it. */
  readonly sigma: number | 'auto';
  readonly quality: Quality;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly fraction: number }) => void;
}

/** The image without its noise, and the σ that was taken for it, one a plane. */
export async function denoiseImage(
  image: Image,
  options: DenoisingOptions,
): Promise<{ image: Image; sigma: number[] }> {
  const clean = await denoise(image, options);
  return { image: clean.image, sigma: clean.noise.map((each) => each.sigma) };
}
