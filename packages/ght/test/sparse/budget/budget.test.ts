import { describe, expect, it } from 'vitest';
import type { Budget } from '../../../src/index.js';
import { expectedAtoms, resolveBudget } from '../../../src/sparse/budget/budget.js';
import { fewestAtoms } from '../../../src/sparse/budget/search.js';

describe('budgets', () => {
  it('resolve to a number of atoms or to an error per patch', () => {
    expect(resolveBudget({ perPatch: 10 }, 64, 100, 37, 255)).toEqual({ S: 370 });
    expect(resolveBudget({ perPatch: 0.5 }, 64, 100, 37, 255)).toEqual({ S: 19 });
    expect(resolveBudget({ total: 3700 }, 64, 100, 37, 255)).toEqual({ S: 3700 });
    expect(resolveBudget({ rmse: 12 }, 64, 100, 37, 255)).toEqual({ rmse: 12 });
    expect(resolveBudget({ sigma: 5 }, 64, 100, 37, 255)).toEqual({ sigma: 5 });
    expect(resolveBudget({ sigma: 5, rule: 'threshold' }, 64, 100, 37, 255)).toEqual({ sigma: 5 });
    expect(resolveBudget({ sigma: 5, rule: 'residual' }, 64, 100, 37, 255)).toEqual({ rmse: 40 });
    // 20 dB below a peak of 255 is 25.5 per sample, and a patch has 64 samples.
    expect(resolveBudget({ psnr: 20 }, 64, 100, 37, 255)).toEqual({ rmse: 204 });
  });

  it.each([
    [{ perPatch: -1 }, 'budget.perPatch must be from 0 to the 100 atoms of the dictionary, but got -1'],
    [{ perPatch: 101 }, 'budget.perPatch must be from 0 to the 100 atoms of the dictionary, but got 101'],
    [{ perPatch: Number.NaN }, 'but got NaN'],
    [
      { total: 3701 },
      'budget.total must be a whole number from 0 to 3700, but got 3701: there are 100 atoms × 37 patches',
    ],
    [{ total: 1.5 }, 'budget.total must be a whole number from 0 to 3700, but got 1.5'],
    [{ psnr: 0 }, 'budget.psnr must be a finite number above 0, but got 0'],
    [{ sigma: -1 }, 'budget.sigma must be a finite number of at least 0, but got -1'],
    [{ sigma: Number.NaN, rule: 'threshold' }, 'budget.sigma must be a finite number of at least 0, but got NaN'],
    [{ sigma: 5, rule: 'best' }, 'budget.rule must be one of residual, threshold, but got "best"'],
    [{ total: 5, rule: 'residual' }, 'budget.rule cannot be combined with total, but got "residual"'],
    [{ rule: 'residual' }, 'budget must have exactly one of perPatch, total, rmse, psnr, sigma'],
    [{ perPatch: 1, total: 2 }, 'budget must have exactly one of perPatch, total, rmse, psnr, sigma'],
    [{ atoms: 3 }, 'budget must have one of perPatch, total, rmse, psnr, sigma, but got "atoms"'],
    [10, 'budget must have exactly one of'],
  ])('%j is rejected with its name', (budget, message) => {
    expect(() => resolveBudget(budget as unknown as Budget, 64, 100, 37, 255)).toThrow(message);
  });
});

describe('the search for the smallest budget', () => {
  const search = async (errorAt: (S: number) => number, target: number, unit = 1, most = 10_000) => {
    const tried: number[] = [];
    const attempt = async (S: number) => {
      tried.push(S);
      return { error: errorAt(S) };
    };
    return { ...(await fewestAtoms(attempt, target, { unit, first: 50, most })), tried };
  };

  it('finds it exactly where it is below a thousand, in few attempts', async () => {
    for (const edge of [1, 2, 49, 50, 51, 333, 999]) {
      const { S, tried } = await search((at) => 100 * Math.exp(-at / 200), 100 * Math.exp(-edge / 200) * (1 + 1e-12));
      expect(S).toBe(edge);
      expect(tried.length).toBeLessThan(20);
    }
  });

  it('finds it on a curve with a cliff', async () => {
    expect((await search((S) => (S < 612 ? 9 : 1), 5)).S).toBe(612);
  });

  it('is within 0.1% above that, and never short of the target', async () => {
    const { S, result } = await search((at) => 1 / (1 + at), 1 / 7001);
    expect(result.error).toBeLessThanOrEqual(1 / 7001);
    expect(S).toBeLessThanOrEqual(7000 * 1.001);
  });

  it('uses no atoms if that reaches the target, and only whole units', async () => {
    expect((await search(() => 1, 2)).S).toBe(0);
    const { S, tried } = await search((at) => 1000 - at, 900, 32);
    expect(S).toBe(128);
    expect(tried.every((at) => at % 32 === 0)).toBe(true);
  });

  it('says what is possible if the target is not', async () => {
    await expect(search((S) => 5 + 1 / (S + 1), 1)).rejects.toThrow(
      'with 10000 atoms, as many as can help, it is 5.000',
    );
  });
});

describe('the limits of a budget', () => {
  it('are 0 and all atoms; anything but an object is rejected', () => {
    expect(resolveBudget({ perPatch: 0 }, 64, 100, 10, 255)).toEqual({ S: 0 });
    expect(resolveBudget({ perPatch: 100 }, 64, 100, 10, 255)).toEqual({ S: 1000 });
    expect(() => resolveBudget({ perPatch: 100.1 }, 64, 100, 10, 255)).toThrow(
      'budget.perPatch must be from 0 to the 100',
    );
    for (const none of [null, 5, 'ten']) {
      expect(() => resolveBudget(none as never, 64, 100, 10, 255)).toThrow('budget must have exactly one of');
    }
  });

  it('are estimated as the number given, or half of the samples for a target', () => {
    expect(expectedAtoms({ S: 77 }, 64, 10)).toBe(77);
    expect(expectedAtoms({ rmse: 3 }, 64, 10)).toBe(320);
  });
});
