import { type BlurKernel, diskKernel, gaussianKernel, motionKernel } from 'ght';
import { FileError } from '../image/decoded.js';
import type { Size } from '../image/header.js';
import { openImage } from '../image/open.js';
import type { KernelShape } from './protocol.js';

/** The largest side of a kernel that is opened, as for those of a shape. */
const MOST_SIDE = 255;

/** The weights of a shape, or of an image file. */
export async function kernelOf(from: KernelShape | Blob): Promise<BlurKernel> {
  return from instanceof Blob ? kernelFile(from) : shapedKernel(from);
}

/** The weights of a shape. */
export function shapedKernel(shape: KernelShape): BlurKernel {
  if (shape.kind === 'gaussian') return gaussianKernel(shape.sigma);
  return shape.kind === 'disk' ? diskKernel(shape.radius) : motionKernel(shape.length, shape.angle);
}

/** As in the command: the channels of an image are added. */
async function kernelFile(file: Blob): Promise<BlurKernel> {
  const fit = ({ width, height }: Size) => {
    if (Math.max(width, height) <= MOST_SIDE) return 1;
    throw new FileError(
      `has ${width}×${height} pixels, and a kernel at most ${MOST_SIDE}×${MOST_SIDE}. Crop its dark border.`,
    );
  };
  const name = file instanceof File ? file.name : undefined;
  const { image } = await openImage(new Uint8Array(await file.arrayBuffer()), fit, name);
  const { width, height, planes } = image;
  const weight = (i: number) => planes.reduce((sum, plane) => sum + plane[i], 0);
  return { width, height, data: Float64Array.from({ length: width * height }, (_, i) => weight(i)) };
}
