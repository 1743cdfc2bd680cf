/** What a restoration finds out about its image before the loop begins: plain data, the answer of one pass and an argument of others. */
import type { Samples } from '../../image/image.js';
import type { NoiseEstimate } from '../../noise/estimate.js';
import type { BlurEstimate } from '../../operators/blind/estimate.js';
import type { FoundReduction } from '../../operators/find-reduction.js';

/** What was found in an image. */
export interface Findings {
  /** The standard deviation of the noise of the input that is assumed, in its units; 0 for none. */
  readonly sigma: number;
  /** Whether that was estimated from the image. */
  readonly estimated: boolean;
  /** For `deblur`: the approximate quality of the JPEG that the image was, from 1 to 100; its steps are counted in `sigma`. */
  readonly jpegQuality?: number;
  /** For `deblur` with the kernel `auto`: the blur that was found, in pixels, and how certain its kind is, from 0 to 1. */
  readonly blur?: BlurEstimate;
  /** For `upscale` with `blur: 'auto'`: how the image was reduced, as far as it shows. Left out if it was given. */
  readonly reduction?: FoundReduction;
  /** For `upscale` with `sigma: 'auto'`: the noise or the JPEG steps that were removed first. Left out if there were none. */
  readonly noise?: NoiseEstimate;
  /** For `inpaint`: how much is missing. */
  readonly missing?: MissingExtent;
  /** What is probably wrong with the input; empty if nothing was noticed. */
  readonly warnings: readonly RestorationWarning[];
}

/** What was found in an image, and its planes without the noise that was removed first. */
export interface FoundInput {
  readonly found: Findings;
  readonly denoised?: readonly Samples[];
}

/** How much of an image is missing. */
export interface MissingExtent {
  /** The number of missing pixels. */
  readonly count: number;
  /** Their share of all pixels, from 0 to 1. */
  readonly share: number;
  /** The width of the widest hole: the side of the largest square without a known pixel, in pixels. */
  readonly widest: number;
}

/** Something that is probably wrong, with the reason as data. */
export type RestorationWarning =
  /** The picture looks sharp: its spectrum has what the kernel would have removed. */
  | { readonly reason: 'image-sharp' }
  /** The kernel does not fit: the result would leave the range of the data, so noise of `sigma` is assumed in place of `before`. */
  | { readonly reason: 'kernel-misfit'; readonly before: number; readonly sigma: number }
  /** The mask marks a picture as missing, and leaves hardly anything known: it may be inverted. */
  | { readonly reason: 'mask-inverted'; readonly share: number };
