import { describe, expect, it } from 'vitest';
import type { EngineInfo, EngineObstacle } from '../../src/engines/engine.js';
import type { NoiseEstimate } from '../../src/noise/estimate.js';
import type { NoiseReport } from '../../src/pipelines/denoise/findings.js';
import type { RestoreResult } from '../../src/pipelines/restore/options.js';
import { describeBySubject, describe as sentences } from '../../src/tasks/describe.js';

const white = (...sigma: number[]): NoiseEstimate => ({ model: { kind: 'white', sigma }, confidence: 1 });

/** Coloured noise with these levels at middle frequencies, and a quarter of them at the finest. */
const coloured = (middles: number[], found: Partial<NoiseEstimate> = {}): NoiseEstimate => ({
  model: { kind: 'coloured', brightness: [0], deviations: [] },
  levels: middles.map((middle) => ({ middle, finest: middle / 4, coarsest: middle, confidence: 1 })),
  confidence: 1,
  ...found,
});

describe('an estimate of noise', () => {
  it('has one deviation for white noise, or one per plane if they differ', () => {
    expect(sentences(white(25.08, 25.12, 25.1))).toEqual(['noise: white, σ = 25.1']);
    expect(sentences(white(5, 12.34, 1079.4))).toEqual(['noise: white, σ = 5.0, 12.3, 1079']);
    expect(sentences(white(0))).toEqual(['noise: white, σ = 0']);
  });

  it.each([
    [[4.2, 0.3, 0.3], 'luma 4.2 at middle and 1.1 at finest frequencies, chroma 0.30'],
    [[4.2, 6e-17, 0], 'luma 4.2 at middle and 1.1 at finest frequencies, chroma 0'],
    [[0.0164], '0.016 at middle and 0.0041 at finest frequencies'],
    [[4, 8], '4.0 to 8.0 at middle and 1.0 to 2.0 at finest frequencies'],
  ])('has the levels of coloured noise: %j', (middles, levels) => {
    expect(sentences(coloured(middles))).toEqual([`noise: coloured; ${levels}`]);
  });

  it('has the JPEG steps that are included, and says that it is uncertain', () => {
    const estimate = coloured([4, 1, 1], { jpegQuality: 74.6, confidence: 0.3, confidenceReason: 'no-flat-area' });
    expect(sentences(estimate)).toEqual([
      'noise: coloured; luma 4.0 at middle and 1.0 at finest frequencies, chroma 1.0; JPEG steps of quality about 75 counted in. ' +
        'No flat area found: the estimate is uncertain, and noise is removed moderately',
    ]);
  });

  it('has no levels if the spectrum was given', () => {
    const given = coloured([], { levels: undefined });
    expect(sentences(given)).toEqual(['noise: coloured, with the given spectrum']);
  });

  it('has gain, σ and offset of noise that grows with the signal', () => {
    const planes = [{ gain: 2, sigma: 0, offset: 100 }];
    expect(sentences({ model: { kind: 'signal-dependent', planes }, confidence: 1 })).toEqual([
      'noise: grows with the signal; gain 2.0, σ = 0 without signal, offset 100',
    ]);
  });
});

describe('a diagnosis', () => {
  it('has defects as they are, and then the noise', () => {
    const impulses = { count: 1234, fraction: 0.0472, kind: 'salt-and-pepper' } as const;
    const banding = { rows: 0, columns: 5.5, search: 'done' } as const;
    expect(sentences({ ...white(17), impulses, banding })).toEqual([
      '4.7% of the samples are impulses (salt and pepper)',
      'column banding of deviation 5.5 was found',
      'noise: white, σ = 17.0',
    ]);
  });
});

describe('a result of upscaling', () => {
  const plain = {
    sigma: 0,
    estimated: true,
    warnings: [],
    quality: 'fast',
    history: [],
    engine: { name: 'wasm', threads: 1 },
  } as const;

  it.each([
    [{ kind: 'bicubic', confidence: 0.934 }, 'found to be bicubic, with confidence 0.93'],
    [{ kind: 'area', confidence: 0.9 }, 'found to be area averaging, with confidence 0.90'],
    [
      { kind: 'gaussian', width: 0.91, confidence: 1 },
      'found to be a wide Gaussian, of which a deviation of 0.91 pixels of the result is assumed, with confidence 1.00',
    ],
    [
      { kind: 'mixed', share: 0.25, confidence: 0.8 },
      'not certain: assumed between bicubic and area averaging, 25% of the latter',
    ],
    [
      { kind: 'mixed', share: 0.6, confidence: 0, reason: 'noise-removed' },
      'not certain, because noise was removed: assumed between bicubic and area averaging, 60% of the latter',
    ],
  ] as const)('says how the image was reduced: %j', (reduction, text) => {
    expect(sentences({ ...plain, reduction })).toEqual(['noise: none assumed', `reduction: ${text}`]);
  });

  it('says which noise was removed first, and that none is assumed if none was found', () => {
    expect(sentences({ ...plain, noise: white(5.04) })).toEqual(['noise: white, σ = 5.0; removed before enlarging']);
    const steps = coloured([], { levels: undefined, jpegQuality: 79.8 });
    expect(sentences({ ...plain, noise: steps })).toEqual([
      'noise: JPEG steps of quality about 80; removed before enlarging',
    ]);
    expect(sentences(plain)).toEqual(['noise: none assumed']);
  });
});

describe('a result of denoising', () => {
  const clean: NoiseReport = {
    noise: { kind: 'white', sigma: [17] },
    confidence: 1,
    impulses: { count: 0, fraction: 0, kind: 'none' },
    banding: { rows: 0, columns: 0, search: 'done' },
    quality: 'balanced',
  };

  it('has the noise alone if nothing else was found', () => {
    expect(sentences(clean)).toEqual(['noise: white, σ = 17.0']);
    expect(sentences({ ...clean, banding: { ...clean.banding, search: 'off' } })).toEqual(['noise: white, σ = 17.0']);
  });

  it('has defects first and a replaced quality last; tables get them by subject without labels', () => {
    const report: NoiseReport = {
      ...clean,
      impulses: { count: 1234, fraction: 0.0472, kind: 'salt-and-pepper' },
      banding: { rows: 10.04, columns: 5.5, search: 'done' },
      quality: 'finest',
      qualityFallback: { requested: 'learned', reason: 'noise-not-white' },
    };
    expect(sentences(report)).toEqual([
      '4.7% of the samples were impulses (salt and pepper) and were replaced',
      'row banding of deviation 10.0 and column banding of deviation 5.5 were removed',
      'noise: white, σ = 17.0',
      'quality: finest in place of learned, which is for white noise',
    ]);
    expect(describeBySubject(report)).toMatchObject({
      noise: 'white, σ = 17.0',
      quality: 'finest in place of learned, which is for white noise',
    });
  });

  it.each([
    [{ count: 3, fraction: 3e-5, kind: 'hot pixels' }, '3 of the samples were hot or dead pixels and were replaced'],
    [{ count: 99, fraction: 0.2, kind: 'impulses' }, '20.0% of the samples were impulses and were replaced'],
  ] as const)('counts few impulses, and has the share of many: %j', (impulses, sentence) => {
    expect(describeBySubject({ ...clean, impulses }).impulses).toBe(sentence);
  });

  it.each([
    [{ rows: 2.34, columns: 0, search: 'done' }, 'row banding of deviation 2.3 was removed'],
    [
      { rows: 0, columns: 0, search: 'image-too-large' },
      'offsets of rows and columns were not searched, because the image is too large to be read as a whole',
    ],
  ] as const)('says what banding was removed, or why it was not searched: %j', (banding, sentence) => {
    expect(describeBySubject({ ...clean, banding }).banding).toBe(sentence);
  });

  it('says that the noise is too weak for the learned model', () => {
    const weak = {
      ...clean,
      quality: 'best',
      qualityFallback: { requested: 'finest', reason: 'noise-too-weak' },
    } as const;
    expect(describeBySubject(weak).quality).toBe(
      'best in place of finest, which is for noise of at least 1/64 of the range of the samples',
    );
  });
});

describe('an engine that ran', () => {
  const adapter = { name: 'NVIDIA H200', subgroupSize: 32, bindingBytes: 2 ** 31, software: false };

  it.each<[Omit<EngineInfo, 'threads'> & { threads?: number }, string]>([
    [{ name: 'portable' }, 'plain TypeScript'],
    [{ name: 'reference' }, 'the mathematics as written'],
    [{ name: 'own' }, 'the prior was given'],
    [{ name: 'wasm', threads: 8, threadsReason: { kind: 'cores' } }, '8 threads, as many as there are cores'],
    [{ name: 'wasm', threads: 1, threadsReason: { kind: 'requested' } }, '1 thread, as requested'],
    [
      { name: 'wasm', instructions: 'simd', threadsReason: { kind: 'small-problem' } },
      'SIMD; one thread, because a small problem does not pay for more',
    ],
    [
      { name: 'wasm', threadsReason: { kind: 'unsupported', message: 'memory cannot be shared' } },
      'one thread, because memory cannot be shared',
    ],
    [
      { name: 'wasm', threadsReason: { kind: 'failed', message: 'EAGAIN' } },
      'one thread, because others could not be started: EAGAIN',
    ],
    [
      {
        ...{ name: 'wasm', instructions: 'simd-fma', threads: 2, threadsReason: { kind: 'requested' } },
        dictionaryFactors: [
          { rows: 8, cols: 10 },
          { rows: 8, cols: 12 },
        ],
      },
      'SIMD with fused multiply-add; the dictionary is separable, 8×10 ⊗ 8×12; 2 threads, as requested',
    ],
    [{ name: 'webgpu', adapter }, 'NVIDIA H200, subgroups of 32, bindings of up to 2048 MiB'],
    [
      { name: 'webgpu', adapter: { ...adapter, subgroupSize: undefined } },
      'NVIDIA H200, no subgroups, bindings of up to 2048 MiB',
    ],
  ])('is described by what it used: %j', (info, sentence) => {
    expect(sentences({ threads: 1, ...info })).toEqual([sentence]);
  });

  it.each<[EngineObstacle, string]>([
    [{ kind: 'unavailable', message: 'no adapter was found' }, 'is not used: no adapter was found'],
    [{ kind: 'failed', message: 'the device was lost' }, 'failed: the device was lost'],
    [{ kind: 'solver', solver: 'cosamp' }, 'is not used: CoSaMP runs on the CPU'],
    [{ kind: 'effort', effort: 3 }, 'is not used: the swaps of effort 3 run on the CPU'],
    [{ kind: 'software-adapter' }, 'is not used: it is a software adapter, which runs on the CPU'],
    [
      { kind: 'slower', gpuMs: 4, cpuMs: 4.12, patches: 65536 },
      'is not used: it was not faster in a trial (4.0 ms per iteration over 65536 patches, the CPU 4.1 ms)',
    ],
    [
      { kind: 'slower', gpuMs: 900, cpuMs: 1000 },
      'is not used: it was not faster in a trial (900.0 ms per megapixel, the CPU 1000.0 ms)',
    ],
  ])('takes the place of the GPU for a reason: %j', (obstacle, reason) => {
    const info: EngineInfo = { name: 'portable', threads: 1, fallbackReason: { engine: 'webgpu', ...obstacle } };
    expect(sentences(info)).toEqual(['plain TypeScript', `the GPU ${reason}`]);
    expect(describeBySubject(info).fallback).toBe(`the GPU ${reason}`);
  });

  it('takes the place of wasm if float32 has too few digits', () => {
    const fallbackReason = { engine: 'wasm', kind: 'sample-range', reach: 39215.7 } as const;
    expect(describeBySubject({ name: 'portable', threads: 1, fallbackReason }).fallback).toBe(
      'wasm is not used: samples of 3.9e+4 times the full scale leave float32 too few digits',
    );
  });
});

it('an engine of this host is described by what it uses, or why it cannot run', () => {
  expect(sentences({ name: 'wasm', available: true, instructions: 'simd' })).toEqual(['SIMD']);
  expect(sentences({ name: 'portable', available: true })).toEqual(['plain TypeScript']);
  expect(sentences({ name: 'webgpu', available: false, reason: 'no adapter' })).toEqual(['no adapter']);
});

describe('a result of restoration', () => {
  const plain: RestoreResult = {
    ...{ sigma: 0, estimated: false, warnings: [], quality: 'fast', history: [] },
    engine: { name: 'wasm', threads: 1 },
  };

  it('has the noise that was assumed, and the steps of a JPEG if they are counted in', () => {
    expect(sentences(plain)).toEqual(['noise: none assumed']);
    expect(sentences({ ...plain, sigma: 2.04 })).toEqual(['noise: white, σ = 2.0']);
    const estimated = { ...plain, sigma: 2.04, estimated: true, jpegQuality: 90 };
    expect(sentences(estimated)).toEqual(['noise: white, σ = 2.0; JPEG steps of quality about 90 counted in']);
  });

  it.each([
    [{ kind: 'gaussian', sigma: 1.6 }, 'Gaussian, σ = 1.6 pixels'],
    [{ kind: 'disk', radius: 4.25 }, 'out of focus, a disk of radius 4.3 pixels'],
    [{ kind: 'motion', length: 11, angle: 30 }, 'motion over 11.0 pixels at 30°'],
  ] as const)('has the blur that was found: %j', (shape, text) => {
    const { blur } = describeBySubject({ ...plain, blur: { ...shape, confidence: 0.876 } });
    expect(blur).toBe(`${text}; confidence 88%`);
  });

  it('has what is missing, and says that wide holes stay smooth', () => {
    const { missing } = describeBySubject({ ...plain, missing: { count: 1, share: 1e-5, widest: 1 } });
    expect(missing).toBe('1 pixel (0.001%), the widest hole 1 across');
    const wide = describeBySubject({ ...plain, missing: { count: 900, share: 0.0312, widest: 30 } });
    expect(wide.missing).toBe(
      '900 pixels (3.1%), the widest hole 30 across: its middle is filled smoothly from its rim',
    );
  });

  it('has what may be wrong', () => {
    const { warning } = describeBySubject({
      ...plain,
      warnings: [{ reason: 'image-sharp' }, { reason: 'kernel-misfit', before: 2, sigma: 16 }],
    });
    expect(warning).toBe(
      'the picture looks sharp: it has detail that this kernel would have removed; the kernel does not fit the picture, or its ' +
        'noise is stronger, and ripples appear: σ = 16.0 was assumed in place of 2.0. Try a smaller kernel, or auto',
    );
  });
});
