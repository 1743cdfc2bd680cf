/** What holds for every operator: its adjoint, and its data step. */
import { describe, expect, it } from 'vitest';
import { gaussianKernel, motionKernel, randomSource } from '../../src/index.js';
import { blurOperator } from '../../src/operators/blur.js';
import { checkedKernel } from '../../src/operators/kernel.js';
import { maskOperator } from '../../src/operators/mask.js';
import { conjugateGradientData, dot, type Operator, type Size } from '../../src/operators/operator.js';
import { ownOperator } from '../../src/operators/own.js';
import { reductionOperator } from '../../src/operators/reduction.js';
import { finish } from '../../src/work.js';

const normal = (length: number, seed: number) => {
  const random = randomSource(seed);
  return Float64Array.from({ length }, () => random.normal());
};
const pixels = ({ width, height }: Size) => width * height;
const size = { width: 18, height: 15 };

/** Sums of neighbours along a row: a caller's operator, from pictures of 18×15 to data of 17×15. */
const neighbours = {
  ...size,
  apply: (x: Float64Array) =>
    Float64Array.from({ length: 17 * 15 }, (_, i) => {
      const at = 18 * Math.floor(i / 17) + (i % 17);
      return x[at] + 0.5 * x[at + 1];
    }),
  adjoint: (r: Float64Array) => {
    const x = new Float64Array(18 * 15);
    r.forEach((value, i) => {
      const at = 18 * Math.floor(i / 17) + (i % 17);
      x[at] += value;
      x[at + 1] += 0.5 * value;
    });
    return x;
  },
};

const exact: Readonly<Record<string, Operator>> = {
  mask: maskOperator(
    size,
    Uint8Array.from(normal(pixels(size), 4), (value) => Number(value > 0)),
  ),
  'bicubic ×3': reductionOperator(size, { width: 6, height: 5 }, 'bicubic'),
  'bicubic ×1.5': reductionOperator(size, { width: 12, height: 10 }, 'bicubic'),
  area: reductionOperator(size, { width: 7, height: 4 }, 'area'),
  'between bicubic and area': reductionOperator(size, { width: 7, height: 5 }, { mixed: 0.6 }),
  'Gaussian reduction': reductionOperator(size, { width: 9, height: 5 }, { gaussian: 1.2 }),
  'large reduction': reductionOperator({ width: 330, height: 6 }, { width: 165, height: 3 }, 'bicubic'),
  own: ownOperator(neighbours, { width: 17, height: 15 }),
};
const blurs: Readonly<Record<string, Operator>> = {
  'Gaussian blur': blurOperator(size, checkedKernel(gaussianKernel(1.1), 18, 15)),
  'motion blur': blurOperator(size, checkedKernel(motionKernel(7, 30), 18, 15)),
  'uneven kernel': blurOperator(size, checkedKernel({ width: 2, height: 3, data: [1, 2, 3, 4, 5, 0] }, 18, 15)),
};

/** ‖Ax − y‖² + ρ‖x − v‖². */
function objective(A: Operator, x: Float64Array, y: Float64Array, v: Float64Array, rho: number): number {
  const [r, d] = [finish(A.apply(x)).map((value, i) => value - y[i]), x.map((value, i) => value - v[i])];
  return dot(r, r) + rho * dot(d, d);
}

describe.each(Object.entries({ ...exact, ...blurs }))('the operator: %s', (_name, A) => {
  it('has its adjoint: ⟨Ax, r⟩ = ⟨x, Aᵀr⟩', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const [x, r] = [normal(pixels(A.picture), seed), normal(pixels(A.observed), 10 + seed)];
      const [Ax, Ar] = [finish(A.apply(x)), finish(A.adjoint(r))];
      expect(Ax.length).toBe(r.length);
      expect(Math.abs(dot(Ax, r) - dot(x, Ar))).toBeLessThan(1e-10 * (1 + Math.abs(dot(Ax, r))));
    }
  });

  it('keeps a flat picture flat, where nothing is missing', () => {
    const flat = finish(A.apply(new Float64Array(pixels(A.picture)).fill(3)));
    const level = A === exact.own ? 4.5 : 3;
    const there = A === exact.mask ? flat.filter((value) => value !== 0) : flat;
    expect(there.length).toBeGreaterThan(0);
    for (const value of there) expect(value).toBeCloseTo(level, 9);
  });
});

describe.each(Object.entries(exact))('the data step: %s', (_name, A) => {
  it.each([1e-4, 0.1, 10])('is the minimum of ‖Ax − y‖² + ρ‖x − v‖² for ρ = %f', (rho) => {
    const [y, v] = [normal(pixels(A.observed), 1), normal(pixels(A.picture), 2)];
    const x = finish(A.data(y, v, rho));
    // The gradient, Aᵀ(Ax − y) + ρ(x − v), is 0.
    const gradient = finish(A.adjoint(finish(A.apply(x)).map((value, i) => value - y[i])));
    for (let i = 0; i < x.length; i++) gradient[i] += rho * (x[i] - v[i]);
    expect(Math.max(...gradient.map(Math.abs))).toBeLessThan(2e-6);
  });
});

describe.each(Object.entries(blurs))('the data step: %s', (_name, A) => {
  it.each([1e-3, 0.1, 10])('is nearly the minimum for ρ = %f, the rim being unknown', (rho) => {
    const [y, v] = [normal(pixels(A.observed), 1), normal(pixels(A.picture), 2)];
    const before = objective(A, v, y, v, rho);
    const after = objective(A, finish(A.data(y, v, rho)), y, v, rho);
    const least = objective(A, finish(conjugateGradientData(A, y, v, rho)), y, v, rho);
    expect(after - least).toBeLessThan(0.01 * (before - least));
  });

  it('leaves a picture that explains the data as it is', () => {
    const x = normal(pixels(A.picture), 3);
    const same = finish(A.data(finish(A.apply(x)), x, 0.01));
    expect(Math.max(...same.map((value, i) => Math.abs(value - x[i])))).toBeLessThan(1e-10);
  });
});
