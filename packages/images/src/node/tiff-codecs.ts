/** The compressions of TIFF blocks in Node. Each gives a whole block or throws; none gives more than the block may have. */
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { RasterSamples } from '../raster.js';
import { basicCodecs, type TiffBlock, type TiffCodecs } from '../tiff/codecs.js';
import { jpegFile } from '../tiff/jpeg-block.js';
import type { TiffPage } from '../tiff/page.js';
import { photometrics } from '../tiff/tags.js';
import { convertCmyk, tiffFile } from './cmyk.js';
import { loadPackage, loadSharp } from './packages.js';

const inflated = promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(inflate);
const unpackDeflate = (raw: Uint8Array, most: number) => inflated(raw, { maxOutputLength: most });

/** The codecs. */
export const nodeCodecs: TiffCodecs = {
  ...basicCodecs,
  deflate: async (raw, { most }) => ({ bytes: await unpackDeflate(raw, most) }),
  zstd: async (raw, { most }) => ({ bytes: await unpackZstd(raw, most) }),
  lerc: async (raw, block) => ({ samples: await unpackLerc(raw, block) }),
  jpeg: async (raw, block) => ({
    samples: await bySharp(jpegFile(block.page.jpegTables, raw, coloursOf(block.page)), block),
  }),
  webp: async (raw, block) => ({ samples: await bySharp(raw, block) }),
  ccitt: async (raw, block) => ({ samples: await bySharp(faxFile(raw, block), block) }),
  cmyk: convertCmyk,
};

function coloursOf({ photometric, planar, stored }: TiffPage): 'grey' | 'rgb' | 'yCbCr' {
  if (planar || stored === 1) return 'grey';
  return photometric === photometrics.yCbCr ? 'yCbCr' : 'rgb';
}

/** The samples of a block that is an image file of its own. A warning of the decoder counts as damage. */
async function bySharp(file: Uint8Array, { page, rows }: TiffBlock): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const channels = page.planar ? 1 : page.stored;
  const image = sharp(file, { failOn: 'warning', ignoreIcc: true, limitInputPixels: false });
  const header = await image.metadata();
  const { width } = page.block;
  if (header.width !== width || header.height < rows || header.channels !== channels || header.depth !== 'uchar') {
    throw new Error(
      `a tile or strip is ${header.width}×${header.height}×${header.channels}, not ${width}×${rows}×${channels}`,
    );
  }
  const { data } = await image
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return data;
}

/** A strip or tile of CCITT codes as a TIFF of its own, for libtiff, which has the only decoder. */
function faxFile(raw: Uint8Array, { page, rows }: TiffBlock): Uint8Array {
  return tiffFile(raw, [
    [256, 'long', [page.block.width]],
    [257, 'long', [rows]],
    [258, 'short', [1]],
    [259, 'short', [page.code]],
    [262, 'short', [photometrics.blackIsZero]],
    [266, 'short', [page.reversed ? 2 : 1]],
    [277, 'short', [1]],
    [278, 'long', [rows]],
    ...(page.code === 2 ? [] : [[page.code === 3 ? 292 : 293, 'long', [page.faxOptions]] as const]),
  ]);
}

/** Zstandard. An error of the decoder gives no bytes, and it never writes more than it is allowed, so that the length shows damage. */
export async function unpackZstd(raw: Uint8Array, most: number): Promise<Uint8Array> {
  const { ZSTDDecoder } = await loadPackage(
    import('zstddec'),
    'zstddec, which reads TIFF files with Zstandard compression',
  );
  const decoder = new ZSTDDecoder();
  await decoder.init();
  const bytes = decoder.decode(raw, most);
  if (bytes.length === 0) throw new Error('its Zstandard data are damaged');
  return bytes;
}

/** LERC: the samples of a block, perhaps rounded when they were encoded, perhaps compressed once more. It has a checksum. */
async function unpackLerc(raw: Uint8Array, { page, rows, most }: TiffBlock): Promise<RasterSamples> {
  const { decode, getBlobInfo, load } = await loadPackage(
    import('lerc'),
    'lerc, which reads TIFF files with LERC compression',
  );
  await load();
  const blob = await unpackOuter(raw, page.lercCompression, most);
  const { width, height, depthCount, bandCount, dataType, validPixelCount } = getBlobInfo(blob);
  const type = lercTypes[dataType];
  if (type !== `${page.sample}${page.bits}`) throw new Error(`a LERC tile or strip has samples of type ${type}`);
  const channels = page.planar ? 1 : page.stored;
  const fits = width === page.block.width && height >= rows && height <= page.block.height;
  if (!fits || depthCount !== channels || bandCount !== 1) {
    throw new Error(`a LERC tile or strip is ${width}×${height}×${depthCount * bandCount}`);
  }
  if (validPixelCount !== width * height) throw new Error('a LERC tile or strip leaves out pixels');
  return decode(blob, { returnInterleaved: true }).pixels[0];
}

const lercTypes = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64'];

function unpackOuter(raw: Uint8Array, compression: number, most: number): Promise<Uint8Array> | Uint8Array {
  if (compression === 0) return raw;
  // Noise may take more bytes in LERC than before.
  const room = 2 * most + 4096;
  if (compression === 1) return unpackDeflate(raw, room);
  if (compression === 2) return unpackZstd(raw, room);
  throw new Error(`its LERC is compressed in addition by method ${compression}`);
}
