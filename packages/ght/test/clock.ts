/** A clock for tests of progress: what is reported must not depend on the speed of the machine. */
import { vi } from 'vitest';
import { drive, type Work } from '../src/work.js';

function* once(): Work<void> {
  yield 0;
}

/** Runs a task with a clock so fast that work pauses, and reports its progress, wherever it can. */
export async function withFastClock<T>(task: () => Promise<T>): Promise<T> {
  const real = performance.now.bind(performance);
  let ahead = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    ahead += 1000;
    return real() + ahead;
  });
  try {
    return await task();
  } finally {
    // The next pause counts from the real time again: work remembers when the last one was, and this one ends after the clock is real.
    const pause = drive(once());
    clock.mockImplementation(real);
    await pause;
    clock.mockRestore();
  }
}
