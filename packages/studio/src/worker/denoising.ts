/** The one place that knows how the library denoises. */
import { denoise, type Image, type Samples } from 'ght';
import type { Quality } from '../settings/settings.js';

/** What denoising takes. */
export interface DenoisingOptions {
  /** The deviation of the noise in the units of the image, or 'auto' to estimate it. */
  readonly sigma: number | 'auto';
  readonly quality: Quality;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly fraction: number }) => void;
}

/** Pixels from one patch to the next: the more patches show a pixel, the better their mean and the longer it takes. */
export const strides: Readonly<Record<Quality, number>> = { fast: 6, balanced: 4, best: 2 };

/** The image without its noise, and the σ that was taken for it: one a plane when estimated, one in all when given. */
export async function denoiseImage(
  image: Image,
  { sigma, quality, signal, onProgress }: DenoisingOptions,
): Promise<{ image: Image; sigma: number[] }> {
  const levels = sigma === 'auto' ? image.planes.map((plane) => estimate(plane, image.width, image.height)) : [sigma];
  const level = Math.sqrt(levels.reduce((sum, each) => sum + each ** 2, 0) / levels.length);
  const clean = await denoise(image, {
    solver: 'joint-omp',
    stride: strides[quality],
    budget: { sigma: level },
    signal,
    onProgress,
  });
  return { image: clean.image, sigma: levels };
}

/** Donoho's estimate: the median of the diagonal differences of 2×2 blocks, which hold little of the image, over 0.6745. */
function estimate(plane: Samples, width: number, height: number): number {
  const details = new Float32Array(Math.floor(width / 2) * Math.floor(height / 2));
  let at = 0;
  for (let y = 0; y + 1 < height; y += 2) {
    for (let x = 0; x + 1 < width; x += 2) {
      const i = y * width + x;
      details[at++] = Math.abs(plane[i] - plane[i + 1] - plane[i + width] + plane[i + width + 1]) / 2;
    }
  }
  return details.length === 0 ? 0 : details.sort()[details.length >> 1] / 0.6745;
}
