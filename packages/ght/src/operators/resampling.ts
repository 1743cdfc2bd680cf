/**
 * Resampling along one side, as a matrix with a band of weights per row. Sample i of the m samples of the result lies at
 * u = (i + ½)·n/m − ½ of the n samples of the input, so that both cover the same length. Its weights are those of a window
 * around u, scaled to the sum 1; beyond the ends the input is mirrored. With the cubic window this is MATLAB's `imresize`:
 * where the result is smaller the window is stretched, which prevents aliasing.
 */
import { mirror } from '../image/mirror.js';

/** A matrix of m × n with `taps` weights per row; `columns` says where each weight stands. A column may occur twice in a row. */
export interface Resampling {
  /** m, the number of rows. */
  readonly to: number;
  /** n, the number of columns. */
  readonly from: number;
  readonly taps: number;
  readonly columns: Int32Array;
  readonly weights: Float64Array;
}

/** A window by its half width and its weights, in samples of the input. */
interface Window {
  readonly reach: number;
  weight(distance: number): number;
}

/** How the pixels of a small picture are made from those of a large one. */
export type ReductionBlur =
  | 'bicubic'
  | 'area'
  | {
      /** The deviation of a Gaussian, in pixels of the large picture. */
      readonly gaussian: number;
    };

/**
 * The reduction that is assumed: a known one, or one between the cubic window and area averaging, with this share of the latter. A
 * mixture is never far from either: it is for pictures of which it is not known.
 */
export type AssumedReduction = ReductionBlur | { readonly mixed: number };

/** Enlarges n samples to m by cubic interpolation, or reduces them with the stretched cubic. */
export function cubicResampling(n: number, m: number): Resampling {
  const stretch = Math.max(1, n / m);
  return resampling(n, m, { reach: 2 * stretch, weight: (distance) => cubic(distance / stretch) });
}

/** Reduces n samples to m. */
export function reduction(n: number, m: number, blur: AssumedReduction): Resampling {
  if (blur === 'bicubic') return cubicResampling(n, m);
  if (blur === 'area') return resampling(n, m, areaWindow(n / m));
  if ('mixed' in blur) return resampling(n, m, mixedWindow(n / m, blur.mixed));
  const { gaussian: sigma } = blur;
  const weight = (distance: number) => Math.exp(-(distance ** 2) / (2 * sigma ** 2));
  // At least the nearest sample is within reach.
  return resampling(n, m, { reach: Math.max(1, 4 * sigma), weight });
}

/** The overlap of a pixel with the area of a pixel of the small picture. */
function areaWindow(scale: number): Window {
  const half = scale / 2;
  const weight = (distance: number) => Math.max(0, Math.min(1, half + 0.5 - Math.abs(distance), scale));
  return { reach: half + 0.5, weight };
}

/** Both windows have about the sum `scale`. */
function mixedWindow(scale: number, share: number): Window {
  const area = areaWindow(scale);
  const stretch = Math.max(1, scale);
  const weight = (distance: number) => share * area.weight(distance) + (1 - share) * cubic(distance / stretch);
  return { reach: Math.max(area.reach, 2 * stretch), weight };
}

/** Keys' cubic with a = −½. */
function cubic(distance: number): number {
  const t = Math.abs(distance);
  if (t >= 2) return 0;
  return t <= 1 ? 1.5 * t ** 3 - 2.5 * t ** 2 + 1 : -0.5 * t ** 3 + 2.5 * t ** 2 - 4 * t + 2;
}

function resampling(n: number, m: number, { reach, weight }: Window): Resampling {
  const taps = Math.floor(2 * reach) + 1;
  const columns = new Int32Array(m * taps);
  const weights = new Float64Array(m * taps);
  for (let i = 0; i < m; i++) {
    const u = ((i + 0.5) * n) / m - 0.5;
    const first = Math.ceil(u - reach);
    let sum = 0;
    for (let t = 0; t < taps; t++) {
      columns[i * taps + t] = mirror(first + t, n);
      weights[i * taps + t] = weight(first + t - u);
      sum += weights[i * taps + t];
    }
    for (let t = 0; t < taps; t++) weights[i * taps + t] /= sum;
  }
  return { to: m, from: n, taps, columns, weights };
}
