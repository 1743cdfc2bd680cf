import { estimateMemory, type Image, type MemorySize, type Quality, type RepresentOptions } from 'ght';
import { bytes as amount } from 'ght/format';
import type { Size } from '../image/header.js';

/**
 * The memory that a browser tab can be expected to have: half of that of the machine, as far as the browser tells it (some say
 * nothing, and none says more than 8 GiB).
 */
export function tabBytes(machineGibibytes: number | undefined): number {
  return 2 ** 30 * Math.min(4, Math.max(1, (machineGibibytes ?? 4) / 2));
}

const TAB_BYTES = tabBytes((globalThis.navigator as { readonly deviceMemory?: number } | undefined)?.deviceMemory);

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

/** Bytes per pixel of a picture that is shown: its layer, the canvas that it is drawn on, and what the screen needs. */
const SHOWN_BYTES = 10;

/** Rejects an image that cannot even be opened and shown: the decoder's RGBA twice, the planes, the picture. */
export function checkOpeningMemory(size: Size): number {
  return checkFit(size, (width, height) => width * height * (8 + 4 * size.channels + SHOWN_BYTES), '');
}

/** Rejects a size whose run needs more memory than a tab has, and states what would fit; returns the bytes needed. */
export function checkMemory(size: Size, options: RepresentOptions): number {
  const { channels } = size;
  const bytes = (width: number, height: number) =>
    estimateMemory('represent', inFloats(width, height, channels), options);
  return checkFit(size, bytes, finerStride(options));
}

/** {@link checkMemory} for a comparison, which keeps the codes, the image and the picture of every solver. */
export function checkComparisonMemory(image: Image, options: RepresentOptions, solvers: number): number {
  const channels = image.planes.length;
  const size = { ...image, channels };
  const perPatch = options.budget && 'perPatch' in options.budget ? options.budget.perPatch : EXPECTED_ATOMS;
  const bytes = (width: number, height: number) => {
    const patches = (width * height * channels) / (options.stride ?? 8) ** 2;
    const kept = 12 * perPatch * patches + (8 * channels + SHOWN_BYTES) * width * height;
    return estimateMemory('represent', inFloats(width, height, channels), options) + solvers * kept;
  };
  return checkFit(size, bytes, finerStride(options));
}

/** The atoms per patch that are assumed where only a target is known. */
const EXPECTED_ATOMS = 10;

function finerStride({ stride = 8 }: RepresentOptions): string {
  return stride < 8 ? ' or choose a larger stride' : '';
}

/** What denoising is asked for, as far as its memory depends on it. */
interface DenoisingSize {
  readonly quality: Quality;
  /** Bytes per sample of the file. */
  readonly bytes: number;
  /** Whether noise is added first, which needs copies in float32. */
  readonly experiment: boolean;
}

/** Bytes that denoising in tiles takes at its peak, about. The image is held in the samples of its file. */
export function denoisingBytes(
  { width, height, channels }: Size,
  { quality, bytes, experiment }: DenoisingSize,
): number {
  const samples = width * height * channels;
  // The image and the result, the coarse scale (a float32 for every four samples), and two pictures.
  const held = samples * (bytes + (experiment ? 8 : bytes) + 1) + 2 * SHOWN_BYTES * width * height;
  return held + estimateMemory('denoise', { width, height, channels }, { quality, tiled: true });
}

/** {@link checkMemory} for denoising in tiles. */
export function checkDenoisingMemory(size: Size, asked: DenoisingSize): number {
  return checkFit(size, (width, height) => denoisingBytes({ ...size, width, height }, asked), '');
}

/**
 * {@link checkMemory} for a restoration whose loop works on a picture of another size: larger for an enlarged image, smaller
 * if only a part of it has missing pixels.
 */
export function checkRestorationMemory(size: Size, loop: Size, quality: Quality): number {
  const [across, down] = [loop.width / size.width, loop.height / size.height];
  const bytes = (width: number, height: number) => {
    const worked = { width: Math.ceil(across * width), height: Math.ceil(down * height), channels: loop.channels };
    const factor = Math.max(1, across);
    return estimateMemory('restore', inFloats(width, height, size.channels), { quality, factor, loop: worked });
  };
  return checkFit(size, bytes, across > 2 ? ' or choose a smaller factor' : '');
}

/** Rejects a stack whose pages, before and after, would not fit. */
export function checkStackMemory(
  { width, height }: Pick<Size, 'width' | 'height'>,
  pages: number,
  bytes: number,
): void {
  if (bytes <= TAB_BYTES) return;
  throw new TooLargeError(
    `${pages} pages of ${width}×${height} pixels need about ${amount(bytes)} of memory, and a browser tab holds about ` +
      `${amount(TAB_BYTES)}. Use the command ght denoise, which takes a stack of any length.`,
    undefined,
  );
}

/** An image as float32. */
function inFloats(width: number, height: number, channels: number): MemorySize {
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
    `${width}×${height} (${megapixels} megapixels) needs about ${amount(bytes)} of memory, and a browser tab holds ` +
      `about ${amount(TAB_BYTES)}. ${remedy}${finer}, or use the command ght.`,
    reduce,
  );
}

/** The size of the picture that enlarging works on: of RGB, only the luma is restored. */
export function enlarged({ width, height, channels }: Size, factor: number): Size {
  return { width: factor * width, height: factor * height, channels: channels === 3 ? 1 : channels };
}
