// A plan without work: one pass whose tiles wait `ms` milliseconds, and answer about as much as a tile of a real pass.
import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER = Float64Array.from({ length: 16 }, (_, i) => i / 7);

/** Request: { tiles, ms, run }; `run` tells one run from another. */
export const stubPlan = {
  name: 'stub',
  async *passes({ tiles }) {
    const numbers = Array.from({ length: tiles }, (_, i) => i);
    const answers = yield { name: 'stub', work: 'stub', argument: null, tiles: numbers, share: 1 };
    return answers.length;
  },
  work: {
    async stub({ ms }) {
      if (ms > 0) await sleep(ms);
      return ANSWER;
    },
  },
};
