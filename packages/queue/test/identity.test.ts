/** The name of a run: the same for the same command on the same data. */
import { describe, expect, it } from 'vitest';
import { runName } from '../src/identity.js';

describe('the name of a run', () => {
  const identity = {
    plan: 'denoise',
    request: { source: 'data:a.tif', options: { quality: 'fast', sigma: 10 }, weights: Float32Array.of(1, 2) },
    sources: { 'data:a.tif': '100-5' },
    fingerprint: 'aaaa',
  };

  it('is the same for the same, in any order of keys', () => {
    const { request } = identity;
    const turned = {
      weights: request.weights,
      options: { sigma: 10, quality: 'fast' },
      source: 'data:a.tif',
      none: undefined,
    };
    expect(runName(identity)).toMatch(/^[0-9a-f]{16}$/);
    expect(runName({ ...identity, request: turned })).toBe(runName(identity));
  });

  it('differs with plan, source, its version, options and fingerprint', () => {
    const { request } = identity;
    const others = [
      { ...identity, plan: 'represent' },
      { ...identity, request: { ...request, source: 'data:b.tif' } },
      { ...identity, request: { ...request, options: { quality: 'fast', sigma: 11 } } },
      { ...identity, request: { ...request, weights: Float64Array.of(1, 2) } },
      { ...identity, request: { ...request, weights: Float32Array.of(1, 3) } },
      { ...identity, request: { ...request, more: null } },
      { ...identity, sources: { 'data:a.tif': '100-6' } },
      { ...identity, fingerprint: 'bbbb' },
    ];
    expect(new Set([identity, ...others].map(runName)).size).toBe(others.length + 1);
  });
});
