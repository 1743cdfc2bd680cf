import { type Image, OptionError, writeNpy } from 'ght';
import { profileFits } from '../exif.js';
import { formatNames, formatOfName, type ImageFile, type ImageFormat, imageExtensions } from '../imageFile.js';
import { type Raster, toRaster } from '../raster.js';
import { encodePng } from './encodePng.js';
import { encodeTiff } from './encodeTiff.js';
import { type Output, writeTogether } from './files.js';
import { loadSharp } from './packages.js';

/**
 * Writes an image in the format its name asks for, with the depth, profile and EXIF of `like`. What the format cannot
 * hold is refused as by `checkFormat`; integers are rounded to the nearest and clamped to their range here and only
 * here. The file appears whole or not at all.
 *
 * PNG, TIFF (deflate), WebP and `.npy` are lossless. JPEG has quality 95 and full colour resolution (4:4:4). WebP has no
 * grey, so grey becomes three equal channels there. In `.npy` alpha is the last channel. TIFF and `.npy` hold no EXIF,
 * and `.npy` no profile.
 */
export async function writeImage(path: string, image: Image, like: ImageFile, parameter = '-o'): Promise<void> {
  await writeTogether([await imageOutput(path, image, like, parameter)]);
}

/** The same, not yet written: to be written together with others. */
export async function imageOutput(path: string, image: Image, like: ImageFile, parameter = '-o'): Promise<Output> {
  const format = checkFormat(path, image, like, parameter);
  const raster = toRaster(image, like.sample, like.depth);
  return { path, bytes: await encode(raster, format, like), parameter };
}

/** The longest side, where a format has a limit that an image within the pixel limit can pass. */
const longestSide: Partial<Record<ImageFormat, number>> = { jpeg: 65535, webp: 16383 };

/**
 * The format of an output name, or an OptionError if that format cannot hold such an image: the depth of `like`, its
 * alpha, its number of channels, its size. Made to be asked before the work, with `like.image` for the image.
 */
export function checkFormat(path: string, image: Image, like: ImageFile, parameter = '-o'): ImageFormat {
  const format = formatOfName(path);
  const refuse = (rule: string, remedy: string) => new OptionError(parameter, rule, path, remedy);
  if (format === undefined) throw refuse(`must end in ${imageExtensions.join(', ')}`, 'choose one of these extensions');
  if (format === 'tiff' || format === 'npy') return format;
  const name = formatNames[format];
  if (like.sample === 'float') {
    throw refuse(`must name a format that holds floats, which ${name} does not`, 'use .tiff or .npy');
  }
  if (like.depth === 16 && format !== 'png') {
    throw refuse(`must name a format that holds 16 bits, which ${name} does not`, 'use .png or .tiff');
  }
  if (image.alpha && format === 'jpeg') {
    throw refuse('must name a format that holds alpha, which JPEG does not', 'use .png, .webp or .tiff');
  }
  if (image.planes.length !== 1 && image.planes.length !== 3) {
    const rule = `must name a format that holds ${image.planes.length} channels, which ${name} does not`;
    throw refuse(rule, 'use .tiff or .npy');
  }
  const most = longestSide[format] ?? Number.POSITIVE_INFINITY;
  if (Math.max(image.width, image.height) > most) {
    const rule = `must name a format that holds ${image.width}×${image.height} pixels, as ${name} ends at ${most} a side`;
    throw refuse(rule, 'use .png or .tiff');
  }
  return format;
}

async function encode(raster: Raster, format: ImageFormat, like: ImageFile): Promise<Uint8Array> {
  const { width, height, channels, alpha, depth } = raster;
  const { exif, channelAxis } = like.metadata ?? {};
  if (format === 'npy') {
    const type = ({ 8: 'u1', 16: 'u2', 32: 'f4', 64: 'f8' } as const)[depth];
    const shape = channels === 1 && !channelAxis ? [height, width] : [height, width, channels];
    return writeNpy({ type, shape, data: raster.rows(0, height) });
  }
  const colours = channels - (alpha ? 1 : 0);
  const profile = like.metadata?.icc;
  const icc = profile && profileFits(profile, format === 'webp' ? 3 : colours) ? profile : undefined;
  if (format === 'tiff') return encodeTiff(raster, icc);

  const deep = depth === 16;
  const space = colours === 1 ? (deep ? 'grey16' : 'b-w') : deep ? 'rgb16' : 'srgb';
  const sharp = await loadSharp();
  const pipeline = sharp(encodePng(raster, { icc, exif }), { limitInputPixels: false, sequentialRead: true })
    .toColourspace(space)
    .keepIccProfile()
    .keepExif();
  if (format === 'png') return pipeline.png({ adaptiveFiltering: true }).toBuffer();
  if (format === 'jpeg') return pipeline.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer();
  return pipeline.webp({ lossless: true, exact: true }).toBuffer();
}
