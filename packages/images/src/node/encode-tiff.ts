import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { ImageMetadata } from '../image-file.js';
import type { LazyRaster, Raster, RasterSamples } from '../raster.js';
import { describingFields } from '../tiff/describing-fields.js';
import { encodeDirectory, mostBytesOf, type TiffField, takeDifferences } from '../tiff/fields.js';

// Our own writer: sharp cannot write floats, and geotiff's writer has no room for a profile and marks
// every image as a map of the globe.

/** Strips near this size keep readers that decode strip by strip small, and still compress well. */
const stripBytes = 1 << 18;
/** Pages begin behind the header of a BigTIFF, which is the longer one. */
const HEADER_BYTES = 16;
const LARGEST_TIFF = 0xffff_ffff;
/** Strips that are compressed at once, each by a thread of Node. */
const AT_ONCE = 8;

const packed = promisify<Uint8Array, Uint8Array>(deflate);

/** Writes bytes at a place of a file. */
export type WriteBytes = (bytes: Uint8Array, position: number) => Promise<void>;

/** A TIFF of one page. */
export async function encodeTiff(raster: Raster, metadata: ImageMetadata = {}): Promise<Uint8Array> {
  const file = memoryFile();
  const pages = new TiffPages(file.write);
  await pages.write(0, raster, metadata);
  await pages.finish();
  return file.bytes();
}

/** A file in memory that is written in any order. */
export function memoryFile(): { readonly write: WriteBytes; bytes(): Uint8Array } {
  const parts: { readonly bytes: Uint8Array; readonly position: number }[] = [];
  return {
    write: async (bytes, position) => {
      parts.push({ bytes, position });
    },
    bytes() {
      const whole = new Uint8Array(
        parts.reduce((end, { bytes, position }) => Math.max(end, position + bytes.length), 0),
      );
      for (const { bytes, position } of parts) whole.set(bytes, position);
      return whole;
    },
  };
}

/**
 * A lossless TIFF of any number of pages, which come in any order and are not kept: deflate, after horizontal differences for integers.
 * Three colour channels are RGB; any other number is grey with further bands. Alpha is marked as straight. The directories go last, so that
 * the size decides between TIFF and BigTIFF.
 */
export class TiffPages {
  readonly #write: WriteBytes;
  readonly #pages: (readonly TiffField[])[] = [];
  #end = HEADER_BYTES;
  #aside = 0;

  constructor(write: WriteBytes) {
    this.#write = write;
  }

  /** Writes a page, by its number. A few of its strips are in memory at a time. */
  async write(page: number, raster: LazyRaster, metadata: ImageMetadata): Promise<void> {
    const rows = rowsPerStrip(raster);
    const [offsets, counts]: number[][] = [[], []];
    for (let first = 0; first < raster.height; first += AT_ONCE * rows) {
      const strips: Promise<Uint8Array>[] = [];
      for (let y = first; y < Math.min(first + AT_ONCE * rows, raster.height); y += rows) {
        strips.push(compressed(await raster.rows(y, Math.min(y + rows, raster.height)), raster));
      }
      for (const bytes of await Promise.all(strips)) {
        offsets.push(await this.#append(bytes));
        counts.push(bytes.length);
      }
    }
    const described = describingFields(raster, metadata);
    this.#aside += 256 + described.reduce((sum, field) => sum + mostBytesOf(field), 16 * counts.length);
    this.#pages[page] = [...described, [273, 'place', offsets], [278, 'long', [rows]], [279, 'long', counts]];
  }

  /** Writes the directories and the header. A BigTIFF is made where 4 GiB are not enough, or if `big` asks for it. */
  async finish(big?: boolean): Promise<void> {
    const large = big ?? this.#end + 2 * this.#aside > LARGEST_TIFF;
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(large ? 'II+\0\x08\0\0\0' : 'II*\0', 'latin1');
    this.#end += this.#end % 2;
    // Where the place of the next directory is to be noted.
    let pointer: { readonly in: Buffer; readonly at: number } = { in: header, at: large ? 8 : 4 };
    let before: { readonly bytes: Buffer; readonly position: number } = { bytes: header, position: 0 };
    for (const fields of this.#pages) {
      const encoded = encodeDirectory(fields, this.#end, large);
      const directory = Buffer.from(encoded.directory.buffer);
      if (large) pointer.in.writeBigUInt64LE(BigInt(this.#end), pointer.at);
      else pointer.in.writeUInt32LE(this.#end, pointer.at);
      await this.#write(before.bytes, before.position);
      pointer = { in: directory, at: encoded.next };
      before = { bytes: directory, position: this.#end };
      this.#end += directory.length;
    }
    await this.#write(before.bytes, before.position);
  }

  async #append(bytes: Uint8Array): Promise<number> {
    const at = this.#end;
    this.#end += bytes.length + (bytes.length % 2);
    await this.#write(bytes, at);
    return at;
  }
}

function rowsPerStrip({ width, channels, depth }: Omit<Raster, 'rows'>): number {
  return Math.max(1, Math.floor((8 * stripBytes) / (width * channels * depth)));
}

function compressed(
  strip: RasterSamples,
  { sample, width, channels }: Pick<Raster, 'sample' | 'width' | 'channels'>,
): Promise<Uint8Array> {
  if (sample !== 'float') takeDifferences(strip, width * channels, channels);
  return packed(new Uint8Array(strip.buffer, strip.byteOffset, strip.byteLength));
}
