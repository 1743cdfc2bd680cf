import { OptionError, oneOf } from '../errors.js';
import { finish, stretches, type Work } from '../work.js';
import type { Samples } from './image.js';

/** What the planes of an image are. */
export type Channels = 'auto' | 'bands' | 'colour';

/** Whether this many planes are red, green and blue. */
export function isColour(planes: number, channels: Channels = 'auto'): boolean {
  oneOf('channels', channels, ['auto', 'bands', 'colour']);
  if (channels === 'colour' && planes !== 3) {
    const remedy = 'use bands, or auto';
    throw new OptionError('channels', `must be bands or auto for ${planes} planes`, channels, remedy);
  }
  return channels !== 'bands' && planes === 3;
}

type Weights = readonly [number, number, number];

/**
 * The colour transform under which RGB is represented: the orthonormal 3-point DCT over (R, G, B). The three channels are
 * nearly copies of each other; the transform turns them into a luma plane with most of the energy and two nearly flat
 * chroma planes, so that a global budget is used where the detail is. It is orthonormal, so squared errors, noise levels
 * and the RMSE are the same before and after.
 */
const FORWARD: readonly Weights[] = [
  [1 / Math.sqrt(3), 1 / Math.sqrt(3), 1 / Math.sqrt(3)],
  [1 / Math.sqrt(2), 0, -1 / Math.sqrt(2)],
  [1 / Math.sqrt(6), -2 / Math.sqrt(6), 1 / Math.sqrt(6)],
];
const BACK = [0, 1, 2].map((j) => FORWARD.map((row) => row[j]) as unknown as Weights);

/** Planes as they are represented: R, G, B become luma and two chromas; any other number of planes is unchanged. */
export function decorrelate(planes: readonly Samples[]): readonly Samples[] {
  return finish(decorrelation(planes));
}

/** {@link decorrelate} as work. */
export function* decorrelation(planes: readonly Samples[]): Work<readonly Samples[]> {
  return planes.length === 3 ? yield* mixed(planes, FORWARD, emptyLike(planes)) : planes;
}

/** The inverse of {@link decorrelate}. */
export function recorrelate(planes: readonly Samples[]): readonly Samples[] {
  return finish(recorrelation(planes));
}

/**
 * {@link recorrelate} as work. Three planes are written to `into` if it is given: float64 planes that are no longer needed,
 * such as the input or the planes that `decorrelation` made.
 */
export function* recorrelation(
  planes: readonly Samples[],
  into: readonly Samples[] = emptyLike(planes),
): Work<readonly Samples[]> {
  return planes.length === 3 ? yield* mixed(planes, BACK, into) : planes;
}

/** The noise deviations of planes after {@link decorrelate}, from those before, for noise that is independent per plane. */
export function decorrelatedDeviations(sigma: readonly number[]): readonly number[] {
  if (sigma.length !== 3) return sigma;
  return FORWARD.map((row) => Math.sqrt(row.reduce((sum, weight, c) => sum + (weight * sigma[c]) ** 2, 0)));
}

function emptyLike(planes: readonly Samples[]): Float64Array[] {
  return planes.map(({ length }) => new Float64Array(length));
}

/** Three planes times a matrix; `into` may be the planes themselves. */
function* mixed(planes: readonly Samples[], M: readonly Weights[], into: readonly Samples[]): Work<readonly Samples[]> {
  const [x, y, z] = planes;
  const [u, v, w] = into;
  const [[a, b, c], [d, e, f], [g, h, i]] = M;
  for (const [from, to] of stretches(u.length)) {
    for (let n = from; n < to; n++) {
      const r = x[n];
      const s = y[n];
      const t = z[n];
      u[n] = a * r + b * s + c * t;
      v[n] = d * r + e * s + f * t;
      w[n] = g * r + h * s + i * t;
    }
    yield to / u.length;
  }
  return into;
}
