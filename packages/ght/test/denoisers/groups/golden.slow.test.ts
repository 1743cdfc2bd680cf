/** The reference denoisers against an independent implementation: test/golden/make_denoisers.py. */
import { expect, it } from 'vitest';
import { denoiserCases, largestDifference } from '../../golden/denoisers.js';
import { followed } from './followed.js';

it.each(denoiserCases)('%s', (_name, { recipe, width, height, noisy, denoised, noise }) => {
  const planes = followed(
    recipe,
    noisy.map((data) => ({ width, height, data })),
    noise,
  );
  expect(planes).toHaveLength(denoised.length);
  for (const [c, { data }] of planes.entries()) {
    expect(data).toHaveLength(width * height);
    // Samples are at most 13, and the file has ten decimals.
    expect(largestDifference(data, denoised[c]), `plane ${c}`).toBeLessThan(1e-9);
  }
});
