/** The quantisation tables and the chroma sampling of a JPEG file, from its markers. */
import type { JpegInfo } from '../model.js';

const START_OF_IMAGE = 0xd8;
const TABLES = 0xdb;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const JFIF = 0xe0;
const ADOBE = 0xee;
/** Baseline, extended and progressive frames: all with DCT and Huffman codes. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];
/** An upper bound of the segments before the first scan: profiles and thumbnails are stored in pieces of 64 KiB. */
const MOST_SEGMENTS = 2 ** 14;

/** The zigzag order: the index in an 8×8 block, row by row, of each entry of a stored table. */
const ZIGZAG = Array.from({ length: 64 }, (_, f) => f).sort((a, b) => {
  const [p, q] = [a, b].map((f) => (f & 7) + (f >> 3));
  // Even diagonals run upwards, odd ones downwards.
  return p - q || (p % 2 === 0 ? b - a : a - b);
});

interface Component {
  readonly id: number;
  readonly h: number;
  readonly v: number;
  readonly table: number;
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
}

/** The contents of the segments before the first scan. */
interface Header {
  readonly tables: Map<number, Uint16Array>;
  frame?: Frame;
  jfif: boolean;
  /** The colour transform in the Adobe segment: 0 for none. */
  adobe?: number;
}

/**
 * Quantisation tables and chroma subsampling of an 8-bit JPEG file, grey or YCbCr, baseline or progressive. Undefined for
 * everything else: other files, CMYK and RGB JPEGs, and missing or damaged tables. Reads only the headers, and never throws.
 *
 * `orientation` is the EXIF orientation, from 1 to 8, if the picture was turned upright. Tables and sampling are turned with it.
 * If rows or columns are reversed, the grid begins with the part of the last block that is inside the image. If Cb and Cr have
 * different tables, `chroma` is their root mean square.
 */
export function readJpegInfo(bytes: Uint8Array, orientation = 1): JpegInfo | undefined {
  const header = readHeader(bytes);
  if (!header?.frame) return undefined;
  const { tables, frame } = header;
  const { components } = frame;
  const [luma, cb, cr] = components.map(({ table }) => tables.get(table));
  if (!luma?.every((step) => step > 0)) return undefined;
  if (components.length === 1) return turned({ luma }, frame, orientation);

  if (components.length !== 3 || !isYcc(header, components)) return undefined;
  if (!cb?.every((step) => step > 0) || !cr?.every((step) => step > 0)) return undefined;
  const [first, second, third] = components;
  const subsampling = [first.h / second.h, first.v / second.v] as const;
  const sampled = second.h === third.h && second.v === third.v && subsampling.every((n) => [1, 2, 4].includes(n));
  if (!sampled) return undefined;
  const same = cb.every((step, f) => step === cr[f]);
  const chroma = same ? cb : Float64Array.from(cb, (step, f) => Math.sqrt((step ** 2 + cr[f] ** 2) / 2));
  return turned({ luma, chroma, subsampling }, frame, orientation);
}

/** The segments up to the first scan; undefined if the file is not a JPEG, or is truncated or damaged there. */
function readHeader(bytes: Uint8Array): Header | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== START_OF_IMAGE) return undefined;
  const header: Header = { tables: new Map(), jfif: false };
  let at = 2;
  for (let segments = 0; segments < MOST_SEGMENTS && at + 4 <= bytes.length; segments++) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1];
    // A marker may be preceded by any number of bytes FF.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === START_OF_SCAN) return header;
    if (marker === END_OF_IMAGE) return undefined;
    const end = at + 2 + shortAt(bytes, at + 2);
    if (end < at + 4 || end > bytes.length) return undefined;
    const segment = bytes.subarray(at + 4, end);
    if (marker === TABLES) {
      if (!readTables(segment, header.tables)) return undefined;
    } else if (marker === JFIF) {
      header.jfif ||= textOf(segment, 5) === 'JFIF\0';
    } else if (marker === ADOBE) {
      if (segment.length >= 12 && textOf(segment, 5) === 'Adobe') header.adobe = segment[11];
    } else if (isFrame(marker)) {
      header.frame = FRAMES.includes(marker) && !header.frame ? readFrame(segment) : undefined;
      if (!header.frame) return undefined;
    }
    at = end;
  }
  return undefined;
}

/** Whether a marker begins a frame; C4, C8 and CC in their range do not. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Reads the tables of one segment into `tables`; false if the segment is damaged. */
function readTables(segment: Uint8Array, tables: Map<number, Uint16Array>): boolean {
  for (let at = 0; at < segment.length; ) {
    const wide = segment[at] >> 4;
    const place = segment[at] & 15;
    const size = wide === 0 ? 64 : 128;
    if (wide > 1 || place > 3 || at + 1 + size > segment.length) return false;
    const table = new Uint16Array(64);
    ZIGZAG.forEach((f, i) => {
      table[f] = wide === 0 ? segment[at + 1 + i] : shortAt(segment, at + 1 + 2 * i);
    });
    tables.set(place, table);
    at += 1 + size;
  }
  return true;
}

/** Size and components of an 8-bit frame; undefined if it is of another kind, or damaged. */
function readFrame(segment: Uint8Array): Frame | undefined {
  const [bits, count] = [segment[0], segment[5]];
  if (segment.length < 6 || bits !== 8 || segment.length < 6 + 3 * count) return undefined;
  const components = Array.from({ length: count }, (_, i) => {
    const [id, sampling, table] = segment.subarray(6 + 3 * i);
    return { id, h: sampling >> 4, v: sampling & 15, table };
  });
  if (components.some(({ h, v }) => h < 1 || h > 4 || v < 1 || v > 4)) return undefined;
  return { width: shortAt(segment, 3), height: shortAt(segment, 1), components };
}

/** Whether three components are Y, Cb, Cr and not R, G, B, by the rules of the IJG decoder. */
function isYcc({ jfif, adobe }: Header, components: readonly Component[]): boolean {
  if (jfif) return true;
  if (adobe !== undefined) return adobe !== 0;
  return String.fromCharCode(...components.map(({ id }) => id)) !== 'RGB';
}

/** The tables, sampling and grid of a JPEG after its picture is turned by an EXIF orientation: 5 to 8 exchange rows and columns. */
function turned(info: JpegInfo, { width, height }: Frame, orientation: number): JpegInfo {
  const x = [2, 3, 7, 8].includes(orientation) ? width % 8 : 0;
  const y = [3, 4, 6, 7].includes(orientation) ? height % 8 : 0;
  const exchanged = orientation >= 5 && orientation <= 8;
  const { luma, chroma, subsampling } = info;
  const [h, v] = subsampling ?? [1, 1];
  return {
    luma: exchanged ? transposed(luma) : luma,
    ...(chroma && { chroma: exchanged ? transposed(chroma) : chroma }),
    ...(subsampling && { subsampling: exchanged ? [v, h] : [h, v] }),
    ...(x + y > 0 && { origin: exchanged ? [y, x] : [x, y] }),
  };
}

function transposed(table: ArrayLike<number>): Float64Array {
  return Float64Array.from(table, (_, f) => table[8 * (f & 7) + (f >> 3)]);
}

function shortAt(bytes: Uint8Array, at: number): number {
  return 256 * bytes[at] + bytes[at + 1];
}

function textOf(bytes: Uint8Array, length: number): string {
  return String.fromCharCode(...bytes.subarray(0, length));
}
