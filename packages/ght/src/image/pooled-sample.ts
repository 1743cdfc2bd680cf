/**
 * One sample of many images: windows of all of them, put together to an image. Which windows are used, and in which order, depends
 * only on their samples: those with the smallest digests are kept. So the sample is the same for any order of the images, large
 * images count by their size, and only the windows are in memory.
 *
 * Windows begin at multiples of 16 pixels from the origin of the image's grid of blocks, so the grids of all images are one.
 */
import type { Work } from '../work.js';
import { copyOf, type Image, type Samples } from './image.js';
import { cut, emptyLike, place, type Rectangle } from './rectangle.js';
import { SAMPLED } from './sample.js';

/** The side of a window: a multiple of 16, and the shortest side for noise at two scales. */
export const POOLED_SIDE = 128;

interface Window {
  readonly digest: number;
  readonly planes: readonly Samples[];
  /** Its opacity, if its image has one. */
  readonly alpha?: Samples;
}

/** Collects windows of images; at most as many as `pixels` allow are kept. */
export class PooledSample {
  readonly #most: number;
  #windows: Window[] = [];

  constructor(pixels = SAMPLED) {
    this.#most = Math.max(1, Math.floor(pixels / POOLED_SIDE ** 2));
  }

  /** Adds the windows of an image whose grid of blocks begins at `origin`. The image is not kept. */
  *add({ width, height, planes, alpha }: Image, [x, y]: readonly [number, number] = [0, 0]): Work<void> {
    const side = POOLED_SIDE;
    for (let top = y; top + side <= height; top += side) {
      for (let left = x; left + side <= width; left += side) {
        const at: Rectangle = { left, top, width: side, height: side };
        const windowOf = (plane: Samples) => copyOf(cut(plane, { left: 0, top: 0, width, height }, at));
        const window = planes.map(windowOf);
        this.#windows.push({ digest: digestOf(window), planes: window, alpha: alpha && windowOf(alpha) });
      }
      // Twice as many are collected before the surplus is dropped, so that sorting takes little time.
      if (this.#windows.length >= 2 * this.#most) this.#drop();
      yield top / height;
    }
  }

  /** The windows below each other, as an image with this peak; undefined if there is none. */
  image(peak: number): Image | undefined {
    this.#drop();
    const { length } = this.#windows;
    if (length === 0) return undefined;
    const size = { left: 0, top: 0, width: POOLED_SIDE, height: length * POOLED_SIDE };
    const into = (joined: Samples, planeOf: (window: Window) => Samples | undefined) => {
      for (const [i, window] of this.#windows.entries()) {
        const plane = planeOf(window);
        if (plane) place(plane, { ...size, top: i * POOLED_SIDE, height: POOLED_SIDE }, joined, size);
      }
      return joined;
    };
    const { planes } = this.#windows[0];
    const pixels = size.width * size.height;
    const opaque = () => new Float32Array(pixels).fill(1);
    return {
      ...{ width: size.width, height: size.height, peak },
      planes: planes.map((plane, c) => into(emptyLike(plane, pixels), (window) => window.planes[c])),
      ...(this.#windows.some(({ alpha }) => alpha) && { alpha: into(opaque(), ({ alpha }) => alpha) }),
    };
  }

  #drop(): void {
    this.#windows = this.#windows.sort((a, b) => a.digest - b.digest).slice(0, this.#most);
  }
}

/** A number of 53 bits that depends on all samples: two multiplicative hashes of their float64 bits. */
function digestOf(planes: readonly Samples[]): number {
  const value = new Float64Array(1);
  const bits = new Uint32Array(value.buffer);
  let [a, b] = [0x9e3779b1, 0x85ebca6b];
  for (const plane of planes) {
    for (let i = 0; i < plane.length; i++) {
      value[0] = plane[i];
      a = Math.imul(a ^ bits[0], 0x9e3779b1) ^ bits[1];
      b = Math.imul(b ^ bits[1], 0x85ebca77) ^ bits[0];
      a = (a << 13) | (a >>> 19);
      b = (b << 17) | (b >>> 15);
    }
  }
  // The low bits of a product depend on few bits of its factors, so both are mixed.
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
  b = Math.imul(b ^ (b >>> 15), 0xc2b2ae35);
  return ((a ^ (a >>> 13)) >>> 0) * 2 ** 21 + ((b ^ (b >>> 16)) >>> 11);
}
