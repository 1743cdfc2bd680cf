/** The executor in this process. */
import { describe, expect, it } from 'vitest';
import { finite, listOf } from '../../src/pipelines/check.js';
import { definePass, type Plan, type RunProgress, workByName } from '../../src/pipelines/plan.js';
import { runHere } from '../../src/pipelines/run.js';

interface Context {
  readonly numbers: readonly number[];
  readonly log: string[];
  readonly onWork?: (number: number) => void;
}

/** Raises one of the numbers to a power. */
const power = definePass<Context, number, number>({
  ...{ name: 'power', argument: finite, answer: finite },
  async work({ numbers, log, onWork }, { part, argument, onFraction }) {
    onWork?.(numbers[part]);
    log.push(`${numbers[part]}^${argument}`);
    onFraction?.(0.5);
    return numbers[part] ** argument;
  },
});

/** Squares, then a cube of their sum. */
const squares: Plan<Context, number> = {
  name: 'squares',
  work: workByName(power),
  async run(context, perform) {
    try {
      const all = await perform(power, 2, { parts: context.numbers.length, share: 0.75, name: 'square' });
      const sum = all.reduce((total, value) => total + value, 0);
      const [first] = await perform(power, 3, { parts: 1, share: 0.25, name: 'cube' });
      return sum + first;
    } finally {
      context.log.push('released');
    }
  },
};

describe('runHere', () => {
  it('performs one pass after the other, with the answers in the order of the parts', async () => {
    const log: string[] = [];
    expect(await runHere(squares, { numbers: [2, 3, 4], log })).toBe(29 + 8);
    expect(log).toEqual(['2^2', '3^2', '4^2', '2^3', 'released']);
  });

  it('reports the fraction of the whole run, the pass and the parts that are done', async () => {
    const reports: RunProgress[] = [];
    await runHere(squares, { numbers: [1, 2], log: [] }, { onProgress: (progress) => reports.push(progress) });
    expect(reports.map(({ fraction }) => fraction)).toEqual([0, 0.1875, 0.375, 0.5625, 0.75, 0.75, 0.875, 1, 1]);
    expect(reports[3]).toEqual({ fraction: 0.5625, pass: 'square', step: undefined, done: 1, parts: 2 });
  });

  it('stops when it is aborted, and the plan releases what it holds', async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const onWork = (number: number) => number === 2 && controller.abort(new Error('enough'));
    const running = runHere(squares, { numbers: [1, 2, 3], log, onWork }, { signal: controller.signal });
    await expect(running).rejects.toThrow('enough');
    expect(log).toEqual(['1^2', '2^2', 'released']);
  });

  it('fails with the error of a part', async () => {
    const log: string[] = [];
    const onWork = (number: number) => {
      if (number === 3) throw new Error('3 is broken');
    };
    await expect(runHere(squares, { numbers: [1, 3], log, onWork })).rejects.toThrow('3 is broken');
    expect(log.at(-1)).toBe('released');
  });
});

describe('a pass', () => {
  it('checks the argument that a worker receives before any work', async () => {
    const log: string[] = [];
    const job = { part: 0, argument: 'two' };
    expect(() => squares.work.power(job)).toThrow('argument must be a finite number, but got "two"');
    expect(await squares.work.power({ part: 0, argument: 3 })({ numbers: [2], log })).toBe(8);
  });

  it('has checks that name the field', () => {
    expect(() => listOf(finite)([1, Number.NaN], 'answers')).toThrow('answers[1] must be a finite number');
  });
});
