import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hardThreshold } from '../../../src/index.js';
import type { Magnitudes, RankSearch } from '../../../src/sparse/budget/rank.js';
import {
  boundary,
  count,
  emptyHistogram,
  FLOAT32_DIGITS,
  FLOAT64_DIGITS,
  isFound,
  magnitudeOf,
  narrow,
  nthLargest,
  quotas,
  rankSearch,
} from '../../../src/sparse/budget/rank.js';

/** The histogram of all parts, for the same digit. */
function sumOf(parts: readonly ArrayLike<number>[]): Float64Array {
  return Float64Array.from(parts[0], (_: number, bucket: number) => parts.reduce((sum, part) => sum + part[bucket], 0));
}

interface Format {
  readonly digits: readonly number[];
  readonly make: (values: readonly number[]) => Magnitudes;
  readonly value: fc.Arbitrary<number>;
}

/** Values that make a search hard: many ties, signed zeros, denormals, adjacent floats, infinities. */
const formats: [string, Format][] = [
  [
    'float32',
    {
      digits: FLOAT32_DIGITS,
      make: (values) => Float32Array.from(values),
      value: fc.oneof(
        {
          weight: 2,
          arbitrary: fc.constantFrom(0, -0, 1, -1, 1 + 2 ** -23, -(2 ** -149), 2 ** -148, -Infinity, Infinity),
        },
        { weight: 1, arbitrary: fc.float({ noNaN: true }) },
      ),
    },
  ],
  [
    'float64',
    {
      digits: FLOAT64_DIGITS,
      make: (values) => Float64Array.from(values),
      value: fc.oneof(
        {
          weight: 2,
          arbitrary: fc.constantFrom(0, -0, 1, -1, 1 + 2 ** -52, 1 + 2 ** -32, -5e-324, 1e-323, -Infinity, Infinity),
        },
        { weight: 1, arbitrary: fc.double({ noNaN: true }) },
      ),
    },
  ],
];

/** Values split into parts, some possibly empty, and a rank among them. */
function partitioned(value: fc.Arbitrary<number>) {
  return fc
    .array(fc.array(value, { maxLength: 12 }), { minLength: 1, maxLength: 5 })
    .filter((parts) => parts.some((part) => part.length > 0))
    .chain((parts) => fc.tuple(fc.constant(parts), fc.integer({ min: 1, max: parts.flat().length })));
}

/** The n-th largest by a full sort, which every search must find. */
function bySort(values: readonly number[], n: number) {
  const magnitudes = values.map(Math.abs).sort((a, b) => b - a);
  const threshold = magnitudes[n - 1];
  return {
    threshold,
    larger: magnitudes.filter((value) => value > threshold).length,
    equal: magnitudes.filter((value) => value === threshold).length,
  };
}

/** Runs a distributed search: each part receives the search as a message and answers with its own histogram. */
function searchOver(parts: readonly Magnitudes[], digits: readonly number[], n: number) {
  let search = rankSearch(digits, n);
  while (!isFound(search)) {
    const message = JSON.stringify(search);
    const histograms = parts.map((part) => {
      const asked: RankSearch = JSON.parse(message);
      const histogram = emptyHistogram(asked);
      count(part, asked.prefix, histogram);
      return histogram;
    });
    search = narrow(search, sumOf(histograms));
  }
  return { threshold: magnitudeOf(search.prefix), larger: search.larger, equal: search.equal };
}

describe.each(formats)('the n-th largest of %s magnitudes', (_, { digits, make, value }) => {
  it('is that of a full sort, however the values are split into parts', () => {
    fc.assert(
      fc.property(partitioned(value), ([parts, n]) => {
        expect(searchOver(parts.map(make), digits, n)).toEqual(bySort(parts.flat(), n));
      }),
    );
  });

  it('is that of a full sort for small and large arrays in memory', () => {
    fc.assert(
      fc.property(partitioned(value), fc.constantFrom(1, 600), ([parts, n], times) => {
        const many = parts.map((part) => Array.from({ length: times }, () => part).flat());
        expect(nthLargest(many.map(make), n * times)).toEqual(bySort(many.flat(), n * times));
      }),
      { numRuns: 50 },
    );
  });

  it('is found in part of a buffer', () => {
    const whole = make([9, -8, 7, -6, 5]);
    expect(searchOver([whole.subarray(1, 4)], digits, 2)).toEqual({ threshold: 7, larger: 1, equal: 1 });
  });
});

describe('histograms', () => {
  it('count beyond 2³² keys exactly, even if each part counts in 32 bits', () => {
    const parts = Array.from({ length: 1000 }, (_, i) => Uint32Array.of(7, 2 ** 32 - 1, i));
    const total = sumOf(parts);
    expect([...total]).toEqual([7000, 1000 * (2 ** 32 - 1), 499_500]);
    expect(boundary(total, 499_500 + 1000 * (2 ** 32 - 1))).toEqual({ bucket: 1, above: 499_500 });
    expect(boundary(total, 499_501 + 1000 * (2 ** 32 - 1))).toEqual({
      bucket: 0,
      above: 499_500 + 1000 * (2 ** 32 - 1),
    });
  });

  it('narrow to a rank beyond 2³²', () => {
    const of = (size: number, ...entries: [bucket: number, count: number][]) => {
      const histogram = new Float64Array(size);
      for (const [bucket, count] of entries) histogram[bucket] = count;
      return histogram;
    };
    const first = narrow(rankSearch(FLOAT32_DIGITS, 7e9), of(2 ** 16, [40_000, 6e9], [30_000, 5e9], [3, 9e9]));
    expect(first).toMatchObject({ prefix: [30_000], larger: 6e9, equal: 5e9 });
    const second = narrow(first, of(2 ** 15, [9, 1e9 - 1], [8, 1], [7, 4e9]));
    expect(second).toMatchObject({ prefix: [30_000, 8], larger: 7e9 - 1, equal: 1 });
    expect(isFound(second)).toBe(true);
  });

  it('have no key of a rank beyond all keys', () => {
    expect(() => boundary(Float64Array.of(1, 2), 4)).toThrow('there is no key of rank 4 among 3: keep all of them');
  });
});

it('quotas of the parts keep the same equal entries as H_S of the whole', () => {
  const tied = fc.array(fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 15 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(tied, fc.nat(60), (lists, S) => {
      const nonzero = lists.flat().filter((value) => value !== 0).length;
      fc.pre(S > 0 && S < nonzero);
      const parts = lists.map((list) => Float64Array.from(list));
      const { threshold, larger } = nthLargest(parts, S);
      const equal = parts.map((part) => part.filter((value) => Math.abs(value) === threshold).length);
      const quota = quotas(equal, S - larger);
      const kept = parts.flatMap((part, i) => {
        let seen = 0;
        return [...part].map((value) => {
          const magnitude = Math.abs(value);
          return magnitude > threshold || (magnitude === threshold && seen++ < quota[i]) ? value : 0;
        });
      });
      const whole = new Float64Array(kept.length);
      hardThreshold(Float64Array.from(lists.flat()), S, whole);
      expect(kept).toEqual([...whole]);
    }),
  );
});
