/** What others have written into Redis is reported in one line, and ends no process. */
import { isGhtError } from 'ght';
import type { TiledTask } from 'ght-tiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clean, runs, workers } from '../src/index.js';
import { printable } from '../src/printable.js';
import { hasRedis, NEEDS } from './redis.js';
import { errorOf, FINGERPRINT, forged, type Request, Stage, task, until } from './stage.js';

describe('a text that is printed', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007name', 'name'],
    ['\u001b]8;;https://x.example\u001b\\link', 'link'],
    ['\u009b2Jcleared', 'cleared'],
    ['\u001bcreset', 'reset'],
    ['one\r\ntwo\u2028three', 'one two three'],
    ['gnp\u202e.exe', 'gnp .exe'],
    ['Übung 5×5 µm', 'Übung 5×5 µm'],
  ])('has no escape sequences: %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('is not longer than allowed', () => {
    expect(printable('x'.repeat(1e6), 10)).toBe(`${'x'.repeat(10)}…`);
  });
});

describe.skipIf(!hasRedis)(`junk in Redis ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().start();
  });
  afterEach(() => stage.end());

  const ESCAPE = '\u001b[2J\u001b]0;owned\u0007';
  const isPlain = (text: string) => !/\p{Cc}/u.test(text);

  it('in the register of workers: the run goes on, and each entry is named once', async () => {
    const { redis } = stage.server;
    const entries: Record<string, string> = {
      null: 'null',
      broken: '{"fingerprint":',
      number: '5',
      list: '[]',
      wrong: JSON.stringify({ fingerprint: 5 }),
      [`${ESCAPE}name`]: JSON.stringify({ fingerprint: FINGERPRINT }),
    };
    for (const [name, entry] of Object.entries(entries)) {
      await redis.sadd('ght:workers', name);
      await redis.set(`ght:workers:${name}`, entry);
    }
    await redis.sadd('ght:workers', 'hash');
    await redis.hset('ght:workers:hash', 'a', 1);
    const request = stage.request(3);
    const worker = await stage.worker();
    const warnings: string[] = [];
    const result = await stage.runner({ onWarning: (warning) => warnings.push(warning) }).run(task, request);
    expect(result).toEqual((await stage.expected(request)).result);
    expect(worker.process.exitCode).toBe(null);
    expect(warnings).toHaveLength(6);
    for (const warning of warnings) {
      expect(warning).toMatch(/^ght:workers in Redis holds ".*", which is no entry of a process: remove it$/);
      expect(isPlain(warning)).toBe(true);
    }
    expect(await workers(stage.server.url)).toHaveLength(1);
  });

  it('of other types than ours', async () => {
    const { redis } = stage.server;
    await redis.set('ght:workers', 'no register');
    const request = stage.request(2);
    const worker = await stage.worker();
    await worker.line(/^ght:workers in Redis is no register, .*remove this key$/);
    expect(await stage.runner().run(task, request)).toEqual((await stage.expected(request)).result);
    const warnings: string[] = [];
    expect(await workers(stage.server.url, { onWarning: (warning) => warnings.push(warning) })).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^ght:workers in Redis is no register \(WRONGTYPE .*\): remove/)]);
    await redis.set('ght:runs', 'no runs');
    const error = await errorOf(runs(stage.server.url));
    expect(isGhtError(error, 'environment')).toBe(true);
    expect(error.message).toMatch(/^queue must hold under ght: only what ght has written \(WRONGTYPE.*remove it/);
    expect(isGhtError(await errorOf(stage.runner().run(task, { ...request, other: 1 })), 'environment')).toBe(true);
    expect(worker.process.exitCode).toBe(null);
  });

  it('in the records of runs: the others are shown, without escape codes', async () => {
    const { redis } = stage.server;
    const request = stage.request(2, { forbidden: 0 });
    await stage.worker({ name: 'one' });
    await errorOf(stage.runner({ attempts: 1 }).run(task, request));
    const [{ run }] = await runs(stage.server.url);
    for (const failure of ['null', '{', '"x"', JSON.stringify({ pass: 5 })]) {
      await redis.rpush(`ght:run:${run}:failures`, failure);
    }
    const reason = `${ESCAPE}because\nof that`;
    const failure = { pass: 'sum', tile: 1, worker: 'two', reason, at: ESCAPE };
    await redis.rpush(`ght:run:${run}:failures`, JSON.stringify(failure));
    await redis.hset(`ght:run:${run}`, { plan: `toy${ESCAPE}`, fraction: 'many', version: ESCAPE });
    await redis.sadd('ght:runs', 'text', 'absent', 'strange', `${ESCAPE}evil`);
    await redis.set('ght:run:text', 'x');
    await redis.hset('ght:run:strange', { state: ESCAPE, plan: 'x' });
    const warnings: string[] = [];
    const found = await runs(stage.server.url, { onWarning: (warning) => warnings.push(warning) });
    expect(found).toMatchObject([{ run, plan: 'toy', state: 'failed', fraction: 0 }]);
    expect(found[0].failures.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('forbidden byte'),
      'because of that',
    ]);
    expect(isPlain(JSON.stringify(found))).toBe(true);
    expect(warnings).toHaveLength(4);
    expect(warnings.every(isPlain)).toBe(true);
    expect(warnings.join('\n')).toMatch(/run text is left out, because its record cannot be read: WRONGTYPE/);
    expect(await clean(stage.server.url)).toEqual(['absent', run, 'strange', 'text'].sort());
    expect(await redis.keys('ght:run*')).toEqual([]);
  });
});

describe.skipIf(!hasRedis)(`jobs with nonsense in them ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().start();
  });
  afterEach(() => stage.end());

  const denoising = (work: string, argument: unknown) => forged('denoise', work, argument);

  it('fail for good at the first worker, which goes on', async () => {
    const worker = await stage.worker({ images: true, name: 'one' });
    // Only the messages count here: the names of files are never opened.
    const runner = stage.runner({ sources: () => [], attempts: 4 });
    const request = { ...stage.request(1), options: { sigma: 10 } };
    const step = { width: 0, height: 0 };
    const attempts: [TiledTask<Request, null, null>, Request, RegExp][] = [
      [denoising('denoise', { step }), request, /argument\.known must be an object, but got undefined/],
      [denoising('coarse', { step }), request, /argument\.known must be an object/],
      [denoising('estimate', 'x'.repeat(1e6)), request, /argument must be an object, but got ."?x+…/],
      [denoising('range', null), { ...request, tile: -1 }, /request\.tile must be a whole number from 1/],
      [denoising('range', null), { ...request, input: 5 } as never, /request\.input must be a text, but got 5/],
      [
        denoising('range', null),
        { ...request, output: 'y'.repeat(1e6) },
        /request\.output must have at most 4096 characters/,
      ],
    ];
    for (const [i, [task, request, message]] of attempts.entries()) {
      const error = await errorOf(runner.run(task, { ...request, remark: i }));
      expect(error.message).toMatch(message);
      expect(error.message).toContain('at worker one');
      const report = (await runs(stage.server.url)).at(-1);
      expect(report?.failures).toHaveLength(1);
      expect(report?.failures[0]).toMatchObject({ kind: 'input', worker: 'one' });
    }
    expect(worker.process.exitCode).toBe(null);
  });

  it('that are no messages at all are reported by the worker, and fail for good', async () => {
    const worker = await stage.worker();
    const { Queue } = await import('bullmq');
    const queue = new Queue(`tiles-${FINGERPRINT}`, { connection: { port: stage.server.port }, prefix: 'ght' });
    const good = { run: 'a', attempt: '0123456789ab', pass: 'sum', tile: 0 };
    const wrong: unknown[] = [
      null,
      'x',
      [],
      { ...good, tile: -1 },
      { ...good, tile: 1.5 },
      { ...good, tile: '0' },
      { ...good, run: '../x' },
      { ...good, run: 'x'.repeat(10_000) },
      { ...good, attempt: 'none' },
      { ...good, failedAt: 'all' },
      { ...good, refusedBy: [5] },
    ];
    await queue.addBulk(
      wrong.map((data, i) => ({ name: 'x', data, opts: { jobId: `wrong-${i}`, attempts: 5, removeOnComplete: true } })),
    );
    await until('all to fail', async () => (await queue.getJobCountByTypes('failed')) === wrong.length);
    const failed = await queue.getJobs(['failed']);
    for (const job of failed) expect([job.attemptsMade, job.failedReason]).toEqual([1, expect.stringMatching(/^job/)]);
    await queue.close();
    expect(worker.lines.filter((line) => /^job wrong-\d+: job/.test(line))).toHaveLength(wrong.length);
    const request = stage.request(2);
    expect(await stage.runner().run(task, request)).toEqual((await stage.expected(request)).result);
  });
});
