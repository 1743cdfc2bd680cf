/** Data as bytes and back, and the identity of runs that is made of it. */
import * as fc from 'fast-check';
import { isInputError } from 'ght';
import type { Data } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../src/fingerprint.js';
import { runName } from '../src/identity.js';
import { decodeData, encodeData } from '../src/message.js';

const data = fc.letrec<{ data: Data }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Data>(null, true, false, Number.NaN, Number.NEGATIVE_INFINITY, -0, 0.1),
    fc.string(),
    fc.double(),
    fc.uint8Array(),
    fc.uint16Array(),
    fc.uint32Array(),
    fc.int32Array(),
    fc.float32Array(),
    fc.float64Array(),
    fc.array(tie('data')),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$', '__proto__x')), tie('data')),
  ),
})).data;

describe('messages', () => {
  it('come back as they were, types and bits', () => {
    fc.assert(
      fc.property(data, fc.nat(9), (value, offset) => {
        const bytes = encodeData(value);
        // A message may begin anywhere in memory.
        const moved = new Uint8Array(bytes.length + offset).subarray(offset);
        moved.set(bytes);
        expect(decodeData(moved)).toStrictEqual(structuredClone(value));
      }),
    );
  });

  it('refuse functions when written, and anything else when read', () => {
    expect(() => encodeData((() => 1) as unknown as Data)).toThrow('must hold data');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          decodeData(bytes);
        } catch (error) {
          expect(isInputError(error), String(error)).toBe(true);
        }
      }),
    );
  });
});

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

describe('the fingerprint', () => {
  it('is the same for the same engine, and another one where the bits differ', async () => {
    const [fast, again, portable] = await Promise.all([fingerprint(), fingerprint('wasm'), fingerprint('portable')]);
    expect(fast).toMatch(/^[0-9a-f]{12}$/);
    expect(again).toBe(fast);
    expect(portable).not.toBe(fast);
  });
});
