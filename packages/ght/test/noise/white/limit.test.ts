import { describe, expect, it } from 'vitest';
import type { PlaneSpectrum } from '../../../src/noise/coloured/spectrum.js';
import { whiteLimit } from '../../../src/noise/white/limit.js';
import { radius } from '../made-noise.js';

/** A plane with one deviation at r < 2, one up to r = 4 and one beyond. */
function plane(low: number, middle: number, fine: number, confidence = 1): PlaneSpectrum {
  const deviations = [
    Float64Array.from({ length: 64 }, (_, f) => (radius(f) < 2 ? low : radius(f) <= 4 ? middle : fine)),
  ];
  return {
    ...{ deviations, ratios: [1.2 / confidence], anchor: 0, confidence, believed: 1, structure: 0.5 },
    middle,
    reference: fine,
    finest: fine,
    coarsest: low,
  };
}
const steps = (step: number) => new Float64Array(64).fill(step);

describe('whiteLimit', () => {
  const texture = plane(40, 40, 15);

  it('is the level of the fine frequencies if the chromas have white noise', () => {
    expect(whiteLimit([texture, plane(15, 8, 3), plane(14, 7, 3)], steps(10), true)).toBe(15);
  });

  it('is a quarter of the step if finer frequencies were rounded to zero and luma has no flat areas', () => {
    const chromas = [plane(15, 8, 0), plane(14, 7, 0)];
    expect(whiteLimit([plane(40, 40, 0, 0.8), ...chromas], steps(60), true)).toBe(15);
    expect(whiteLimit([plane(40, 40, 0), ...chromas], steps(60), true)).toBe(Number.POSITIVE_INFINITY);
    expect(whiteLimit([plane(40, 40, 0, 0.8), ...chromas], steps(60), false)).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not apply to a camera, whose chroma noise is coarse', () => {
    expect(whiteLimit([texture, plane(30, 8, 1), plane(10, 3, 1)], steps(10), true)).toBe(Number.POSITIVE_INFINITY);
  });

  it('applies without noise in the chromas only if luma has no flat areas', () => {
    const none = plane(0, 0, 0);
    expect(whiteLimit([texture, none, none], steps(10), true)).toBe(Number.POSITIVE_INFINITY);
    expect(whiteLimit([plane(40, 40, 15, 0.8), none, none], steps(10), true)).toBe(15);
  });
});
