// The input images of a benchmark: PNG, JPEG, TIFF and WebP.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';

/**
 * The images of folders as grey planes.
 * @param {string[]} folders
 * @param {number} perFolder the most images per folder, in the order of their names
 */
export async function greyImages(folders, perFolder) {
  const images = [];
  for (const folder of folders) {
    const names = readdirSync(folder).filter((name) => /\.(png|jpe?g|tiff?|webp)$/i.test(name));
    for (const name of names.sort().slice(0, perFolder)) {
      const { data, info } = await sharp(join(folder, name)).greyscale().raw().toBuffer({ resolveWithObject: true });
      const image = { width: info.width, height: info.height, planes: [Float32Array.from(data)], peak: 255 };
      images.push({ name: `${basename(folder)}/${name}`, image });
    }
  }
  return images;
}

/**
 * One image with its channels, without alpha; grey if all channels are equal.
 * @param {string | Uint8Array} file its path or its bytes
 */
export async function planesOf(file) {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const planes = Array.from({ length: channels }, (_, c) =>
    Float32Array.from({ length: width * height }, (_value, i) => data[i * channels + c]),
  );
  const grey = planes.every((plane) => plane.every((value, i) => value === planes[0][i]));
  return { width, height, planes: grey ? planes.slice(0, 1) : planes, peak: 255 };
}
