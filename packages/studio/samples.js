// Makes the sample images: CC0 photographs from an npm package, rescaled, since a JPEG's own 8×8 blocks would coincide with the
// patches and favour any DCT. They are lossless, except for those that simulate a camera. They are made only if one is missing.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

/** Names, and whether the tone of the print is kept; the others are grey, like the paper's images. */
const samples = {
  'nagasaki-boats': false,
  'dust-bowl-home': false,
  'airplane-from-above': false,
  'french-alpine-landscape': false,
  'black-canyon': true,
  'march-pastoral': true,
};

/** Samples with the noise of a camera: their source, the exposure, and the deviation of the noise at full and at no light. */
const cameras = {
  'black-canyon-camera': { from: 'black-canyon', exposure: 1, bright: 26, dark: 6, quality: 88 },
  'march-pastoral-night': { from: 'march-pastoral', exposure: 0.45, bright: 40, dark: 11, quality: 80 },
};

/** A print with scratches and dust: its source, and the lines and spots as SVG. */
const scratched = { name: 'scratched-print', from: 'dust-bowl-home' };
const scratches = [
  ['M60 -10 C 150 140 120 300 210 610', 3.2],
  ['M330 -10 C 300 190 390 330 350 610', 2.2],
  ['M-10 420 C 210 380 460 470 780 400', 2.6],
  ['M560 40 C 580 110 640 150 700 130', 3.6],
  ['M470 540 C 520 500 580 520 640 560', 2.4],
  ['M640 -10 C 620 80 690 200 650 330', 1.8],
];
const spots = [
  [120, 90, 5],
  [250, 250, 4],
  [430, 120, 6],
  [520, 300, 4],
  [690, 480, 6],
  [160, 500, 5],
  [300, 420, 3],
  [600, 240, 5],
];

const folder = fileURLToPath(new URL('public/samples/', import.meta.url));
mkdirSync(folder, { recursive: true });
const { resolve } = createRequire(import.meta.url);
const photograph = (name) => sharp(resolve(`@stdlib/datasets-img-${name}/data/image.jpg`));
const small = async (picture, name) => {
  const tile = picture.resize({ width: 144, height: 108, fit: 'cover' });
  await tile.webp({ quality: 70 }).toFile(`${folder}${name}-small.webp`);
};
const missing = (...files) => files.some((file) => !existsSync(`${folder}${file}`));

await Promise.all([
  ...Object.entries(samples).map(async ([name, colour]) => {
    if (!missing(`${name}.png`, `${name}-small.webp`)) return;
    const toned = () => (colour ? photograph(name) : photograph(name).greyscale().toColourspace('b-w'));
    await toned().resize({ width: 768 }).png({ compressionLevel: 9 }).toFile(`${folder}${name}.png`);
    await small(toned(), name);
  }),
  ...Object.entries(cameras).map(async ([name, { from, exposure, bright, dark, quality }]) => {
    if (!missing(`${name}.jpg`, `${name}-small.webp`)) return;
    const { data, info } = await photograph(from)
      .resize({ width: 1024 })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    addCameraNoise(data, exposure, bright, dark);
    const { width, height, channels } = info;
    // Interpolating the colours of a sensor and reducing the picture both make neighbours share their noise.
    const noisy = sharp(data, { raw: { width, height, channels } }).blur(0.8).resize({ width: 768 }).png();
    const lossless = await noisy.toBuffer();
    await sharp(lossless).jpeg({ quality }).toFile(`${folder}${name}.jpg`);
    await small(sharp(lossless), name);
  }),
  scratch(scratched),
]);

/** The damaged print, and the mask of its damage, which is slightly wider. */
async function scratch({ name, from }) {
  if (!missing(`${name}.png`, `${name}-mask.png`, `${name}-small.webp`)) return;
  const clean = await photograph(from)
    .greyscale()
    .toColourspace('b-w')
    .resize({ width: 768 })
    .png()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = clean.info;
  const drawing = (wider) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
        scratches
          .map(
            ([d, w]) =>
              `<path d="${d}" fill="none" stroke="#f4f4f4" stroke-width="${w + wider}" stroke-linecap="round"/>`,
          )
          .join('') +
        spots.map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r + wider / 2}" fill="#f4f4f4"/>`).join('') +
        '</svg>',
    );
  const drawn = async (picture, wider) =>
    sharp(
      await picture
        .composite([{ input: drawing(wider) }])
        .png()
        .toBuffer(),
    )
      .removeAlpha()
      .greyscale()
      .toColourspace('b-w');
  const damaged = await (await drawn(sharp(clean.data), 0)).png({ compressionLevel: 9 }).toBuffer();
  writeFileSync(`${folder}${name}.png`, damaged);
  await small(sharp(damaged), name);
  const black = sharp({ create: { width, height, channels: 3, background: '#000' } });
  await (await drawn(black, 3)).threshold(40).png({ compressionLevel: 9 }).toFile(`${folder}${name}-mask.png`);
}

/** Noise whose variance grows with the light; the same every time. */
function addCameraNoise(samples, exposure, bright, dark) {
  let state = 1;
  const uniform = () => {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 0.5) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  for (let i = 0; i < samples.length; i++) {
    const light = exposure * samples[i];
    const deviation = Math.sqrt(dark ** 2 + (bright ** 2 - dark ** 2) * (light / 255));
    samples[i] = Math.min(255, Math.max(0, Math.round(light + deviation * normal())));
  }
}
