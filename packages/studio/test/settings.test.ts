import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHash, fromJson, toHash, toJson } from '../src/settings/link.js';
import { defaults, type Settings, sameMemory, sameRun } from '../src/settings/settings.js';

const settings: fc.Arbitrary<Settings> = fc.record({
  tab: fc.constantFrom('start', 'learn', 'represent', 'compare', 'denoise', 'restore'),
  engine: fc.constantFrom('auto', 'webgpu', 'wasm'),
  image: fc.constantFrom('nagasaki-boats', 'black-canyon', 'black-canyon-camera', ''),
  goal: fc.constantFrom('atoms', 'psnr'),
  s: fc.integer({ min: 5, max: 400 }).map((n) => n / 10),
  psnr: fc.integer({ min: 30, max: 120 }).map((n) => n / 2),
  solver: fc.constantFrom('qpm', 'admm', 'joint-omp', 'omp', 'aiht', 'cosamp'),
  dictionary: fc.constantFrom('learned', 'dct-100', 'dct-64', 'dct-196', 'gaussian-100'),
  rho: fc.option(fc.integer({ min: 1, max: 1000 }).map((n) => n / 1000)),
  stride: fc.constantFrom(8, 4, 2),
  refit: fc.boolean(),
  overlay: fc.constantFrom('none', 'heatmap', 'error', 'removed'),
  zoom: fc.constantFrom(null, 0.25, 8),
  x: fc.constantFrom(0, 120.25, -3),
  y: fc.constantFrom(0, 80.5),
  divider: fc.constantFrom(0, 0.5, 0.731, 1),
  patch: fc.constantFrom('', '120,80'),
  left: fc.constantFrom('original', 'omp'),
  right: fc.constantFrom('original', 'admm'),
  noise: fc.integer({ min: 0, max: 100 }),
  sigma: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 100 })),
  strength: fc.constantFrom(0.5, 1, 1.4),
  strengthChroma: fc.constantFrom(0.5, 1, 1.4),
  quality: fc.constantFrom('fast', 'balanced', 'best', 'learned', 'finest'),
  restore: fc.constantFrom('inpaint', 'deblur', 'upscale'),
  kernel: fc.constantFrom('auto', 'gaussian', 'disk', 'motion', 'drawn'),
  blur: fc.constantFrom(0.3, 1.6, 10),
  radius: fc.constantFrom(0.5, 4, 20),
  length: fc.integer({ min: 1, max: 60 }),
  angle: fc.integer({ min: 0, max: 179 }),
  blurNoise: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 0, max: 50 })),
  factor: fc.constantFrom(2, 3, 4),
  restoreQuality: fc.constantFrom('fast', 'balanced', 'best', 'learned'),
  step: fc.integer({ min: 1, max: 7 }),
});

describe('a link', () => {
  it('restores every setting', () => {
    fc.assert(fc.property(settings, (each) => void expect(fromHash(toHash(each))).toEqual(each)));
  });

  it('is short where little was changed', () => {
    expect(toHash(defaults)).toBe('');
    expect(toHash({ ...defaults, tab: 'compare', s: 10 })).toBe('#v=2&tab=compare&s=10');
  });

  it('uses the defaults for invalid values, and ignores unknown names', () => {
    const wrong =
      '#v=2&s=400&engine=portable&solver=magic&stride=3&rho=&sigma=-2&factor=5&kernel=box&blurNoise=51&image=../../etc/passwd&__proto__=1&constructor=2&patch=a,b&zoom=0&divider=2';
    expect(fromHash(wrong)).toEqual(defaults);
  });
});

describe('a link from before the first screen', () => {
  it('opens the tab and the options that it meant', () => {
    expect(fromHash('#s=10')).toMatchObject({ tab: 'represent', s: 10, solver: 'admm', dictionary: 'dct-100' });
    expect(fromHash('#tab=compare&left=qpm')).toMatchObject({ tab: 'compare', left: 'qpm', dictionary: 'dct-100' });
  });

  it('adds no noise to a picture that has noise', () => {
    expect(fromHash('#tab=denoise&image=black-canyon-camera').noise).toBe(0);
    expect(fromHash('#tab=denoise&image=black-canyon').noise).toBe(20);
  });
});

describe('a file of settings', () => {
  it('restores every setting', () => {
    fc.assert(fc.property(settings, (each) => void expect(fromJson(toJson(each))).toEqual(each)));
  });

  it('is rejected if it is something else', () => {
    for (const text of ['', '[]', 'null', '{"s":3}']) expect(fromJson(text)).toBeUndefined();
  });
});

describe('settings that ask for the same run', () => {
  it('may differ in what is shown, not in what is solved', () => {
    expect(sameRun(defaults, { ...defaults, overlay: 'error', tab: 'compare' })).toBe(true);
    expect(sameRun(defaults, { ...defaults, s: 6 })).toBe(false);
  });

  it('need other memory with noise than without, whatever its strength', () => {
    expect(sameMemory(defaults, { ...defaults, noise: 50 })).toBe(true);
    expect(sameMemory(defaults, { ...defaults, noise: 0 })).toBe(false);
  });
});
