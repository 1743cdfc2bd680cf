/** What the first bytes of a file say before anything of its size is allocated. */
import { formatOfContent, mostSamples, pixelLimit } from 'ght-images';
import { FileError } from './decoded.js';
import type { PlainFormat } from './plain.js';

/** The formats that are opened. */
export type Format = 'png' | 'jpeg' | 'webp' | 'tiff' | PlainFormat;

const formats: readonly Format[] = ['png', 'jpeg', 'webp', 'tiff', 'ppm', 'pfm', 'fits', 'npy'];

/** Which of them a file is, by its content. */
export function formatOf(bytes: Uint8Array): Format | undefined {
  const format = formatOfContent(bytes);
  return formats.find((each) => each === format);
}

/** A format that is opened only where the browser has a decoder for it, whose first picture counts. */
export interface ForeignFormat {
  readonly title: string;
  readonly type: string;
}

/** Which of those a file is, by its content. */
export function foreignFormatOf(bytes: Uint8Array): ForeignFormat | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('GIF8')) return { title: 'GIF', type: 'image/gif' };
  if (head.startsWith('BM')) return { title: 'BMP', type: 'image/bmp' };
  const brand = head.slice(4, 8) === 'ftyp' ? head.slice(8) : '';
  if (/^avi[fs]$/.test(brand)) return { title: 'AVIF', type: 'image/avif' };
  return /^(hei[cxms]|hev[cx]|mif1)$/.test(brand) ? { title: 'HEIC', type: 'image/heic' } : undefined;
}

/** Width, height and colour channels, if the header has them; TIFF has its own reader. */
export interface Size {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** Refuses sizes that a file of this many bytes cannot hold, as damaged files announce them, and sizes that no page could open. */
export function checkSize({ width, height, channels }: Size, bytes: number): void {
  if (!(width > 0 && height > 0)) throw new FileError('has no pixels. Open another one.');
  if (width * height * channels > mostSamples(bytes)) {
    const rule = `announces ${width}×${height} pixels, which its ${bytes} bytes cannot hold`;
    throw new FileError(`is damaged: it ${rule}. Fetch or save it again.`);
  }
  if (width * height > pixelLimit) {
    throw new FileError(`has ${width}×${height} pixels, and ${pixelLimit} are the most. Cut it into tiles.`);
  }
}

/** The size that the header of a PNG, JPEG or WebP states; undefined where it cannot be found. */
export function sizeOf(bytes: Uint8Array, format: Format): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (format === 'png') return pngSize(view);
    if (format === 'jpeg') return jpegSize(view);
    if (format === 'webp') return webpSize(view);
  } catch {
    // Beyond the end of a truncated file: the decoder will say so.
  }
  return undefined;
}

function pngSize(view: DataView): Size {
  const colourType = view.getUint8(25);
  return { width: view.getUint32(16), height: view.getUint32(20), channels: colourType & 2 ? 3 : 1 };
}

function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; ; ) {
    const marker = view.getUint8(at + 1);
    const length = view.getUint16(at + 2);
    // The start of a frame; C4, C8 and CC are tables in its range.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5), channels: view.getUint8(at + 9) };
    }
    if (view.getUint8(at) !== 0xff || length < 2) return undefined;
    at += 2 + length;
  }
}

function webpSize(view: DataView): Size | undefined {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (kind === 'VP8X') return { width: uint24(24) + 1, height: uint24(27) + 1, channels: 3 };
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, channels: 3 };
  if (kind !== 'VP8L') return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, channels: 3 };
}
