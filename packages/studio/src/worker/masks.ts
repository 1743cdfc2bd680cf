import { type Image, randomSource } from 'ght';
import { FileError } from '../image/decoded.js';
import type { Size } from '../image/header.js';
import { openImage } from '../image/open.js';
import type { Damage } from './protocol.js';

/** The part of all pixels that is missing in the sample of damage. */
const MISSING = 0.5;
const TEXT = 'the quick brown fox jumps over the lazy dog ';

/** A mask for an image, 1 where a pixel is missing: damage that is the same every time, or a file. */
export async function maskOf(image: Image, from: Damage | Blob): Promise<Uint8Array<ArrayBuffer>> {
  if (from instanceof Blob) return maskFile(image, from);
  return from === 'text' ? textMask(image) : pixelMask(image);
}

function pixelMask({ width, height }: Image): Uint8Array<ArrayBuffer> {
  const random = randomSource(1);
  return Uint8Array.from({ length: width * height }, () => Number(random.uniform() < MISSING));
}

/** Lines of text from edge to edge. */
function textMask({ width, height }: Image): Uint8Array<ArrayBuffer> {
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (!context) throw new Error('The image is too large for a canvas of this browser. Use another mask.');
  const size = Math.min(40, Math.max(9, Math.min(width, height) / 20));
  context.font = `bold ${size}px sans-serif`;
  const line = TEXT.repeat(Math.ceil(width / Math.max(1, context.measureText(TEXT).width)) + 1);
  for (let y = 1.2 * size, shift = 0; y < height + size; y += 2.4 * size, shift += 5 * size) {
    context.fillText(line, -(shift % context.measureText(TEXT).width), y);
  }
  const { data } = context.getImageData(0, 0, width, height);
  return Uint8Array.from({ length: width * height }, (_, i) => Number(data[4 * i + 3] >= 128));
}

/** As in the command: 1 for each pixel that is not 0 in some channel, and not transparent. */
async function maskFile(image: Image, file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = image;
  const wrong = (size: Pick<Size, 'width' | 'height'>) =>
    `has ${size.width}×${size.height} pixels, and the image ${width}×${height}. Use a mask of the size of the image.`;
  const name = file instanceof File ? file.name : 'This file';
  const fit = (size: Size) => {
    // It may still be turned upright.
    if (size.width * size.height !== width * height) throw new FileError(wrong(size));
    return 1;
  };
  const { image: mask } = await openImage(new Uint8Array(await file.arrayBuffer()), fit, name);
  if (mask.width !== width) throw new FileError(`${name} ${wrong(mask)}`);
  const { planes, alpha } = mask;
  const marked = (i: number) => alpha?.[i] !== 0 && planes.some((plane) => plane[i] !== 0);
  return Uint8Array.from({ length: width * height }, (_, i) => Number(marked(i)));
}
