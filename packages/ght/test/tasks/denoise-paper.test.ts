import { describe, expect, it } from 'vitest';
import type { Image, SolverName } from '../../src/index.js';
import { completeDct, overcompleteDct, psnr, solverNames } from '../../src/index.js';
import { denoisePaper } from '../../src/paper.js';
import { noiseRules } from '../../src/sparse/budget/budget.js';
import { noisy, picture } from '../pictures.js';

const clean = picture(96, 80);
const quality = (image: Image) => psnr(image.planes[0], clean.planes[0], 255);

describe('the paper’s denoiser', () => {
  it('comes closer to the clean image, under a budget and more so under the noise level', async () => {
    const input = noisy(clean, 20);
    const byBudget = await denoisePaper(input, { solver: 'admm' });
    const bySigma = await denoisePaper(input, { solver: 'admm', budget: { sigma: 20 } });
    expect(quality(byBudget.image)).toBeGreaterThan(quality(input) + 1);
    expect(quality(bySigma.image)).toBeGreaterThan(quality(byBudget.image) + 1);
  });

  it('leaves a residual of the size of the noise', async () => {
    const { rmse } = await denoisePaper(noisy(clean, 20), {
      solver: 'joint-omp',
      budget: { sigma: 20, rule: 'residual' },
    });
    expect(rmse).toBeLessThanOrEqual(160);
    expect(rmse).toBeGreaterThan(158);
  });

  it('gains from overlapping patches', async () => {
    const input = noisy(clean, 20);
    const options = { solver: 'joint-omp', budget: { sigma: 20 } } as const;
    const [apart, overlapping] = [
      await denoisePaper(input, options),
      await denoisePaper(input, { ...options, stride: 4 }),
    ];
    expect(quality(overlapping.image)).toBeGreaterThan(quality(apart.image) + 1);
  });

  it.each(solverNames)('finds a budget for the noise level with %s, by either rule', async (solver) => {
    const input = noisy(clean, 20);
    for (const rule of noiseRules) {
      const { image, nonzeros, patches } = await denoisePaper(input, { solver, budget: { sigma: 20, rule } });
      expect(nonzeros / patches).toBeGreaterThan(0.9);
      expect(nonzeros / patches).toBeLessThan(8);
      expect(quality(image)).toBeGreaterThan(quality(input) + 1.5);
    }
  });

  it('takes the residual rule where patches overlap by half, the threshold rule where they do not', async () => {
    const input = noisy(clean, 20);
    for (const [stride, rule] of [
      [8, 'threshold'],
      [5, 'threshold'],
      [4, 'residual'],
    ] as const) {
      const options = { solver: 'joint-omp', stride } as const;
      const usual = await denoisePaper(input, { ...options, budget: { sigma: 20 } });
      expect(usual.nonzeros).toBe((await denoisePaper(input, { ...options, budget: { sigma: 20, rule } })).nonzeros);
    }
  });

  it('spends less on more noise, all on none, and nothing on noise alone', async () => {
    const budget = async (image: Image, sigma: number, solver: SolverName) =>
      (await denoisePaper(image, { solver, budget: { sigma, rule: 'threshold' } })).budget;
    const still = noisy({ ...clean, planes: [new Float64Array(96 * 80)] }, 20);
    for (const solver of ['qpm', 'admm', 'joint-omp'] as const) {
      const spent = [await budget(noisy(clean, 5), 5, solver), await budget(noisy(clean, 40), 40, solver)];
      expect(spent[0]).toBeGreaterThan(2 * spent[1]);
      expect(await budget(still, 20, solver)).toBeLessThan(10);
      expect(await budget(noisy(clean, 5), 0, solver)).toBeGreaterThan(60 * 120);
    }
  });

  it.each(solverNames)(
    'spends nothing with %s where the noise drowns everything, however large it is',
    async (solver) => {
      const spent: number[] = [];
      for (const sigma of [5, 40, 5000, 1e4, 1e6, 1e12]) {
        spent.push((await denoisePaper(noisy(clean, 5), { solver, budget: { sigma, rule: 'threshold' } })).nonzeros);
      }
      expect(spent).toEqual([...spent].sort((a, b) => b - a));
      expect(spent.slice(2)).toEqual([0, 0, 0, 0]);
    },
  );

  it('scales with the image and knows any dictionary', async () => {
    const input = noisy(clean, 20);
    const unit = { ...input, planes: input.planes.map((plane) => plane.map((value) => value / 255)), peak: 1 };
    for (const dictionary of [completeDct(8), overcompleteDct(8, 14)]) {
      const options = { solver: 'qpm', dictionary } as const;
      const { nonzeros, image } = await denoisePaper(input, { ...options, budget: { sigma: 20 } });
      const scaled = await denoisePaper(unit, { ...options, budget: { sigma: 20 / 255 } });
      expect(Math.abs(scaled.nonzeros - nonzeros)).toBeLessThanOrEqual(1);
      expect(quality(image)).toBeGreaterThan(quality(input) + 3);
    }
  });
});
