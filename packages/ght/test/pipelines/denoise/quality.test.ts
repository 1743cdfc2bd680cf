/** Which quality takes the place of the requested one. */
import { describe, expect, it } from 'vitest';
import { denoise, type NoiseModel } from '../../../src/index.js';
import { chooseQuality } from '../../../src/pipelines/denoise/quality.js';
import { noisy, picture } from '../../pictures.js';

const samples = { least: 0, most: 255 };
const white = (...sigma: number[]): NoiseModel => ({ kind: 'white', sigma });
const coloured = (...levels: number[]): NoiseModel => ({
  ...{ kind: 'coloured', brightness: [0] },
  deviations: levels.map((level) => [new Float64Array(64).fill(level)]),
});
const growing = (...gains: number[]): NoiseModel => ({
  kind: 'signal-dependent',
  planes: gains.map((gain) => ({ gain, sigma: 0.5, offset: 0 })),
});

describe('chooseQuality', () => {
  it.each([
    ['white', white(10, 0.1, 0), 'learned'],
    ['white, quiet in the first plane', white(0, 0.1, 10), 'learned'],
    ['coloured', coloured(10, 0.1, 0.1), 'finest'],
    ['that grows with the signal', growing(2, 0.001, 0), 'learned'],
  ] as const)('looks at the plane with the most noise: %s', (_name, noise, expected) => {
    expect(chooseQuality('learned', noise, samples, 1).quality).toBe(expected);
    expect(chooseQuality('finest', noise, samples, 1)).toEqual({ quality: 'finest' });
  });

  it.each([
    ['white', white(3, 2, 1)],
    ['coloured', coloured(3, 2, 1)],
    ['that grows with the signal', growing(0.001, 0, 0)],
  ])('leaves noise that is weak in all planes to best: %s', (_name, noise) => {
    for (const requested of ['learned', 'finest'] as const) {
      expect(chooseQuality(requested, noise, samples, 1)).toEqual({
        quality: 'best',
        qualityFallback: { requested, reason: 'noise-too-weak' },
      });
    }
    expect(chooseQuality('fast', noise, samples, 1)).toEqual({ quality: 'fast' });
  });

  it('the limit is 1/64 of the range', () => {
    expect(chooseQuality('learned', white(255 / 63.9, 0), samples, 1).quality).toBe('learned');
    expect(chooseQuality('learned', white(255 / 64.1, 0), samples, 1).quality).toBe('best');
    expect(chooseQuality('learned', white(255 / 64.1, 0), samples, 1.1).quality).toBe('learned');
  });

  it('learned denoises a picture with two quiet planes', async () => {
    const result = await denoise(noisy(picture(48, 40, 3), 9), { quality: 'learned', sigma: [9, 0.1, 0.1] });
    expect([result.quality, result.qualityFallback]).toEqual(['learned', undefined]);
  });
});
