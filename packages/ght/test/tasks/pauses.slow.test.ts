/**
 * The event loop runs between pieces of work, before the first iteration and after the last too. The clock of these tests runs
 * so fast that work pauses wherever it can, and pauses are counted: no test here depends on the speed of the machine.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Image } from '../../src/index.js';
import { denoise, represent } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** The current time, which never goes back. */
let now = 1e9;

/** Runs a task to its end, to a pause or to its first progress report; counts the pauses before that, after the last, and all. */
async function pauses(
  task: (watch: { signal: AbortSignal; onProgress: (progress: object) => void }) => Promise<unknown>,
  abortAt: number | 'progress' = Number.POSITIVE_INFINITY,
) {
  const controller = new AbortController();
  const count = { before: -1, after: 0, all: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1000;
    return now;
  });
  const real = setImmediate;
  vi.spyOn(globalThis, 'setImmediate').mockImplementation(((act: () => void) => {
    count.all++;
    count.after++;
    if (count.all === abortAt) controller.abort();
    return real(act);
  }) as unknown as typeof setImmediate);
  const onProgress = (progress: object) => {
    if ('pass' in progress && progress.pass === 'estimate') return;
    if (count.before < 0) count.before = count.all;
    if (abortAt === 'progress') controller.abort();
    count.after = 0;
  };
  const outcome = await task({ signal: controller.signal, onProgress }).then(
    () => 'done',
    ({ name }) => name,
  );
  vi.restoreAllMocks();
  return { ...count, outcome };
}

/** About a million samples in total. */
const image: Image = noisy(picture(640, 520, 3), 10);

describe('pauses', () => {
  const options = { quality: 'fast', threads: 1 } as const;

  it('denoise: also while the noise is estimated', async () => {
    const before = async (more: object) =>
      (await pauses((watch) => denoise(image, { ...options, ...watch, ...more }), 'progress')).before;
    const given = await before({ sigma: 10 });
    // Six stretches per plane, each read several times, and the covariances; rows of blocks.
    expect(await before({})).toBeGreaterThan(given + 100);
    expect(await before({ noise: 'poisson-gaussian' })).toBeGreaterThan(given + 100);
  });

  it('represent: also while patches are cut and put together', async () => {
    const whole = await pauses((watch) =>
      represent(image, { ...watch, engine: 'wasm', threads: 1, solver: 'omp', budget: { perPatch: 1 } }),
    );
    // Six stretches per plane are checked, converted to luma and chroma, and measured; patches are loaded 256 at a time.
    expect(whole.before).toBeGreaterThanOrEqual(18 + 6 + 18 + (3 * 80 * 65) / 256 - 1);
    // 65 rows of patches in three planes are aggregated; colours are converted back and errors measured in stretches.
    expect(whole.after).toBeGreaterThan(3 * 65 + 20);
  });

  it.each([1, 7, 40, 90])('an abort at pause %i ends the work there', async (at) => {
    for (const task of [
      (watch: object) => denoise(image, { ...options, ...watch }),
      (watch: object) => denoise(image, { ...options, ...watch, noise: 'poisson-gaussian' as const }),
      (watch: object) => represent(image, { ...watch, threads: 1 }),
    ]) {
      expect(await pauses(task, at)).toMatchObject({ outcome: 'AbortError', all: at });
    }
  });

  it('an abort after the last iteration is noticed too', async () => {
    const run = (watch: object) => represent(image, { ...watch, threads: 1, solver: 'omp', budget: { perPatch: 1 } });
    const { all } = await pauses(run);
    expect(await pauses(run, all - 20)).toMatchObject({ outcome: 'AbortError', all: all - 20 });
  });
});
