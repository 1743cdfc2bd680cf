/**
 * The directory of a TIFF or BigTIFF page, as all writers here make it. Fields and samples are little-endian, as every platform that
 * sharp supports is in practice.
 */
import { imageJUnit } from '../description.js';
import type { ImageMetadata } from '../image-file.js';
import type { Raster, RasterSamples } from '../raster.js';
import { perCentimetre, type Resolution } from '../resolution.js';
import { isOme, omeOfResult } from '../stack/ome-xml.js';

/** A field of a directory. A rational takes two numbers; a `place` is 4 bytes in a TIFF and 8 bytes in a BigTIFF. */
export type TiffField = readonly [tag: number, type: keyof typeof fieldTypes, values: ArrayLike<number>];

/** The types of fields: their numbers, bytes of a number, and numbers of a value. */
const fieldTypes = {
  byte: { code: 1, size: 1, numbers: 1 },
  ascii: { code: 2, size: 1, numbers: 1 },
  short: { code: 3, size: 2, numbers: 1 },
  long: { code: 4, size: 4, numbers: 1 },
  rational: { code: 5, size: 4, numbers: 2 },
  undefined: { code: 7, size: 1, numbers: 1 },
  place: { code: 4, size: 4, numbers: 1 },
} as const;
const bigPlace = { code: 16, size: 8, numbers: 1 } as const;

/**
 * What a page says of its samples: deflate, after horizontal differences for integers. Three colour channels are RGB, unless they are
 * bands; any other number is grey with further bands. Alpha is marked as straight. Where the samples lie is left to the writer.
 */
export function describingFields(
  { width, height, channels, alpha, depth, sample }: Omit<Raster, 'rows'>,
  { icc, resolution, description: stored, imageJ, bands, lookup }: ImageMetadata,
): TiffField[] {
  const colours = channels - (alpha ? 1 : 0) === 3 && !bands ? 3 : 1;
  const description = stored !== undefined && isOme(stored) ? omeOfResult(stored, { sample, depth }) : stored;
  const table = channels === 1 && depth === 8 && sample === 'uint' ? lookup : undefined;
  const extra = Array.from({ length: channels - colours }, (_, i) => (alpha && i === channels - colours - 1 ? 2 : 0));
  const each = (value: number) => new Array<number>(channels).fill(value);
  const dense = resolution && tiffResolution(resolution, description);
  return [
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', each(depth)],
    [259, 'short', [8]], // compression: deflate
    [262, 'short', [table ? 3 : colours === 3 ? 2 : 1]], // photometric: palette, RGB, or black is zero
    ...(description ? [[270, 'ascii', new TextEncoder().encode(`${description}\0`)] as const] : []),
    [277, 'short', [channels]],
    ...(dense ? [[282, 'rational', rational(dense.x)] as const, [283, 'rational', rational(dense.y)] as const] : []),
    [284, 'short', [1]], // interleaved
    ...(dense ? [[296, 'short', [{ none: 1, inch: 2, centimetre: 3 }[dense.unit]]] as const] : []),
    [317, 'short', [sample === 'float' ? 1 : 2]], // predictor
    ...(table ? [[320, 'short', table] as const] : []),
    ...(extra.length > 0 ? [[338, 'short', extra] as const] : []),
    [339, 'short', each({ uint: 1, int: 2, float: 3 }[sample])],
    ...(icc ? [[34675, 'undefined', icc] as const] : []),
    ...(imageJ ? [[50838, 'long', imageJ.counts] as const, [50839, 'byte', imageJ.bytes] as const] : []),
  ];
}

/** The resolution as the tags state it: with a description of ImageJ they count in the unit that it names. */
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
export function takeDifferences(samples: RasterSamples, rowLength: number, channels: number): void {
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let at = row + rowLength - 1; at >= row + channels; at--) samples[at] -= samples[at - channels];
  }
}

/**
 * One directory, to lie at `position`, followed by the values that do not fit in its entries; `next` is where it notes the place
 * of the one after it.
 */
export function encodeDirectory(
  fields: readonly TiffField[],
  position: number,
  big = false,
): { readonly directory: Uint8Array<ArrayBuffer>; readonly next: number } {
  const [countBytes, entryBytes, placeBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const size = countBytes + entryBytes * fields.length + placeBytes;
  const lengthOf = ([, type, values]: TiffField) => Math.max(placeBytes, even(values.length * typeOf(type, big).size));
  const outside = fields.reduce((sum, field) => sum + (lengthOf(field) > placeBytes ? lengthOf(field) : 0), 0);
  const directory = new Uint8Array(size + outside);
  let next = size;
  writeNumber(directory, fields.length, 0, 2);
  const sorted = [...fields].sort(([a], [b]) => a - b);
  sorted.forEach((field, i) => {
    const [tag, type, values] = field;
    const { code, size: each, numbers } = typeOf(type, big);
    const entry = countBytes + entryBytes * i;
    writeNumber(directory, tag, entry, 2);
    writeNumber(directory, code, entry + 2, 2);
    writeNumber(directory, values.length / numbers, entry + 4, placeBytes);
    let at = entry + 4 + placeBytes;
    if (values.length * each > placeBytes) {
      writeNumber(directory, position + next, at, placeBytes);
      at = next;
      next += lengthOf(field);
    }
    for (let k = 0; k < values.length; k++) writeNumber(directory, values[k], at + k * each, each);
  });
  return { directory, next: size - placeBytes };
}

function typeOf(type: TiffField[1], big: boolean) {
  return big && type === 'place' ? bigPlace : fieldTypes[type];
}

const even = (bytes: number) => bytes + (bytes % 2);

/** Writes a whole number with its lowest byte first; no file is longer than 2^48 bytes. */
function writeNumber(bytes: Uint8Array, value: number, at: number, size: number): void {
  for (let k = 0, rest = value; k < Math.min(size, 6); k++, rest = Math.floor(rest / 256)) bytes[at + k] = rest % 256;
}
