/**
 * Whitens noise that is not white, group by group. In the orthonormal DCT of an 8×8 patch the noise of frequency f has the
 * deviation s_f, which depends on the plane and on the brightness of the group. So the coefficients
 *
 *     w_f = (A X Aᵀ)_f / s_f
 *
 * have noise of deviation 1 at every frequency, and the threshold, the Wiener filter and the rule for singular values apply
 * unchanged. The result is multiplied by s_f and transformed back.
 */
import type { TileNoise } from '../denoiser.js';
import type { Group } from './filters.js';
import type { Plane } from './matching.js';
import { apply2d, dct } from './transforms.js';

/** The side of the patches that can be whitened: spectra are given for 8×8 frequencies. */
const SPECTRUM_SIDE = 8;

/** The smallest deviation used, in deviations of the noise: below it there is no noise to speak of. */
export const LEAST_DEVIATION = 1e-3;

/** The brightness of a group: the mean of its patches on the first plane of the guide. */
export function brightnessOf({ width, data }: Plane, members: readonly number[], patch: number): number {
  let sum = 0;
  for (const at of members) {
    for (let n = 0; n < patch * patch; n++) sum += data[at + Math.floor(n / patch) * width + (n % patch)];
  }
  return sum / (members.length * patch * patch);
}

/** The deviations of plane c at a brightness: interpolated between the nearest two, constant beyond the first and the last. */
export function deviationsAt({ brightness, deviations }: TileNoise, c: number, value: number): Float64Array {
  let b = 0;
  while (b < brightness.length - 2 && value > brightness[b + 1]) b++;
  const [low, high] = [deviations[c][b], deviations[c][Math.min(b + 1, brightness.length - 1)]];
  const gap = brightness.length > 1 ? brightness[b + 1] - brightness[b] : 1;
  const share = Math.min(1, Math.max(0, (value - brightness[b]) / gap));
  return low.map((deviation, f) => Math.max(LEAST_DEVIATION, deviation + share * (high[f] - deviation)));
}

const { analysis, synthesis } = dct(SPECTRUM_SIDE);

/** The whitened coefficients of every patch of a group, in place. */
export function whiten(group: Group, s: Float64Array): void {
  for (const patch of group) {
    apply2d(analysis, patch);
    for (let f = 0; f < patch.length; f++) patch[f] /= s[f];
  }
}

/** The inverse of {@link whiten}. */
export function unwhiten(group: Group, s: Float64Array): void {
  for (const patch of group) {
    for (let f = 0; f < patch.length; f++) patch[f] *= s[f];
    apply2d(synthesis, patch);
  }
}
