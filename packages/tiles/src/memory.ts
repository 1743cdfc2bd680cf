/** Sources, sinks and scratch in memory: for images that are there already, and for tests. */
import { type Image, InputError, type Samples } from 'ght';
import { cut, place, type Scratch } from 'ght/plans';
import type { Picture, Rectangle } from './picture.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';

const CHUNK = { width: 512, height: 512 } as const;

/** What is known about an image in memory, from the type of its samples. */
export function pictureOf({ width, height, planes, alpha }: Image): Picture {
  const [plane] = planes;
  const depth =
    plane instanceof Float64Array ? 64 : plane instanceof Float32Array ? 32 : plane instanceof Uint16Array ? 16 : 8;
  const sample = depth > 16 ? 'float' : 'uint';
  return { width, height, channels: planes.length, alpha: alpha !== undefined, sample, depth };
}

/** A source that reads an image in memory. */
export function memorySource(image: Image, chunk: Source['chunk'] = CHUNK): Source {
  const picture = pictureOf(image);
  const all: Rectangle = { left: 0, top: 0, width: image.width, height: image.height };
  const planes = image.alpha ? [...image.planes, image.alpha] : image.planes;
  return {
    picture,
    chunk,
    version: 'memory',
    async read(window) {
      inside(window, picture);
      return planes.map((plane) => cut(plane, all, window));
    },
    async close() {},
  };
}

/** A sink whose image stays in memory. */
export interface MemorySink extends Sink {
  /** The planes, opacity last: typed arrays of the picture's samples. Samples that were not written are 0. */
  readonly planes: readonly Samples[];
}

/** A sink in memory. Integers are rounded and clamped. */
export function memorySink(picture: Picture, chunk: Sink['chunk'] = CHUNK): MemorySink {
  const { width, height, channels, alpha } = picture;
  const all: Rectangle = { left: 0, top: 0, width, height };
  const planes = Array.from({ length: channels + Number(alpha) }, () => emptyPlane(picture, width * height));
  const written = new Set<string>();
  return {
    picture,
    chunk,
    planes,
    async has(window) {
      return chunksOf(window, picture, chunk).every((name) => written.has(name));
    },
    async write(window, samples) {
      inside(window, picture);
      const names = chunksOf(window, picture, chunk);
      for (const [c, plane] of planes.entries()) place(rounded(samples[c], picture), window, plane, all);
      for (const name of names) written.add(name);
    },
    async finish() {},
    async close() {},
  };
}

function emptyPlane({ sample, depth }: Picture, length: number): Samples {
  if (sample === 'uint' && depth === 8) return new Uint8Array(length);
  if (sample === 'uint' && depth === 16) return new Uint16Array(length);
  return sample === 'float' && depth === 32 ? new Float32Array(length) : new Float64Array(length);
}

/** Samples as the picture stores them. */
function rounded(samples: Samples, { sample, depth }: Picture): Samples {
  if (sample === 'float') return samples;
  const [least, most] = sample === 'uint' ? [0, 2 ** depth - 1] : [-(2 ** (depth - 1)), 2 ** (depth - 1) - 1];
  const result = new Float64Array(samples.length);
  for (let i = 0; i < result.length; i++) result[i] = Math.min(most, Math.max(least, Math.round(samples[i])));
  return result;
}

/** The names of the chunks of a window, which must consist of whole chunks. */
function chunksOf(window: Rectangle, picture: Picture, chunk: Sink['chunk']): string[] {
  const { left, top, width, height } = window;
  const ends = (at: number, side: number, all: number) => at % side === 0 || at === all;
  const whole =
    ends(left, chunk.width, Number.NaN) &&
    ends(top, chunk.height, Number.NaN) &&
    ends(left + width, chunk.width, picture.width) &&
    ends(top + height, chunk.height, picture.height);
  if (!whole) {
    const rule = `must consist of whole chunks of ${chunk.width}×${chunk.height} pixels`;
    throw new InputError('window', rule, inWords(window), 'write windows that begin and end with chunks');
  }
  const names: string[] = [];
  for (let y = top; y < top + height; y += chunk.height) {
    for (let x = left; x < left + width; x += chunk.width) names.push(`${x} ${y}`);
  }
  return names;
}

function inside(window: Rectangle, { width, height }: Picture): void {
  const { left, top } = window;
  if (left >= 0 && top >= 0 && left + window.width <= width && top + window.height <= height) return;
  const rule = `must lie inside the image of ${width}×${height} pixels`;
  throw new InputError('window', rule, inWords(window), 'give a window inside the image');
}

const inWords = ({ left, top, width, height }: Rectangle) => `${width}×${height} pixels from (${left}, ${top})`;

/** A scratch in memory. */
export function memoryScratch(): Scratch {
  const values = new Map<string, unknown>();
  return {
    async get(key) {
      return values.get(key);
    },
    async put(key, value) {
      values.set(key, value);
    },
    async clear() {
      values.clear();
    },
  };
}
