import type { BlurKernel, Image } from '../src/index.js';
import { blurOperator } from '../src/operators/blur.js';
import { checkedKernel } from '../src/operators/kernel.js';
import { finish } from '../src/work.js';
import { noisy } from './pictures.js';

function cropped({ width, height, planes, peak }: Image, rim: number): Image {
  const [w, h] = [width - 2 * rim, height - 2 * rim];
  const cut = (plane: ArrayLike<number>) =>
    Float64Array.from({ length: w * h }, (_, i) => plane[(rim + Math.floor(i / w)) * width + rim + (i % w)]);
  return { width: w, height: h, peak, planes: planes.map(cut) };
}

/** The inside of a blurred image, with noise. */
export function blurred(image: Image, kernel: BlurKernel, sigma: number): { image: Image; clean: Image } {
  const A = blurOperator(image, checkedKernel(kernel, image.width, image.height));
  const planes = image.planes.map((plane) => finish(A.apply(finish(A.mirrored(Float64Array.from(plane))))));
  return { image: cropped(noisy({ ...image, planes }, sigma), 8), clean: cropped(image, 8) };
}
