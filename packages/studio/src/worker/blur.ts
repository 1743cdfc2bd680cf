import type { BlurKernel, Image, Samples } from 'ght';
import { toPlanes, toRaster } from 'ght-images';
import { shapedKernel } from './kernels.js';
import type { Requests } from './protocol.js';
import type { Session } from './session.js';

/** Blurs the open image as an experiment: it becomes the picture, with the samples that its file would have, to be sharpened again. */
export function blurFirst(session: Session, kernel: Requests['blur']['ask']['kernel']): void {
  const { opened } = session;
  const { image, sample, depth } = opened;
  const weights = 'kind' in kernel ? shapedKernel(kernel) : kernel;
  const planes = image.planes.map((plane) => blurred(plane, image, weights));
  const { channels, rows } = toRaster({ ...image, planes, alpha: undefined }, sample, depth);
  const rounded = toPlanes(rows(0, image.height), channels);
  session.addVersion({ ...opened, image: { ...image, planes: rounded }, jpeg: undefined });
}

/** Every point of light spread as the kernel says; the picture is mirrored beyond its edge. */
function blurred(plane: Samples, { width, height }: Image, { width: w, height: h, data }: BlurKernel): Float32Array {
  const sum = Array.from(data).reduce((a, b) => a + b, 0);
  const mirrored = (i: number, n: number) => {
    const j = ((i % (2 * n)) + 2 * n) % (2 * n);
    return j < n ? j : 2 * n - 1 - j;
  };
  const out = new Float32Array(plane.length);
  for (let k = 0; k < data.length; k++) {
    if (data[k] === 0) continue;
    const weight = data[k] / sum;
    const [right, down] = [(k % w) - (w - 1) / 2, Math.floor(k / w) - (h - 1) / 2];
    const columns = Int32Array.from({ length: width }, (_, x) => mirrored(Math.round(x - right), width));
    for (let y = 0; y < height; y++) {
      const from = mirrored(Math.round(y - down), height) * width;
      for (let x = 0, at = y * width; x < width; x++, at++) out[at] += weight * plane[from + columns[x]];
    }
  }
  return out;
}
