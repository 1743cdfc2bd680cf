import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { shapeOf } from '../../src/engines/shape.js';
import { Gpu } from '../../src/engines/webgpu/gpu.js';
import { TILE } from '../../src/engines/webgpu/layout.js';
import { rotateSignals } from '../../src/engines/webgpu/run/load.js';
import { Ranges } from '../../src/engines/webgpu/run/ranges.js';
import { signalsIn } from '../../src/image/signals.js';
import { denseDictionary, gaussianDictionary, overcompleteDct, randomSource } from '../../src/index.js';

/** Where float number i of patch p lies, with `width` floats per patch, a multiple of four. */
function placeOf(p: number, i: number, width: number): number {
  return 4 * (((p >> 5) * (width >> 2) + (i >> 2)) * TILE + (p & 31)) + (i & 3);
}

/** Q(n, i), where coordinate i of a separable shape is (a, b) at a·padded(rank of B) + b. */
function leftVector({ parts: [A, B] }: ReturnType<typeof shapeOf>, n: number, i: number): number {
  if (!B) return i < A.sigma.length ? A.Q.data[i * A.Q.rows + n] : 0;
  const width = 4 * Math.ceil(B.sigma.length / 4);
  const [a, b] = [Math.floor(i / width), i % width];
  if (b >= B.sigma.length) return 0;
  return A.Q.data[a * A.Q.rows + Math.floor(n / B.Q.rows)] * B.Q.data[b * B.Q.rows + (n % B.Q.rows)];
}

describe.skipIf(inject('withoutGpu') !== '')('loading on a GPU', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await Gpu.open();
  });
  afterAll(() => gpu.dispose());

  it.each([
    ['8×8 patches over 100 atoms', overcompleteDct(8, 10)],
    ['9×9 patches over 144 atoms', overcompleteDct(9, 12)],
    ['atoms that do not span all signals', gaussianDictionary(30, 7, 8)],
  ])('turns the signals into the coordinates of the kernels: %s', async (_name, D) => {
    const [shape, P, random] = [shapeOf(D), 150, randomSource(3)];
    const Y = Float64Array.from({ length: D.N * P }, () => random.normal());
    const ranges = await Ranges.of(gpu, shape, P, 70);
    const energies = await rotateSignals(ranges, signalsIn(Y, D.N));
    expect(ranges.list.map(({ first, P }) => [first, P])).toEqual([
      [0, 64],
      [64, 64],
      [128, 22],
    ]);
    let [worst, within] = [0, 0];
    for (const { first, P, paddedP, c } of ranges.list) {
      const got = new Float32Array(await gpu.read(c));
      for (let p = 0; p < paddedP; p++) {
        for (let i = 0; i < shape.R4; i++) {
          let expected = 0;
          for (let n = 0; n < D.N && p < P; n++) expected += leftVector(shape, n, i) * Y[(first + p) * D.N + n];
          worst = Math.max(worst, Math.abs(got[placeOf(p, i, shape.R4)] - expected));
          within += expected * expected;
        }
      }
    }
    expect(worst).toBeLessThan(1e-5);
    if (D.L < D.N) expect(energies.within.reduce((sum, e) => sum + e) / within).toBeCloseTo(1, 6);
  });

  it('stops when it is aborted', async () => {
    const D = denseDictionary(2, 3, [1, 0, 1, 0, 0, 1]);
    const ranges = await Ranges.of(gpu, shapeOf(D), 4);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(rotateSignals(ranges, signalsIn(new Float64Array(8), 2), { signal })).rejects.toThrow('enough');
  });
});
