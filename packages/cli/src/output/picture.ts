import type { Image } from 'ght';
import { OptionError } from 'ght';
import { checkFormat, formatOfName, type ImageFile, imageOutput, loadSharp, type Output } from '../io/index.js';

/** Parses the value of `--jpeg-quality`. */
export function jpegQuality(text: string): number {
  const quality = Number(text);
  if (text.trim() !== '' && Number.isInteger(quality) && quality >= 1 && quality <= 100) return quality;
  throw new OptionError('--jpeg-quality', 'must be a whole number from 1 to 100', text, 'use a number such as 92');
}

/** The file of an image, as from `imageOutput`, but a JPEG has the given quality. */
export async function pictureOutput(
  path: string,
  image: Image,
  like: ImageFile,
  quality: number | undefined,
): Promise<Output> {
  const format = checkFormat(path, image, like, '-o');
  if (quality === undefined || format !== 'jpeg') return imageOutput(path, image, like, '-o');
  const { bytes: png } = await imageOutput(`${path}.png`, image, like, '-o');
  const sharp = await loadSharp();
  const bytes = await sharp(png, { limitInputPixels: false, sequentialRead: true })
    .keepIccProfile()
    .keepExif()
    .jpeg({ quality, chromaSubsampling: '4:4:4' })
    .toBuffer();
  return { path, bytes, parameter: '-o' };
}

/** Refuses a JPEG quality for a file that is not a JPEG. */
export function checkQuality(path: string, quality: number | undefined): void {
  if (quality === undefined || formatOfName(path) === 'jpeg') return;
  throw new OptionError('--jpeg-quality', 'must come with an output that ends in .jpg', path, 'remove one of the two');
}
