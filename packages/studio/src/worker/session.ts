import type { Image, Representation } from 'ght';
import { rangeOf } from 'ght-images';
import type { OpenedImage } from '../image/decoded.js';
import type { Event, Slot } from './protocol.js';

/** What a task may use of the request it serves. */
export interface Call {
  readonly signal: AbortSignal;
  readonly tell: (event: Event) => void;
}

/** Everything the worker remembers between requests, all about the one image that is open. */
export class Session {
  #opened: OpenedImage | undefined;
  /** What is shown as black: 0, or the least sample of float data. */
  floor = 0;
  readonly results = new Map<Slot, Representation>();
  readonly images = new Map<Slot, Image>();
  /** A joint result to hold a patch-wise one against, patch by patch; nobody is shown it as a whole. */
  counterpart: Representation | undefined;
  /** Milliseconds that a full run took last, by what was asked for: how a preview knows whether it is needed. */
  readonly pace = new Map<string, number>();

  /** The image that is open. */
  get opened(): OpenedImage {
    if (!this.#opened) throw new Error('no image is open');
    return this.#opened;
  }

  /** Takes an image in the place of the last one, of which nothing stays. */
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

  /** A kept image. */
  image(slot: Slot): Image {
    const image = this.images.get(slot);
    if (!image) throw new Error(`there is no ${slot} yet`);
    return image;
  }

  /** A kept result. */
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
