import { fromArrayBuffer, type GeoTIFFImage } from 'geotiff';
import { FileError, type Raster } from './decoded.js';

/** None, LZW, JPEG, both codes of Deflate, PackBits. Other compressions need decoders that the page's policy blocks. */
const compressions: readonly number[] = [1, 5, 7, 8, 32946, 32773];
const [whiteIsZero, blackIsZero, rgb] = [0, 1, 2];
const [unsigned, signed, floating] = [1, 2, 3];
const [associatedAlpha, straightAlpha] = [1, 2];

/** The size of a TIFF and, once that is known to fit, its samples: 8 or 16 bits, 32- or 64-bit float, grey or RGB. */
export async function openTiff(bytes: Uint8Array<ArrayBuffer>) {
  const file = await fromArrayBuffer(bytes.slice().buffer);
  const page = await file.getImage(0);
  // Not getImageCount: in a damaged file the chain of directories may be circular.
  const secondPage = await file.getImage(1).then(
    () => true,
    () => false,
  );
  if (secondPage) throw new FileError('has several pages. Save the page you want as a file of its own.');
  const tags = page.getFileDirectory();
  const photometric = Number(await tags.loadValue('PhotometricInterpretation'));
  const [width, height, bands] = [page.getWidth(), page.getHeight(), page.getSamplesPerPixel()];
  const float = page.getSampleFormat() === floating;
  const negative = photometric === whiteIsZero && bands === 1 && !float;
  if (photometric !== blackIsZero && photometric !== rgb && !negative) {
    throw new FileError('is neither grey with black as zero nor RGB. Convert it to one of these.');
  }
  const compression = Number((await tags.loadValue('Compression')) ?? 1);
  if (!compressions.includes(compression)) {
    throw new FileError('is compressed in a rare way. Save it with LZW or Deflate, or without compression.');
  }
  const bits = page.getBitsPerSample();
  if (float ? bits !== 32 && bits !== 64 : page.getSampleFormat() !== unsigned || (bits !== 8 && bits !== 16)) {
    const sign = page.getSampleFormat() === signed ? 'signed ' : '';
    const kind = `${sign}${bits}-bit ${float ? 'floats' : 'integers'}`;
    throw new FileError(`holds ${kind}. Save it with unsigned samples of 8 or 16 bits, or as 32-bit float.`);
  }
  const labels = Array.from<number, number>((await tags.loadValue('ExtraSamples')) ?? [], Number);
  if (labels.includes(associatedAlpha)) {
    throw new FileError('has colours multiplied by their opacity. Save it with straight (unassociated) alpha.');
  }
  const colours = photometric === rgb ? 3 : 1;
  const alpha = bands === colours + 1 && (labels.at(-1) === straightAlpha || colours === 3);
  if (bands !== colours && !alpha) throw new FileError(`has ${bands} bands. Open one of grey or RGB.`);
  spread(page, bands);
  const orientation = Number((await tags.loadValue('Orientation')) ?? 1);
  const decode = async (): Promise<Raster> => {
    const samples = (await page.readRasters({ interleave: true })) as unknown as Raster['samples'];
    if (negative) for (let i = 0; i < samples.length; i++) samples[i] = 2 ** bits - 1 - samples[i];
    const depth = float ? 32 : (bits as 8 | 16);
    const sample = float ? 'float' : 'uint';
    return { width, height, channels: bands, alpha, orientation, depth, sample, samples };
  };
  return { width, height, channels: colours, decode };
}

/** Some writers state a value once for all bands; the decoder expects it for every band. */
function spread(page: GeoTIFFImage, bands: number): void {
  const { actualizedFields } = page.getFileDirectory();
  for (const [tag, value] of [
    [258, page.getBitsPerSample()],
    [339, page.getSampleFormat()],
  ]) {
    const stated = actualizedFields.get(tag);
    if (typeof stated === 'object' && stated.length === 1) actualizedFields.set(tag, Array(bands).fill(value));
  }
}
