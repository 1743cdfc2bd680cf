/** What a file may announce before it is taken for damage. */

/** The most pixels an image may have: sharp's own limit, 16383². */
export const pixelLimit = 0x3fff ** 2;

/**
 * The most samples a byte of a file may stand for. Deflate ends at 1032, so every PNG of 8 or 16 bits passes, and of 1 bit all
 * but large ones that are nearly blank; a WebP of one colour has no such end, and 38 bytes of it could ask for gigabytes.
 */
const steepest = 2000;
/** Images of no more samples than this need so little memory that one colour may take as few bytes as it likes. */
const harmless = 2 ** 24;

/** The most samples that a file of `bytes` bytes can be believed to hold. */
export function mostSamples(bytes: number): number {
  return Math.max(harmless, steepest * bytes);
}

/** How many bytes a byte of a file may unpack to if the whole image goes into memory. */
export const steepestWhole = 250;
/** Images of no more bytes than this may be one colour. */
const harmlessBytes = 2 ** 28;

/** The most bytes of samples that a file of `bytes` bytes may unpack to in memory: small files that fill it are made to do harm. */
export function mostUnpacked(bytes: number): number {
  return Math.max(harmlessBytes, steepestWhole * bytes);
}
