/**
 * The quantisation steps of a JPEG in the planes that are denoised.
 *
 * JPEG converts R, G, B to Y, Cb, Cr, may reduce the size of Cb and Cr, divides each into 8×8 blocks, and rounds every DCT
 * coefficient of a block to a multiple of its step. The rounding error of a coefficient is nearly uniform over one step, and
 * nearly independent of all others. The same holds in the planes that are denoised (image/colour.ts). With
 *
 *     R = Y + 1.402 Cr      G = Y − 0.344136 Cb − 0.714136 Cr      B = Y + 1.772 Cb
 *
 * those planes are
 *
 *     (R + G + B) / √3      =  √3 Y + 0.824 Cb + 0.397 Cr
 *     (R − B) / √2          =       − 1.253 Cb + 0.991 Cr          √(1.253² + 0.991²) = 1.598
 *     (R − 2G + B) / √6     =         1.004 Cb + 1.155 Cr          √(1.004² + 1.155²) = 1.531
 *
 * The squares of the errors of Cb and Cr add, and both have the same step: the steps of the chroma planes are 1.598 and 1.531
 * times the table. That of luma is √3 times its table. The errors of Cb and Cr in luma are left out: the estimate of the noise
 * includes them, and only the steps of Y set frequencies of luma to zero.
 *
 * Subsampled chroma, where a sample covers h×v pixels: a cosine of k half waves over the 8 samples of a row has k half waves over
 * 8h pixels. So u half waves over 8 pixels are the entry k = h·u of the table; from h·u = 8 on there is none. The cosine covers h
 * times as many pixels and has √h times the norm, so an error of one step becomes √h steps of an orthonormal transform:
 * √(hv) in both directions, which is 2 for 4:2:0 and √2 for 4:2:2. The attenuation by the interpolation of the decoder, and the
 * frequencies that it adds, are left out.
 */

import type { JpegInfo } from '../model.js';
import { nearestQuality } from './tables.js';

/** The largest sample of a JPEG. */
export const JPEG_PEAK = 255;
/** The share of a step that counts as noise: in luma or any other plane, and in chroma. */
export const STEP_SHARE = { luma: 0.25, chroma: 0.3 } as const;
/** Weights of (Y, Cb, Cr) in R, G and B. */
const RGB_OF_YCC = [
  [1, 0, 1.402],
  [1, -0.344136, -0.714136],
  [1, 1.772, 0],
] as const;
/** A step of Cb and Cr in the two chroma planes: 1.598 and 1.531. */
const CHROMA_STEPS = [
  [1 / Math.SQRT2, 0, -1 / Math.SQRT2],
  [1 / Math.sqrt(6), -2 / Math.sqrt(6), 1 / Math.sqrt(6)],
].map((plane) => {
  const weightOf = (component: 1 | 2) => plane.reduce((sum, weight, c) => sum + weight * RGB_OF_YCC[c][component], 0);
  return Math.hypot(weightOf(1), weightOf(2));
});

/**
 * The quantisation steps of a JPEG by plane and by frequency of an 8×8 block at full resolution, `[c][8 * v + u]`. For three
 * channels the planes are luma and two chromas, as `decorrelate` returns them; for any other number, every plane has the luma
 * table. A frequency that the JPEG cannot store has step 0.
 *
 * `scale` is one grey level of the JPEG in units of the image: 1 for 8-bit samples, 257 if they were converted to 16 bits, in
 * general the peak of the image over 255.
 */
export function jpegSteps(info: JpegInfo, channels: number, scale = 1): Float64Array[] {
  const luma = Float64Array.from(info.luma, (step) => scale * step);
  if (channels !== 3) return Array.from({ length: channels }, () => luma.slice());
  const [h, v] = info.subsampling ?? [1, 1];
  const chroma = CHROMA_STEPS.map((factor) =>
    Float64Array.from({ length: 64 }, (_, f) => {
      const [x, y] = [h * (f & 7), v * (f >> 3)];
      const step = x < 8 && y < 8 ? (info.chroma?.[8 * y + x] ?? 0) : 0;
      return scale * factor * Math.sqrt(h * v) * step;
    }),
  );
  return [luma.map((step) => Math.sqrt(3) * step), ...chroma];
}

/** The quality, from 1 to 100, at which most programs write these luma steps. It is approximate, and for display only. */
export function jpegQuality(info: JpegInfo): number {
  return nearestQuality('luma', info.luma);
}
