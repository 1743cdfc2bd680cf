/** The runner in this process. */
import { describe, expect, it } from 'vitest';
import { runHere } from '../src/here.js';
import { memoryScratch, memorySink, memorySource, pictureOf } from '../src/memory.js';
import type { Pass, Places, Plan, RunProgress } from '../src/plan.js';
import { noisyPicture } from './pictures.js';

const image = noisyPicture(8, 8, 1);
const scratch = memoryScratch();
const places: Places = {
  source: async () => memorySource(image),
  sink: async () => memorySink(pictureOf(image)),
  scratch: async () => scratch,
};

/** Squares, then a sum: what was done is written to `log`. */
function squares(log: string[], work: (tile: number) => void = () => {}): Plan<{ count: number }, number> {
  const pass = (name: string, tiles: number[], argument: number, share: number): Pass => {
    return { name, work: 'power', argument, tiles, share };
  };
  return {
    name: 'squares',
    async *passes({ count }) {
      try {
        const all = yield pass(
          'square',
          Array.from({ length: count }, (_, i) => i + 1),
          2,
          0.75,
        );
        const sum = all.reduce((total: number, value) => total + Number(value), 0);
        const [cube] = yield pass('cube', [sum], 3, 0.25);
        return Number(cube);
      } finally {
        log.push('released');
      }
    },
    work: {
      power: async (_, { tile, argument, onFraction }) => {
        work(tile);
        log.push(`${tile}^${argument}`);
        onFraction?.(0.5);
        return tile ** Number(argument);
      },
    },
  };
}

describe('runHere', () => {
  it('does the passes one after the other, and gives each the answers in the order of its tiles', async () => {
    const log: string[] = [];
    expect(await runHere(places).run(squares(log), { count: 3 })).toBe(14 ** 3);
    expect(log).toEqual(['1^2', '2^2', '3^2', '14^3', 'released']);
  });

  it('reports the fraction of the whole run, the pass and the tiles that are done', async () => {
    const seen: RunProgress[] = [];
    await runHere(places).run(squares([]), { count: 2 }, { onProgress: (progress) => seen.push(progress) });
    const fractions = seen.map(({ fraction }) => fraction);
    expect(fractions).toEqual([0, 0.1875, 0.375, 0.5625, 0.75, 0.75, 0.875, 1, 1]);
    expect(seen[3]).toEqual({ fraction: 0.5625, pass: 'square', done: 1, tiles: 2 });
  });

  it('stops when it is aborted, and the plan releases what it holds', async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const plan = squares(log, (tile) => tile === 2 && controller.abort(new Error('enough')));
    await expect(runHere(places).run(plan, { count: 9 }, { signal: controller.signal })).rejects.toThrow('enough');
    expect(log).toEqual(['1^2', '2^2', 'released']);
  });

  it('fails with the error of a tile', async () => {
    const log: string[] = [];
    const plan = squares(log, (tile) => {
      if (tile === 14) throw new Error('tile 14 is broken');
    });
    await expect(runHere(places).run(plan, { count: 3 })).rejects.toThrow('tile 14 is broken');
    expect(log.at(-1)).toBe('released');
  });
});
