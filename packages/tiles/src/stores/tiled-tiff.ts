/**
 * A tiled TIFF that is never in memory: tiles are appended in any order as they come, and the directories go last, so that the size
 * decides between TIFF and BigTIFF. Smaller levels are SubIFDs of the picture, as in OME-TIFF: to others it is a file of one page.
 */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { RasterSamples } from 'ght-images';
import { describingFields, encodeDirectory, type TiffField, takeDifferences } from 'ght-images/node';
import type { Picture } from '../picture.js';
import { planesOf } from './windows.js';
import { bytesOf } from './zarr-chunks.js';
import type { Level } from './zarr-layout.js';

/** Tiles begin behind the header of a BigTIFF, which is the longer one. */
const HEADER_BYTES = 16;
const LARGEST_TIFF = 0xffff_ffff;
const REDUCED = 1;
/** Tiles that are compressed at once, each by a thread of Node. */
const AT_ONCE = 4;

const packed = promisify(deflate);

interface TiledLevel extends Level {
  readonly offsets: Float64Array;
  readonly counts: Float64Array;
}

/** Writes a tiled TIFF into a file. */
export class TiledTiff {
  readonly #levels: TiledLevel[] = [];
  #end = HEADER_BYTES;

  constructor(
    readonly file: FileHandle,
    readonly picture: Picture,
    /** The side of a tile: a multiple of 16. */
    readonly tile: number,
  ) {}

  /** Writes a level: the picture first, then smaller ones. Tiles are requested row by row, a few at once; their order is always the same. */
  async level(
    { width, height }: Level,
    tileAt: (row: number, column: number) => Promise<RasterSamples>,
    signal?: AbortSignal,
  ): Promise<void> {
    const columns = Math.ceil(width / this.tile);
    const count = columns * Math.ceil(height / this.tile);
    const level = { width, height, offsets: new Float64Array(count), counts: new Float64Array(count) };
    this.#levels.push(level);
    for (let first = 0; first < count; first += AT_ONCE) {
      signal?.throwIfAborted();
      const numbers = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => first + i);
      const tiles = await Promise.all(
        numbers.map(async (tile) => this.#packed(await tileAt(Math.floor(tile / columns), tile % columns))),
      );
      for (const [i, bytes] of tiles.entries()) {
        level.counts[first + i] = bytes.length;
        level.offsets[first + i] = await this.#append(bytes);
      }
    }
  }

  #packed(samples: RasterSamples): Promise<Buffer> {
    const channels = planesOf(this.picture);
    if (this.picture.sample !== 'float') takeDifferences(samples, this.tile * channels, channels);
    return packed(bytesOf(samples), { level: 1 });
  }

  /** Writes the directories and the header. A BigTIFF is made where 4 GiB are not enough, or if `big` asks for it. */
  async finish(big?: boolean): Promise<void> {
    const [picture, ...smaller] = this.#levels;
    const { metadata = {} } = this.picture;
    // Twice eight bytes per tile at most, and the metadata.
    const tiles = this.#levels.reduce((sum, { counts }) => sum + counts.length, 0);
    const { icc, exif, xmp, iptc, description = '' } = metadata;
    const aside = [icc, exif, exif, xmp, iptc].reduce(
      (sum, bytes) => sum + (bytes?.length ?? 0),
      description.length * 4,
    );
    const large = big ?? this.#end + 16 * tiles + aside + 4096 * this.#levels.length > LARGEST_TIFF;
    const places: number[] = [];
    for (const level of smaller) {
      const reduced: TiffField = [254, 'long', [REDUCED]];
      places.push(await this.#directory([reduced, ...this.#fields(level)], large));
    }
    const levels: TiffField[] = places.length > 0 ? [[330, 'place', places]] : [];
    const first = await this.#directory([...this.#fields(picture, this.picture), ...levels], large);
    const header = Buffer.alloc(HEADER_BYTES);
    if (large) {
      header.write('II+\0\x08\0\0\0', 'latin1');
      header.writeBigUInt64LE(BigInt(first), 8);
    } else {
      header.write('II*\0', 'latin1');
      header.writeUInt32LE(first, 4);
    }
    await writeAll(this.file, header, 0);
  }

  #fields(
    { width, height, offsets, counts }: TiledLevel,
    { metadata = {} }: Pick<Picture, 'metadata'> = {},
  ): TiffField[] {
    const { alpha, sample, depth } = this.picture;
    const raster = { width, height, channels: planesOf(this.picture), alpha, sample, depth };
    return [
      ...describingFields(raster, metadata),
      [322, 'long', [this.tile]],
      [323, 'long', [this.tile]],
      [324, 'place', offsets],
      [325, 'place', counts],
    ];
  }

  async #directory(fields: readonly TiffField[], big: boolean): Promise<number> {
    const { directory } = encodeDirectory(fields, this.#end, big);
    return this.#append(directory);
  }

  /** Writes bytes at the end and returns their offset, which is always even. */
  async #append(bytes: Uint8Array): Promise<number> {
    const at = this.#end;
    this.#end += bytes.length + (bytes.length % 2);
    await writeAll(this.file, bytes, at);
    return at;
  }
}

/** One call may write less than it was given, such as when the disk is nearly full. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** The samples of planes pixel by pixel, in a tile of which they may fill only a part. */
export function interleaved(planes: readonly RasterSamples[], { width, height }: Level, tile: number): RasterSamples {
  const Elements = planes[0].constructor as new (length: number) => RasterSamples;
  const channels = planes.length;
  const samples = new Elements(tile * tile * channels);
  for (const [channel, plane] of planes.entries()) {
    for (let y = 0, from = 0; y < height; y++) {
      let to = y * tile * channels + channel;
      for (let x = 0; x < width; x++, from++, to += channels) samples[to] = plane[from];
    }
  }
  return samples;
}
