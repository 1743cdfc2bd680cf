// Simulated noise of several kinds, from a seed, on planes from 0 to 255. Nothing is rounded or clipped here.
import { randomSource } from 'ght';
import sharp from 'sharp';

/** White Gaussian noise. */
export function withWhite(image, sigma, seed) {
  const { normal } = randomSource(seed);
  return mapped(image, (value) => value + sigma * normal());
}

/** Gaussian noise of deviation σ, blurred by a Gaussian kernel of one pixel: the same at every pixel, but correlated. */
export function withBlurred(image, sigma, seed) {
  const { normal } = randomSource(seed);
  const { width, height } = image;
  const kernel = [-3, -2, -1, 0, 1, 2, 3].map((x) => Math.exp((-x * x) / 2));
  // Each direction multiplies the variance of white noise by Σk².
  const squares = kernel.reduce((sum, k) => sum + k * k, 0);
  const blurred = (plane, step, at, length) =>
    plane.map((_, i) => {
      const here = at(i);
      return kernel.reduce((sum, k, n) => {
        // Periodic at the edges, so that the deviation is the same there.
        const there = (here + n - 3 + length) % length;
        return sum + k * plane[i + (there - here) * step];
      }, 0);
    });
  const planes = image.planes.map((plane) => {
    const white = Float64Array.from(plane, () => (sigma / squares) * normal());
    const rows = blurred(white, 1, (i) => i % width, width);
    const noise = blurred(rows, width, (i) => Math.floor(i / width), height);
    return plane.map((value, i) => value + noise[i]);
  });
  return { ...image, planes };
}

/** A fraction of the pixels black or white, each channel separately. */
export function withSaltAndPepper(image, share, seed) {
  const { uniform } = randomSource(seed);
  return mapped(image, (value) => {
    const dice = uniform();
    return dice < share / 2 ? 0 : dice < share ? 255 : value;
  });
}

/** An offset for each row, the same in all channels. */
export function withBanding(image, sigma, seed) {
  const { normal } = randomSource(seed);
  const offsets = Float64Array.from({ length: image.height }, () => sigma * normal());
  return mapped(image, (value, i) => value + offsets[Math.floor(i / image.width)]);
}

/** The JPEG file of an image. */
export function asJpeg(image, quality) {
  const { width, height, planes } = image;
  return sharp(interleaved(image), { raw: { width, height, channels: planes.length } })
    .jpeg({ quality })
    .toBuffer();
}

/** Rounded and clipped, as in a file. */
export function asBytes(image) {
  return { ...image, planes: image.planes.map((plane) => Uint8Array.from(Uint8ClampedArray.from(plane))) };
}

/** The same samples, interleaved by channel. */
export function interleaved({ width, height, planes }) {
  const bytes = new Uint8ClampedArray(width * height * planes.length);
  for (const [c, plane] of planes.entries()) {
    for (let i = 0; i < plane.length; i++) bytes[i * planes.length + c] = plane[i];
  }
  return new Uint8Array(bytes.buffer);
}

function mapped(image, change) {
  return { ...image, planes: image.planes.map((plane) => Float64Array.from(plane, change)) };
}
