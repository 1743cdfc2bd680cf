/** Reads the metadata of a PNG, JPEG or WebP. */
import { asPlain } from '../bytes.js';
import { resolutionOf } from '../chunks.js';
import type { ImageMetadata } from '../image-file.js';
import { readJpegMetadata } from './read-jpeg.js';
import { readPngMetadata } from './read-png.js';
import { readWebpMetadata } from './read-webp.js';

/** What a file says besides its samples, whose pixels are upright by now: `bytes` are the file, or at least what is before its samples. */
export async function readMetadata(bytes: Uint8Array, format: 'png' | 'jpeg' | 'webp'): Promise<ImageMetadata> {
  const plain = asPlain(bytes);
  const own =
    format === 'png'
      ? await readPngMetadata(plain)
      : format === 'jpeg'
        ? readJpegMetadata(plain)
        : readWebpMetadata(plain);
  const resolution = resolutionOf(bytes, format);
  return { ...own, ...(resolution && { resolution }) };
}
