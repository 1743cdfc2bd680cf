/** Four inks as sRGB, by sharp, which has the colour management of Little CMS. */
import type { Sharp } from 'sharp';
import { toPlanes } from '../raster.js';
import type { CmykConversion } from '../tiff/codecs.js';
import { encodeDirectory, type TiffField } from '../tiff/fields.js';
import { photometrics } from '../tiff/tags.js';
import { loadSharp } from './packages.js';

/** The most pixels that are converted at a time: their inks and colours are in memory several times. */
const MOST_PIXELS = 2 ** 24;

/** Converts planes of inks, some rows at a time. Each pixel is converted by itself, so that a part has the samples of the whole. */
export const convertCmyk: CmykConversion = async (inks, { width, height }, profile) => {
  const step = Math.max(1, Math.floor(MOST_PIXELS / width));
  const colours = Array.from({ length: 3 }, () => new Uint8Array(width * height));
  for (let row = 0; row < height; row += step) {
    const [from, to] = [row * width, Math.min(height, row + step) * width];
    const size = { width, height: (to - from) / width };
    const part = await convertRows(
      inks.map((ink) => ink.subarray(from, to)),
      size,
      profile,
    );
    for (const [channel, plane] of part.entries()) colours[channel].set(plane, from);
  }
  return colours;
};

const convertRows: CmykConversion = async (inks, { width, height }, profile) => {
  const pixels = new Uint8Array(4 * width * height);
  for (const [ink, plane] of inks.entries()) {
    for (let i = 0, at = ink; i < plane.length; i++, at += 4) pixels[at] = plane[i];
  }
  const file = tiffFile(pixels, [
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', [8, 8, 8, 8]],
    [259, 'short', [1]],
    [262, 'short', [photometrics.inks]],
    [277, 'short', [4]],
    [278, 'long', [height]],
    ...(profile ? [[34675, 'undefined', profile] as const] : []),
  ]);
  const sharp = await loadSharp();
  return inkToRgb(sharp(file, { failOn: 'warning', limitInputPixels: false }));
};

/** The planes of red, green and blue of an image in inks that sharp has opened. A profile that cannot be applied is an error. */
export async function inkToRgb(image: Sharp): Promise<Uint8Array[]> {
  let warning: string | undefined;
  image.on('warning', (text: string) => {
    warning ??= text;
  });
  const { data, info } = await image.toColourspace('srgb').raw().toUint8Array();
  if (warning !== undefined) throw new Error(`its colours cannot be converted: ${warning}`);
  return toPlanes(new Uint8Array(data.buffer, data.byteOffset, data.length), info.channels) as Uint8Array[];
}

/** A TIFF of one strip for libtiff, which is given some bytes and the fields that do not say where they are. */
export function tiffFile(bytes: Uint8Array, fields: readonly TiffField[]): Buffer {
  const end = 8 + bytes.length + (bytes.length % 2);
  const places: TiffField[] = [
    [273, 'long', [8]],
    [279, 'long', [bytes.length]],
  ];
  const { directory } = encodeDirectory([...fields, ...places], end);
  const file = Buffer.alloc(end + directory.length);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(end, 4);
  file.set(bytes, 8);
  file.set(directory, end);
  return file;
}
