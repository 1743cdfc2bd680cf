import { describe, expect, it } from 'vitest';
import { allOf, signalsIn } from '../../../src/image/signals.js';
import { randomSource } from '../../../src/index.js';
import { PatchSample } from '../../../src/sparse/learning/sample.js';
import { finish } from '../../../src/work.js';
import { picture } from '../../pictures.js';

describe('the sample of patches', () => {
  it('keeps every signal with the same probability', () => {
    const Y = Float64Array.from({ length: 100 }, (_, i) => i);
    const kept = new Float64Array(100);
    for (let seed = 0; seed < 400; seed++) {
      const sample = new PatchSample(1, 20, randomSource(seed));
      finish(sample.offerSignals(signalsIn(Y, 1)));
      for (const value of allOf(sample.split(0).training)) kept[value]++;
    }
    // 80 of 400 expected, with a standard deviation of 8.
    expect(Math.min(...kept)).toBeGreaterThan(80 - 4 * 8);
    expect(Math.max(...kept)).toBeLessThan(80 + 4 * 8);
  });

  it('splits into held-out and training patches without overlap', () => {
    const sample = new PatchSample(1, 50, randomSource(1));
    finish(
      sample.offerSignals(
        signalsIn(
          Float64Array.from({ length: 30 }, (_, i) => i),
          1,
        ),
      ),
    );
    const { heldOut, training } = sample.split(5);
    const all = [...allOf(heldOut), ...allOf(training)];
    expect([heldOut.P, training.P]).toEqual([5, 25]);
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i));
  });

  it('goes through all training patches batch by batch', () => {
    const sample = new PatchSample(1, 50, randomSource(1));
    finish(
      sample.offerSignals(
        signalsIn(
          Float64Array.from({ length: 30 }, (_, i) => i),
          1,
        ),
      ),
    );
    const { training } = sample.split(0);
    const batches = [0, 10, 20].flatMap((first) => [...allOf(training.batch(first, 10))]);
    expect(new Set(batches).size).toBe(30);
    expect(allOf(training.batch(30, 10))).toEqual(allOf(training.batch(0, 10)));
  });

  it('keeps signals of any type without a copy, in the same order as those that are offered', () => {
    const Y = Uint8Array.from({ length: 60 }, (_, i) => i);
    const [kept, offered] = [0, 1].map(() => new PatchSample(2, 30, randomSource(3)));
    kept.keepAll(Y);
    finish(offered.offerSignals(signalsIn(Y, 2)));
    expect(kept.size).toBe(30);
    const [ours, theirs] = [kept.split(7), offered.split(7)];
    expect(allOf(ours.heldOut)).toEqual(allOf(theirs.heldOut));
    expect(allOf(ours.training)).toEqual(allOf(theirs.training));
    Y[0] = 99;
    const all = ours.training.P + ours.heldOut.P;
    expect([...allOf(ours.training), ...allOf(ours.heldOut)].filter((value) => value === 99)).toHaveLength(1);
    expect(all).toBe(30);
  });

  it('cuts patches of all planes out of an image', () => {
    const image = picture(16, 12, 2);
    const sample = new PatchSample(16, 60, randomSource(2));
    finish(sample.offerPlanes(image, image.planes, 4, 2));
    const patches = allOf(sample.split(0).training);
    const places = new Set<string>();
    for (const [c, plane] of image.planes.entries()) {
      for (let top = 0; top <= 8; top++) {
        for (let left = 0; left <= 12; left++) {
          const patch = Array.from({ length: 16 }, (_, n) => plane[(top + Math.floor(n / 4)) * 16 + left + (n % 4)]);
          places.add(JSON.stringify([c, patch]));
        }
      }
    }
    const planes = [0, 1].map((c) => {
      const own = Array.from({ length: 60 }, (_, p) =>
        Array.from(patches.subarray(16 * p, 16 * (p + 1)), (v) => v / 2),
      );
      return own.filter((patch) => places.has(JSON.stringify([c, patch]))).length;
    });
    expect(planes[0] + planes[1]).toBeGreaterThanOrEqual(60);
    expect(Math.min(...planes)).toBeGreaterThan(15);
  });
});
