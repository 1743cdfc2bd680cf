/** What happens when processes are killed: nothing is lost, nothing is stored twice, the bits are the same. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint, queueWorker, runs, workers } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { errorOf, FINGERPRINT, type Request, Stage, task, until } from './stage.js';

const SLOW = { TOY_MS: '150' };

describe.skipIf(!hasRedis)(`faults on the queue ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.end());

  /** Compares the result with that of one process, and returns how often tiles were begun. */
  async function expectSameBits(request: Request, result: unknown): Promise<number[]> {
    const expected = await stage.expected(request);
    expect(result).toEqual(expected.result);
    expect(stage.written()).toEqual(expected.files);
    return Object.values(stage.begun());
  }

  const resultOf = (line: string) => JSON.parse(line.slice('result '.length));

  it('kill -9 of a worker: its tile goes to another one', async () => {
    await stage.start();
    const request = stage.request(10);
    const victim = await stage.worker({}, { TOY_MS: '60000' });
    const running = stage.runner().run(task, request);
    await until('the first tile', () => stage.logged().length > 0);
    await stage.worker();
    await victim.kill('SIGKILL');
    const begun = await expectSameBits(request, await running);
    expect(begun).toHaveLength(20);
    expect(begun.filter((times) => times > 1)).toEqual([2]);
  });

  it('kill -9 of the coordinator: workers go on, and the same command continues', async () => {
    await stage.start();
    const request = stage.request(10);
    await stage.worker({}, SLOW);
    const first = stage.coordinator(request);
    await until('some answers', async () => ((await runs(stage.server.url))[0]?.done ?? 0) >= 2);
    await first.kill('SIGKILL');
    // No coordinator: the tiles that wait are worked on all the same.
    await until('the other answers', async () => (await runs(stage.server.url))[0].done === 10);
    const second = stage.coordinator(request);
    const begun = await expectSameBits(request, resultOf(await second.line(/^result /)));
    expect(begun).toEqual(Array(20).fill(1));
    expect((await runs(stage.server.url)).map(({ state }) => state)).toEqual(['done']);
    // The coordinator that was killed may still seem to be there: then the answers expire.
    const { redis } = stage.server;
    await until('the coordinator to end', () => second.process.exitCode === 0);
    for (const key of await redis.keys('ght:run:*:answers:*')) expect(await redis.ttl(key)).toBeGreaterThan(0);
  });

  it('kill -9 of Redis: the run goes on when it is back', async () => {
    await stage.start();
    const request = stage.request(12);
    await Promise.all([stage.worker({}, SLOW), stage.worker({}, SLOW)]);
    const coordinator = stage.coordinator(request);
    await until('some answers', async () => ((await runs(stage.server.url))[0]?.done ?? 0) >= 3);
    await stage.server.kill();
    await sleep(500);
    await stage.server.restart();
    const begun = await expectSameBits(request, resultOf(await coordinator.line(/^result /)));
    expect(begun).toHaveLength(24);
    // The answers of the last second may not have been on disk.
    expect(begun.filter((times) => times > 1).length).toBeLessThan(12);
  });

  it('Redis without appendonly loses everything: the coordinator writes it again', async () => {
    await stage.start((port) => ['--port', String(port), '--appendonly', 'no']);
    const request = stage.request(6);
    await stage.worker({}, SLOW);
    const warnings: string[] = [];
    let lost = false;
    const onProgress = async ({ pass, done }: { pass: string; done: number }) => {
      if (lost || pass !== 'write-1' || done < 1) return;
      lost = true;
      await stage.server.kill();
      await stage.server.restart();
    };
    const runner = stage.runner({ onWarning: (warning) => warnings.push(warning) });
    const begun = await expectSameBits(request, await runner.run(task, request, { onProgress }));
    expect(begun).toHaveLength(12);
    expect(warnings.join('\n')).toMatch(/appendonly of redis:\/\/127\.0\.0\.1:\d+\/ is no: .*set it to yes/);
    expect(lost).toBe(true);
  });

  it('a full disk at one worker: its tiles are written by another one, and the failures have their place', async () => {
    await stage.start();
    const request = stage.request(8);
    const [full, able] = await Promise.all([
      stage.worker({ name: 'full', full: true }),
      stage.worker({ name: 'able' }, SLOW),
    ]);
    const running = stage.runner().run(task, request);
    await full.line(/write-1 \d: the disk is full/);
    const [{ failures }] = await runs(stage.server.url);
    const reason = expect.stringMatching(/disk is full.*ENOSPC/);
    expect(failures[0]).toMatchObject({ pass: 'write-1', worker: 'full', kind: 'resource', reason });
    await expectSameBits(request, await running);
    // It leaves a tile that has failed there to the other one.
    const failed = full.lines.filter((line) => line.includes('the disk is full'));
    expect(failed.length).toBeGreaterThan(1);
    expect(new Set(failed).size).toBe(failed.length);
    expect(able.lines.filter((line) => /write-1 \d: done$/.test(line))).toHaveLength(8);
  });

  it('two coordinators of one run have one result, and each tile is done once', async () => {
    await stage.start();
    const request = stage.request(10);
    const [first, second] = [stage.coordinator(request), stage.coordinator(request)];
    await Promise.all([first.line(/^progress sum 0 of 10$/), second.line(/^progress sum 0 of 10$/)]);
    await Promise.all([stage.worker(), stage.worker()]);
    const results = await Promise.all([first.line(/^result /), second.line(/^result /)]);
    expect(results[0]).toBe(results[1]);
    expect(await expectSameBits(request, resultOf(results[0]))).toEqual(Array(20).fill(1));
    await until('both to leave', async () => (await stage.server.redis.keys('ght:run:*:coordinators*')).length === 0);
    expect(await stage.server.redis.keys('ght:run:*:answers:*')).toEqual([]);
  });

  it.skipIf(process.arch !== 'x64')(
    'a worker without fused multiply-add is refused by name; its bits would differ',
    async () => {
      await stage.start();
      const request = stage.request(4);
      const own = await fingerprint();
      const warnings: string[] = [];
      const runner = stage.runner({ fingerprint: own, onWarning: (warning) => warnings.push(warning) });
      const running = runner.run(task, request);
      await until('a warning', () => warnings.length > 0);
      expect(warnings).toEqual([`no worker with fingerprint ${own} is there: start one; waiting`]);
      const other = await stage.worker({ name: 'old', fingerprint: undefined }, {}, ['--no-enable-fma3']);
      const left = await other.line(/^run [0-9a-f]{16} is left to other workers: it needs fingerprint/);
      const [, needed, has] = /needs fingerprint (\w{12}), but old has (\w{12})$/.exec(left) ?? [];
      expect(needed).toBe(own);
      expect(has).not.toBe(own);
      const refusal = `worker old is refused, because its results would have other bits: its fingerprint is ${has} `;
      await until('a refusal', () => warnings.some((warning) => warning.startsWith(refusal)));
      expect((await runs(stage.server.url))[0]).toMatchObject({ workers: [], refused: ['old'], done: 0 });
      await stage.worker({ fingerprint: own });
      await expectSameBits(request, await running);
      expect(other.lines.filter((line) => line.endsWith(': done'))).toEqual([]);
    },
  );

  it('SIGTERM: a worker finishes its tile and ends', async () => {
    await stage.start();
    const request = stage.request(4);
    const leaving = await stage.worker({}, { TOY_MS: '3000' });
    const running = stage.runner().run(task, request);
    await until('the first tile', () => stage.logged().length > 0);
    await leaving.kill('SIGTERM');
    expect(leaving.process.exitCode).toBe(0);
    expect(leaving.lines.filter((line) => line.endsWith(': done'))).toHaveLength(1);
    await stage.worker();
    expect(await expectSameBits(request, await running)).toEqual(Array(8).fill(1));
  });

  it('a server that is full during a run is reported by coordinator and worker, and the run goes on when there is memory again', async () => {
    await stage.start();
    const request = stage.request(4);
    const worker = await stage.worker({ patience: 1000 }, { TOY_MS: '0,1500' });
    const warnings: string[] = [];
    const running = stage.runner({ onWarning: (warning) => warnings.push(warning) }).run(task, request);
    await until('a tile', () => stage.logged().length > 0);
    await stage.server.fill();
    const full = /^queue must have memory left \(OOM .* raise maxmemory of the server.*; waiting for it$/;
    await until('a warning', () => warnings.some((warning) => full.test(warning)), 30);
    await worker.line(/OOM command not allowed/);
    await stage.server.redis.config('SET', 'maxmemory', '0');
    expect(await running).toEqual((await stage.expected(request)).result);
    expect(worker.process.exitCode).toBe(null);
  });

  it('no two workers have the same name', async () => {
    await stage.start();
    const options = { tasks: [], roots: { data: stage.root }, fingerprint: FINGERPRINT };
    const [one, two] = await Promise.all([
      queueWorker(stage.server.url, options),
      queueWorker(stage.server.url, options),
    ]);
    expect(one.name).not.toBe(two.name);
    const error = await errorOf(queueWorker(stage.server.url, { ...options, name: one.name }));
    expect(error.message).toMatch(/^name must not be that of another process that is running, but got ".*": give each/);
    expect((await workers(stage.server.url)).map(({ name }) => name).sort()).toEqual([one.name, two.name].sort());
    await Promise.all([one.close(), two.close()]);
    expect(await stage.server.redis.keys('ght:workers*')).toEqual([]);
    // The name of one that has left is free.
    await (await queueWorker(stage.server.url, { ...options, name: one.name })).close();
  });
});
