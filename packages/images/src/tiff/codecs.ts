/** The compressions of TIFF blocks that need no library, and what the others must do. */
import type { RasterSamples } from '../raster.js';
import type { TiffCompression, TiffPage } from './page.js';

/** A block to decompress. */
export interface TiffBlock {
  readonly page: TiffPage;
  /** Rows that it must have at least. */
  readonly rows: number;
  /** Bytes that it must have at least, uncompressed. */
  readonly needed: number;
  /** Bytes that it may have at most: the last strip is sometimes stored as large as the others. */
  readonly most: number;
}

/**
 * Decompresses a block. Either gives its bytes as they were before compression, or, for the compressions of images, its samples: row by
 * row, channels of a pixel side by side, integers below 8 bits scaled to 255. Throws if the block is damaged.
 */
export type TiffCodec = (raw: Uint8Array, block: TiffBlock) => Promise<Decompressed> | Decompressed;

/** What a codec gives. */
export type Decompressed = { readonly bytes: Uint8Array } | { readonly samples: RasterSamples };

/** Converts planes of cyan, magenta, yellow and black, 255 for a full ink, to those of sRGB, by their profile or else a common one. */
export type CmykConversion = (
  inks: readonly Uint8Array[],
  size: { readonly width: number; readonly height: number },
  profile?: Uint8Array,
) => Promise<Uint8Array[]>;

/** The codecs of a host. Compressions without one are refused by name, and so is CMYK. */
export interface TiffCodecs extends Readonly<Partial<Record<TiffCompression, TiffCodec>>> {
  /** Converts four inks to sRGB. */
  readonly cmyk?: CmykConversion;
}

/** Those that need no library. */
export const basicCodecs: TiffCodecs = {
  none: (raw) => ({ bytes: raw }),
  packbits: (raw, block) => ({ bytes: unpackBits(raw, block.needed) }),
  lzw: (raw, block) => ({ bytes: unpackLzw(raw, block.needed) }),
};

/** Run lengths of bytes: a number n from 0 to 127 before n + 1 bytes, or one from −127 to −1 before a byte that stands 1 − n times. */
function unpackBits(raw: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (let from = 0; at < length; ) {
    if (from + 1 >= raw.length) throw new Error('its run lengths end too early');
    const head = raw[from++];
    if (head < 128) {
      const run = Math.min(head + 1, length - at);
      if (from + run > raw.length) throw new Error('its run lengths end too early');
      bytes.set(raw.subarray(from, from + run), at);
      from += head + 1;
      at += run;
    } else if (head > 128) {
      const end = Math.min(at + 257 - head, length);
      bytes.fill(raw[from++], at, end);
      at = end;
    }
  }
  return bytes;
}

const [CLEAR, END, FIRST] = [256, 257, 258];
const MOST_CODES = 4096;

/**
 * LZW as TIFF has it: codes of 9 to 12 bits, the highest bit first, which get one bit wider one code early. Each code adds a string to
 * the table: the one of the code before, and the byte after it. Since all strings are copies of what has been unpacked before, the
 * table has their places and lengths.
 */
function unpackLzw(raw: Uint8Array, length: number): Uint8Array {
  if (raw[0] === 0 && (raw[1] & 1) === 1) throw new Error('its LZW has the lowest bit first, as before 1990');
  const bytes = new Uint8Array(length);
  const [places, lengths] = [new Int32Array(MOST_CODES), new Int32Array(MOST_CODES)];
  let [bit, width, next] = [0, 9, FIRST];
  /** The string of the code before; none after the table was cleared. */
  let [start, size] = [0, 0];
  for (let at = 0; at < length; ) {
    if (bit + width > 8 * raw.length) throw new Error('its LZW codes end too early');
    const byte = bit >> 3;
    const three = (raw[byte] << 16) | (raw[byte + 1] << 8) | raw[byte + 2];
    const code = (three >> (24 - width - (bit & 7))) & ((1 << width) - 1);
    bit += width;
    if (code === END) throw new Error('its LZW codes end too early');
    if (code === CLEAR) {
      [width, next, size] = [9, FIRST, 0];
      continue;
    }
    if (size > 0 && next < MOST_CODES) {
      // Its last byte is the first one of the string to come.
      [places[next], lengths[next]] = [start, size + 1];
      next++;
      if (next === (1 << width) - 1 && width < 12) width++;
    }
    if (code >= next) throw new Error(`its LZW code ${code} is not in the table`);
    start = at;
    if (code < CLEAR) bytes[at++] = code;
    // Byte by byte, as the string may end in what is being copied.
    else for (let from = places[code], end = at + lengths[code]; at < end; ) bytes[at++] = bytes[from++];
    size = at - start;
  }
  return bytes;
}
