import { deflateSync } from 'node:zlib';
import { ResourceError } from 'ght';
import type { ImageMetadata } from '../image-file.js';
import type { Raster } from '../raster.js';
import { describingFields, encodeDirectory, type TiffField, takeDifferences } from './tiff-fields.js';

// Our own writer: sharp cannot write floats, and geotiff's writer has no room for a profile and marks
// every image as a map of the globe.

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
 * colour channels are RGB; any other number is grey with further bands. Alpha is marked as straight.
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
      const fields: TiffField[] = [
        [273, 'long', strips.map(({ offset }) => offset)],
        [278, 'long', [rows]],
        [279, 'long', strips.map(({ length }) => length)],
      ];
      const { directory, next } = encodeDirectory([...describingFields(raster, metadata), ...fields], end);
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
