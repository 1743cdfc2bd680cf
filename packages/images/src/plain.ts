/** Pictures of formats that need no decoder of the host: Netpbm and FITS. */
import type { Declared, Decoded } from './decoded.js';
import { decodeFits, fitsLength, readFitsHeader } from './fits.js';
import { decodeNetpbm, readNetpbmHeader } from './netpbm.js';
import { asSamples, toPlanes } from './raster.js';

/** These formats. */
export type PlainFormat = 'ppm' | 'pfm' | 'fits';

/** Refuses a size before anything of that size is decoded. */
type Check = (declared: Declared) => void;

/** Decodes a picture, without changing a sample; throws an Error that says why it cannot be read. */
export function decodePlain(bytes: Uint8Array, format: PlainFormat, check: Check): Decoded {
  return format === 'fits' ? decodeFitsFile(bytes, check) : decodeNetpbmFile(bytes, check);
}

function decodeNetpbmFile(bytes: Uint8Array, check: Check): Decoded {
  const { width, height, channels, depth, white } = readNetpbmHeader(bytes);
  check({ width, height, channels, depth, bytes: bytes.length });
  const common = {
    width,
    height,
    alpha: false,
    depth,
    orientation: 1,
    planes: toPlanes(decodeNetpbm(bytes), channels),
  };
  if (depth === 32) return { ...common, sample: 'float', metadata: white === 1 ? {} : { notRead: [`scale ${white}`] } };
  const isUsual = white === 2 ** depth - 1;
  return { ...common, sample: 'uint', peak: white, metadata: isUsual ? {} : { white } };
}

function decodeFitsFile(bytes: Uint8Array, check: Check): Decoded {
  const header = readFitsHeader(bytes);
  const { width, height, channels, sample, depth, cards, start } = header;
  check({ width, height, channels, depth, bytes: bytes.length });
  const planes = decodeFits(bytes, header).map(asSamples);
  const isLast = start + fitsLength(header) >= bytes.length;
  return {
    ...{ width, height, planes, alpha: false, depth, sample, orientation: 1 },
    metadata: {
      ...(cards.length > 0 && { fits: cards }),
      ...(channels === 3 && { bands: true }),
      ...(!isLast && { notRead: ['FITS extensions'] }),
    },
  };
}
