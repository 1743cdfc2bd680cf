import type { Image, Samples } from '../../src/index.js';
import { randomSource } from '../../src/index.js';
import { picture } from '../pictures.js';

/** A grey image from a function of its coordinates. */
export function drawn(width: number, height: number, value: (x: number, y: number) => number): Image {
  const plane = Float64Array.from({ length: width * height }, (_, i) => value(i % width, Math.floor(i / width)));
  return { width, height, planes: [plane], peak: 255 };
}

/** The planes as 8 bits: rounded and clipped. */
export const to8Bits = (planes: readonly Samples[]): Uint8Array[] =>
  planes.map((plane) => Uint8Array.from(plane, (value) => Math.min(255, Math.max(0, Math.round(value)))));

/** Error diffusion (Floyd and Steinberg) to a number of levels. */
function dithered({ width, height, planes: [plane] }: Image, levels: number): Image {
  const rest = Float64Array.from(plane);
  for (let i = 0; i < rest.length; i++) {
    const level = Math.min(levels - 1, Math.max(0, Math.round((rest[i] * (levels - 1)) / 255)));
    const value = (level * 255) / (levels - 1);
    const error = rest[i] - value;
    rest[i] = value;
    for (const [step, part] of [
      [1, 7],
      [width - 1, 3],
      [width, 5],
      [width + 1, 1],
    ]) {
      if (i + step < rest.length) rest[i + step] += (error * part) / 16;
    }
  }
  return { width, height, planes: [rest], peak: 255 };
}

/** A page of text without noise, black on white, with margins. */
export function page(width: number, height: number): Image {
  const [letters] = text(() => 255, width, height).planes;
  const margin = 12;
  const isInside = (at: number, length: number) => at >= margin && at < length - margin;
  return drawn(width, height, (x, y) => (isInside(x, width) && isInside(y, height) ? letters[y * width + x] : 255));
}

/** Lines of synthetic letters: strokes of one or two pixels, black on white or on a noisy grey. */
function text(paper: () => number, width = 256, height = 256): Image {
  const random = randomSource(3);
  const strokes = Uint8Array.from({ length: 1 << 14 }, () => (random.uniform() < 0.45 ? 1 : 0));
  return drawn(width, height, (x, y) => {
    const [line, column] = [Math.floor(y / 14), Math.floor(x / 8)];
    const inLetter = y % 14 < 9 && x % 8 < 6;
    const stroke =
      strokes[(line * 977 + column * 31 + Math.floor((y % 14) / 2) * 7 + Math.floor((x % 8) / 2)) % strokes.length];
    return inLetter && stroke ? 20 : paper();
  });
}

/** Stars with the point spread function of a lens, of every brightness, on a sky of this value. */
function stars(sky: () => number): Image {
  const random = randomSource(5);
  const image = drawn(256, 256, sky);
  const plane = Float64Array.from(image.planes[0]);
  for (let star = 0; star < 400; star++) {
    const [cx, cy, brightness] = [256 * random.uniform(), 256 * random.uniform(), 20 / (0.02 + random.uniform())];
    for (let y = Math.max(0, Math.floor(cy) - 3); y < Math.min(256, cy + 4); y++) {
      for (let x = Math.max(0, Math.floor(cx) - 3); x < Math.min(256, cx + 4); x++) {
        plane[y * 256 + x] += brightness * Math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * 0.8 ** 2));
      }
    }
  }
  return { ...image, planes: to8Bits([plane]) };
}

/** Single bright samples of every brightness on pure black. */
function points(): Image {
  const random = randomSource(6);
  return drawn(256, 256, () => (random.uniform() < 0.01 ? 255 * random.uniform() : 0));
}

/** Pictures without impulses or banding that could be mistaken for them. */
export function innocent(): [string, Image][] {
  const random = randomSource(9);
  const photo = picture(256, 256);
  const shading = drawn(256, 256, (x, y) => 40 + 0.4 * x + 0.2 * y);
  const bar = (x: number, y: number) => (x > 60 && x < 230 ? 50 * ((y >> 2) % 2) : 0);
  return [
    ['the synthetic picture', photo],
    ['a constant', drawn(256, 256, () => 77)],
    ['a gradient', shading],
    ['a checkerboard', drawn(256, 256, (x, y) => (((x >> 3) + (y >> 3)) % 2 ? 220 : 30))],
    ['a checkerboard of single pixels', drawn(256, 256, (x, y) => ((x + y) % 2 ? 220 : 30))],
    ['black text on white', text(() => 255)],
    ['text on noisy paper', text(() => 200 + 4 * random.normal())],
    [
      'lines of one pixel',
      drawn(256, 256, (x, y) => ((x + 2 * y) % 37 === 0 || y % 41 === 0 ? 0 : 180 + random.normal())),
    ],
    ['dithering to 2 levels', dithered(shading, 2)],
    ['dithering to 4 levels', dithered(photo, 4)],
    ['a halftone', drawn(256, 256, (x, y) => (Math.hypot((x % 6) - 3, (y % 6) - 3) < 3.5 * (x / 256) ? 0 : 255))],
    [
      'dots in a raster on noisy grey',
      drawn(256, 256, (x, y) => (x % 8 === 4 && y % 8 === 4 ? 250 : 120 + 2 * random.normal())),
    ],
    ['stars on black', stars(() => 0)],
    ['stars on a noisy sky', stars(() => 12 + 2 * random.normal())],
    ['single points on black', points()],
    ['a horizon', drawn(256, 256, (_x, y) => (y < 100 ? 200 : 60) + random.normal())],
    ['stairs', drawn(256, 256, (_x, y) => 30 * ((y / 9) & 7) + random.normal())],
    ['blinds', drawn(256, 256, (x, y) => 120 + bar(x, y) + random.normal())],
    ['stripes of two rows', drawn(256, 256, (_x, y) => 120 + 20 * ((y >> 1) % 2) + random.normal())],
    ['stripes of single rows', drawn(256, 256, (_x, y) => 120 + 20 * (y % 2) + random.normal())],
    ['lines of a table', drawn(256, 256, (_x, y) => (y % 16 === 0 ? 90 : 200) + random.normal())],
  ];
}
