import { totalmem } from 'node:os';
import type { Image, MemorySize, NoiseModel, Quality, RepresentOptions } from 'ght';
import { estimateMemory, ResourceError } from 'ght';
import type { Picture } from 'ght-tiles';
import { bytes } from './output/table.js';

/** The size of an image that is in memory. */
export function memorySizeOf({ width, height, planes, alpha }: Image): MemorySize {
  const all = [...planes, ...(alpha ? [alpha] : [])];
  return { width, height, channels: planes.length, bytes: all.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/** The same of an image of which only the header was read. */
export function memorySizeIn({ width, height, channels, alpha, depth }: Picture): Required<MemorySize> {
  return { width, height, channels, bytes: (width * height * (channels + Number(alpha)) * depth) / 8 };
}

/** Refuses an image whose run would not fit into the memory of this machine, with the estimate and a remedy. */
export function refuseTooLarge(image: Image, options: RepresentOptions): void {
  const needed = estimateMemory('represent', memorySizeOf(image), options);
  refuse(image, needed, 'crop the image, or use a larger --stride or fewer --atoms');
}

/** The same for denoising by groups. */
export function refuseTooLargeToDenoise(image: Image, quality: Quality | undefined, noise: NoiseModel['kind']): void {
  refuse(image, estimateMemory('denoise', memorySizeOf(image), { quality, noise }), 'cut the image into parts');
}

/** The same for restoration; `factor` is the size of the result by that of the image. */
export function refuseTooLargeToRestore(
  size: MemorySize,
  options: { readonly quality?: Quality; readonly factor?: number; readonly tiled?: boolean },
): void {
  const remedy = (options.factor ?? 1) > 1 ? 'use a smaller --factor, or crop the image' : 'crop the image';
  refuse(size, estimateMemory('restore', size, options), remedy);
}

/** The same for missing samples in tiles: one plane after the other is in memory with its places, and to fill them all planes of the result. */
export function refuseTooLargeToFill(picture: Picture, missing: 'keep' | 'fill' | undefined): void {
  const { width, height, channels, sample, depth } = picture;
  if (missing === undefined || sample !== 'float') return;
  const bytesPerPixel = (2 * depth) / 8 + 2 + 8 + (missing === 'fill' ? channels * 8 + 2 * 8 : 0);
  refuse(picture, bytesPerPixel * width * height, 'crop the image');
}

/** Whether a run that needs this many bytes fits into the memory of this machine. */
export function fitsInMemory(needed: number): boolean {
  return needed <= 0.9 * totalmem();
}

function refuse({ width, height }: Pick<Image, 'width' | 'height'>, needed: number, remedy: string): void {
  if (fitsInMemory(needed)) return;
  const rule = `must need less memory than this machine has, ${bytes(totalmem())}`;
  throw new ResourceError('IMAGE', rule, `${width}×${height}, about ${bytes(needed)}`, remedy);
}
