import { describe, expect, it } from 'vitest';
import { colouredModel } from '../../../src/noise/coloured/model.js';
import type { SpectrumEstimate } from '../../../src/noise/coloured/spectrum.js';

const plane = (level: number, confidence = 1) => ({
  ...{ ratios: [1, 1], anchor: 0, confidence, middle: level, reference: level, finest: level / 4, coarsest: level },
  deviations: [level, 2 * level].map((value) => new Float64Array(64).fill(value)),
});
/** A plane whose deviations fall with frequency, from 1 at low ones to `slope` from r = 3.5 on. */
const falling = (slope: number) => ({
  ...plane(1),
  deviations: [Float64Array.from({ length: 64 }, (_, f) => (Math.hypot(f & 7, f >> 3) < 3.2 ? 1 : slope))],
});
const estimateWith = (...planes: ReturnType<typeof plane>[]): SpectrumEstimate => ({
  ...{ brightness: [50, 300], planes, blocks: 5000 },
});

describe('colouredModel', () => {
  const estimate = estimateWith(plane(4), plane(2), plane(1, 0.5));
  const first = (model: ReturnType<typeof colouredModel>) => model.deviations.map(([at]) => at[9]);

  it('keeps the deviations of a flat spectrum, and multiplies them by a given factor', () => {
    const model = colouredModel(estimate);
    expect(model).toMatchObject({ kind: 'coloured', brightness: [50, 300] });
    expect(first(model)).toEqual([4, 2, 1]);
    expect(model.deviations[0][1][9]).toBe(8);
    expect(first(colouredModel(estimate, { factor: 1.5 }))).toEqual([6, 3, 1.5]);
  });

  it('raises the deviations of low-pass noise, which is correlated between the members of a group', () => {
    const factor = (slope: number) => first(colouredModel(estimateWith(falling(slope))))[0];
    expect([0.1, 0.65, 0.75, 0.85, 1].map((slope) => factor(slope).toFixed(3))).toEqual([
      ...['1.300', '1.300', '1.150', '1.000', '1.000'],
    ]);
  });

  it('multiplies by the strength, and chroma also by its own strength', () => {
    expect(first(colouredModel(estimate, { factor: 1, strength: 2, chroma: 3 }))).toEqual([8, 12, 6]);
    const stack = estimateWith(plane(4), plane(2));
    expect(first(colouredModel(stack, { factor: 1, chroma: 3 }))).toEqual([4, 2]);
  });

  it('adds a share of the JPEG step, frequency by frequency', () => {
    const steps = Float64Array.from({ length: 64 }, (_, f) => (f === 9 ? 12 : 0));
    const { deviations } = colouredModel(estimate, { factor: 1, strength: 2, jpegSteps: [steps, steps, steps] });
    expect(deviations[0][0][9]).toBeCloseTo(2 * Math.hypot(4, 0.25 * 12), 12);
    expect(deviations[1][0][9]).toBeCloseTo(2 * Math.hypot(2, 0.3 * 12), 12);
    expect(deviations[0][0][10]).toBe(8);
  });

  it('leaves planes without flat areas unchanged with onlyTrusted', () => {
    expect(first(colouredModel(estimate, { factor: 1, onlyTrusted: true }))).toEqual([4, 2, 0]);
  });
});
