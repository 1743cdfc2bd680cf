/**
 * A bounded random sample of the patches of any number of images. The images pass by one after the other and every patch
 * that is offered has the same chance to be in the sample at the end (Vitter's algorithm R, 1985): the n-th replaces a
 * random one with probability capacity / n. So memory depends on the sample alone, not on the number of images.
 */

import type { Image, Samples } from '../../image/image.js';
import { mirror } from '../../image/mirror.js';
import type { Signals } from '../../image/signals.js';
import type { RandomSource } from '../../math/random.js';
import { stretches, type Work } from '../../work.js';

/** The patches kept so far, N samples each. */
export class PatchSample {
  #samples: Samples | undefined;
  readonly #random: RandomSource;
  #offered = 0;

  constructor(
    readonly N: number,
    readonly capacity: number,
    random: RandomSource,
  ) {
    this.#random = random;
  }

  /** The number of patches in the sample. */
  get size(): number {
    return Math.min(this.#offered, this.capacity);
  }

  /** Offers patches of these planes, from random places; each plane as often. `scale` multiplies every sample. */
  *offerPlanes({ width, height }: Image, planes: readonly Samples[], patch: number, scale: number): Work<void> {
    const samples = this.#room();
    const [columns, rows] = [Math.max(1, width - patch + 1), Math.max(1, height - patch + 1)];
    // A large image offers no more than a small one can, so that it does not push the others out of the sample.
    const offers = Math.min(columns * rows * planes.length, this.capacity);
    for (const [from, to] of stretches(offers)) {
      for (let i = from; i < to; i++) {
        const plane = planes[i % planes.length];
        const place = this.#random.below(columns * rows);
        const at = this.#slot();
        if (at === undefined) continue;
        const [left, top] = [place % columns, Math.floor(place / columns)];
        for (let y = 0, n = at; y < patch; y++) {
          const line = mirror(top + y, height) * width;
          for (let x = 0; x < patch; x++, n++) samples[n] = scale * plane[line + mirror(left + x, width)];
        }
      }
      yield to / offers;
    }
  }

  /** Offers every signal once. */
  *offerSignals({ N, P, read }: Signals): Work<void> {
    const samples = this.#room();
    const signal = new Float64Array(N);
    for (let p = 0; p < P; p++) {
      if (p % 4096 === 0) yield p / P;
      const at = this.#slot();
      if (at === undefined) continue;
      read(p, signal);
      samples.set(signal, at);
    }
  }

  /** Keeps these signals, which nothing may change, in place of all others. They are not copied. */
  keepAll(Y: Samples): void {
    this.#samples = Y;
    this.#offered = Y.length / this.N;
  }

  #room(): Float64Array {
    this.#samples ??= new Float64Array(this.N * this.capacity);
    return this.#samples as Float64Array;
  }

  /** Splits the sample at random into `heldOut` patches and all others. */
  split(heldOut: number): { readonly heldOut: Chosen; readonly training: Chosen } {
    const order = Int32Array.from({ length: this.size }, (_, p) => p);
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.#random.below(last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    const samples = this.#samples ?? new Float64Array(0);
    return {
      heldOut: new Chosen(this.N, samples, order.subarray(0, heldOut)),
      training: new Chosen(this.N, samples, order.subarray(heldOut)),
    };
  }

  /** Where the next patch offered goes; undefined if it is not kept. */
  #slot(): number | undefined {
    const n = this.#offered++;
    const slot = n < this.capacity ? n : this.#random.below(n + 1);
    return slot < this.capacity ? slot * this.N : undefined;
  }
}

/** Some patches of a sample, in a fixed random order. */
export class Chosen implements Signals {
  readonly P: number;
  readonly #samples: Samples;
  readonly #order: Int32Array;

  constructor(
    readonly N: number,
    samples: Samples,
    order: Int32Array,
  ) {
    this.P = order.length;
    this.#samples = samples;
    this.#order = order;
  }

  read = (from: number, into: Float64Array): void => {
    const [samples, order, { N }] = [this.#samples, this.#order, this];
    for (let i = 0, p = from; i < into.length; p++) {
      // Faster than a copy of so few.
      for (let at = order[p] * N, end = at + N; at < end; at++, i++) into[i] = samples[at];
    }
  };

  /** `size` patches from number `first` on: batches follow each other through all patches and start over at the end. */
  batch(first: number, size: number): Chosen {
    const order = Int32Array.from({ length: size }, (_, i) => this.#order[(first + i) % this.P]);
    return new Chosen(this.N, this.#samples, order);
  }
}
