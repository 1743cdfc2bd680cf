import { finish, stretches, type Work } from '../work.js';
import type { Samples } from './image.js';

/**
 * The colour transform under which RGB is represented: the orthonormal 3-point DCT over (R, G, B). It turns the three
 * channels, which are nearly copies of each other, into a luma plane that holds most of the energy and two chroma planes
 * that are nearly flat, so one global budget goes where the picture is. Orthonormal, so every squared error, every noise
 * level and the RMSE are the same on both sides.
 */
const OPPONENT = [
  [1 / Math.sqrt(3), 1 / Math.sqrt(3), 1 / Math.sqrt(3)],
  [1 / Math.sqrt(2), 0, -1 / Math.sqrt(2)],
  [1 / Math.sqrt(6), -2 / Math.sqrt(6), 1 / Math.sqrt(6)],
] as const;

/** Planes as they are represented: R, G, B become luma and two chromas; any other number of planes is left as it is. */
export function decorrelate(planes: readonly Samples[]): readonly Samples[] {
  return finish(decorrelation(planes));
}

/** {@link decorrelate} as work. */
export function* decorrelation(planes: readonly Samples[]): Work<readonly Samples[]> {
  return planes.length === 3 ? yield* mix(planes, (i, j) => OPPONENT[i][j]) : planes;
}

/** The inverse of {@link decorrelate}. */
export function recorrelate(planes: readonly Samples[]): readonly Samples[] {
  return finish(recorrelation(planes));
}

/** {@link recorrelate} as work. */
export function* recorrelation(planes: readonly Samples[]): Work<readonly Samples[]> {
  return planes.length === 3 ? yield* mix(planes, (i, j) => OPPONENT[j][i]) : planes;
}

/** The deviations of the noise in planes after {@link decorrelate}, from those before, where it is independent. */
export function decorrelatedDeviations(sigma: readonly number[]): readonly number[] {
  if (sigma.length !== 3) return sigma;
  return OPPONENT.map((row) => Math.sqrt(row.reduce((sum, weight, c) => sum + (weight * sigma[c]) ** 2, 0)));
}

function* mix([x, y, z]: readonly Samples[], weight: (i: number, j: number) => number): Work<Samples[]> {
  const planes = [x, y, z].map(({ length }) => new Float64Array(length));
  for (const [i, plane] of planes.entries()) {
    const [a, b, c] = [weight(i, 0), weight(i, 1), weight(i, 2)];
    for (const [from, to] of stretches(plane.length)) {
      for (let n = from; n < to; n++) plane[n] = a * x[n] + b * y[n] + c * z[n];
      yield to / plane.length;
    }
  }
  return planes;
}
