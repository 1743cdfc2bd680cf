/** The loop of restoration, step by step, as its page has it. */
import { describe, expect, it } from 'vitest';
import type { Denoiser } from '../../src/index.js';
import { maskOperator } from '../../src/operators/mask.js';
import type { RestorationProblem } from '../../src/pipelines/restore/problem.js';
import { restoreWhole } from '../../src/pipelines/restore/whole.js';
import { finish } from '../../src/work.js';

const size = { width: 4, height: 1 };
const y = Float64Array.of(10, 0, 20, 40);
const begin = Float64Array.of(10, 12, 20, 40);
const image = { ...size, planes: [y], peak: 255 };

/** A prior that halves the distance to the mean; planes enter it without their mean. */
const pull: Denoiser = {
  ...{ margin: 0, alignment: { columns: 1, rows: 1 }, least: 1, effort: 1, passes: ['pull'] },
  bytes: () => 0,
  async run({ width, height, read }) {
    const plane = new Float64Array(width * height);
    finish(read(0, plane));
    return [plane.map((value) => value / 2)];
  },
};
const pulled = (values: readonly number[]) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => mean + (value - mean) / 2);
};

/** Inpainting of the second pixel from a given start. */
const problem = (sigma: number, first: number, last: number): RestorationProblem => ({
  ...{ task: 'inpaint', sigma, first, last },
  *open() {
    yield 1;
    return {
      ...{ unit: 1, operator: maskOperator(size, Uint8Array.of(0, 1, 0, 0)), planes: [y] },
      *start() {
        yield 1;
        return begin;
      },
      *result(planes) {
        yield 1;
        return { ...image, planes };
      },
    };
  },
});
const settings = { quality: 'fast', engine: 'auto', prior: pull } as const;
const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 4));

describe('the loop', () => {
  it('takes turns between the data step and the prior, with σ falling geometrically', async () => {
    const { image: restored, history } = await restoreWhole(image, problem(2, 32, 2), settings);
    expect(history.map(({ k }) => k)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    history.forEach(({ sigma }, i) => {
      expect(sigma).toBeCloseTo(32 * (2 / 32) ** (i / 11), 10);
    });
    // By hand, as the page has it: HQS, the data having noise.
    let z = [...begin];
    for (const { sigma, rho, gap } of history) {
      expect(rho).toBeCloseTo((0.25 * 4) / sigma ** 2, 10);
      const x = z.map((v, i) => (i === 1 ? v : (y[i] + rho * v) / (1 + rho)));
      z = pulled(x);
      expect(gap).toBeCloseTo(Math.sqrt(x.reduce((sum, value, i) => sum + (value - z[i]) ** 2, 0) / 4), 4);
    }
    expect([...restored.planes[0]]).toEqual(near(z));
  });

  it('has a dual if the data have no noise, which shrinks as ρ grows, and ends with a data step', async () => {
    const { image: restored, history } = await restoreWhole(image, problem(0, 8, 2), settings);
    let [z, u] = [[...begin], [0, 0, 0, 0]];
    for (const { k, rho, gap } of history) {
      const x = z.map((value, i) => (i === 1 ? value - u[i] : (y[i] + rho * (value - u[i])) / (1 + rho)));
      const noisy = x.map((value, i) => value + u[i]);
      z = pulled(noisy);
      expect(gap).toBeCloseTo(Math.sqrt(x.reduce((sum, value, i) => sum + (value - z[i]) ** 2, 0) / 4), 4);
      const shrink = k < history.length ? (1 / 4) ** (2 / 11) : 1;
      u = noisy.map((value, i) => shrink * (value - z[i]));
    }
    const last = z.map((value, i) => (i === 1 ? value : (y[i] + 0.01 * value) / 1.01));
    expect([...restored.planes[0]]).toEqual(near(last));
  });
});
