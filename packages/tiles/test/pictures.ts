/** Synthetic noisy images for the tests. */
import { type Image, randomSource, type Samples } from 'ght';

/** What is added to a picture. */
export interface Spoiled {
  /** The deviation of the noise. @default 12 */
  readonly sigma?: number;
  /** Whether the noise is smooth, as in camera files. @default false */
  readonly smooth?: boolean;
  /** The share of samples that are 0 or 255. @default 0 */
  readonly impulses?: number;
  /** The deviation of row offsets. @default 0 */
  readonly bands?: number;
  readonly seed?: number;
}

/** The types of samples. */
export const kinds = {
  uint8: (values: Float64Array): Samples => Uint8Array.from(values, (value) => Math.round(clamped(value, 255))),
  uint16: (values: Float64Array): Samples => Uint16Array.from(values, (value) => Math.round(257 * clamped(value, 255))),
  float32: (values: Float64Array): Samples => Float32Array.from(values, (value) => value / 255),
  float64: (values: Float64Array): Samples => values,
} as const;

const clamped = (value: number, most: number) => Math.max(0, Math.min(most, value));

/** A picture with a gradient, an edge and waves in each channel, and noise. */
export function noisyPicture(
  width: number,
  height: number,
  channels: number,
  kind: keyof typeof kinds = 'float64',
  { sigma = 12, smooth = false, impulses = 0, bands = 0, seed = 1 }: Spoiled = {},
): Image {
  const random = randomSource(seed);
  const normals = (length: number) => Float64Array.from({ length }, () => random.normal());
  const rows = normals(height);
  const planes = Array.from({ length: channels }, (_, c) => {
    const white = normals(width * height);
    const noise = smooth ? blurred(white, width, height) : white;
    const values = noise.map((value, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      const disc = Math.hypot(x - 0.6 * width, y - 0.4 * height) < Math.min(width, height) / 4 ? 50 : 0;
      const clean = 90 + 15 * c + (40 * x) / width + disc + 10 * Math.sin(y / 9);
      const hit = impulses > 0 && random.uniform() < impulses;
      return hit ? 255 * random.below(2) : clean + sigma * value + bands * rows[y];
    });
    return kinds[kind](values);
  });
  return { width, height, planes, peak: peakOf(planes) };
}

/** What readers of files take as full scale. */
function peakOf(planes: readonly Samples[]): number {
  if (planes[0] instanceof Uint8Array) return 255;
  if (planes[0] instanceof Uint16Array) return 65535;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const plane of planes) {
    for (const value of plane) [least, most] = [Math.min(least, value), Math.max(most, value)];
  }
  return most > least ? most - least : 1;
}

/** The sum over 3×3 samples, over 3: deviation 1 again. */
function blurred(plane: Float64Array, width: number, height: number): Float64Array {
  const at = (i: number, length: number) => Math.max(0, Math.min(length - 1, i));
  return plane.map((_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    let sum = 0;
    for (const dy of [-1, 0, 1])
      for (const dx of [-1, 0, 1]) sum += plane[at(y + dy, height) * width + at(x + dx, width)];
    return sum / 3;
  });
}
