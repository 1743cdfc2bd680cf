import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blocksOf, gatherBlock, surrounded } from '../../src/denoisers/learned/blocks.js';
import { readModel } from '../../src/denoisers/learned/model.js';
import { SHIPPED_ATOMS, shippedModel } from '../../src/denoisers/learned/shipped.js';
import { writeNpy } from '../../src/sparse/codes/npy.js';
import { zip } from '../../src/sparse/codes/zip.js';

/** A file of arrays of ones with these shapes. */
async function fileOf(shapes: Readonly<Record<string, readonly number[]>>, value = 1) {
  return zip(
    Object.entries(shapes).map(([name, shape]) => {
      const data = new Float32Array(shape.reduce((product, length) => product * length, 1)).fill(value);
      return { name: `${name}.npy`, bytes: writeNpy({ type: 'f4', shape, data }) };
    }),
  );
}
const shapes = { A: [2, 8, 64], B: [1, 8, 64], D: [8, 64], kappa: [2, 8] };

describe('the file of a model', () => {
  it('is read with its shape', async () => {
    const { steps, atoms, A, B, D, kappa } = await readModel(await fileOf(shapes));
    expect([steps, atoms, A.length, B.length, D.length, kappa.length]).toEqual([2, 8, 1024, 512, 512, 16]);
  });

  it.each([
    ['an array is missing', { A: shapes.A, B: shapes.B, kappa: shapes.kappa }, 1, /must hold the array D/],
    ['atoms do not come in eights', { ...shapes, kappa: [2, 7] }, 1, /model\.kappa .*multiple of 8.*\(2, 7\)/],
    ['shapes do not fit', { ...shapes, B: [2, 8, 64] }, 1, /model\.B must have the shape \(1, 8, 64\)/],
    ['a number is not finite', shapes, Number.NaN, /must hold finite numbers/],
  ])('is refused where %s', async (_what, given, value, message) => {
    await expect(readModel(await fileOf(given, value))).rejects.toThrow(message);
  });

  it('the shipped one has 18 steps of 128 atoms, positive thresholds, and is small', async () => {
    const model = await shippedModel();
    expect([model.steps, model.atoms]).toEqual([18, SHIPPED_ATOMS]);
    expect(Math.min(...model.kappa)).toBeGreaterThanOrEqual(0);
    expect(readFileSync(new URL('../../weights/grey.npz', import.meta.url)).length).toBeLessThan(620_000);
    expect(await shippedModel()).toBe(model);
  });
});

describe('blocks', () => {
  it('are those with pixels that are kept', () => {
    const places = (kept?: { left: number; top: number; width: number; height: number }) =>
      blocksOf({ width: 500, height: 300, kept }).map(({ left, top }) => [left, top]);
    expect(places()).toHaveLength(6);
    expect(places({ left: 240, top: 0, width: 240, height: 240 })).toEqual([[240, 0]]);
    expect(places({ left: 239, top: 239, width: 2, height: 2 })).toHaveLength(4);
  });

  it('have 16 pixels around them, mirrored at the edge, and even sides', () => {
    const block = { left: 0, top: 0, width: 5, height: 4 };
    expect(surrounded(block)).toEqual({ width: 38, height: 36 });
    const columns: number[] = [];
    gatherBlock(block, { width: 5, height: 4 }, (_x, y, from) => {
      if (y === 16) columns.push(from);
    });
    expect(columns.slice(10, 28)).toEqual([4, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 4, 3, 2, 1, 0, 0, 1]);
  });
});
