import { describe, expect, it } from 'vitest';
import { type Prior, restoration } from '../../src/operators/loop.js';
import { maskOperator } from '../../src/operators/mask.js';

const size = { width: 4, height: 1 };
const operator = maskOperator(size, Uint8Array.of(0, 1, 0, 0));
const y = Float64Array.of(10, 0, 20, 40);
const start = Float64Array.of(10, 12, 20, 40);
/** A prior that halves the distance to 16. */
const pull: Prior = async (planes) => planes.map((plane) => plane.map((value) => 16 + (value - 16) / 2));

describe('the loop', () => {
  it('takes turns between the data step and the prior, with σ falling geometrically', async () => {
    const seen: number[] = [];
    const prior: Prior = async (planes, sigma) => {
      seen.push(sigma);
      return pull(planes, sigma);
    };
    const schedule = { sigma: 2, first: 32, last: 2, steps: 5 };
    const { planes, history } = await restoration(operator, [y], [start], prior, schedule);
    expect(seen).toEqual([32, 16, 8, 4, 2].map((sigma) => expect.closeTo(sigma, 10)));
    expect(history.map(({ k }) => k)).toEqual([1, 2, 3, 4, 5]);
    // By hand, as the page has it: HQS, the data having noise.
    let z = [...start];
    for (const { sigma, rho, gap } of history) {
      expect(rho).toBeCloseTo((0.25 * 4) / sigma ** 2, 10);
      const x = z.map((v, i) => (i === 1 ? v : (y[i] + rho * v) / (1 + rho)));
      z = x.map((value) => 16 + (value - 16) / 2);
      expect(gap).toBeCloseTo(Math.sqrt(x.reduce((sum, value, i) => sum + (value - z[i]) ** 2, 0) / 4), 10);
    }
    expect([...planes[0]]).toEqual(z.map((value) => expect.closeTo(value, 10)));
  });

  it('has a dual if the data have no noise, which shrinks as ρ grows, and ends with a data step', async () => {
    const schedule = { sigma: 0, first: 8, last: 2, steps: 2 };
    const { planes, history } = await restoration(operator, [y], [start], pull, schedule);
    let [z, u] = [[...start], [0, 0, 0, 0]];
    history.forEach(({ rho }, k) => {
      const x = z.map((value, i) => (i === 1 ? value - u[i] : (y[i] + rho * (value - u[i])) / (1 + rho)));
      const noisy = x.map((value, i) => value + u[i]);
      z = noisy.map((value) => 16 + (value - 16) / 2);
      u = noisy.map((value, i) => (value - z[i]) * (k === 0 ? 1 / 16 : 1));
    });
    const last = z.map((value, i) => (i === 1 ? value : (y[i] + 0.01 * value) / 1.01));
    expect([...planes[0]]).toEqual(last.map((value) => expect.closeTo(value, 10)));
  });
});
