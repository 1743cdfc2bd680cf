import { notNegative, OptionError, wholeNumber } from '../errors.js';

/**
 * A seeded random source, so that every experiment can be repeated: the small fast counter generator sfc32, initialised
 * from the seed, and the polar method for the normal distribution. The same seed gives the same numbers on every platform.
 */
export interface RandomSource {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** A whole number from 0 to n − 1. */
  below(n: number): number;
  /** Normal with mean 0 and standard deviation 1. */
  normal(): number;
  /** Poisson with this mean, such as a number of photons. */
  poisson(mean: number): number;
}

/** A random source that depends on the seed alone. */
export function randomSource(seed: number): RandomSource {
  if (!Number.isFinite(seed)) throw new OptionError('seed', 'must be a finite number', seed, 'use one such as 1');
  let a = 0x9e3779b9 ^ (seed >>> 0);
  let b = 0x243f6a88 ^ Math.floor(seed / 2 ** 32);
  let c = 0xb7e15162;
  let counter = 1;
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return t >>> 0;
  };
  // Seeds that differ in one bit must not start with similar numbers.
  for (let i = 0; i < 16; i++) next();

  const uniform = () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  let spare: number | undefined;
  const normal = () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const q = u * u + v * v;
      if (q >= 1 || q === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(q)) / q);
      spare = v * scale;
      return u * scale;
    }
  };
  const poisson = (mean: number) => {
    notNegative('mean', mean, 'give how many events are expected');
    return mean < 10 ? poissonByProduct(mean, uniform) : poissonByRejection(mean, uniform);
  };
  const below = (n: number) => Math.floor(uniform() * wholeNumber('n', n, 1, 2 ** 53, 'give how many there are'));
  return { uniform, below, normal, poisson };
}

/** Knuth: the number of uniform numbers that can be multiplied before the product is below e^−mean. */
function poissonByProduct(mean: number, uniform: () => number): number {
  const least = Math.exp(-mean);
  let k = 0;
  for (let product = uniform(); product > least; product *= uniform()) k++;
  return k;
}

/** W. Hörmann, "The transformed rejection method for generating Poisson random variables", 1993: algorithm PTRS. */
function poissonByRejection(mean: number, uniform: () => number): number {
  const b = 0.931 + 2.53 * Math.sqrt(mean);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const sure = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const u = uniform() - 0.5;
    const v = uniform();
    const rest = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / rest + b) * u + mean + 0.43);
    if (rest >= 0.07 && v <= sure) return k;
    if (k < 0 || (rest < 0.013 && v > rest)) continue;
    const logRatio = Math.log((v * inverseAlpha) / (a / (rest * rest) + b));
    if (logRatio <= k * Math.log(mean) - mean - logFactorial(k)) return k;
  }
}

/** ln k!, by Stirling's series where it is exact to rounding. */
export function logFactorial(k: number): number {
  if (k < 16) {
    let product = 1;
    for (let i = 2; i <= k; i++) product *= i;
    return Math.log(product);
  }
  const n = k + 1;
  const series = 1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n * n)) / (n * n)) / (n * n);
  return (n - 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series / n;
}
