import { totalmem } from 'node:os';
import { ResourceError } from 'ght';
import type { Declared } from '../decoded.js';
import { mostSamples, mostUnpacked, pixelLimit, UNPACKED_PER_BYTE } from '../limits.js';
import type { Refuse } from '../refuse.js';

/** Refuses sizes beyond the limits before anything of that size is allocated, and empty images. */
export function checkSize(declared: Declared, refuse: Refuse): void {
  const { width, height, channels, depth, bytes } = declared;
  if (width * height > pixelLimit) {
    const rule = `must have at most ${pixelLimit} pixels, not ${width}×${height}`;
    throw refuse(rule, 'process it in tiles (--tile 4096, or ght-tiles), or crop it', ResourceError);
  }
  checkClaim(declared, refuse);
  if ((width * height * channels * depth) / 8 > mostUnpacked(bytes, channels)) {
    const rule = `must not unpack to more than ${UNPACKED_PER_BYTE} times its ${bytes} bytes, as ${width}×${height}×${channels} samples of ${depth} bits would`;
    throw refuse(rule, 'process it in tiles, or save it without compression', ResourceError);
  }
  // Results are float64, whatever the samples are in the file.
  if (8 * width * height * channels > totalmem()) {
    throw refuse(
      `must fit in the memory of this machine, which ${width}×${height}×${channels} samples do not`,
      'process it in tiles (--tile 4096, or ght-tiles), or crop it',
      ResourceError,
    );
  }
}

/** Refuses empty images, and files too short for the image they announce; for images of any size. */
export function checkClaim({ width, height, channels, bytes }: Declared, refuse: Refuse): void {
  if (!(width > 0 && height > 0)) throw refuse(`must have pixels, not ${width}×${height}`, 'give another image');
  if (!(channels > 0)) throw refuse('must have at least one channel', 'give another image');
  if (width * height * channels > mostSamples(bytes)) {
    const size = `${width}×${height}×${channels}`;
    const rule = `must hold the image it announces, but ${bytes} bytes for ${size} samples are too few to be one`;
    throw refuse(rule, 'save it again as PNG, or fetch it again');
  }
}
