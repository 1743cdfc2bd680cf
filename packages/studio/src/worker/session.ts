import type { Image, Representation } from 'ght';
import { rangeOf } from 'ght-images';
import type { OpenedImage } from '../image/decoded.js';
import type { Event, Slot } from './protocol.js';

/** The parts of a request that a task may use. */
export interface Call {
  readonly signal: AbortSignal;
  readonly tell: (event: Event) => void;
}

/** Everything the worker keeps between requests, all for the image that is open. */
export class Session {
  #opened: OpenedImage | undefined;
  /** The value shown as black: 0, or the smallest sample of float data. */
  floor = 0;
  readonly results = new Map<Slot, Representation>();
  readonly images = new Map<Slot, Image>();
  /** The deviation of the noise in the image `noisy`. */
  addedNoise = 0;
  /** A joint result for comparing single patches of a patch-wise one; never shown as a whole. */
  counterpart: Representation | undefined;
  /** Milliseconds of the last full run, by its key: decides whether a preview is needed. */
  readonly pace = new Map<string, number>();

  /** The stack of which the open image is a page. */
  stack: Stack | undefined;

  /** The versions of the image, the oldest first, of which {@link opened} is one. */
  #versions: OpenedImage[] = [];

  /** The image that is open. */
  get opened(): OpenedImage {
    if (!this.#opened) throw new Error('no image is open');
    return this.#opened;
  }

  /** Opens an image in place of the last one; all results of that are dropped. */
  open(opened: OpenedImage, stack?: Stack): void {
    this.stack = stack;
    this.#versions = [opened];
    this.#show(opened);
    const denoised = stack?.denoised.get(stack.at);
    if (denoised) this.images.set('denoised', denoised);
  }

  /** How many versions of the image are kept. */
  get versions(): number {
    return this.#versions.length;
  }

  /** Adds a version after the open one, in place of those that were undone; the oldest are dropped if there are too many. */
  addVersion(opened: OpenedImage): void {
    this.#versions = [...this.#versions.slice(0, this.#versions.indexOf(this.opened) + 1), opened];
    let bytes = this.#versions.reduce((sum, { image }) => sum + bytesOf(image), 0);
    while (this.#versions.length > 2 && bytes > MOST_VERSION_BYTES) {
      const [oldest] = this.#versions.splice(0, 1);
      bytes -= bytesOf(oldest.image);
    }
    this.#show(opened);
  }

  /** Goes back or forth to a version. */
  goTo(at: number): void {
    this.#show(this.#versions[at]);
  }

  #show(opened: OpenedImage): void {
    this.#opened = opened;
    this.floor = opened.sample === 'float' ? leastOf(opened.image) : 0;
    this.results.clear();
    this.images.clear();
    this.pace.clear();
    this.counterpart = undefined;
    this.images.set('original', opened.image);
  }

  keep(slot: Slot, result: Representation): void {
    this.results.set(slot, result);
    this.images.set(slot, result.image);
  }

  /** A stored image. */
  image(slot: Slot): Image {
    const image = this.images.get(slot);
    if (!image) throw new Error(`there is no ${slot} yet`);
    return image;
  }

  /** A stored result. */
  result(slot: Slot): Representation {
    const result = this.results.get(slot);
    if (!result) throw new Error(`there is no result of ${slot} yet`);
    return result;
  }
}

/** A file of several pages. */
export interface Stack {
  readonly pages: number;
  /** The page that is open. */
  at: number;
  /** Opens a page. */
  readonly read: (at: number) => Promise<OpenedImage>;
  /** The pages that were denoised as a series, by their numbers. */
  readonly denoised: Map<number, Image>;
}

/** The most bytes that all versions of an image may take. */
const MOST_VERSION_BYTES = 2 ** 29;

function bytesOf({ planes, alpha }: Image): number {
  return [...planes, ...(alpha ? [alpha] : [])].reduce((sum, plane) => sum + plane.byteLength, 0);
}

function leastOf({ planes }: Image): number {
  const [least] = rangeOf(planes);
  return Number.isFinite(least) ? least : 0;
}
