import { describe, expect, it } from 'vitest';
import { overcompleteDct, randomSource } from '../../../src/index.js';
import { maskedOmp } from '../../../src/sparse/solvers/masked-omp.js';
import { finish } from '../../../src/work.js';

const D = overcompleteDct(4, 5);
const P = 6;

/** Patches of two atoms each, and what is known of them: about two thirds. */
function planted() {
  const random = randomSource(3);
  const Y = new Float64Array(D.N * P);
  for (let p = 0; p < P; p++) {
    for (const l of [random.below(D.L), random.below(D.L)]) {
      for (let n = 0; n < D.N; n++) Y[p * D.N + n] += (p + 1) * D.atoms.data[l * D.N + n];
    }
  }
  return { Y, known: Uint8Array.from(Y, () => Number(random.uniform() < 0.7)) };
}

const error = (a: Float64Array, b: Float64Array, counted: (i: number) => boolean) =>
  a.reduce((sum, value, i) => sum + (counted(i) ? (value - b[i]) ** 2 : 0), 0);

describe('joint OMP of patches with missing samples', () => {
  it('reads the known samples alone', () => {
    const { Y, known } = planted();
    const wild = Y.map((value, i) => (known[i] ? value : 1e9));
    expect(finish(maskedOmp(D, wild, known, 9))).toEqual(finish(maskedOmp(D, Y, known, 9)));
  });

  it('spends one budget where it gains most, and the error on the known samples falls with it', () => {
    const { Y, known } = planted();
    let before = Number.POSITIVE_INFINITY;
    for (const S of [0, 3, 6, 12]) {
      const { patches, counts, kept } = finish(maskedOmp(D, Y, known, S));
      expect(kept).toBeLessThanOrEqual(S);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(kept);
      const after = error(patches, Y, (i) => known[i] === 1);
      expect(after).toBeLessThan(before);
      before = after;
      // The last patch has the most energy, the first the least.
      if (S === 3) expect([counts[0], counts[P - 1] > 0]).toEqual([0, true]);
    }
    expect(before).toBeLessThan(1e-6 * error(Y, new Float64Array(Y.length), () => true));
  });

  it('is joint OMP itself if every sample is known', () => {
    const { Y } = planted();
    const { patches } = finish(maskedOmp(D, Y, new Uint8Array(Y.length).fill(1), 2 * P));
    expect(error(patches, Y, () => true)).toBeLessThan(0.02 * error(Y, new Float64Array(Y.length), () => true));
  });
});
