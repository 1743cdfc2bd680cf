/**
 * Signal-dependent noise, and the transform that makes it independent of the signal. A sensor counts photons and reads the
 * count with an error of its own. With x ≥ offset the value without noise,
 *
 *     y = offset + gain · Poisson((x − offset) / gain) + N(0, σ²)
 *     E[y | x] = x,      var(y | x) = gain · (x − offset) + σ²
 *
 * in the units of the image. The generalised Anscombe transform, with s = σ/gain,
 *
 *     f(y) = 2 √((y − offset)/gain + 3/8 + s²)      and 0 where the root has no argument
 *
 * makes the noise nearly Gaussian with deviation 1, wherever there are more than a few photons or enough read noise.
 * A denoiser for such noise returns an estimate of E[f(y) | x], not of f(x). So the exact unbiased inverse is used (M.
 * Mäkitalo and A. Foi, "Optimal inversion of the generalized Anscombe transformation for Poisson-Gaussian noise", 2013): the
 * x with that expectation, from a table of expectations. The algebraic inverse of f would be too low by var(f)/4, a quarter
 * of a photon.
 */
import { notNegative, OptionError } from '../errors.js';
import { logFactorial } from '../math/random.js';
import { finish } from '../work.js';
import { type Image, mapped } from './image.js';

/** How the noise of an image depends on its signal: var(y | x) = gain · (x − offset) + σ². */
export interface PoissonGaussian {
  /** The increase of a sample per count; 0 if the noise does not depend on the signal. */
  readonly gain: number;
  /** The standard deviation of the noise at zero signal. */
  readonly sigma: number;
  /** The sample value at zero signal. @default 0 */
  readonly offset?: number;
}

/** The transform for one kind of noise, and its inverse. */
export interface Stabiliser {
  /** f(y), whose noise has a deviation of about 1. Finite for every finite y. */
  forward(y: number): number;
  /** The x with E[f(y) | x] = D: the exact unbiased inverse. For any D below the smallest expectation it is the offset. */
  inverse(D: number): number;
  /** The image with every sample transformed; its noise has σ = 1. */
  stabilise(image: Image): Image;
  /** The image with every sample transformed back, with this peak. */
  restore(image: Image, peak: number): Image;
}

/**
 * The nodes of the table of E[f | λ] are at λ = (j · STEP)². Beyond the last node the inverse is its asymptote plus the
 * remaining difference.
 */
const STEP = 1 / 16;
const NODES = 161;
/** The integral over the read noise: its range in deviations to both sides, and the number of steps. */
const REACH = 8;
const SLICES = 1024;

/** From this σ/gain on the noise hardly depends on the signal, and s² would cancel the digits of the counts. */
const ALL_READ_NOISE = 1e8;

/** The generalised Anscombe transform and its exact unbiased inverse for this noise. */
export function stabiliser({ gain, sigma, offset = 0 }: PoissonGaussian): Stabiliser {
  notNegative('gain', gain, 'give the increase of a sample per count, or 0');
  notNegative('sigma', sigma, 'give the deviation of the noise without signal, or 0');
  if (!Number.isFinite(offset)) {
    throw new OptionError('offset', 'must be a finite number', offset, 'give the value of no signal, such as 0');
  }
  if (gain === 0 && sigma === 0) {
    throw new OptionError('gain', 'must be above 0 where sigma is 0', gain, 'without noise there is nothing to do');
  }
  const { forward, inverse } = sigma >= ALL_READ_NOISE * gain ? linear(sigma, offset) : anscombe(gain, sigma, offset);
  const through = (image: Image, f: (value: number) => number, peak: number): Image => ({
    ...image,
    planes: image.planes.map((plane) => finish(mapped(plane, f))),
    peak,
  });
  return {
    forward,
    inverse,
    stabilise: (image) => through(image, forward, forward(image.peak)),
    restore: (image, peak) => through(image, inverse, peak),
  };
}

/** Noise that does not depend on the signal is only scaled. */
function linear(sigma: number, offset: number): Pick<Stabiliser, 'forward' | 'inverse'> {
  return { forward: (y) => (y - offset) / sigma, inverse: (D) => D * sigma + offset };
}

function anscombe(gain: number, sigma: number, offset: number): Pick<Stabiliser, 'forward' | 'inverse'> {
  const s = sigma / gain;
  const shift = 3 / 8 + s * s;
  const { means, slopes } = expectations(s);
  const last = NODES - 1;
  const lambdaAt = (j: number) => (j * STEP) ** 2;
  // E[f] = 2√(λ + 1/8 + s²) up to terms that vanish, so this is the inverse for large D; the remainder falls like 1/D.
  const asymptote = (D: number) => D * D * 0.25 - 1 / 8 - s * s;
  const rest = (lambdaAt(last) - asymptote(means[last])) * means[last];

  const counts = (D: number): number => {
    if (!(D > means[0])) return 0;
    if (D >= means[last]) return asymptote(D) + rest / D;
    let [low, high] = [0, last];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (means[middle] <= D) low = middle;
      else high = middle;
    }
    return hermite(D, means[low], means[high], lambdaAt(low), lambdaAt(high), 1 / slopes[low], 1 / slopes[high]);
  };
  return {
    forward: (y) => 2 * Math.sqrt(Math.min(Number.MAX_VALUE, Math.max(0, (y - offset) / gain + shift))),
    inverse: (D) => Math.min(Number.MAX_VALUE, offset + gain * counts(D)),
  };
}

/**
 * The cubic between two points with given slopes, which are limited so that it is monotone (Fritsch and Carlson 1980).
 */
function hermite(x: number, x0: number, x1: number, y0: number, y1: number, slope0: number, slope1: number): number {
  const width = x1 - x0;
  const secant = (y1 - y0) / width;
  const t = (x - x0) / width;
  const m0 = Math.min(slope0, 3 * secant) * width;
  const m1 = Math.min(slope1, 3 * secant) * width;
  return y0 * (1 + 2 * t) * (1 - t) ** 2 + m0 * t * (1 - t) ** 2 + y1 * t * t * (3 - 2 * t) - m1 * t * t * (1 - t);
}

/** E[f | λ] at the nodes, and its derivative with respect to λ, which is the same sum over the differences of its terms. */
function expectations(s: number): { means: Float64Array; slopes: Float64Array } {
  const largest = ((NODES - 1) * STEP) ** 2;
  const terms = Math.ceil(largest + 12 * Math.sqrt(largest) + 30);
  const given = Float64Array.from({ length: terms + 1 }, (_, k) => afterReading(k, s));
  const means = new Float64Array(NODES);
  const slopes = new Float64Array(NODES);
  for (let j = 0; j < NODES; j++) {
    const lambda = (j * STEP) ** 2;
    for (let k = 0; k < terms; k++) {
      const weight = lambda === 0 ? Number(k === 0) : Math.exp(k * Math.log(lambda) - lambda - logFactorial(k));
      means[j] += weight * given[k];
      slopes[j] += weight * (given[k + 1] - given[k]);
    }
  }
  return { means, slopes };
}

/** E[2 √(k + 3/8 + s² + s n)₊] over n ~ N(0, 1): the expectation of f for a count k with read noise. */
function afterReading(k: number, s: number): number {
  const argument = k + 3 / 8 + s * s;
  if (s === 0) return 2 * Math.sqrt(argument);
  // With n = lowest + w² the integrand has no kink at its lower end, and the midpoint rule is accurate to many digits.
  const lowest = Math.max(-REACH, -argument / s);
  const widest = Math.sqrt(REACH - lowest);
  let sum = 0;
  let all = 0;
  for (let i = 0; i < SLICES; i++) {
    const w = ((i + 0.5) * widest) / SLICES;
    const n = lowest + w * w;
    const weight = Math.exp((-n * n) / 2) * 2 * w;
    sum += weight * 2 * Math.sqrt(Math.max(0, argument + s * n));
    all += weight;
  }
  // If nothing is cut off, the weights are those of a whole Gaussian, and their sum is the more accurate divisor.
  return lowest === -REACH ? sum / all : (sum * widest) / SLICES / Math.sqrt(2 * Math.PI);
}
