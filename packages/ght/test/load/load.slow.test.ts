/** Many images in one process: the memory stays constant, and no image affects the next. */
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { full, printed } from './programs.js';

interface Printed {
  readonly digests: readonly string[];
  readonly rss: readonly number[];
  /** How many threads more than at its beginning the process has at its end. */
  readonly left: number;
}

const images = full ? 500 : 30;
const MiB = 2 ** 20;

/** All images one after the other on this many threads; computed once. */
const inTurn = (threads: number) => {
  ran[threads] ??= printed<Printed>('many.js', [0, images, threads, 1]);
  return ran[threads];
};
const ran: Record<number, Promise<Printed>> = {};

it.each([1, 2])(
  `${images} images on %i thread(s): constant memory, and the same bits as in a process of its own`,
  async (threads) => {
    const { digests, rss } = await inTurn(threads);
    expect(digests).toHaveLength(images);
    // Threads keep their last data until they are released, so memory fluctuates. The maxima of two periods are compared, each
    // long enough to include both, the first one after everything has been used once.
    const stretch = Math.floor(images / 3);
    const [early, late] = [rss.slice(images - 2 * stretch, -stretch), rss.slice(-stretch)].map((part) =>
      Math.max(...part),
    );
    expect((late - early) / MiB).toBeLessThan(threads === 1 ? 24 : 96);
    expect(Math.max(...rss) / MiB).toBeLessThan(threads === 1 ? 400 : 700);

    // Every n-th image again, now first in a process.
    const again = full ? Array.from({ length: images }, (_, n) => n) : [7, 19, images - 1];
    for (const n of again) {
      const alone = await printed<Printed>('many.js', [n, 1, threads, 1]);
      expect(alone.digests[0]).toBe(digests[n]);
    }
  },
  3_600_000,
);

it(`${full ? images : 20} images, 15 at once on 2 threads each: constant memory, the same bits as one after the other, and few threads left`, async () => {
  const count = full ? images : 20;
  const one = await inTurn(1);
  const many = await printed<Printed>('many.js', [0, count, 2, 15]);
  expect(many.digests).toEqual(one.digests.slice(0, count));
  expect(Math.max(...many.rss) / MiB).toBeLessThan(1000);
  // One thread per core may remain.
  expect(many.left).toBeLessThanOrEqual(availableParallelism() + 1);
}, 3_600_000);
