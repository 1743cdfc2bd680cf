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

  /** The image that is open. */
  get opened(): OpenedImage {
    if (!this.#opened) throw new Error('no image is open');
    return this.#opened;
  }

  /** Opens an image in place of the last one; all results of that are dropped. */
  open(opened: OpenedImage): void {
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

function leastOf({ planes }: Image): number {
  const [least] = rangeOf(planes);
  return Number.isFinite(least) ? least : 0;
}
