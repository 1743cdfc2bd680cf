import { OptionError } from 'ght';
import { formatOfName } from '../io/index.js';

/** Parses the value of `--jpeg-quality`. */
export function jpegQuality(text: string): number {
  const quality = Number(text);
  if (text.trim() !== '' && Number.isInteger(quality) && quality >= 1 && quality <= 100) return quality;
  throw new OptionError('--jpeg-quality', 'must be a whole number from 1 to 100', text, 'use a number such as 92');
}

/** Refuses a JPEG quality for a file that is not a JPEG. */
export function checkQuality(path: string, quality: number | undefined): void {
  if (quality === undefined || formatOfName(path) === 'jpeg') return;
  throw new OptionError('--jpeg-quality', 'must come with an output that ends in .jpg', path, 'remove one of the two');
}
