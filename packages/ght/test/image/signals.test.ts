import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregation, extractRun } from '../../src/image/patches.js';
import { allOf, runsOf, signalsIn, someOf } from '../../src/image/signals.js';
import { aggregate, extract, overcompleteDct, patchGrid, randomSource, reconstruct } from '../../src/index.js';
import { reconstruction } from '../../src/sparse/codes/reconstruct.js';
import { finish } from '../../src/work.js';

const noise = (length: number, seed: number) => {
  const random = randomSource(seed);
  return Float64Array.from({ length }, () => 255 * random.uniform());
};

describe('signals', () => {
  it('are the same in runs of any length, in parts, and in one array', () => {
    const sizes = fc.record({ N: fc.integer({ min: 1, max: 9 }), P: fc.integer({ min: 1, max: 600 }) });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 700 }), ({ N, P }, length) => {
        const Y = noise(N * P, P);
        const signals = signalsIn(Y, N);
        expect(allOf(signals)).toEqual(Y);
        const first = length % P;
        expect(allOf(someOf(signals, first, P - first))).toEqual(Y.subarray(first * N));
        for (const run of runsOf(signals, length)) {
          expect(run.Y).toEqual(Y.subarray(run.from * N, (run.from + length) * N));
        }
      }),
    );
  });

  it('that are cut or computed when read equal those in arrays', () => {
    const grid = patchGrid(37, 21, 8, 5);
    const plane = noise(37 * 21, 1);
    const patches = extract(grid, plane);
    const some = new Float64Array(3 * 64);
    extractRun(grid, plane, 7, some);
    expect(some).toEqual(patches.subarray(7 * 64, 10 * 64));

    const D = overcompleteDct(8, 10);
    const P = grid.count;
    const indptr = Int32Array.from({ length: P + 1 }, (_, p) => 2 * p);
    const indices = Int32Array.from({ length: 2 * P }, (_, i) => (i % 2 === 0 ? i % 50 : 50 + (i % 49)));
    const codes = { L: D.L, P, indptr, indices, values: noise(2 * P, 2) };
    const shown = reconstruct(D, codes);
    expect(allOf(reconstruction(D, codes))).toEqual(shown);
    expect(finish(aggregation(grid, reconstruction(D, codes)))).toEqual(aggregate(grid, shown));
  });
});
