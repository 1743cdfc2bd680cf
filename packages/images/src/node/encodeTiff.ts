import { deflateSync } from 'node:zlib';
import { ResourceError } from 'ght';
import { imageJUnit } from '../description.js';
import type { ImageMetadata } from '../imageFile.js';
import type { Raster, RasterSamples } from '../raster.js';
import { perCentimetre, type Resolution } from '../resolution.js';

// Ours rather than a library's: sharp cannot write floats, and geotiff's writer has no room for a profile and marks
// every image as a map of the globe. Fields and samples are little-endian, as every platform sharp supports in practice.

type Field = readonly [tag: number, type: keyof typeof fieldTypes, values: ArrayLike<number>];

/** The types of fields: their numbers, bytes of a number, and numbers of a value. */
const fieldTypes = {
  ascii: { code: 2, size: 1, numbers: 1 },
  short: { code: 3, size: 2, numbers: 1 },
  long: { code: 4, size: 4, numbers: 1 },
  rational: { code: 5, size: 4, numbers: 2 },
  undefined: { code: 7, size: 1, numbers: 1 },
} as const;

/** Strips near this size keep readers that decode strip by strip small, and still compress well. */
const stripBytes = 1 << 18;

/** A TIFF of one page. */
export function encodeTiff(raster: Raster, metadata: ImageMetadata = {}): Uint8Array {
  const file = tiffWriter();
  file.add(raster, metadata);
  return file.finish();
}

/** A TIFF that is made page by page, so that only one is there uncompressed. */
export interface TiffWriter {
  /** Adds a page. */
  add(raster: Raster, metadata: ImageMetadata): void;
  /** The whole file. */
  finish(): Uint8Array;
}

/**
 * A lossless TIFF of any depth and number of channels: deflate, after horizontal differences for integers. Three
 * colour channels are RGB; any other number is grey with bands beside it. Alpha is marked as straight.
 */
export function tiffWriter(): TiffWriter {
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  const parts: Uint8Array[] = [header];
  let end = header.length;
  // Where the place of the next directory is to be noted: in the header, then at the end of each directory.
  let pointer: { readonly in: Buffer; readonly at: number } = { in: header, at: 4 };
  const append = (part: Uint8Array) => {
    parts.push(part);
    end += part.length;
    if (end > 0xffff_ffff) {
      throw new ResourceError('image', 'must fit in the 4 GiB of a TIFF file', `${end} bytes`, 'cut it into tiles');
    }
  };
  return {
    add(raster, metadata) {
      const strips: { readonly offset: number; readonly length: number }[] = [];
      const rows = rowsPerStrip(raster);
      for (let y = 0; y < raster.height; y += rows) {
        const strip = compressed(raster, y, Math.min(y + rows, raster.height));
        strips.push({ offset: end, length: strip.length });
        append(strip);
      }
      append(Buffer.alloc(end % 2));
      pointer.in.writeUInt32LE(end, pointer.at);
      const { directory, next } = encodeDirectory(fieldsOf(raster, metadata, strips), end);
      append(directory);
      pointer = { in: directory, at: next };
    },
    finish: () => Buffer.concat(parts),
  };
}

function rowsPerStrip({ width, channels, depth }: Raster): number {
  return Math.max(1, Math.floor((8 * stripBytes) / (width * channels * depth)));
}

function compressed(raster: Raster, first: number, last: number): Uint8Array {
  const strip = raster.rows(first, last);
  if (raster.sample !== 'float') takeDifferences(strip, raster.width * raster.channels, raster.channels);
  return deflateSync(new Uint8Array(strip.buffer, strip.byteOffset, strip.byteLength));
}

function fieldsOf(
  raster: Raster,
  { icc, resolution, description }: ImageMetadata,
  strips: readonly { readonly offset: number; readonly length: number }[],
): Field[] {
  const { width, height, channels, alpha, depth, sample } = raster;
  const colours = channels - (alpha ? 1 : 0) === 3 ? 3 : 1;
  const extra = Array.from({ length: channels - colours }, (_, i) => (alpha && i === channels - colours - 1 ? 2 : 0));
  const each = (value: number) => new Array<number>(channels).fill(value);
  const dense = resolution && tiffResolution(resolution, description);
  return [
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', each(depth)],
    [259, 'short', [8]], // compression: deflate
    [262, 'short', [colours === 3 ? 2 : 1]], // photometric: RGB, or black is zero
    ...(description ? [[270, 'ascii', Buffer.from(`${description}\0`)] as const] : []),
    [273, 'long', strips.map(({ offset }) => offset)],
    [277, 'short', [channels]],
    [278, 'long', [rowsPerStrip(raster)]],
    [279, 'long', strips.map(({ length }) => length)],
    ...(dense ? [[282, 'rational', rational(dense.x)] as const, [283, 'rational', rational(dense.y)] as const] : []),
    [284, 'short', [1]], // interleaved
    ...(dense ? [[296, 'short', [{ none: 1, inch: 2, centimetre: 3 }[dense.unit]]] as const] : []),
    [317, 'short', [sample === 'float' ? 1 : 2]], // predictor
    ...(extra.length > 0 ? [[338, 'short', extra] as const] : []),
    [339, 'short', each({ uint: 1, int: 2, float: 3 }[sample])],
    ...(icc ? [[34675, 'undefined', icc] as const] : []),
  ];
}

/** The resolution as the tags state it: beside a description of ImageJ they count in the unit that it names. */
function tiffResolution(resolution: Resolution, description = ''): Resolution {
  const unit = imageJUnit(description);
  const dense = perCentimetre(resolution);
  return unit === undefined || !dense ? resolution : { x: dense.x * unit, y: dense.y * unit, unit: 'none' };
}

/** A number as a quotient: of 1 where it is whole, else of the greatest power of ten that keeps it in 32 bits. */
function rational(value: number): [numerator: number, denominator: number] {
  if (Number.isInteger(value) && value <= 0xffff_ffff) return [value, 1];
  const power = Math.max(0, Math.min(6, 9 - Math.ceil(Math.log10(value))));
  return [Math.min(Math.round(value * 10 ** power), 0xffff_ffff), 10 ** power];
}

/** Horizontal differences, modulo the depth: each sample less its left neighbour in the same channel. */
function takeDifferences(samples: RasterSamples, rowLength: number, channels: number): void {
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let at = row + rowLength - 1; at >= row + channels; at--) samples[at] -= samples[at - channels];
  }
}

/** One image file directory, to lie at `position`, followed by the values that do not fit in its entries; `next` is where it
 * notes the place of the one after it. */
function encodeDirectory(fields: readonly Field[], position: number): { directory: Buffer; next: number } {
  const entries = Buffer.alloc(2 + 12 * fields.length + 4);
  const outside: Buffer[] = [];
  let next = position + entries.length;
  entries.writeUInt16LE(fields.length, 0);
  fields.forEach(([tag, type, values], i) => {
    const { code, size, numbers } = fieldTypes[type];
    const bytes = Buffer.alloc(Math.max(4, values.length * size + ((values.length * size) % 2)));
    for (let k = 0; k < values.length; k++) bytes.writeUIntLE(values[k], k * size, size);
    const entry = 2 + 12 * i;
    entries.writeUInt16LE(tag, entry);
    entries.writeUInt16LE(code, entry + 2);
    entries.writeUInt32LE(values.length / numbers, entry + 4);
    if (values.length * size <= 4) {
      bytes.copy(entries, entry + 8);
    } else {
      entries.writeUInt32LE(next, entry + 8);
      outside.push(bytes);
      next += bytes.length;
    }
  });
  return { directory: Buffer.concat([entries, ...outside]), next: entries.length - 4 };
}
