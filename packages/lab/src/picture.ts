import type { Image, Rectangle, Samples } from 'ght';
import sharp from 'sharp';
import { cut } from './images.js';
import type { Picture } from './setting.js';

/** A grey picture of a plane with values from 0 to `peak`; values outside are clipped to black or white. */
export async function greyPicture(plane: Samples, width: number, height: number, peak = 255): Promise<Picture> {
  const pixels = Uint8Array.from(plane, (value) => Math.min(255, Math.max(0, Math.round((255 * value) / peak))));
  return encode(pixels, width, height, 1);
}

/** A grey picture of a part of a plane of an image. */
export function windowPicture({ width, peak }: Image, plane: ArrayLike<number>, window: Rectangle): Promise<Picture> {
  return greyPicture(cut(plane, width, window), window.width, window.height, peak);
}

/** A grey picture of a plane, reduced if it is wider than `wide`. */
export async function thumbnail({ width, height, planes, peak }: Image, wide: number): Promise<Picture> {
  const { png } = await greyPicture(planes[0], width, height, peak);
  if (width <= wide) return { width, height, png };
  const small = await sharp(Buffer.from(png, 'base64')).resize({ width: wide }).png({ compressionLevel: 9 }).toBuffer();
  return { width: wide, height: Math.round((height * wide) / width), png: small.toString('base64') };
}

/** A picture of RGB pixels. */
export async function colourPicture(pixels: Uint8Array, width: number, height: number): Promise<Picture> {
  return encode(pixels, width, height, 3);
}

async function encode(pixels: Uint8Array, width: number, height: number, channels: 1 | 3): Promise<Picture> {
  const png = await sharp(pixels, { raw: { width, height, channels } })
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .png({ compressionLevel: 9 })
    .toBuffer();
  return { width, height, png: png.toString('base64') };
}
