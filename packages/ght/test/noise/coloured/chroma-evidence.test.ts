import { describe, expect, it } from 'vitest';
import { chromaEvidence } from '../../../src/noise/coloured/chroma-evidence.js';
import type { PlaneSpectrum } from '../../../src/noise/coloured/spectrum.js';
import { estimateOf, filtered, middleOf, radius, whiteNoise } from '../made-noise.js';

const SIDE = 224;

/** A plane with these deviations, of which a share was believed. */
function plane(deviation: (r: number) => number, believed = 1): PlaneSpectrum {
  const deviations = [Float64Array.from({ length: 64 }, (_, f) => deviation(radius(f)))];
  const middle = middleOf(deviations[0]);
  return {
    ...{ deviations, ratios: [1], anchor: 0, confidence: 1, believed, structure: 0.5 },
    ...{ middle, reference: middle, finest: middle, coarsest: middle },
  };
}

describe('chromaEvidence', () => {
  it('raises luma to the noise of the chromas, at most to what was measured', () => {
    const chroma = plane(() => 6);
    expect(chromaEvidence([plane(() => 2, 0.1), chroma, chroma])[9]).toBeCloseTo(3, 12);
    expect(chromaEvidence([plane(() => 2, 0.5), chroma, chroma])[9]).toBeCloseTo(2, 12);
    expect(chromaEvidence([plane(() => 8), chroma, chroma])[9]).toBe(1);
  });

  it('takes away what falls faster with frequency than the noise of the chromas', () => {
    const chroma = plane(() => 4);
    const luma = plane((r) => (r < 3.2 ? 20 : 8));
    const factors = chromaEvidence([luma, chroma, chroma]);
    expect(factors[1] * 20).toBeCloseTo(1.1 * 8, 12);
    // The bands that luma is compared at are not changed.
    expect(factors[6]).toBe(1);
  });

  it('learns nothing from chromas that were rounded to almost nothing', () => {
    const luma = plane((r) => (r < 3.2 ? 20 : 8));
    for (const level of [0, 0.3]) {
      const chroma = plane(() => level);
      expect([...chromaEvidence([luma, chroma, chroma])]).toEqual(new Array(64).fill(1));
    }
  });
});

/** Noise as strong in luma as in the chromas and smooth, as of a camera, on a luma with texture everywhere. */
function textured(texture: number) {
  const noise = [1, 2, 3].map((seed) => filtered(whiteNoise(SIDE * SIDE, seed), SIDE, [0.5, 0.5], [0.5, 0.5]));
  const fibre = [1, 5, 10, 10, 5, 1].map((weight) => weight / 32);
  const cloth = filtered(whiteNoise(SIDE * SIDE, 9), SIDE, fibre, fibre);
  const planes = noise.map((each) => each.map((value, i) => 120 + 10 * value + texture * cloth[i]));
  return { width: SIDE, height: SIDE, planes, peak: 255 };
}

describe('the noise of luma', () => {
  it('is found on even texture within a third, and without texture within a tenth', () => {
    const truth = estimateOf(textured(0)).planes[1].middle;
    expect(Math.abs(estimateOf(textured(0)).planes[0].middle / truth - 1)).toBeLessThan(0.1);
    expect(estimateOf(textured(20)).planes[0].middle / truth).toBeGreaterThan(0.9);
    expect(estimateOf(textured(20)).planes[0].middle / truth).toBeLessThan(1.35);
  });
});
