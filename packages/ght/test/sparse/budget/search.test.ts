/** The search for the smallest budget that reaches a target. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGhtError } from '../../../src/index.js';
import { fewestAtoms } from '../../../src/sparse/budget/search.js';

/** Runs the search on an error curve; returns the result and every budget tried. */
async function search(
  errorAt: (S: number) => number,
  target: number,
  range: { unit: number; first: number; most: number; show?: (error: number) => string },
) {
  const tried: number[] = [];
  const attempt = async (S: number) => {
    tried.push(S);
    return { error: errorAt(S), S };
  };
  const { S, result } = await fewestAtoms(attempt, target, range);
  expect(result.S).toBe(S);
  return { S, tried };
}

describe('the smallest budget', () => {
  const range = { unit: 1, first: 500, most: 100_000 };

  it('is 0 if 0 is enough', async () => {
    expect(await search(() => 5, 5, range)).toEqual({ S: 0, tried: [0] });
  });

  it('is found in few attempts if the error falls as a power of S, from below and from above', async () => {
    for (const [power, wanted] of [
      [1, 7777],
      [0.5, 31_000],
      [2, 91],
    ]) {
      const errorAt = (S: number) => (S === 0 ? 1e9 : S ** -power);
      const { S, tried } = await search(errorAt, wanted ** -power, range);
      expect(errorAt(S)).toBeLessThanOrEqual(wanted ** -power);
      // At most one unit or 0.1% above the smallest.
      expect(S - wanted).toBeLessThanOrEqual(Math.max(1, wanted / 1000));
      expect(tried.slice(0, 2)).toEqual([0, 500]);
      expect(tried.length).toBeLessThan(17);
      expect(new Set(tried).size).toBe(tried.length);
    }
  });

  it('aims slightly beyond the expected target, from both sides', async () => {
    const power = (exponent: number, wanted: number) =>
      search((S) => (S === 0 ? 1e9 : S ** -exponent), wanted ** -exponent, range).then(({ tried }) => tried);
    // log(error) is linear in log(S): 7777 is known after 8000. The attempt 1/2500 below it fails, the one 1/2500 above it
    // succeeds, and the bracket of 6 is less than 0.1%.
    expect(await power(1, 7777)).toEqual([0, 500, 1000, 2000, 4000, 8000, 7774, 7780]);
    // Halved from 500; then 91 plus one unit, minus one unit, and 91 itself.
    expect(await power(2, 91)).toEqual([0, 500, 250, 125, 63, 92, 90, 91]);
  });

  it('bisects if interpolation narrows too slowly', async () => {
    const { S, tried } = await search((value) => (value < 3000 ? 2 : 1), 1, range);
    expect(S).toBe(3000);
    expect(tried.length).toBe(27);
    // The middle, after three attempts that hardly narrowed (2000, 4000).
    expect(tried.slice(5, 9)).toEqual([3998, 3995, 3989, 2995]);
  });

  it('doubles until the target is reached, up to the maximum', async () => {
    const { tried } = await search((S) => (S < 3000 ? 2 : 1), 1, { unit: 1, first: 500, most: 100_000 });
    expect(tried.slice(0, 5)).toEqual([0, 500, 1000, 2000, 4000]);
    const last = await search((S) => (S < 3000 ? 2 : 1), 1, { unit: 1, first: 500, most: 3000 });
    expect(last.tried.slice(0, 5)).toEqual([0, 500, 1000, 2000, 3000]);
    expect(last.S).toBe(3000);
  });

  it('tries only multiples of the unit, and ends when two are adjacent', async () => {
    const { S, tried } = await search((value) => (value < 5010 ? 2 : 1), 1, { unit: 100, first: 40, most: 100_000 });
    expect(S).toBe(5100);
    expect(tried.every((value) => value % 100 === 0)).toBe(true);
    expect(tried[1]).toBe(100);
    expect(tried).toContain(5000);
  });

  it('is correct for any falling curve, including steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20_000 }),
        fc.constantFrom(1, 7, 50),
        fc.integer({ min: 1, max: 3000 }),
        fc.constantFrom('step', 'exponential', 'cliff'),
        async (wanted, unit, first, shape) => {
          const most = 20_000 * unit;
          const curves = {
            step: (S: number) => (S < wanted ? 2 : 1),
            exponential: (S: number) => Math.exp(1 - S / wanted),
            cliff: (S: number) => (S < wanted ? 1 + 1e-9 * (wanted - S) : 1e-300),
          };
          const errorAt = curves[shape as keyof typeof curves];
          const { S, tried } = await search(errorAt, 1, { unit, first, most });
          expect(errorAt(S)).toBeLessThanOrEqual(1);
          expect(S % unit).toBe(0);
          // The largest budget that failed is at most one unit or 0.1% below.
          const below = Math.max(...tried.filter((value) => errorAt(value) > 1));
          expect(S - below).toBeLessThanOrEqual(Math.max(unit, S / 1000));
          expect(tried.length).toBeLessThan(80);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('says what can be reached if the target cannot', async () => {
    const show = (error: number) => `${error} dB`;
    const run = fewestAtoms(async () => ({ error: 3 }), 2, { unit: 1, first: 10, most: 40, show });
    await expect(run).rejects.toThrow(
      'budget must be reachable: with 40 atoms, as many as can help, it is 3 dB, but got "2 dB": ask for less',
    );
    const plain = await fewestAtoms(async () => ({ error: 3 }), 2, { unit: 1, first: 10, most: 40 }).catch(
      (error) => error,
    );
    expect(isGhtError(plain, 'option')).toBe(true);
  });
});
