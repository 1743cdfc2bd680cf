// The images a measurement runs on: every PNG, JPEG, TIFF or WebP of the folders named, as grey planes.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';

/**
 * @param {string[]} folders
 * @param {number} perFolder at most so many from each, in the order of their names
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
