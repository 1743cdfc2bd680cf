/** Writes the metadata of a WebP: chunks before and after its picture. */
import { type Bytes, bytesOf, joined, viewOf } from '../bytes.js';
import { chunksOf } from '../chunks.js';
import type { ImageMetadata } from '../image-file.js';

/** Adds metadata to a WebP, which needs an extended header for it. The resolution is in its EXIF only. */
export function describeWebp(
  file: Bytes,
  size: { readonly width: number; readonly height: number; readonly alpha: boolean },
  { icc, exif, xmp }: ImageMetadata,
): Bytes {
  if (!icc && !exif && !xmp) return file;
  const pictures = [...chunksOf(file, 'webp')].filter(({ type }) => /^(ALPH|VP8 |VP8L)$/.test(type));
  const header = new Uint8Array(10);
  header[0] = (icc ? 0x20 : 0) | (size.alpha ? 0x10 : 0) | (exif ? 0x08 : 0) | (xmp ? 0x04 : 0);
  for (const [at, value] of [
    [4, size.width - 1],
    [7, size.height - 1],
  ]) {
    for (let k = 0; k < 3; k++) header[at + k] = value >> (8 * k);
  }
  const content = joined([
    bytesOf('WEBP'),
    chunk('VP8X', header),
    ...(icc ? [chunk('ICCP', icc)] : []),
    ...pictures.map(({ type, start, end }) => chunk(type, file.subarray(start, end))),
    ...(exif ? [chunk('EXIF', exif)] : []),
    ...(xmp ? [chunk('XMP ', xmp)] : []),
  ]);
  return chunk('RIFF', content);
}

function chunk(type: string, content: Uint8Array): Bytes {
  const whole = joined([bytesOf(type), new Uint8Array(4), content, new Uint8Array(content.length % 2)]);
  viewOf(whole).setUint32(4, content.length, true);
  return whole;
}
