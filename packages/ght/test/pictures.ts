import type { Tile } from '../src/denoisers/denoiser.js';
import type { Image, Samples } from '../src/index.js';
import { randomSource } from '../src/index.js';

/** A synthetic picture with flat, shaded, edged and textured parts, so that patches need very different numbers of atoms. */
export function picture(width: number, height: number, channels = 1, seed = 1): Image {
  const random = randomSource(seed);
  const planes = Array.from({ length: channels }, (_, c) =>
    Float64Array.from({ length: width * height }, (_value, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      const shade = 60 + 20 * c + (80 * x) / width;
      const disc = Math.hypot(x - width * 0.6, y - height * 0.4) < height / 4 ? 70 - 10 * c : 0;
      const texture = y > height * 0.7 ? 25 * Math.sin(x * 0.9 + y * 0.35) + 12 * random.normal() : 0;
      return Math.round(Math.min(255, Math.max(0, shade + disc + texture)));
    }),
  );
  return { width, height, planes, peak: 255 };
}

/** The picture with Gaussian noise of deviation σ, neither rounded nor clipped. */
export function noisy(image: Image, sigma: number, seed = 7): Image {
  const random = randomSource(seed);
  return { ...image, planes: image.planes.map((plane) => plane.map((value) => value + sigma * random.normal())) };
}

/** Planes that are already in units of their noise, as a denoiser expects. */
export function tileOf(planes: readonly Samples[], width: number, height: number): Tile {
  return {
    ...{ width, height, channels: planes.length },
    *read(c, into) {
      into.set(planes[c]);
      yield 1;
    },
  };
}
