/** Series of several planes that are denoised each by itself: those of a film, which differ in size, and bands. */
import { type DenoisedPage, type DenoiseOptions, denoiseSeries, type Image, type SeriesOptions } from 'ght';

/**
 * Denoises pages of this many planes, each plane as a series of its own. All are at the same page, so that those that have been read and not
 * yet returned are those of a window.
 */
export async function* denoisePlanes(
  pages: AsyncIterable<readonly Image[]>,
  planes: number,
  optionsOf: (plane: number) => SeriesOptions,
): AsyncGenerator<readonly DenoisedPage[], void> {
  const source = pages[Symbol.asyncIterator]();
  const waiting = new Map<number, readonly Image[]>();
  let read = 0;
  let reading: Promise<unknown> = Promise.resolve();
  const pageAt = (number: number) => {
    const next = reading.then(async () => {
      while (read <= number) {
        const { done, value } = await source.next();
        if (done) return undefined;
        waiting.set(read++, value);
      }
      return waiting.get(number);
    });
    reading = next.catch(() => {});
    return next;
  };
  const along = async function* (plane: number) {
    for (let number = 0; ; number++) {
      const page = await pageAt(number);
      if (!page) return;
      yield page[plane];
    }
  };
  const series = Array.from({ length: planes }, (_, plane) => denoiseSeries(along(plane), optionsOf(plane)));
  try {
    for (;;) {
      const results: DenoisedPage[] = [];
      // One after the other: each is at work with all threads.
      for (const each of series) {
        const next = await each.next();
        if (next.done) return;
        results.push(next.value);
      }
      // Pages may be left out.
      for (const number of waiting.keys()) if (number <= results[0].page) waiting.delete(number);
      yield results;
    }
  } finally {
    for (const each of series) await each.return();
    await source.return?.();
  }
}

/** The options for one of several planes: of a list of levels, its own. */
export function optionsOfPlane(options: DenoiseOptions, plane: number): Omit<DenoiseOptions, 'onProgress'> {
  const { sigma, channels: _, onProgress: __, ...others } = options;
  return { ...others, sigma: Array.isArray(sigma) ? (sigma[plane] ?? sigma.at(-1)) : sigma };
}
