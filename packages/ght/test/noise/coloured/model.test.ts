import { describe, expect, it } from 'vitest';
import { colouredModel } from '../../../src/noise/coloured/model.js';
import type { SpectrumEstimate } from '../../../src/noise/coloured/spectrum.js';

/** A plane of a sharp picture, unless the share of blocks with structure is given. */
const plane = (level: number, confidence = 1, structure = 1) => ({
  ...{ ratios: [1, 1], anchor: 0, confidence, believed: 1, structure },
  ...{ middle: level, reference: level, finest: level / 4, coarsest: level },
  deviations: [level, 2 * level].map((value) => new Float64Array(64).fill(value)),
});
/** A plane whose deviations fall with frequency, from 1 at low ones to `slope` from r = 3.5 on. */
const falling = (slope: number, structure: number) => ({
  ...plane(1, 1, structure),
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

  const factor = (slope: number, structure: number) =>
    first(colouredModel(estimateWith(falling(slope, structure))))[0].toFixed(4);

  it('raises the deviations of low-pass noise in a soft picture, which is correlated between the members of a group', () => {
    expect([0.1, 0.65, 0.75, 0.85, 1].map((slope) => factor(slope, 0))).toEqual([
      ...['1.6500', '1.6500', '1.3250', '1.0000', '1.0000'],
    ]);
  });

  it('raises them less the more blocks have structure, and not at all in a sharp picture', () => {
    expect([0, 0.1, 0.2, 0.3, 1].map((structure) => factor(0.5, structure))).toEqual([
      ...['1.6500', '1.6500', '1.3250', '1.0000', '1.0000'],
    ]);
  });

  it('uses the structure of luma alone', () => {
    const sharpChromas = estimateWith(falling(0.5, 0), falling(0.5, 1), falling(0.5, 1));
    for (const deviation of first(colouredModel(sharpChromas))) expect(deviation).toBeCloseTo(1.65, 12);
    const softChromas = estimateWith(falling(0.5, 1), falling(0.5, 0), falling(0.5, 0));
    expect(first(colouredModel(softChromas))).toEqual([1, 1, 1]);
  });

  it('adds a share of the JPEG step, frequency by frequency', () => {
    const steps = Float64Array.from({ length: 64 }, (_, f) => (f === 9 ? 12 : 0));
    const { deviations } = colouredModel(estimate, { factor: 2, jpegSteps: [steps, steps, steps] });
    expect(deviations[0][0][9]).toBeCloseTo(Math.hypot(2 * 4, 0.25 * 12), 12);
    expect(deviations[1][0][9]).toBeCloseTo(Math.hypot(2 * 2, 0.3 * 12), 12);
    expect(deviations[0][0][10]).toBe(8);
  });

  it('doubles that share in a soft picture, in all planes', () => {
    const steps = new Float64Array(64).fill(12);
    const shares = (structure: number) => {
      const soft = estimateWith(plane(0, 1, structure), plane(0), plane(0));
      return first(colouredModel(soft, { jpegSteps: [steps, steps, steps] })).map((value) => (value / 12).toFixed(4));
    };
    expect(shares(0.1)).toEqual(['0.5000', '0.6000', '0.6000']);
    expect(shares(0.2)).toEqual(['0.3750', '0.4500', '0.4500']);
    expect(shares(0.3)).toEqual(['0.2500', '0.3000', '0.3000']);
  });

  it('leaves planes without flat areas unchanged with onlyTrusted', () => {
    expect(first(colouredModel(estimate, { factor: 1, onlyTrusted: true }))).toEqual([4, 2, 0]);
  });
});
