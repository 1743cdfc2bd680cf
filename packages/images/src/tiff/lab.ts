/**
 * CIE L*a*b* as sRGB. With the white of graphic arts, D50, as ICC profiles and most programs have it:
 *
 *     f_y = (L + 16) / 116,  f_x = f_y + a / 500,  f_z = f_y − b / 200
 *     X / X_n = g(f_x),  g(t) = t³ if t > 6/29, else 3 (6/29)² (t − 4/29);  the same for Y and Z
 *     linear RGB = M (X / X_n, Y / Y_n, Z / Z_n)
 *
 * M adapts D50 to D65 by Bradford's method and has the primaries of sRGB, whose curve follows. Colours outside of sRGB are clipped.
 */
import type { RasterSamples } from '../raster.js';

/** The rows of M; each has the sum 1, so that grey stays grey. */
const matrix = [
  [3.0219825, -1.617209, -0.4047735],
  [-0.9437093, 1.9161301, 0.0275792],
  [0.0693876, -0.2289939, 1.1596063],
] as const;

/** How the samples of a colour are encoded: as TIFF has them, a and b with a sign, or as ICC, a and b with an offset. */
export type LabEncoding = 'tiff' | 'icc';

/** Turns planes of L, a and b, unsigned integers of 8 or 16 bits, into those of red, green and blue, in place. */
export function labToRgb(planes: readonly RasterSamples[], depth: 8 | 16, encoding: LabEncoding): void {
  const [first, second, third] = planes;
  const most = 2 ** depth - 1;
  // 16 bits of ICC end at 0xff00, and a and b count in steps of 1/256.
  const white = encoding === 'icc' && depth === 16 ? 0xff00 : most;
  const step = 2 ** (depth - 8);
  const half = 2 ** (depth - 1);
  const difference = (stored: number) =>
    (encoding === 'icc' ? stored - half : stored >= half ? stored - 2 * half : stored) / step;
  for (let i = 0; i < first.length; i++) {
    const middle = ((100 * first[i]) / white + 16) / 116;
    const x = ratio(middle + difference(second[i]) / 500);
    const y = ratio(middle);
    const z = ratio(middle - difference(third[i]) / 200);
    for (const [channel, [ofX, ofY, ofZ]] of matrix.entries()) {
      planes[channel][i] = Math.round(most * curve(ofX * x + ofY * y + ofZ * z));
    }
  }
}

function ratio(t: number): number {
  return t > 6 / 29 ? t * t * t : 3 * (6 / 29) ** 2 * (t - 4 / 29);
}

/** The curve of sRGB, of light from 0 to 1. */
function curve(light: number): number {
  const inside = Math.min(Math.max(light, 0), 1);
  return inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055;
}
