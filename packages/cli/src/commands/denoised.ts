/** What both methods of denoising share: their input, their outcome, and the comparison with the clean image. */
import type { Image } from 'ght';
import { checkImage, InputError, isGhtError, psnr } from 'ght';
import type { ImageFile } from '../io/index.js';
import type { ProgressDisplay } from '../output/progress.js';
import { measure } from '../output/table.js';
import type { SharedNoise } from './shared-noise.js';

/** The input of a method in addition to the file and the flags. */
export interface Denoising {
  readonly clean?: Image;
  /** The name of the output, for printing. */
  readonly output: string;
  readonly write: (image: Image) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onProgress: ProgressDisplay['onProgress'];
  /** The noise, if it was measured on several files. */
  readonly shared?: SharedNoise;
}

/** The outcome for one file, for programs and for people. */
export interface Outcome {
  readonly summary: object;
  readonly facts: string;
  /** A short description of the noise, for one file of several. */
  readonly noise: string;
  /** Whether the result differs from the input. */
  readonly changed: boolean;
  /** What of the metadata of the input the output does not keep, in words. */
  readonly notKept?: readonly string[];
  /** If nothing was removed, or perhaps not enough: a sentence that says so and names the flag to use. */
  readonly advice?: string;
}

/** The PSNR in dB against the clean image; null if there is no clean image, or no difference. */
export function levelAgainst(clean: Image | undefined, image: Image): number | null {
  if (!clean) return null;
  const level = psnr(image, clean);
  return Number.isFinite(level) ? level : null;
}

/** The largest ratio of the peaks of two images in the same units. The peak of floats is the range of their values, so it varies. */
const MOST_APART = 16;

/** Refuses a reference that does not have the size and the units of the noisy image, or of another that `whose` names. */
export function checkReference(reference: ImageFile, file: ImageFile, path: string, whose = 'noisy image'): void {
  const [clean, noisy] = [reference.image, file.image];
  try {
    checkImage(clean);
  } catch (error) {
    if (!isGhtError(error, 'input')) throw error;
    const { parameter, rule, value, remedy } = error;
    throw new InputError(parameter.replace('image', '--reference'), rule, value, remedy, { cause: error });
  }
  const size = ({ width, height, planes }: Image) => `${width}×${height}×${planes.length}`;
  if (size(noisy) !== size(clean)) {
    const rule = `must have the size of the ${whose}, ${size(noisy)}`;
    const remedy = 'give the clean version of the same picture';
    throw new InputError('--reference', rule, `${size(clean)} in ${path}`, remedy);
  }
  // White in 8 bits is nearly black in 16 bits, and floats may have the units of either, or other ones.
  const apart = Math.max(clean.peak, noisy.peak) / Math.min(clean.peak, noisy.peak);
  if (apart > MOST_APART && !(reference.sample === 'float' && file.sample === 'float')) {
    const samples = ({ sample, depth }: ImageFile) => (sample === 'float' ? 'float' : `${depth} bit`);
    const rule = `must be in the units of the ${whose}, which has peak ${measure(noisy.peak)} (${samples(file)})`;
    const value = `peak ${measure(clean.peak)} (${samples(reference)}) in ${path}`;
    throw new InputError('--reference', rule, value, 'convert one to the other');
  }
}
