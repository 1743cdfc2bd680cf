import { describe, expect, it } from 'vitest';
import { decorrelate, type Image, type Samples } from '../../src/index.js';
import { brightnessBins, MOST_BLOCKS, samplingFor } from '../../src/noise/coloured/blocks.js';
import { coarseNoise } from '../../src/noise/coloured/coarse.js';
import { type Flattest, flattest } from '../../src/noise/coloured/flat-blocks.js';
import { colouredModel } from '../../src/noise/coloured/model.js';
import { colouredNoise } from '../../src/noise/coloured/spectrum.js';
import { jpegSteps } from '../../src/noise/jpeg/jpeg.js';
import { isWhite } from '../../src/noise/white/gate.js';
import { finish } from '../../src/work.js';
import { type NoiseCase, noiseCases } from '../golden/noise.js';

/**
 * The relative difference that rounding may make: both sides are float64, and the golden numbers have 11 digits. Frequencies
 * that are nearly empty may differ by 1e-12 of the largest value.
 */
const TOLERANCE = 1e-9;

/** Fails unless rows of numbers agree with what is expected of them. */
function expectNear(found: readonly ArrayLike<number>[], expected: readonly ArrayLike<number>[], what: string): void {
  expect(found.length, what).toBe(expected.length);
  const least = 1e-12 * Math.max(0, ...expected.map((row) => Math.max(...Array.from(row))));
  for (const [b, row] of expected.entries()) {
    expect(found[b].length, what).toBe(row.length);
    for (let f = 0; f < row.length; f++) {
      const within = Math.max(least, TOLERANCE * Math.abs(row[f]));
      expect(Math.abs(found[b][f] - row[f]), `${what}[${b}][${f}]: ${found[b][f]}, not ${row[f]}`).toBeLessThanOrEqual(
        within,
      );
    }
  }
}

/** V and R of every bin of a plane, in the units of the samples. */
function measured(image: Image, plane: Samples, { jpeg, blocks }: NoiseCase): Flattest[] {
  const { width, height, planes: original } = image;
  const [first] = decorrelate(original);
  const bins = finish(brightnessBins(first, original, width, height, jpeg, blocks ?? MOST_BLOCKS));
  const mean = Array.from(plane).reduce((sum, value) => sum + value / plane.length, 0);
  return bins.map(({ at }) => {
    const centred = { samples: plane, width, mean, scale: 1 };
    return finish(flattest(centred, at, samplingFor(jpeg), new Float64Array(64 * at.length)));
  });
}

describe.each(noiseCases)('golden estimate: %s', (_name, given) => {
  const { image, jpeg, blocks, expected } = given;
  const { width, height, planes: original, peak } = image;
  const planes = decorrelate(original);
  const estimate = finish(colouredNoise(planes, width, height, { peak, original, jpeg, blocks }));

  it('looks at the same blocks, in bins of the same brightness', () => {
    expect(estimate.blocks).toBe(expected.blocks);
    expectNear([estimate.brightness], [expected.brightness], 'brightness');
  });

  it('measures the same variances V and ratios R in the flattest blocks', () => {
    for (const [c, { V, R }] of expected.planes.entries()) {
      const found = measured(image, planes[c], given);
      // Where there is no noise, such as in the chromas of grey, there is nothing but rounding, which the estimate takes for 0.
      if (V.every((row) => row.every((value) => value === 0))) {
        for (const { variance } of found) expect(Math.max(...variance)).toBeLessThan(1e-24);
        continue;
      }
      const variances = found.map(({ variance }) => variance);
      expectNear(variances, V, `V of plane ${c}`);
      expectNear([estimate.planes[c].ratios], [R], `R of plane ${c}`);
    }
  });

  it('believes the same brightness as much, and comes to the same deviations', () => {
    for (const [c, plane] of expected.planes.entries()) {
      const found = estimate.planes[c];
      expect(found.anchor).toBe(plane.anchor);
      expectNear(found.deviations, plane.deviations, `deviations of plane ${c}`);
      for (const name of ['confidence', 'middle', 'reference', 'finest', 'coarsest'] as const) {
        expectNear([[found[name]]], [[plane[name]]], `${name} of plane ${c}`);
      }
      // Above no noise at all, the rounding of the chromas of grey counts as structure.
      const isRounded = c > 0 && plane.middle === 0;
      if (!isRounded) expectNear([[found.structure]], [[plane.structure]], `structure of plane ${c}`);
    }
  });

  it('calls it white or coloured alike, and gives a denoiser the same deviations', () => {
    expect(isWhite(estimate, jpeg !== undefined)).toBe(expected.white);
    const steps = jpeg && jpegSteps(jpeg, planes.length, peak / 255);
    const { deviations } = colouredModel(estimate, { jpegSteps: steps });
    const model =
      expected.model ??
      expected.planes.map((plane) => plane.deviations.map((row) => row.map((value) => expected.factor * value)));
    for (const [c, rows] of model.entries()) expectNear(deviations[c], rows, `model of plane ${c}`);
  });

  const { coarse } = expected;
  if (!coarse) return;
  it('finds the same noise at half the size', () => {
    const { brightness, deviations } = finish(coarseNoise(planes, image, estimate.planes, jpeg !== undefined));
    expectNear([brightness], [coarse.brightness], 'brightness at half the size');
    for (const [c, rows] of coarse.deviations.entries()) {
      expectNear(deviations[c], rows, `deviations of plane ${c} at half the size`);
    }
  });
});
