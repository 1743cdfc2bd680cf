import { open } from 'node:fs/promises';
import { type JpegInfo, readJpegInfo } from 'ght';
import { type Camera, cameraIn } from '../camera.js';
import { formatOfContent, type ImageFormat, type SampleDepth, type SampleKind } from '../image-file.js';
import type { Refuse } from '../refuse.js';
import { type ByteSource, bytesInMemory } from '../tiff/byte-source.js';
import { openStructure } from '../tiff/directory.js';
import { readTiffPage } from '../tiff/page.js';
import { checkClaim } from './decoded.js';
import { refusing } from './read-image.js';
import { openBySharp } from './sharp-image.js';

/** What a file says about its image before its samples. */
export interface ImageHeader {
  /** Decided by the content of the file. */
  readonly format: ImageFormat;
  /** Pixels per row, as stored. */
  readonly width: number;
  /** Number of rows, as stored. */
  readonly height: number;
  /** Planes without opacity. */
  readonly planes: number;
  /** What a sample is. */
  readonly sample: SampleKind;
  /** Bits of a sample. */
  readonly depth: SampleDepth;
  /** The camera and its settings; empty if the file does not say. */
  readonly camera: Camera;
  /** Of a JPEG: its tables, as stored. */
  readonly jpeg?: JpegInfo;
}

/** The tables and the EXIF block of a JPEG lie before its samples. */
const HEAD_BYTES = 2 ** 20;

/**
 * Reads the header of a PNG, JPEG, WebP or TIFF of one page; undefined for other formats, several pages, and files that cannot be
 * read, whose error comes from the reader of images.
 */
export async function readHeader(path: string): Promise<ImageHeader | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const read = async (offset: number, length: number) => {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      if (bytesRead < length) throw new Error('the file ends too early');
      return bytes;
    };
    const head = await read(0, Math.min(HEAD_BYTES, size));
    const format = formatOfContent(head);
    const refuse = refusing(path, 'file');
    if (format === 'tiff') return await tiffHeader({ size, read }, refuse);
    if (format !== 'png' && format !== 'jpeg' && format !== 'webp') return undefined;
    const image = await openBySharp({ source: path, format, head, bytes: size }, refuse, checkClaim);
    const { width, height, channels, alpha, sample, depth, metadata } = image;
    const camera = metadata.exif ? await cameraIn(bytesInMemory(metadata.exif)) : {};
    const jpeg = format === 'jpeg' ? readJpegInfo(head) : undefined;
    return { format, width, height, planes: channels - Number(alpha), sample, depth, camera, ...(jpeg && { jpeg }) };
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

async function tiffHeader(source: ByteSource, refuse: Refuse): Promise<ImageHeader | undefined> {
  const { littleEndian, directories } = await openStructure(source);
  const pages = [];
  for await (const directory of directories()) if (pages.push(directory) > 1) return undefined;
  const page = await readTiffPage(pages[0], { bytes: source.size, pages: 1, littleEndian }, refuse, () => {});
  const { width, height, channels, alpha, sample, depth } = page;
  return {
    ...{ format: 'tiff', width, height, planes: channels - Number(alpha), sample, depth },
    camera: await cameraIn(source),
  };
}
