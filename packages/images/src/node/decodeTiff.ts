import type { GeoTIFFImage } from 'geotiff';
import type { SampleDepth, SampleKind } from '../imageFile.js';
import { asSamples, type RasterSamples } from '../raster.js';
import { checkSize, type Decoded, type Refuse } from './decoded.js';
import { loadGeotiff } from './geotiff.js';
import { countDirectories } from './tiffPages.js';
import { readTiffTags, type TiffTags } from './tiffTags.js';

/** A TIFF whose pages are looked at one by one. */
export interface Tiff {
  /** How many there are. */
  readonly pages: number;
  /** What the directory of a page says that sharp does not pass on. */
  page(index: number): Promise<TiffPage>;
}

/** One page of a TIFF. */
export interface TiffPage extends Pick<TiffTags, 'hasAlpha' | 'metadata'> {
  /** How its samples are compressed, in a word. */
  readonly compression: string;
  /** Reads what sharp gives only in part: floats, signed and 32-bit integers, and grey with further bands. */
  readonly decodeBands?: () => Promise<Decoded>;
}

const kinds: Readonly<Record<number, SampleKind>> = { 1: 'uint', 2: 'int', 3: 'float' };

/** Opens a TIFF. */
export async function openTiff(bytes: Buffer, refuse: Refuse): Promise<Tiff> {
  const { fromArrayBuffer } = await loadGeotiff();
  const { buffer } = bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  const file = await fromArrayBuffer(buffer as ArrayBuffer);
  // A first page that is whole may be followed by a pointer to nowhere, which nobody follows.
  const secondPage = await file.getImage(1).then(
    () => true,
    () => false,
  );
  const pages = secondPage ? Math.max(2, countDirectories(bytes)) : 1;
  return { pages, page: async (index) => openPage(await file.getImage(index), bytes.length, pages, refuse) };
}

/** Reads the directory of a page. */
async function openPage(image: GeoTIFFImage, bytes: number, pages: number, refuse: Refuse): Promise<TiffPage> {
  const directory = image.getFileDirectory();
  const tags = await readTiffTags(directory, pages, refuse);
  const { hasAlpha, metadata, photometric } = tags;
  const compression = tags.compression.name;
  const [depth, bands] = [image.getBitsPerSample(), image.getSamplesPerPixel()];
  const sample = kinds[image.getSampleFormat()];
  const grey = photometric === 0 || photometric === 1;
  const stack = sample === 'uint' && (depth === 8 || depth === 16) && grey && bands > 1;
  const wide = sample === 'float' || sample === 'int' || (sample === 'uint' && depth === 32);
  if (!wide && !stack) return { hasAlpha, metadata, compression };

  const decodeBands = async (): Promise<Decoded> => {
    const [width, height] = [image.getWidth(), image.getHeight()];
    checkSize({ width, height, channels: bands, bytes }, refuse);
    if (sample === 'float' ? ![16, 32, 64].includes(depth) : ![8, 16, 32].includes(depth)) {
      const rule = sample === 'float' ? 'floats of 16, 32 or 64 bits' : 'integers of 8, 16 or 32 bits';
      throw refuse(`must hold ${rule}, not ${depth}`, 'convert its samples to 32-bit float');
    }
    if (photometric !== 1 && photometric !== 2) {
      throw refuse('must be RGB, or grey with black as zero', 'convert it to one of these');
    }
    const counts = await directory.loadValue(image.isTiled ? 'TileByteCounts' : 'StripByteCounts');
    // Sparse files leave out what is empty, and do not say what it is empty of.
    if (Array.from<number, number>(counts ?? [], Number).includes(0)) {
      throw refuse('must hold every strip and tile of its image', 'save it again in full, not sparse');
    }
    const icc = await tags.icc();
    const channels = await image.readRasters();
    return {
      width,
      height,
      // Of these formats and depths geotiff makes the arrays that there are; of 16-bit floats those of 32 bits.
      planes: Array.from(channels, (channel) => asSamples(channel as RasterSamples)),
      alpha: hasAlpha(photometric === 2, bands),
      depth: sample === 'float' && depth === 16 ? 32 : (depth as SampleDepth),
      sample,
      orientation: await tags.orientation(),
      metadata: { ...metadata, ...(icc && { icc }) },
    };
  };
  return { hasAlpha, metadata, compression, decodeBands };
}
