import { describe, expect, it, vi } from 'vitest';
import { drive, type Work } from '../src/work.js';
import { withFastClock } from './clock.js';

describe('work that is driven at the same time', () => {
  it('takes turns, with a turn of the event loop between any two', async () => {
    const steps: { id: number; turn: number }[] = [];
    let turn = 0;
    let working = true;
    const count = () => {
      turn++;
      if (working) setImmediate(count);
    };
    setImmediate(count);
    function* work(id: number): Work<number> {
      for (let step = 0; step < 5; step++) {
        // The first step is done when the work is given.
        if (step > 0) steps.push({ id, turn });
        yield step / 5;
      }
      return id;
    }
    const ids = [0, 1, 2, 3];
    const results = await withFastClock(() => Promise.all(ids.map((id) => drive(work(id)))));
    working = false;
    expect(results).toEqual(ids);
    expect(steps.map(({ id }) => id)).toEqual([...ids, ...ids, ...ids, ...ids]);
    expect(new Set(steps.map((step) => step.turn)).size).toBe(steps.length);
  });

  it('pauses also after the clock was set back', async () => {
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 1e12);
    function* work(): Work<void> {
      yield 0;
    }
    await drive(work());
    clock.mockRestore();
    let paused = false;
    setImmediate(() => {
      paused = true;
    });
    await drive(work());
    expect(paused).toBe(true);
  });
});
