import type { Image, Samples } from '../../src/index.js';
import { decorrelate, randomSource } from '../../src/index.js';
import { dctEntry } from '../../src/math/dct.js';
import { colouredNoise, type SpectrumEstimate } from '../../src/noise/coloured/spectrum.js';
import type { JpegInfo } from '../../src/noise/model.js';
import { finish } from '../../src/work.js';

/** The estimate of an image, as in a task. */
export function estimateOf({ planes, width, height, peak }: Image, jpeg?: JpegInfo): SpectrumEstimate {
  return finish(colouredNoise(decorrelate(planes), width, height, { peak, original: planes, jpeg }));
}

/** White noise of deviation 1. */
export function whiteNoise(length: number, seed: number): Float64Array {
  const random = randomSource(seed);
  return Float64Array.from({ length }, () => random.normal());
}

/** A plane filtered by one kernel along rows and another along columns, with periodic borders. */
export function filtered(
  plane: Samples,
  width: number,
  across: readonly number[],
  down: readonly number[],
): Float64Array {
  const height = plane.length / width;
  const filter = (from: Samples, kernel: readonly number[], at: (x: number, y: number, k: number) => number) =>
    Float64Array.from(from, (_, i) =>
      kernel.reduce((sum, weight, k) => sum + weight * from[at(i % width, Math.floor(i / width), k)], 0),
    );
  const rows = filter(plane, across, (x, y, k) => y * width + ((x + k) % width));
  return filter(rows, down, (x, y, k) => ((y + k) % height) * width + x);
}

/** The deviations of the 8×8 DCT of white noise of deviation 1 filtered in this way: √(bᵀ C b) with C its covariance. */
export function filteredDeviations(across: readonly number[], down: readonly number[]): Float64Array {
  const variances = (kernel: readonly number[]) => {
    const covariance = (lag: number) => kernel.reduce((sum, weight, k) => sum + weight * (kernel[k + lag] ?? 0), 0);
    return Array.from({ length: 8 }, (_, u) => {
      let variance = 0;
      for (let i = 0; i < 8; i++) {
        for (let j = 0; j < 8; j++) variance += dctEntry(8, u, i) * dctEntry(8, u, j) * covariance(Math.abs(i - j));
      }
      return variance;
    });
  };
  const [x, y] = [variances(across), variances(down)];
  return Float64Array.from({ length: 64 }, (_, i) => Math.sqrt(x[i % 8] * y[Math.floor(i / 8)]));
}

/** The radius of a frequency. */
export const radius = (f: number) => Math.hypot(f % 8, Math.floor(f / 8));

/** Root mean square of the deviations over 2 ≤ r < 5. */
export function middleOf(deviations: Float64Array): number {
  const at = [...deviations].filter((_, f) => radius(f) >= 2 && radius(f) < 5);
  return Math.sqrt(at.reduce((sum, value) => sum + value ** 2, 0) / at.length);
}
