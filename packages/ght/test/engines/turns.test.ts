import { describe, expect, it } from 'vitest';
import { turnOf } from '../../src/engines/wasm/run/turns.js';

/** More threads than any machine has: a turn of all of them. */
const ALL = 1e6;

/** Waits until all promises that can be settled are. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of the threads', () => {
  it('come in the order in which they were asked for, and never together if there are too few cores', async () => {
    const begun: string[] = [];
    const ends: Record<string, () => void> = {};
    const ask = async (name: string, count: number) => {
      ends[name] = await turnOf(count);
      begun.push(name);
    };
    const asked = [ask('all', ALL), ask('one', 1), ask('all again', ALL), ask('one more', 1)];
    await settled();
    expect(begun).toEqual(['all']);
    ends.all();
    await settled();
    // The last needs one thread only, and yet does not overtake.
    expect(begun).toEqual(['all', 'one']);
    ends.one();
    await settled();
    expect(begun).toEqual(['all', 'one', 'all again']);
    ends['all again']();
    await Promise.all(asked);
    ends['one more']();
  });

  it('are given up by an abort, and then hold up no one', async () => {
    const end = await turnOf(ALL);
    const controller = new AbortController();
    const aborted = turnOf(ALL, controller.signal);
    let begun = false;
    const next = turnOf(1).then((endNext) => {
      begun = true;
      endNext();
    });
    controller.abort(new Error('the client has left'));
    await expect(aborted).rejects.toThrow('the client has left');
    expect(begun).toBe(false);
    end();
    await next;
    await expect(turnOf(1, controller.signal)).rejects.toThrow('the client has left');
    (await turnOf(ALL))();
  });
});
