/** Reads windows of a TIFF page, block by block. Every block is checked: what is not complete is an error, never a black tile. */
import type { Rectangle } from 'ght';
import type { RasterSamples } from '../raster.js';
import type { Refuse } from '../refuse.js';
import type { ByteSource } from './byte-source.js';
import type { TiffCodecs } from './codecs.js';
import { labToRgb } from './lab.js';
import { rowBytes, rowsOf, type TiffPage } from './page.js';
import { samplesOf } from './samples.js';
import { photometrics } from './tags.js';

/** Reads the channels of a window, opacity last, each as narrow as it is stored; CMYK and CIE Lab as sRGB. */
export type WindowReader = (window: Rectangle, signal?: AbortSignal) => Promise<RasterSamples[]>;

/** Rows of a block that have been decoded, channels side by side. */
interface DecodedBlock {
  readonly samples: RasterSamples;
  /** The first of the rows, counted from the top of the block. */
  readonly first: number;
}

/** A reader of a page. Compressions without a codec are refused by name. */
export function windowReader(source: ByteSource, page: TiffPage, codecs: TiffCodecs, refuse: Refuse): WindowReader {
  const { block, grid, planar, stored, palette } = page;
  const codec = codecs[page.compression];
  if (!codec) {
    const rule = `must have a compression that is read here, not ${page.compression.toUpperCase()}`;
    throw refuse(rule, 'save it with LZW, Deflate or no compression');
  }
  const { cmyk } = codecs;
  if (page.photometric === photometrics.inks && !cmyk) {
    throw refuse('must be grey or RGB, not CMYK', 'convert it to RGB first, for example with the command ght');
  }

  const decode = async (index: number, from: number, to: number, signal?: AbortSignal): Promise<DecodedBlock> => {
    const row = rowBytes(page);
    // Rows that are not compressed need no other rows: the one strip that some writers make of an image is read in parts.
    const [first, rows] = page.compression === 'none' ? [from, to - from] : [0, rowsOf(page, index)];
    const [offset, length] =
      page.compression === 'none'
        ? [page.offsets[index] + from * row, rows * row]
        : [page.offsets[index], page.counts[index]];
    const raw = await source.read(offset, length, signal);
    const needed = rows * row;
    const unpacked = await codec(raw, { page, rows, needed, most: block.height * row });
    signal?.throwIfAborted();
    if ('samples' in unpacked) {
      const count = rows * block.width * (planar ? 1 : stored);
      if (unpacked.samples.length < count) throw new Error(`tile or strip ${index} has too few samples`);
      return { samples: unpacked.samples, first };
    }
    if (unpacked.bytes.length < needed)
      throw new Error(`tile or strip ${index} has ${unpacked.bytes.length} bytes, not ${needed}`);
    return { samples: samplesOf(unpacked.bytes, page, rows), first };
  };

  /** The last block of each part: windows of rows come several times to a strip that is taller than they are. */
  const last = new Map<number, { readonly index: number; readonly content: DecodedBlock }>();
  const blockAt = async (part: number, index: number, from: number, to: number, signal?: AbortSignal) => {
    const kept = last.get(part);
    if (kept?.index === index) return kept.content;
    const content = await decode(index, from, to, signal);
    if (page.compression !== 'none' && to - from < rowsOf(page, index)) last.set(part, { index, content });
    return content;
  };

  return async (window, signal) => {
    const [right, bottom] = [window.left + window.width, window.top + window.height];
    const [channels, parts] = planar ? [1, stored] : [stored, 1];
    let planes: RasterSamples[] | undefined;
    for (let part = 0; part < parts; part++) {
      for (let row = Math.floor(window.top / block.height); row * block.height < bottom; row++) {
        for (let column = Math.floor(window.left / block.width); column * block.width < right; column++) {
          signal?.throwIfAborted();
          const [left, top] = [Math.max(window.left, column * block.width), Math.max(window.top, row * block.height)];
          const width = Math.min(right, (column + 1) * block.width) - left;
          const height = Math.min(bottom, (row + 1) * block.height) - top;
          const from = top - row * block.height;
          const index = (part * grid.rows + row) * grid.columns + column;
          const { samples, first } = await blockAt(part, index, from, from + height, signal);
          planes ??= Array.from({ length: stored }, () => emptyLike(samples, window.width * window.height));
          for (let channel = 0; channel < channels; channel++) {
            const plane = planes[part + channel];
            for (let y = 0; y < height; y++) {
              let at = ((from - first + y) * block.width + left - column * block.width) * channels + channel;
              const to = (top - window.top + y) * window.width + left - window.left;
              for (let x = 0; x < width; x++, at += channels) plane[to + x] = samples[at];
            }
          }
        }
      }
    }
    const read = planes ?? [];
    if (page.photometric === photometrics.whiteIsZero) for (const plane of read) invert(plane, page.depth);
    const { photometric, depth, inkProfile } = page;
    if (photometric === photometrics.inks && cmyk) {
      const inks = read.slice(0, 4).map((plane) => Uint8Array.from(plane));
      return [...(await cmyk(inks, window, inkProfile)), ...read.slice(4)];
    }
    if (photometric === photometrics.lab || photometric === photometrics.iccLab) {
      labToRgb(read, depth === 16 ? 16 : 8, photometric === photometrics.iccLab ? 'icc' : 'tiff');
    }
    return palette ? lookUp(read[0], palette) : read;
  };
}

function emptyLike(samples: RasterSamples, length: number): RasterSamples {
  const Kind = (samples instanceof Uint8Array ? Uint8Array : samples.constructor) as new (
    length: number,
  ) => RasterSamples;
  return new Kind(length);
}

/** Samples with white as zero, as those with black as zero. */
function invert(plane: RasterSamples, depth: number): void {
  const white = 2 ** depth - 1;
  for (let i = 0; i < plane.length; i++) plane[i] = white - plane[i];
}

/** The colours of a palette, 8 bits each. Some writers store 8 bits where TIFF has 16. */
function lookUp(indices: RasterSamples, palette: Float64Array): RasterSamples[] {
  const size = palette.length / 3;
  const shift = palette.some((value) => value > 255) ? 8 : 0;
  return [0, 1, 2].map((channel) => Uint8Array.from(indices, (index) => palette[channel * size + index] >> shift));
}
