import type { Quality, RepresentOptions } from 'ght';
import { denoiseMemory, type Pixels, representMemory } from 'ght-images';
import type { Size } from '../image/header.js';

/** The memory that a browser tab can be expected to have: computers have several gibibytes for it, and phones much less. */
export const TAB_BYTES = 2 * 2 ** 30;

/** An image whose run would not fit, and the factor by which each side must be reduced to fit. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  constructor(
    message: string,
    readonly reduce: number | undefined,
  ) {
    super(message);
  }
}

/** Rejects a size whose run needs more memory than a tab has, and states what would fit; returns the bytes needed. */
export function checkMemory(size: Size, options: RepresentOptions): number {
  const finer = (options.stride ?? 8) < 8 ? ' or choose a larger stride' : '';
  const { channels } = size;
  const bytes = (width: number, height: number) => representMemory(inFloats(width, height, channels), options);
  return checkFit(size, bytes, finer);
}

/** {@link checkMemory} for denoising. */
export function checkDenoisingMemory(size: Size, quality: Quality): number {
  const { channels } = size;
  // The noise may turn out to be coloured, which takes the most.
  const bytes = (width: number, height: number) =>
    denoiseMemory(inFloats(width, height, channels), quality, 'coloured');
  return checkFit(size, bytes, '');
}

/** Float64 planes that the loop of a restoration holds beside its prior: data, x, z, u, and those of a data step. */
const LOOP_PLANES = 8;
/** Bytes per sample of the image, of its copy in float64 and of the result. */
const COPIES = 20;

/**
 * {@link checkMemory} for a restoration whose loop works on a picture of another size: larger for an enlarged image, smaller
 * if only a part of it has missing pixels.
 */
export function checkRestorationMemory(size: Size, loop: Size, quality: Quality): number {
  const [across, down] = [loop.width / size.width, loop.height / size.height];
  const bytes = (width: number, height: number) => {
    const [w, h] = [Math.ceil(across * width), Math.ceil(down * height)];
    const prior = denoiseMemory(inFloats(w, h, loop.channels), quality, 'white');
    return prior + 8 * LOOP_PLANES * w * h * loop.channels + COPIES * Math.max(width * height, w * h) * size.channels;
  };
  return checkFit(size, bytes, across > 2 ? ' or choose a smaller factor' : '');
}

/** An image as the page holds it, in float32. */
function inFloats(width: number, height: number, channels: number): Pixels {
  return { width, height, channels, bytes: 4 * width * height * channels };
}

function checkFit({ width, height }: Size, bytesFor: (width: number, height: number) => number, finer: string): number {
  const needed = (n: number) => bytesFor(Math.floor(width / n), Math.floor(height / n));
  const bytes = needed(1);
  if (bytes <= TAB_BYTES) return bytes;
  let reduce: number | undefined = 2;
  const shorter = Math.min(width, height);
  while (reduce <= shorter && needed(reduce) > TAB_BYTES) reduce++;
  // A strip that is too long even at a width of one pixel.
  if (reduce > shorter) reduce = undefined;
  const megapixels = ((width * height) / 1e6).toFixed(0);
  const remedy = reduce
    ? `Open it reduced to ${Math.floor(width / reduce)}×${Math.floor(height / reduce)}`
    : 'Cut it into pieces';
  throw new TooLargeError(
    `${width}×${height} (${megapixels} megapixels) needs about ${gibibytes(bytes)} of memory, and a browser tab holds ` +
      `about ${gibibytes(TAB_BYTES)}. ${remedy}${finer}, or use the command ght.`,
    reduce,
  );
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
