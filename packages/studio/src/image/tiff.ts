import {
  basicCodecs,
  bytesInMemory,
  jpegFile,
  openStructure,
  readTiffPage,
  type TiffCodecs,
  type TiffDirectory,
  type TiffPage,
  windowReader,
} from 'ght-images';
import { Inflate } from 'pako';
import { decodeBitmap } from './bitmap.js';
import { FileError, type Raster } from './decoded.js';
import { interleaved, refuse } from './reader.js';

/** The compressions that the page reads. Zstandard and LERC need decoders that its policy blocks; WebP and CCITT are rare. */
const codecs: TiffCodecs = {
  ...basicCodecs,
  deflate: (raw, { most }) => ({ bytes: inflated(raw, most) }),
  jpeg: async (raw, { page }) => ({ samples: await jpegSamples(raw, page) }),
};

/**
 * The size of a page of a TIFF, from 0, and, once that is known to fit, its samples: 8 or 16 bits, 32- or 64-bit float, grey or RGB;
 * and the number of pages.
 */
export async function openTiff(bytes: Uint8Array<ArrayBuffer>, at = 0) {
  const source = bytesInMemory(bytes);
  const { littleEndian, directories } = await openStructure(source);
  let wanted: TiffDirectory | undefined;
  let pages = 0;
  for await (const directory of directories()) if (pages++ === at) wanted = directory;
  if (!wanted) throw new FileError('has no such page. Open another one.');
  const page = await readTiffPage(wanted, { bytes: bytes.length, pages, littleEndian }, refuse, () => {});
  const { width, height, channels, alpha, depth, sample, orientation } = page;
  if (sample === 'int' || (sample === 'uint' && depth > 16)) {
    const sign = sample === 'int' ? 'signed ' : '';
    throw new FileError(
      `holds ${sign}${depth}-bit integers. Save it with unsigned samples of 8 or 16 bits, or as 32-bit float.`,
    );
  }
  const colours = channels - (alpha ? 1 : 0);
  if (colours !== 1 && colours !== 3) throw new FileError(`has ${colours} bands. Open one of grey or RGB.`);
  const read = windowReader(source, page, codecs, refuse);
  const decode = async (): Promise<Raster> => {
    const planes = (await read({ left: 0, top: 0, width, height })) as Raster['samples'][];
    const samples = interleaved(planes);
    const kind =
      sample === 'float' ? ({ depth: 32, sample } as const) : ({ depth: depth as 8 | 16, sample: 'uint' } as const);
    return { width, height, channels, alpha, orientation, ...kind, samples };
  };
  return { width, height, channels: colours, pages, metadata: page.metadata, decode };
}

/** Inflates a block, but no further than it may be long. */
function inflated(raw: Uint8Array, most: number): Uint8Array {
  const inflate = new Inflate();
  const parts: Uint8Array[] = [];
  let length = 0;
  inflate.onData = (part) => {
    length += part.length;
    if (length > most) throw new Error('a tile or strip is longer than it may be');
    parts.push(part);
  };
  inflate.push(raw, true);
  if (inflate.err || !inflate.ended) throw new Error(inflate.msg || 'its Deflate data are incomplete');
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The samples of a JPEG block, by the browser's decoder, which leaves out channels that are alike. */
async function jpegSamples(raw: Uint8Array, { jpegTables, planar, stored, photometric, block }: TiffPage) {
  const channels = planar ? 1 : stored;
  const colours = channels === 1 ? 'grey' : photometric === 6 ? 'yCbCr' : 'rgb';
  const file = jpegFile(jpegTables, raw, colours);
  const decoded = await decodeBitmap(Uint8Array.from(file), 'jpeg');
  if (decoded.width !== block.width)
    throw new Error(`a tile or strip is ${decoded.width} pixels wide, not ${block.width}`);
  if (decoded.channels === channels) return Uint8Array.from(decoded.samples);
  return Uint8Array.from(
    { length: decoded.width * decoded.height * channels },
    (_, i) => decoded.samples[Math.floor(i / channels)],
  );
}
