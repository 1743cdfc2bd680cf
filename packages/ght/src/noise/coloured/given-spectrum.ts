/**
 * Noise with a given spectrum. The spectrum is either the deviation of each of the 8×8 frequencies of the orthonormal DCT; or, for
 * any other size, the power spectral density Ψ on the grid of a discrete Fourier transform, as in BM3D: the expected |FFT|² of noise
 * of that size, whose mean is the number of samples times the variance. A coefficient of the DCT is the inner product with a basis
 * function b_f, so its variance is
 *
 *     s_f² = (1/n²) Σ_k Ψ(k) |B_f(k)|²        n samples, B_f the Fourier transform of b_f at the frequencies k
 */

import { OptionError } from '../../errors.js';
import { dctEntry } from '../../math/dct.js';
import type { ColouredNoise } from '../model.js';

/** A spectrum of noise, row by row. */
export interface NoiseSpectrum {
  /** Frequencies along a row. */
  readonly width: number;
  /** Frequencies along a column. */
  readonly height: number;
  /**
   * For 8×8, the deviation of each frequency of the DCT in the units of the image: `data[8 * v + u]` for u half waves along a row
   * and v along a column.
   * For any other size, the power spectral density at each frequency of a Fourier transform of that size.
   */
  readonly data: ArrayLike<number>;
}

const SIDE = 8;

/** The noise with a given spectrum, the same in all channels. */
export function givenSpectrum(spectrum: NoiseSpectrum, channels: number): ColouredNoise {
  const { width, height, data } = checked(spectrum);
  const deviations =
    width === SIDE && height === SIDE
      ? Float64Array.from(data)
      : fromDensity(width, height, data).map((variance) => Math.sqrt(variance));
  return { kind: 'coloured', brightness: [0], deviations: Array.from({ length: channels }, () => [deviations]) };
}

function checked(spectrum: NoiseSpectrum): NoiseSpectrum {
  const { width, height, data } = typeof spectrum === 'object' && spectrum !== null ? spectrum : ({} as NoiseSpectrum);
  if (!(Number.isInteger(width) && Number.isInteger(height) && data?.length === width * height && width > 0)) {
    const remedy = 'give { width, height, data }: 8×8 deviations, or a power spectral density of any size';
    throw new OptionError('noise.spectrum', 'must hold width × height numbers', `${width}×${height}`, remedy);
  }
  for (let i = 0; i < data.length; i++) {
    if (data[i] >= 0 && Number.isFinite(data[i])) continue;
    const remedy = 'give deviations or densities';
    throw new OptionError(`noise.spectrum.data[${i}]`, 'must be a finite number of at least 0', data[i], remedy);
  }
  return spectrum;
}

/** The variances of the 8×8 frequencies, from a density. */
function fromDensity(width: number, height: number, density: ArrayLike<number>): Float64Array {
  const [across, down] = [powers(width), powers(height)];
  const variances = new Float64Array(SIDE * SIDE);
  // The sum is separable: first over a row of frequencies, for each u.
  const rows = Array.from({ length: SIDE }, () => new Float64Array(height));
  for (let y = 0; y < height; y++) {
    for (let u = 0; u < SIDE; u++) {
      for (let x = 0; x < width; x++) rows[u][y] += density[y * width + x] * across[u][x];
    }
  }
  for (let v = 0; v < SIDE; v++) {
    for (let u = 0; u < SIDE; u++) {
      for (let y = 0; y < height; y++) variances[SIDE * v + u] += rows[u][y] * down[v][y];
    }
  }
  return variances.map((sum) => sum / (width * height) ** 2);
}

/** |B_u(k)|² of each cosine at the frequencies k of a Fourier transform of `length` samples. */
function powers(length: number): Float64Array[] {
  return Array.from({ length: SIDE }, (_, u) =>
    Float64Array.from({ length }, (_value, k) => {
      let [real, imaginary] = [0, 0];
      for (let i = 0; i < SIDE; i++) {
        const angle = (2 * Math.PI * k * i) / length;
        real += dctEntry(SIDE, u, i) * Math.cos(angle);
        imaginary += dctEntry(SIDE, u, i) * Math.sin(angle);
      }
      return real * real + imaginary * imaginary;
    }),
  );
}
