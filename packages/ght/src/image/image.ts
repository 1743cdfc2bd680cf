import { InputError, kindOf, positive } from '../errors.js';
import { finish, stretches, type Work } from '../work.js';

/** Samples of one channel: computed with in float64, kept as narrow as they came. */
export type Samples = Uint8Array | Uint8ClampedArray | Uint16Array | Float32Array | Float64Array;

/**
 * An image as planes, one array per channel, row by row, in the units of its file: nothing is scaled or clipped on input or
 * output. Grey is one plane, colour three (R, G, B); any other number of planes is a stack of bands.
 */
export interface Image {
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** The channels that are represented. */
  readonly planes: readonly Samples[];
  /** Opacity, kept separately and passed through. Where it is 0, `denoise` and `diagnose` do not look at the samples, nor change them. */
  readonly alpha?: Samples;
  /** The value that counts as full scale, for PSNR and tolerances: 255 for 8-bit samples. */
  readonly peak: number;
}

/** Larger magnitudes are rejected like infinities, since their sums and differences would overflow. */
export const GREATEST = 1e300;

/** The arrays accepted as samples; a canvas gives the clamped one. */
const ARRAYS = ['Float64Array', 'Float32Array', 'Uint16Array', 'Uint8Array', 'Uint8ClampedArray'];

/** Rejects anything but a typed array of samples: a plain list might hold text or holes. */
export function checkSamples(parameter: string, samples: unknown): asserts samples is Samples {
  const kind = kindOf(samples);
  if (ARRAYS.includes(kind)) return;
  const rule = 'must be a Float64Array, Float32Array, Uint16Array, Uint8Array or Uint8ClampedArray';
  throw new InputError(parameter, rule, kind, 'use Float64Array.from(…)');
}

/** A copy of the same type. `slice` alone would share memory with a Buffer, which is Node's Uint8Array. */
export function copyOf(samples: Samples): Samples {
  return samples instanceof Uint8Array ? new Uint8Array(samples) : samples.slice();
}

/** Rejects the first sample that is NaN, infinite or almost infinite; `where` names it. */
export function* refuseBadNumber(samples: Samples, where: (index: number) => string): Work<void> {
  for (const [from, to] of stretches(samples.length)) {
    for (let i = from; i < to; i++) {
      const value = samples[i];
      if (Math.abs(value) <= GREATEST) continue;
      if (Number.isFinite(value)) {
        throw new InputError(where(i), `must be at most ${GREATEST} in magnitude`, value, 'scale the samples');
      }
      const remedy =
        'replace NaN and infinities first; inpaint fills NaN in images, and denoise keeps or fills them with the option missing';
      throw new InputError(where(i), 'must be a finite number', value, remedy);
    }
    yield to / samples.length;
  }
}

/** The least and the greatest of some samples. */
export interface Limits {
  least: number;
  most: number;
}

/** The least and the greatest sample of a plane; undefined if one of them is NaN, infinite or almost infinite. */
export function* limitsOf(samples: Samples): Work<Limits | undefined> {
  const limits = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };
  for (const [from, to] of stretches(samples.length)) {
    if (!widen(limits, samples, from, to)) return undefined;
    yield to / samples.length;
  }
  return limits;
}

/** Continues limits with more samples, and says whether all are finite. Numbers of a generator are slow, so this is a function. */
function widen(limits: Limits, samples: Samples, from: number, to: number): boolean {
  let { least, most } = limits;
  let isSound = true;
  for (let i = from; i < to; i++) {
    const value = samples[i];
    if (!(Math.abs(value) <= GREATEST)) isSound = false;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  limits.least = least;
  limits.most = most;
  return isSound;
}

/** f of every sample, in float64. */
export function* mapped(samples: Samples, f: (value: number) => number): Work<Float64Array> {
  const values = new Float64Array(samples.length);
  for (const [from, to] of stretches(values.length)) {
    for (let i = from; i < to; i++) values[i] = f(samples[i]);
    yield to / values.length;
  }
  return values;
}

/** Rejects an invalid image and names what is wrong and where: its size, or the first NaN or infinity. */
export function checkImage(image: Image): void {
  checkShape(image);
  finish(checkPixels(image));
}

/** The part of {@link checkImage} that does not read the samples; `name` is what the image is called. */
export function checkShape(image: Image, name = 'image'): void {
  if (typeof image !== 'object' || image === null) {
    const remedy = 'give { width, height, planes, peak }';
    throw new InputError(name, 'must be an object that holds planes of samples', image, remedy);
  }
  const { width, height, planes, alpha } = image;
  if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0)) {
    throw new InputError(name, 'must have at least one pixel', `${width}×${height}`, 'give an image with pixels');
  }
  if (!Array.isArray(planes) || planes.length === 0) {
    const value = Array.isArray(planes) ? planes.length : kindOf(planes);
    throw new InputError(`${name}.planes`, 'must hold at least one channel', value, 'give a list of planes');
  }
  positive(`${name}.peak`, image.peak, 'give the largest value the samples can take, such as 255 or 1', InputError);
  const all: [string, unknown][] = planes.map((plane, channel) => [`${name}.planes[${channel}]`, plane]);
  if (alpha !== undefined) all.push([`${name}.alpha`, alpha]);
  for (const [parameter, samples] of all) {
    checkSamples(parameter, samples);
    if (samples.length !== width * height) {
      const rule = `must hold width × height = ${width * height} samples`;
      throw new InputError(parameter, rule, samples.length, 'give every channel in full');
    }
  }
}

/** The part of {@link checkImage} that reads every sample. */
export function* checkPixels(
  { width, planes }: Image,
  { left, top } = { left: 0, top: 0 },
  name = 'image',
): Work<void> {
  for (const [channel, plane] of planes.entries()) {
    const where = (i: number) =>
      `${name} pixel (x ${left + (i % width)}, y ${top + Math.floor(i / width)}, channel ${channel})`;
    yield* refuseBadNumber(plane, where);
  }
}
