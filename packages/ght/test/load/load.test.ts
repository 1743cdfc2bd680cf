/** Many images through one process: the memory stays flat, and nothing of one image is left for the next. */
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { full, printed } from './programs.js';

interface Printed {
  readonly digests: readonly string[];
  readonly rss: readonly number[];
  readonly left: number;
}

const images = full ? 500 : 45;
const MiB = 2 ** 20;

it.each([1, 2])(
  `${images} images on %i thread(s): memory flat, and the bits of a process of its own`,
  async (threads) => {
    const { digests, rss } = await printed<Printed>('many.js', [0, images, threads, 1]);
    expect(digests).toHaveLength(images);
    // Threads keep what they were shown until they are let go, so memory goes up and down by that: compared are the highest
    // of two stretches, each long enough for both, the first one after everything has been used once.
    const stretch = Math.floor(images / 3);
    const [early, late] = [rss.slice(images - 2 * stretch, -stretch), rss.slice(-stretch)].map((part) =>
      Math.max(...part),
    );
    expect((late - early) / MiB).toBeLessThan(threads === 1 ? 24 : 96);
    expect(Math.max(...rss) / MiB).toBeLessThan(threads === 1 ? 400 : 700);

    // Every n-th image again, first in a process, where it came late before.
    const again = full ? Array.from({ length: images }, (_, n) => n) : [7, 19, images - 1];
    for (const n of again) {
      const alone = await printed<Printed>('many.js', [n, 1, threads, 1]);
      expect(alone.digests[0]).toBe(digests[n]);
    }
  },
  3_600_000,
);

it(`${full ? images : 30} images, 15 at once on 2 threads each: memory flat, the bits of one after the other, and few threads left`, async () => {
  const count = full ? images : 30;
  const [one, many] = [
    await printed<Printed>('many.js', [0, count, 1, 1]),
    await printed<Printed>('many.js', [0, count, 2, 15]),
  ];
  expect(many.digests).toEqual(one.digests);
  expect(Math.max(...many.rss) / MiB).toBeLessThan(1000);
  // A process that has solved nothing on threads, and a thread for each core.
  expect(many.left - one.left).toBeLessThanOrEqual(availableParallelism() + 1);
}, 3_600_000);
