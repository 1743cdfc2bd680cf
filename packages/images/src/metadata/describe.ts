/** Reads the metadata of a PNG, JPEG or WebP, and puts metadata into one that an encoder has made. */
import { asPlain, type Bytes } from '../bytes.js';
import { resolutionOf } from '../chunks.js';
import { isForPeople } from '../description.js';
import { exifStating } from '../exif.js';
import type { ImageFormat, ImageMetadata } from '../image-file.js';
import { exifWith } from './exif-fields.js';
import { describeJpeg, readJpegMetadata } from './jpeg.js';
import { describePng, readPngMetadata } from './png.js';
import { describeWebp, readWebpMetadata } from './webp.js';

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

/** Puts metadata into a file, in place of what its encoder wrote; a resolution is written only if there is one. */
export async function describeFile(
  file: Bytes,
  format: 'png' | 'jpeg' | 'webp',
  size: { readonly width: number; readonly height: number; readonly alpha: boolean },
  metadata: ImageMetadata,
): Promise<Bytes> {
  const described = { ...metadata, exif: exifFor(format, metadata) };
  if (format === 'png') return describePng(file, described);
  return format === 'jpeg' ? describeJpeg(file, described) : describeWebp(file, size, described);
}

/**
 * The EXIF block, which must not contradict the resolution; in a WebP it is the only place for it, and in all of them that for a description
 * that is for people.
 */
export function exifFor(format: ImageFormat, { exif, resolution, description }: ImageMetadata): Uint8Array | undefined {
  const text = description !== undefined && isForPeople(description) ? description : undefined;
  const stating = resolution && exif ? exifStating(exif, resolution) : exif;
  const missing = resolution && (!exif || stating === undefined) && format === 'webp' ? resolution : undefined;
  if (text === undefined && !missing) return stating ?? exif;
  return exifWith(stating ?? exif, { resolution: missing, ...(text !== undefined && { description: text }) });
}
