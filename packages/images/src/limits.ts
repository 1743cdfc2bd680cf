/** What a file may announce before it is taken for damage. */

/** The most pixels an image may have: sharp's own limit, 16383². */
export const pixelLimit = 0x3fff ** 2;

/**
 * The most samples per byte of a file. Deflate packs at most 1032 bytes into one, so that every PNG of 8 or 16 bits passes, and of
 * 1 bit all but large ones that are almost blank. A WebP of one colour has no such limit: 38 bytes could claim gigabytes.
 */
const SAMPLES_PER_BYTE = 2000;
/** Images of at most this many samples need so little memory that they may be packed more densely. */
const SMALL_SAMPLES = 2 ** 24;

/** The most samples that a file of `bytes` bytes can be believed to hold. */
export function mostSamples(bytes: number): number {
  return Math.max(SMALL_SAMPLES, SAMPLES_PER_BYTE * bytes);
}

/** How many bytes of samples a byte of a file may unpack to if the whole image goes into memory. */
export const UNPACKED_PER_BYTE = 250;
/**
 * Images of at most this many bytes of samples may be packed more densely: denoising them takes less than 1 GB. In grey it takes less than
 * half as much per sample, and masks of large photographs are packed that densely.
 */
const SMALL_COLOUR = 2 ** 26;
const SMALL_GREY = 2 ** 27;

/** The most bytes of samples that a file of `bytes` bytes may unpack to in memory. A small file that unpacks to more must be read in tiles. */
export function mostUnpacked(bytes: number, channels: number): number {
  return Math.max(channels === 1 ? SMALL_GREY : SMALL_COLOUR, UNPACKED_PER_BYTE * bytes);
}
