/** Puts metadata into a PNG, JPEG or WebP that an encoder has made. */
import type { Bytes } from '../bytes.js';
import { isForPeople } from '../description.js';
import { exifStating } from '../exif.js';
import type { ImageFormat, ImageMetadata } from '../image-file.js';
import { describeJpeg } from './describe-jpeg.js';
import { describePng } from './describe-png.js';
import { describeWebp } from './describe-webp.js';
import { exifWith } from './exif-fields.js';

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
  const missing =
    resolution && (!exif || stating === undefined) && (format === 'webp' || format === 'avif') ? resolution : undefined;
  if (text === undefined && !missing) return stating ?? exif;
  return exifWith(stating ?? exif, { resolution: missing, ...(text !== undefined && { description: text }) });
}
