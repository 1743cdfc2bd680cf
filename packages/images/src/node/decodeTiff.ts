import type { Samples } from 'ght';
import { checkSize, type Decoded, type Refuse } from './decoded.js';
import { loadGeotiff } from './packages.js';

/** What the directory of a TIFF says that sharp does not pass on. */
export interface TiffTags {
  /** Whether the last of so many channels is opacity rather than one more band. */
  hasAlpha(colour: boolean, channels: number): boolean;
  /** Reads what sharp gives only in part: floats (not those of 64 bits) and grey with further bands (not 8-bit ones). */
  readonly decodeBands?: () => Promise<Decoded>;
}

// By its number: geotiff knows it under a name with a blank, which its types do not list.
const iccTag = 34675;
const uintFormat = 1;
const floatFormat = 3;
// White or black as zero, RGB, palette and YCbCr; the others are CMYK, Lab, masks and camera sensors.
const greyOrColour: readonly unknown[] = [0, 1, 2, 3, 6];
const associatedAlpha = 1;
const straightAlpha = 2;

/** Reads the directory of a TIFF of one page; premultiplied alpha is refused, as it could not be undone exactly. */
export async function openTiff(bytes: Buffer, refuse: Refuse): Promise<TiffTags> {
  const { fromArrayBuffer } = await loadGeotiff();
  const { buffer } = bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  const file = await fromArrayBuffer(buffer as ArrayBuffer);
  const image = await file.getImage(0);
  // Not getImageCount: in a damaged file the chain of directories may run in a circle.
  const secondPage = await file.getImage(1).then(
    () => true,
    () => false,
  );
  if (secondPage) throw refuse('must hold exactly one page', 'save the page you want as a file of its own');

  const tags = image.getFileDirectory();
  const photometric = await tags.loadValue('PhotometricInterpretation');
  if (!greyOrColour.includes(photometric)) throw refuse('must be grey or RGB', 'convert it to RGB first');
  const labels = Array.from<number, number>((await tags.loadValue('ExtraSamples')) ?? [], Number);
  if (labels.includes(associatedAlpha)) {
    throw refuse('must have straight alpha, not premultiplied', 'save it again with unassociated alpha');
  }
  // Many writers leave the fourth channel of RGB unlabelled; a second channel of grey is alpha only if it says so.
  const hasAlpha = (colour: boolean, channels: number) => labels.at(-1) === straightAlpha || (colour && channels === 4);
  const [depth, bands] = [image.getBitsPerSample(), image.getSamplesPerPixel()];
  const float = image.getSampleFormat() === floatFormat;
  const grey = photometric === 0 || photometric === 1;
  const stack = image.getSampleFormat() === uintFormat && (depth === 8 || depth === 16) && grey && bands > 1;
  if (!float && !stack) return { hasAlpha };

  const decodeBands = async (): Promise<Decoded> => {
    const [width, height] = [image.getWidth(), image.getHeight()];
    checkSize({ width, height, channels: bands, bytes: bytes.length }, refuse);
    if (!stack && depth !== 32 && depth !== 64) {
      throw refuse(`must hold floats of 32 or 64 bits, not ${depth}`, 'convert its samples to 32-bit float');
    }
    if (photometric !== 1 && photometric !== 2) {
      throw refuse('must be RGB, or grey with black as zero', 'convert it to one of these');
    }
    const counts = await tags.loadValue(image.isTiled ? 'TileByteCounts' : 'StripByteCounts');
    // Sparse files leave out what is empty, and do not say what it is empty of.
    if (Array.from<number, number>(counts ?? [], Number).includes(0)) {
      throw refuse('must hold every strip and tile of its image', 'save it again in full, not sparse');
    }
    const profile: ArrayLike<number> | undefined = await tags.loadValue(iccTag);
    const channels = await image.readRasters();
    return {
      width,
      height,
      // Of these formats and depths geotiff makes the arrays that we have.
      planes: Array.from(channels, (channel) => channel as Samples),
      alpha: hasAlpha(photometric === 2, bands),
      depth: depth as Decoded['depth'],
      sample: float ? 'float' : 'uint',
      orientation: Number((await tags.loadValue('Orientation')) ?? 1),
      metadata: profile ? { icc: Uint8Array.from(profile) } : {},
    };
  };
  return { hasAlpha, decodeBands };
}
