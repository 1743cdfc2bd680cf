/** Reads the metadata of a WebP: chunks before and after its picture. */
import { chunksOf } from '../chunks.js';
import { uprightExif } from '../exif.js';
import type { ImageMetadata } from '../image-file.js';

/** What the chunks say, the resolution apart. */
export function readWebpMetadata(bytes: Uint8Array): ImageMetadata {
  let [icc, exif, xmp]: (Uint8Array | undefined)[] = [];
  for (const { type, start, end } of chunksOf(bytes, 'webp')) {
    const content = bytes.slice(start, end);
    if (content.length === 0) continue;
    if (type === 'ICCP') icc = content;
    if (type === 'EXIF') exif = content;
    if (type === 'XMP ') xmp = content;
  }
  return { ...(icc && { icc }), ...(exif && { exif: uprightExif(exif) }), ...(xmp && { xmp }) };
}
