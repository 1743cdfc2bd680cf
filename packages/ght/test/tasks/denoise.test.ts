import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import { denoise, psnr } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';

const clean = picture(96, 80);
const quality = (image: Image) => psnr(image.planes[0], clean.planes[0], 255);

describe('denoise', () => {
  it('comes closer to the clean image, under a budget and more so under the noise level', async () => {
    const input = noisy(clean, 20);
    const byBudget = await denoise(input, { solver: 'admm' });
    const bySigma = await denoise(input, { solver: 'admm', budget: { sigma: 20 } });
    expect(quality(byBudget.image)).toBeGreaterThan(quality(input) + 1);
    expect(quality(bySigma.image)).toBeGreaterThan(quality(byBudget.image) + 1);
  });

  it('leaves a residual of the size of the noise', async () => {
    const { rmse } = await denoise(noisy(clean, 20), { solver: 'joint-omp', budget: { sigma: 20 } });
    expect(rmse).toBeLessThanOrEqual(160);
    expect(rmse).toBeGreaterThan(158);
  });

  it('gains from overlapping patches', async () => {
    const input = noisy(clean, 20);
    const options = { solver: 'joint-omp', budget: { sigma: 20 } } as const;
    const [apart, overlapping] = [await denoise(input, options), await denoise(input, { ...options, stride: 4 })];
    expect(quality(overlapping.image)).toBeGreaterThan(quality(apart.image) + 1);
  });
});
