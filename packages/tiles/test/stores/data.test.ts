import fc from 'fast-check';
import { isGhtError } from 'ght';
import type { Data } from 'ght/check';
import { decodeData, encodeData } from 'ght-tiles';
import { describe, expect, it } from 'vitest';

const leaves = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.string({ unit: 'binary' }),
  ...[fc.uint8Array(), fc.uint16Array(), fc.uint32Array(), fc.int32Array(), fc.float32Array(), fc.float64Array()],
);
const data = fc.letrec<{ value: Data }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaves,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 5, noNullPrototype: true },
    ),
  ),
})).value;

describe('data as bytes', () => {
  it('comes back as it was: every JSON value and typed array, also −0, NaN and empty ones', () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(decodeData(encodeData(value))).toEqual(value);
      }),
      { numRuns: 300 },
    );
    expect(decodeData(encodeData([-0, Number.NaN, Number.POSITIVE_INFINITY]))).toEqual([
      -0,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('keeps the types of arrays, and reads them from any place in memory', () => {
    const shifted = Buffer.concat([Buffer.alloc(3), encodeData(Float64Array.of(1.5, -2))]).subarray(3);
    expect(decodeData(shifted)).toEqual(Float64Array.of(1.5, -2));
    expect(decodeData(encodeData({ counts: Uint16Array.of(65535), left: undefined }))).toEqual({
      counts: Uint16Array.of(65535),
    });
  });

  it('refuses every beginning of a value, and any change of a byte gives a value or an InputError', () => {
    const bytes = encodeData({ a: [1, 'text', Uint32Array.of(7, 8)], b: { c: null } });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeData(bytes.subarray(0, length))).toThrow(/^data must/);
    }
    expect(() => decodeData(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow('must end after its value');
  });

  it('survives hostile bytes: lengths of gigabytes, deep nesting, unknown tags', () => {
    const refused = (...bytes: number[]) => expect(() => decodeData(Uint8Array.from(bytes))).toThrow(/^data must/);
    for (const tag of [4, 5, 6, 16, 21]) refused(tag, 255, 255, 255, 255);
    refused(99);
    refused(...new Array(100).fill([5, 1, 0, 0, 0]).flat(), 0);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          decodeData(bytes);
        } catch (error) {
          if (!isGhtError(error, 'input')) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('never sets a prototype', () => {
    const key = Buffer.from('__proto__');
    const bytes = Buffer.concat([Buffer.from([6, 1, 0, 0, 0, key.length, 0, 0, 0]), key, Buffer.from([6, 0, 0, 0, 0])]);
    expect(() => decodeData(bytes)).toThrow('must not have this key');
    const hostile = JSON.parse('{"__proto__": 1}') as Data;
    expect(() => encodeData(hostile)).toThrow('must not have this key');
  });
});
