// Simulated noise of several kinds, from a seed, on planes from 0 to 255. Nothing is rounded or clipped here.
import { randomSource } from 'ght';
import sharp from 'sharp';

/** White Gaussian noise. */
export function withWhite(image, sigma, seed) {
  const { normal } = randomSource(seed);
  return mapped(image, (value) => value + sigma * normal());
}

/** Gaussian noise of deviation σ, blurred by a Gaussian kernel: the same at every pixel, but correlated. */
export function withBlurred(image, sigma, seed, radius = 1) {
  const { normal } = randomSource(seed);
  // Each direction multiplies the variance of white noise by Σk², if Σk = 1.
  const squares = gaussian(radius).reduce((sum, k) => sum + k * k, 0);
  const planes = image.planes.map((plane) => {
    const white = Float64Array.from(plane, () => (sigma / squares) * normal());
    const noise = blurred(white, image.width, image.height, radius);
    return plane.map((value, i) => value + noise[i]);
  });
  return { ...image, planes };
}

/**
 * A plane blurred by a Gaussian kernel of this deviation in pixels. It is periodic at the edges, so that the deviation of noise is
 * the same there.
 */
export function blurred(plane, width, height, radius) {
  const kernel = gaussian(radius);
  const reach = (kernel.length - 1) / 2;
  const along = (samples, step, at, length) =>
    samples.map((_, i) => {
      const here = at(i);
      return kernel.reduce((sum, k, n) => {
        const there = (here + n - reach + length) % length;
        return sum + k * samples[i + (there - here) * step];
      }, 0);
    });
  const rows = along(Float64Array.from(plane), 1, (i) => i % width, width);
  return along(rows, width, (i) => Math.floor(i / width), height);
}

function gaussian(radius) {
  const reach = Math.ceil(3 * radius);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, n) => Math.exp(-((n - reach) ** 2) / (2 * radius ** 2)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
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
