/** PPM, PFM, FITS and arrays, by the readers of the command. */
import { type Declared, type Decoded, decodeArray, decodePlain } from 'ght-images';
import { FileError, type Raster } from './decoded.js';
import { interleaved, refuse } from './reader.js';

/** The formats that are read here. */
export type PlainFormat = 'ppm' | 'pfm' | 'fits' | 'npy';

/** A picture, after its size was checked. Signed and 32-bit integers count as the floats that hold them. */
export async function decodeFile(
  bytes: Uint8Array<ArrayBuffer>,
  format: PlainFormat,
  check: (declared: Declared) => void,
): Promise<Pick<Decoded, 'metadata'> & { readonly raster: Raster }> {
  const checked = (declared: Declared) => {
    const { channels } = declared;
    if (channels !== 1 && channels !== 3) throw new FileError(`has ${channels} bands. Open one of grey or RGB.`);
    check(declared);
  };
  const decoded = format === 'npy' ? await decodeArray(bytes, refuse, checked) : decodePlain(bytes, format, checked);
  const { width, height, planes, sample, depth, metadata, peak } = decoded;
  const kind =
    sample === 'uint' && depth <= 16
      ? ({ depth: depth as 8 | 16, sample } as const)
      : ({ depth: 32, sample: 'float' } as const);
  const samples = interleaved(planes as Raster['samples'][]);
  return { raster: { width, height, channels: planes.length, alpha: false, ...kind, samples, peak }, metadata };
}
