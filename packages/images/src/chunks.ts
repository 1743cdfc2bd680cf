/** What a PNG, WebP or JPEG says besides its samples: which way is up, how large a pixel is, and whether there are several pictures. */
import { exifOrientation, exifResolution, startsAsExif } from './exif.js';
import { type Resolution, valid } from './resolution.js';

/** A PNG or WebP is a list of these. */
export interface Chunk {
  /** Where the name lies in the file. */
  readonly name: number;
  /** The four letters of the name. */
  readonly type: string;
  /** Where the content begins. */
  readonly start: number;
  /** Where it has ended. */
  readonly end: number;
}

/** A segment of a JPEG: a marker, two bytes for the length, and the content. */
export interface Segment {
  /** What it is: 0xe1 for EXIF, 0xe2 for profiles. */
  readonly marker: number;
  /** Without marker and length. */
  readonly content: Uint8Array;
}

/** The chunks of a file, up to where it is cut off. */
export function* chunksOf(bytes: Uint8Array, format: 'png' | 'webp'): Generator<Chunk> {
  const view = viewOf(bytes);
  const png = format === 'png';
  for (let at = png ? 8 : 12; at + 8 <= bytes.length; ) {
    const length = png ? view.getUint32(at) : view.getUint32(at + 4, true);
    const name = png ? at + 4 : at;
    const type = String.fromCharCode(...bytes.subarray(name, name + 4));
    yield { name, type, start: at + 8, end: Math.min(at + 8 + length, bytes.length) };
    // A PNG has a checksum behind every chunk, a WebP begins each at an even place.
    at += 8 + length + (png ? 4 : length & 1);
  }
}

/** How many pictures a PNG or WebP announces. */
export function framesOf(bytes: Uint8Array, format: 'png' | 'webp'): number {
  let frames = 0;
  for (const { type, start, end } of chunksOf(bytes, format)) {
    // A PNG says how many before its samples, or not at all.
    if (type === 'acTL' && end - start >= 4) return viewOf(bytes).getUint32(start);
    if (type === 'IDAT') return 1;
    if (type === 'ANMF') frames++;
  }
  return Math.max(1, frames);
}

/** The orientation that the EXIF block of a file asks for; 1, upright, where there is none. */
export function orientationOf(bytes: Uint8Array, format: 'png' | 'webp' | 'jpeg'): number {
  const block = exifBlockOf(bytes, format);
  return block ? exifOrientation(block) : 1;
}

/** The resolution that a PNG, JPEG or WebP states; undefined where it states none. */
export function resolutionOf(bytes: Uint8Array, format: 'png' | 'jpeg' | 'webp'): Resolution | undefined {
  const own = format === 'png' ? pngResolution(bytes) : format === 'jpeg' ? jfifResolution(bytes) : undefined;
  const exif = own === undefined ? exifBlockOf(bytes, format) : undefined;
  return own ?? (exif && exifResolution(exif));
}

/** The pHYs chunk of a PNG: pixels per metre. */
function pngResolution(bytes: Uint8Array): Resolution | undefined {
  const view = viewOf(bytes);
  for (const { type, start, end } of chunksOf(bytes, 'png')) {
    if (type === 'IDAT') return undefined;
    if (type !== 'pHYs' || end - start < 9) continue;
    const metric = bytes[start + 8] === 1;
    const scale = metric ? 100 : 1;
    const [x, y] = [view.getUint32(start) / scale, view.getUint32(start + 4) / scale];
    return valid({ x, y, unit: metric ? 'centimetre' : 'none' });
  }
  return undefined;
}

/** The JFIF segment of a JPEG; one without a unit says at most the ratio of a pixel. */
function jfifResolution(bytes: Uint8Array): Resolution | undefined {
  for (const { marker, content } of segmentsOf(bytes)) {
    if (marker !== 0xe0 || content.length < 12 || String.fromCharCode(...content.subarray(0, 4)) !== 'JFIF') continue;
    const unit = ({ 0: 'none', 1: 'inch', 2: 'centimetre' } as const)[content[7]];
    const [x, y] = [content[8] * 256 + content[9], content[10] * 256 + content[11]];
    return unit && (unit !== 'none' || x !== y) ? valid({ x, y, unit }) : undefined;
  }
  return undefined;
}

/** The EXIF block of a file, as it is stored. */
function exifBlockOf(bytes: Uint8Array, format: 'png' | 'webp' | 'jpeg'): Uint8Array | undefined {
  return format === 'jpeg' ? jpegExif(bytes) : chunkExif(bytes, format);
}

function chunkExif(bytes: Uint8Array, format: 'png' | 'webp'): Uint8Array | undefined {
  for (const { type, start, end } of chunksOf(bytes, format)) {
    if (type === 'eXIf' || type === 'EXIF') return bytes.subarray(start, end);
  }
  return undefined;
}

/** The first EXIF block among the segments of a JPEG. */
function jpegExif(bytes: Uint8Array): Uint8Array | undefined {
  for (const { marker, content } of segmentsOf(bytes)) {
    if (marker === 0xe1 && startsAsExif(content)) return content;
  }
  return undefined;
}

/** The segments of a JPEG before its samples. */
export function* segmentsOf(bytes: Uint8Array): Generator<Segment> {
  const view = viewOf(bytes);
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda; ) {
    const end = at + 2 + view.getUint16(at + 2);
    yield { marker: bytes[at + 1], content: bytes.subarray(at + 4, end) };
    at = Math.max(end, at + 4);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
