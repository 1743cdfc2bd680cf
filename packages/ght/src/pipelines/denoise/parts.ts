/** Reads parts of an image in the forms that denoising needs: without defects, in the axes of the noise, and at half the size. */
import { halfAround, halfOf, halvedPlanes } from '../../image/halves.js';
import type { Samples } from '../../image/image.js';
import type { PartedImage } from '../../image/parted-image.js';
import { allOf, cut, emptyLike, grown, type Part, place, type Rectangle, type Size } from '../../image/rectangle.js';
import { sampleLayout } from '../../image/sample.js';
import { CONSTANT_REACH, keepConstantAreas } from '../../noise/constant-areas.js';
import { drive, type Work } from '../../work.js';
import { toAxes } from './axes.js';
import { defectReach, type Repaired, withoutDefects } from './defects.js';
import { type Findings, type ImageRange, toInputUnits, toWorkingUnits } from './findings.js';
import { readVisible } from './opacity.js';
import { addDifferences } from './scales.js';

/** The properties of the whole image that a part without defects depends on; plain data. */
export interface Known extends Findings {
  readonly range: ImageRange;
  /** The value that counts as full scale, in the units of the image. */
  readonly peak: number;
}

/** A part of an image without its defects. */
export interface Clean extends Repaired {
  /** The samples as they were read, of the same rectangle; what was mirrored in place of those that are transparent. */
  readonly given: readonly Samples[];
  /** Its opacity. */
  readonly alpha?: Samples;
  /** The full scale in working units. */
  readonly peak: number;
}

/** A part without its defects, and its planes in the axes of the noise. */
export interface CleanAxes extends Clean {
  readonly axes: readonly Samples[];
}

/** Reads the differences that the coarse scale makes, in a rectangle of the half image. */
export type ReadDifferences = (at: Rectangle) => Promise<readonly Samples[]>;

/** Reads parts of an image. */
export interface PartReader {
  /** A part without its defects. */
  clean(known: Known, at: Rectangle, signal?: AbortSignal): Promise<Clean>;
  /** A part in the axes of the noise, too; `differences` are those of the coarse scale, once it is denoised. */
  axes(known: Known, at: Rectangle, differences?: ReadDifferences, signal?: AbortSignal): Promise<CleanAxes>;
  /** The axes at half their size, in a rectangle of the half image. */
  halves(known: Known, half: Rectangle, signal?: AbortSignal): Promise<Float32Array[]>;
}

/** The size of an image at half its size. */
export function halfSize({ width, height }: Size): Size {
  return { width: halfOf(width), height: halfOf(height) };
}

/** What is removed from a part of an image in working units before its defects; it depends on `reach` more samples on each side. */
export interface FirstRemoved {
  readonly reach: number;
  without(part: Part): Work<readonly Samples[]>;
}

/** A reader that computes everything again for every part. */
export function partReader(image: PartedImage, first?: FirstRemoved): PartReader {
  const clean: PartReader['clean'] = async ({ range, defects, peak }, at, signal) => {
    const around = grown(at, defectReach(defects) + (first?.reach ?? 0), image);
    const { planes: given, alpha } = await readVisible(image, around, range, signal);
    const working = await drive(toWorkingUnits({ ...around, planes: given, peak }, range), { signal });
    const part = { at: around, planes: working.planes };
    const planes = first ? await drive(first.without(part), { signal }) : part.planes;
    const repaired = await drive(withoutDefects({ at: around, planes }, defects, at, alpha), { signal });
    const inside = <T extends Samples>(plane: T) => cut(plane, around, at);
    return { ...repaired, given: given.map(inside), alpha: alpha && inside(alpha), peak: working.peak };
  };
  const axes: PartReader['axes'] = async (known, at, differences, signal) => {
    const part = await clean(known, at, signal);
    const planes = await drive(toAxes(part.planes, known.estimate.model, known.bands), { signal });
    if (differences) {
      const half = halfAround(at, image);
      const coarse: Part = { at: half, planes: await differences(half) };
      await drive(addDifferences({ at, planes }, image, coarse), { signal });
    }
    return { ...part, axes: planes };
  };
  const halves: PartReader['halves'] = async (known, { left, top, width, height }, signal) => {
    const at = grown({ left: 2 * left, top: 2 * top, width: 2 * width, height: 2 * height }, 0, image);
    const part = await axes(known, at, undefined, signal);
    return drive(halvedPlanes(part.axes, at), { signal });
  };
  return { clean, axes, halves };
}

/** A reader of a whole image that is in memory: what is computed for one pass is kept for the next ones. */
export class WholeReader implements PartReader {
  readonly #image: PartedImage;
  readonly #whole: Rectangle;
  readonly #reader: PartReader;
  #clean: Clean | undefined;
  #axes: readonly Samples[] | undefined;
  #halves: Float32Array[] | undefined;

  constructor(image: PartedImage, first?: FirstRemoved) {
    this.#image = image;
    this.#whole = allOf(image);
    this.#reader = partReader(image, first);
  }

  async clean(known: Known, at: Rectangle, signal?: AbortSignal): Promise<Clean> {
    this.#clean ??= await this.#reader.clean(known, this.#whole, signal);
    const { planes, given, alpha, ...rest } = this.#clean;
    const part = (plane: Samples) => cut(plane, this.#whole, at);
    return { ...rest, planes: planes.map(part), given: given.map(part), alpha: alpha && part(alpha) };
  }

  /** The differences of the coarse scale are added by {@link addCoarse}. */
  async axes(known: Known, at: Rectangle, _?: ReadDifferences, signal?: AbortSignal): Promise<CleanAxes> {
    const part = await this.clean(known, at, signal);
    return { ...part, axes: (await this.#inAxes(known, signal)).map((plane) => cut(plane, this.#whole, at)) };
  }

  async #inAxes(known: Known, signal?: AbortSignal): Promise<readonly Samples[]> {
    if (!this.#axes) {
      const { planes } = await this.clean(known, this.#whole, signal);
      this.#axes = await drive(toAxes(planes, known.estimate.model, known.bands), { signal });
    }
    return this.#axes;
  }

  async halves(known: Known, at: Rectangle, signal?: AbortSignal): Promise<Float32Array[]> {
    this.#halves ??= await drive(halvedPlanes(await this.#inAxes(known, signal), this.#whole), { signal });
    return this.#halves.map((plane) => cut(plane, allOf(halfSize(this.#image)), at));
  }

  /** Keeps the image without its defects, which the search for them has made. */
  keep(clean: Clean): void {
    this.#clean = clean;
  }

  /** Adds the differences of the coarse scale, after which the half image is not needed any more. */
  async addCoarse(known: Known, differences: readonly Samples[], signal?: AbortSignal): Promise<void> {
    const planes = await this.#inAxes(known, signal);
    const coarse = { at: allOf(halfSize(this.#image)), planes: differences };
    await drive(addDifferences({ at: this.#whole, planes }, this.#image, coarse), { signal });
    this.#halves = undefined;
  }
}

/** The sample of an image from which noise is estimated: windows that are read one after the other, or the whole image. */
export async function readSample(image: Size, pixels: number, read: (at: Rectangle) => Promise<readonly Samples[]>) {
  const { size, whole, windows } = sampleLayout(image, pixels);
  if (whole) return { size, whole, planes: await read(allOf(image)) };
  let planes: readonly Samples[] = [];
  for (const { from, to } of windows) {
    const window = await read(from);
    if (planes.length === 0) planes = window.map((plane) => emptyLike(plane, size.width * size.height));
    for (const [c, plane] of planes.entries()) place(window[c], to, plane, allOf(size));
  }
  return { size, whole, planes };
}

/**
 * The denoised planes of the rectangle `inner` in the units of the image, with areas without noise as they were. `given` are the samples
 * as they were read, with {@link CONSTANT_REACH} more on each side.
 */
export function* partResult(
  planes: readonly Samples[],
  given: Part,
  inner: Rectangle,
  { range, estimate: { model, jpeg } }: Pick<Known, 'range' | 'estimate'>,
  keepGrain: number,
): Work<readonly Samples[]> {
  const noisy = given.planes.map((plane) => cut(plane, given.at, inner));
  const result = yield* toInputUnits(planes, { planes: noisy }, range, keepGrain);
  // Without a signal there may be no noise that grows with it, and yet some that it has hidden.
  if (model.kind === 'signal-dependent') return result;
  return yield* keepConstantAreas(given, { at: inner, planes: result }, jpeg !== undefined);
}

/** A part without its defects, of an image without noise to remove, in the units of the image. */
export async function cleanPart(
  reader: PartReader,
  known: Known,
  inner: Rectangle,
  image: Size,
  keepGrain: number,
  signal?: AbortSignal,
): Promise<readonly Samples[]> {
  const at = grown(inner, CONSTANT_REACH, image);
  const { planes, given } = await reader.clean(known, at, signal);
  const own = planes.map((plane) => cut(plane, at, inner));
  return drive(partResult(own, { at, planes: given }, inner, known, keepGrain), { signal });
}
