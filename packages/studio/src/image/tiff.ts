import { fromArrayBuffer } from 'geotiff';
import { FileError, type Raster } from './decoded.js';

/** None, LZW, JPEG, both numbers of Deflate, PackBits; the others need decoders that the page's policy does not let in. */
const compressions: readonly number[] = [1, 5, 7, 8, 32946, 32773];

/** The size of a TIFF and, once that is known to fit, its samples: 8 or 16 bits or 32-bit float, grey or RGB. */
export async function openTiff(bytes: Uint8Array<ArrayBuffer>) {
  const file = await fromArrayBuffer(bytes.slice().buffer);
  const page = await file.getImage(0);
  const tags = page.getFileDirectory();
  const photometric = Number(await tags.loadValue('PhotometricInterpretation'));
  if (photometric !== 1 && photometric !== 2) {
    throw new FileError('This TIFF is neither grey with black as zero nor RGB. Convert it to one of these.');
  }
  const compression = Number((await tags.loadValue('Compression')) ?? 1);
  if (!compressions.includes(compression)) {
    throw new FileError('This TIFF is compressed in a rare way. Save it with LZW or Deflate, or without compression.');
  }
  const [width, height, bands] = [page.getWidth(), page.getHeight(), page.getSamplesPerPixel()];
  const float = page.getSampleFormat() === 3;
  const bits = page.getBitsPerSample();
  if (float ? bits !== 32 : page.getSampleFormat() !== 1 || (bits !== 8 && bits !== 16)) {
    throw new FileError(
      `This TIFF holds ${bits}-bit ${float ? 'floats' : 'samples'}. Save it as 8 or 16 bit or 32-bit float.`,
    );
  }
  const labels = Array.from<number, number>((await tags.loadValue('ExtraSamples')) ?? [], Number);
  const colours = photometric === 2 ? 3 : 1;
  const alpha = bands === colours + 1 && (labels.at(-1) === 2 || colours === 3);
  if (bands !== colours && !alpha) throw new FileError(`This TIFF has ${bands} bands. Open one of grey or RGB.`);
  const decode = async (): Promise<Raster> => {
    const samples = (await page.readRasters({ interleave: true })) as unknown as Raster['samples'];
    const depth = float ? 32 : (bits as 8 | 16);
    return { width, height, channels: bands, alpha, depth, sample: float ? 'float' : 'uint', samples };
  };
  return { width, height, channels: colours, decode };
}
