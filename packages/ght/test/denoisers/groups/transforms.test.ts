/** The transforms of groups: they are invertible, and noise keeps its deviation. */
import { describe, expect, it } from 'vitest';
import { apply2d, bior, dct, haar, inverseHaar, transformOf } from '../../../src/denoisers/groups/transforms.js';
import { kaiser } from '../../../src/denoisers/groups/window.js';
import { randomSource } from '../../../src/index.js';
import { times } from '../../../src/math/matrix.js';

const patchOf = (n: number, seed: number) => {
  const random = randomSource(seed);
  return Float64Array.from({ length: n * n }, () => random.normal());
};
const energy = (values: Float64Array) => values.reduce((sum, value) => sum + value * value, 0);

/** bior1.5 by its definition, step by step: averages under the filter, differences of neighbours, the averages again. */
function biorByDefinition(n: number, signal: readonly number[]): number[] {
  // The filter of PyWavelets' bior1.5, dec_lo.
  const taps = [
    0.01657281518405971,
    -0.01657281518405971,
    -0.12153397801643787,
    0.12153397801643787,
    Math.SQRT1_2,
    Math.SQRT1_2,
    0.12153397801643787,
    -0.12153397801643787,
    -0.01657281518405971,
    0.01657281518405971,
  ];
  if (n === 1) return [...signal];
  const pairs = Array.from({ length: n / 2 }, (_, k) => k);
  const at = (i: number) => signal[((i % n) + n) % n];
  const averages = pairs.map((k) => taps.reduce((sum, tap, t) => sum + tap * at(2 * k - 4 + t), 0));
  const details = pairs.map((k) => (at(2 * k) - at(2 * k + 1)) / Math.SQRT2);
  return [...biorByDefinition(n / 2, averages), ...details];
}

describe('the analysis of a signal', () => {
  const unit = (n: number, i: number) => Array.from({ length: n }, (_, k) => Number(k === i));

  it.each([1, 2, 4, 8, 16, 32])('bior1.5 of %i samples has the rows of the wavelet, each of norm 1', (n) => {
    const columns = Array.from({ length: n }, (_, i) => biorByDefinition(n, unit(n, i)));
    const { analysis } = transformOf('bior', n);
    for (let k = 0; k < n; k++) {
      const norm = Math.hypot(...columns.map((column) => column[k]));
      for (let i = 0; i < n; i++) expect(analysis.data[i * n + k]).toBeCloseTo(columns[i][k] / norm, 12);
    }
  });

  it.each([1, 4, 7])('DCT of %i samples has cosines for rows, each of norm 1', (n) => {
    const { analysis } = transformOf('dct', n);
    for (let k = 0; k < n; k++) {
      const row = Array.from({ length: n }, (_, i) => Math.cos((Math.PI * k * (i + 0.5)) / n));
      for (let i = 0; i < n; i++) expect(analysis.data[i * n + k]).toBeCloseTo(row[i] / Math.hypot(...row), 12);
    }
  });
});

describe('the transform of a patch', () => {
  it.each([
    ['DCT', dct(8)],
    ['bior1.5', bior(8)],
    ['bior1.5 of 4', bior(4)],
    ['bior1.5 of 16', bior(16)],
  ])('%s: synthesis undoes analysis, and every row has norm 1', (_, { analysis, synthesis }) => {
    const n = analysis.rows;
    times(synthesis, analysis).data.forEach((value, i) => {
      expect(value).toBeCloseTo(i % (n + 1) === 0 ? 1 : 0, 12);
    });
    for (let k = 0; k < n; k++) {
      expect(energy(analysis.data.filter((_value, i) => i % n === k))).toBeCloseTo(1, 12);
    }
    const patch = patchOf(n, 1);
    const turned = patch.slice();
    apply2d(analysis, turned);
    apply2d(synthesis, turned);
    patch.forEach((value, i) => {
      expect(turned[i]).toBeCloseTo(value, 10);
    });
  });

  it('DCT keeps the energy of a patch, and its first coefficient is 8 times the mean', () => {
    const patch = patchOf(8, 2);
    const before = energy(patch);
    const mean = patch.reduce((sum, value) => sum + value, 0) / 64;
    apply2d(dct(8).analysis, patch);
    expect(energy(patch)).toBeCloseTo(before, 10);
    expect(patch[0]).toBeCloseTo(8 * mean, 10);
  });

  it('bior1.5 has the coefficients of the wavelet, and of a constant only the mean is nonzero', () => {
    // The low-pass filter of bior1.5, from tables; its outer taps cancel for eight samples.
    const inner = 0.12153397801643787;
    const { analysis } = bior(8);
    const flat = new Float64Array(64).fill(3);
    apply2d(analysis, flat);
    flat.forEach((value, i) => {
      if (i > 0) expect(value).toBeCloseTo(0, 12);
    });
    // The finest details are differences of neighbours.
    expect(analysis.data[0 * 8 + 4]).toBeCloseTo(Math.SQRT1_2, 12);
    expect(analysis.data[1 * 8 + 4]).toBeCloseTo(-Math.SQRT1_2, 12);
    // Row 2: the difference of the first two averages.
    const low = [Math.SQRT1_2, Math.SQRT1_2, inner, -inner, 0, 0, -inner, inner];
    const row = low.map((value, i) => value - low[(i + 6) % 8]);
    const norm = Math.hypot(...row);
    row.forEach((value, i) => {
      expect(analysis.data[i * 8 + 2]).toBeCloseTo(value / norm, 10);
    });
  });
});

describe('Haar along a group', () => {
  it('puts the sum first, then differences from coarse to fine', () => {
    const group = [1, 2, 4, 8].map((value) => Float64Array.of(value, 10 * value));
    haar(group);
    // Of 1, 2, 4, 8: 15/2; (3 − 12)/2; and (1 − 2)/√2, (4 − 8)/√2.
    const expected = [7.5, -4.5, -Math.SQRT1_2, -4 * Math.SQRT1_2];
    group.forEach((patch, k) => {
      expect(patch[0]).toBeCloseTo(expected[k], 14);
      expect(patch[1]).toBeCloseTo(10 * expected[k], 13);
    });
  });

  it.each([1, 2, 8, 16])('of %i patches keeps the energy and is invertible', (members) => {
    const group = Array.from({ length: members }, (_, k) => patchOf(4, k));
    const before = group.map((patch) => patch.slice());
    haar(group);
    const total = (patches: readonly Float64Array[]) => patches.reduce((sum, patch) => sum + energy(patch), 0);
    expect(total(group)).toBeCloseTo(total(before), 10);
    inverseHaar(group);
    group.forEach((patch, k) => {
      patch.forEach((value, i) => {
        expect(value).toBeCloseTo(before[k][i], 12);
      });
    });
  });

  it('collects equal patches in the first coefficient', () => {
    const group = Array.from({ length: 8 }, () => patchOf(4, 5));
    haar(group);
    group.slice(1).forEach((patch) => {
      for (const value of patch) expect(Math.abs(value)).toBeLessThan(1e-12);
    });
  });
});

describe('the Kaiser window', () => {
  it('has the values of NumPy', () => {
    // numpy.kaiser(8, 2)
    const side = [0.43867628, 0.68132426, 0.87683991, 0.98582251, 0.98582251, 0.87683991, 0.68132426, 0.43867628];
    const window = kaiser(8, 2);
    side.forEach((a, i) => {
      side.forEach((b, j) => {
        expect(window[8 * i + j]).toBeCloseTo(a * b, 7);
      });
    });
  });
  it('is 1 everywhere for β = 0', () => {
    expect([...kaiser(4, 0)]).toEqual(new Array(16).fill(1));
  });
});
