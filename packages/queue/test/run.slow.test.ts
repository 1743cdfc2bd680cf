/** Runs on a real server with workers in processes of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGhtError } from 'ght';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancel, clean, runs, workers } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { errorOf, FINGERPRINT, Stage, task, until } from './stage.js';

const once = (tiles: number) => {
  const names = Array.from({ length: tiles }, (_, tile) => [`sum ${tile}`, `write ${tile}`]);
  return Object.fromEntries(names.flat().map((name) => [name, 1]));
};

describe.skipIf(!hasRedis)(`a run on the queue ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().start();
  });
  afterEach(() => stage.end());

  it('has the result of one process, does each tile once, tells progress, and leaves no answers behind', async () => {
    const request = stage.request(12);
    await Promise.all([stage.worker(), stage.worker()]);
    const fractions: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }) => fractions.push(fraction);
    const result = await stage.runner().run(task, request, { onProgress });
    const expected = await stage.expected(request);
    expect(result).toEqual(expected.result);
    expect(stage.written()).toEqual(expected.files);
    expect(stage.begun()).toEqual(once(12));
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
    const [report] = await runs(stage.server.url);
    expect(report).toMatchObject({ plan: 'toy', state: 'done', fraction: 1, failures: [] });
    expect(report.workers).toHaveLength(2);
    const keys = await stage.server.redis.keys('*');
    expect(keys.filter((key) => /:(answers|pass|failures):|:passes$/.test(key))).toEqual([]);
    expect(keys.filter((key) => key.includes(`tiles-${FINGERPRINT}:${report.run}-`))).toEqual([]);
    expect(keys.filter((key) => !key.startsWith('ght:'))).toEqual([]);
  });

  it('keeps request and argument once, not in every job', async () => {
    const request = stage.request(3, { remark: 'x'.repeat(100_000) });
    const stop = new AbortController();
    const running = stage.runner().run(task, request, { signal: stop.signal });
    const { redis } = stage.server;
    const jobs = await until('jobs', async () => {
      const found = await redis.keys(`ght:tiles-${FINGERPRINT}:*-sum-?`);
      return found.length === 3 ? found : undefined;
    });
    for (const job of jobs) expect(await redis.memory('USAGE', job)).toBeLessThan(2000);
    stop.abort();
    await expect(running).rejects.toThrow(/abort/);
  });

  it('leaves tiles to workers that have the root and the memory', async () => {
    const request = stage.request(6);
    const elsewhere = await stage.worker({ name: 'elsewhere', roots: { other: stage.folder } });
    const small = await stage.worker({ name: 'small', memory: 1000 });
    await stage.worker({ name: 'able', memory: 3000 });
    const result = await stage.runner({ memory: 2000 }).run(task, request);
    expect(result).toEqual((await stage.expected(request)).result);
    expect(stage.begun()).toEqual(once(6));
    // A worker says every few seconds which tile it works on.
    await expect
      .poll(() => workers(stage.server.url))
      .toMatchObject([
        { name: 'able', memory: 3000, roots: ['data'], plans: ['toy'], tile: null },
        { name: 'elsewhere', memory: null, roots: ['other'] },
        { name: 'small', memory: 1000 },
      ]);
    const [report] = await runs(stage.server.url);
    expect(report.failures).toEqual([]);
    expect([...elsewhere.lines, ...small.lines].filter((line) => line.endsWith(': done'))).toEqual([]);
  });

  it('says which root is missing if no worker has it', async () => {
    const request = stage.request(2);
    await stage.worker({ name: 'elsewhere', roots: { other: stage.root } });
    const error = await errorOf(stage.runner().run(task, request));
    expect(isGhtError(error, 'environment')).toBe(true);
    expect(error.message).toMatch(
      /pass sum, tile \d .*root of this process \(other\).*data:source.*at worker elsewhere/,
    );
  });

  it('fails with tile, reason and kind; repaired, it does only the rest', async () => {
    const request = stage.request(5, { forbidden: 255 });
    const good = await stage.expected(request);
    const spoil = (byte: number) => {
      const bytes = Uint8Array.from({ length: 80 }, (_, i) => (i * i * 7 + i) % 251);
      if (byte) bytes[50] = byte;
      writeFileSync(join(stage.root, 'source'), bytes);
    };
    spoil(255);
    await stage.worker({ name: 'one' });
    // The repaired file has another time, so that the run would be another one: only its name counts here.
    const runner = stage.runner({ sources: () => [], attempts: 2 });
    const error = await errorOf(runner.run(task, request));
    expect(isGhtError(error, 'input')).toBe(true);
    expect(error.message).toMatch(/pass sum, tile 3 .*forbidden byte, but got 255.*at worker one/);
    const [report] = await runs(stage.server.url);
    expect(report).toMatchObject({ state: 'failed', pass: 'sum', tiles: 5 });
    expect(report.failures.map(({ tile, worker, kind }) => [tile, worker, kind])).toEqual([
      [3, 'one', 'input'],
      [3, 'one', 'input'],
    ]);
    spoil(0);
    const { done } = report;
    expect(await runner.run(task, request)).toEqual(good.result);
    expect(stage.begun()).toEqual({ ...once(5), 'sum 3': 3 });
    expect(done).toBeGreaterThan(0);
  });

  it('is cancelled by its signal: waiting tiles are dropped, running ones stopped; again, it goes on', async () => {
    const request = stage.request(4);
    const slow = await stage.worker({}, { TOY_MS: '0,60000' });
    const stop = new AbortController();
    const running = stage.runner().run(task, request, { signal: stop.signal });
    const ended = expect(running).rejects.toThrow('enough');
    await until('the second tile', () => stage.logged().some((line) => line.startsWith('sum 1')));
    stop.abort(new Error('enough'));
    await ended;
    const left = await stage.server.redis.llen(`ght:tiles-${FINGERPRINT}:wait`);
    expect(left).toBe(0);
    await until('the running tile to stop', () => stage.logged().some((line) => line.startsWith('stopped sum')));
    const [report] = await runs(stage.server.url);
    expect(report).toMatchObject({ state: 'cancelled', pass: 'sum', done: 1, tiles: 4 });
    await slow.kill('SIGTERM');
    await stage.worker();
    expect(await stage.runner().run(task, request)).toEqual((await stage.expected(request)).result);
    expect(stage.begun()).toEqual({ ...once(4), 'sum 1': 2 });
    expect((await runs(stage.server.url)).map(({ run }) => run)).toEqual([report.run]);
  });

  it('is cancelled from elsewhere, and cleaned away', async () => {
    const request = stage.request(4);
    const deaf = await stage.worker({}, { TOY_MS: '4000', TOY_DEAF: 'yes' });
    const running = stage.runner().run(task, request);
    running.catch(() => {});
    const [{ run }] = await until('the run', async () => {
      const found = await runs(stage.server.url);
      return found[0]?.tiles === 4 ? found : undefined;
    });
    await until('the first tile', () => stage.logged().length > 0);
    await expect(cancel(stage.server.url, 'fedcba')).rejects.toThrow(`must be one that the server knows (${run})`);
    expect(await clean(stage.server.url)).toEqual([]);
    await cancel(stage.server.url, run);
    await expect(running).rejects.toThrow(`run ${run} was cancelled`);
    expect(await clean(stage.server.url)).toEqual([run]);
    expect(await runs(stage.server.url)).toEqual([]);
    // The answer of a tile that ends later is not kept.
    await deaf.line(/ sum 0: dropped, because its run has ended$/);
    await expect.poll(() => stage.server.redis.keys(`*${run}*`)).toEqual([]);
  });
});
