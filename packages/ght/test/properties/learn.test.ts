/** Learning on numerically difficult signals and from difficult dictionaries. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isGhtError, learn, randomSource } from '../../src/index.js';
import { dictionary, runs, scale } from './problems.js';

it('gives finite atoms of norm 1 that are no worse than the initial ones, at any scale', async () => {
  let learned = 0;
  await fc.assert(
    fc.asyncProperty(dictionary, scale, fc.boolean(), fc.boolean(), async (initial, scale, dense, flat) => {
      const separable = !dense && initial.factors !== undefined;
      const { normal } = randomSource(3);
      const Y = Float64Array.from({ length: 60 * initial.N }, () => (flat ? 1 : normal()) * scale);
      try {
        const { dictionary: D, ...result } = await learn(Y, {
          ...{ initial, separable, budget: { perPatch: Math.min(2, initial.L) }, iterations: 3, engine: 'wasm' },
        });
        for (let l = 0; l < D.L; l++) {
          expect(Math.hypot(...D.atoms.data.subarray(l * D.N, (l + 1) * D.N))).toBeCloseTo(1, 9);
        }
        expect(result.rmse).toBeLessThanOrEqual(result.initialRmse);
        learned++;
      } catch (error) {
        // An atom is zero.
        if (!isGhtError(error) || !/^atom \d+ must/.test(error.message)) throw error;
      }
    }),
    runs(40),
  );
  expect(learned).toBeGreaterThan(15);
});
