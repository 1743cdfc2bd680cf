/** The largest magnitude of samples of every kind. */
import { expect, it } from 'vitest';
import { largest } from '../../src/image/scale.js';

it('the largest magnitude is found at every place, in every kind of array', () => {
  for (const Kind of [Float32Array, Float64Array, Uint16Array, Uint8Array]) {
    for (let length = 1; length <= 9; length++) {
      for (let at = 0; at < length; at++) {
        const all = new Kind(length + 2).map((_, i) => i % 7);
        // What is before and after the samples does not count.
        all.fill(200, 0, 1);
        all.fill(201, length + 1);
        const samples = all.subarray(1, length + 1);
        samples[at] = 99;
        expect(largest(samples)).toBe(99);
      }
    }
  }
  expect(largest(Float32Array.of(1, -0.1, -5.5, 2, 3))).toBe(5.5);
  expect(largest(Float32Array.of(-0))).toBe(0);
  expect(largest(new Float32Array(0))).toBe(0);
});

it('a sample that is not a number is larger than all others', () => {
  for (const Kind of [Float32Array, Float64Array]) {
    for (const bad of [Number.NaN, -Number.NaN]) {
      for (let at = 0; at < 6; at++) {
        const samples = Kind.of(1, 2, 3, Number.POSITIVE_INFINITY, 5, 6);
        samples[at] = bad;
        expect(largest(samples)).toBeNaN();
      }
    }
    expect(largest(Kind.of(1, Number.NEGATIVE_INFINITY, 2))).toBe(Number.POSITIVE_INFINITY);
  }
});
