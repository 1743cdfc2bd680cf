/** Who may use the queue, and what a worker does with jobs of somebody who may not be trusted. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGhtError } from 'ght';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runs } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { errorOf, forged, Stage, task, until } from './stage.js';

/** The access list that the documentation recommends. */
const guide = readFileSync(new URL('../../../docs/scale-queue.md', import.meta.url), 'utf8');
const [, rules = 'none'] = /^ {4}user ght on >PASSWORD (.*)$/m.exec(guide) ?? [];
const ACCESS = ['--user', 'ght', 'on', '>secret', ...rules.split(' ')];

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.end());

describe.skipIf(!hasRedis)(`the server ${NEEDS}`, () => {
  it('serves runs under the access list, which allows no other keys and no dangerous commands', async () => {
    const settings = (port: number) => ['--port', String(port), '--requirepass', 'owner', ...ACCESS];
    await stage.start(settings, { password: 'owner' });
    const url = `redis://ght:secret@127.0.0.1:${stage.server.port}/`;
    const request = stage.request(4);
    // A worker reads user and password from the environment.
    await stage.worker({}, { GHT_REDIS_USER: 'ght', GHT_REDIS_PASSWORD: 'secret' });
    const user = { user: 'ght', password: 'secret' };
    expect(await stage.runner(user).run(task, request)).toEqual((await stage.expected(request)).result);
    expect(await runs(url)).toMatchObject([{ state: 'done' }]);
    const redis = new Redis({ port: stage.server.port, username: 'ght', password: 'secret' });
    await expect(redis.set('other', 1)).rejects.toThrow('NOPERM');
    await expect(redis.flushall()).rejects.toThrow('NOPERM');
    await expect(redis.config('GET', 'dir')).rejects.toThrow('NOPERM');
    redis.disconnect();
    const refused = await errorOf(runs(`redis://ght:wrong-secret@127.0.0.1:${stage.server.port}/`));
    expect(isGhtError(refused, 'environment')).toBe(true);
    expect(refused.message).toMatch(
      /^queue must be a Redis server that accepts the user, but got "redis:\/\/127.*WRONGPASS/,
    );
    expect(refused.message).not.toContain('wrong-secret');
    expect((await errorOf(runs(stage.server.url))).message).toContain('NOAUTH');
  });

  it('is named when it cannot be reached, without the password', async () => {
    await stage.start();
    await stage.server.kill();
    const error = await errorOf(runs(`redis://ght:secret@127.0.0.1:${stage.server.port}/`));
    expect(isGhtError(error, 'environment')).toBe(true);
    expect(error.message).toMatch(/"redis:\/\/127\.0\.0\.1:\d+\/": .*ECONNREFUSED/);
    expect(error.message).not.toContain('secret');
    for (const bad of ['queue:6379', 'http://queue/', 'redis://secret@', 'redis://queue/first']) {
      const wrong = await errorOf(runs(bad));
      expect(wrong.message).toMatch(/^address of the queue must .*: give redis:\/\/host:port/);
      expect(wrong.message).not.toContain('secret');
    }
  });

  it('is warned about by name if it evicts keys', async () => {
    const settings = ['--appendonly', 'yes', '--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'];
    await stage.start((port) => ['--port', String(port), ...settings]);
    await stage.worker();
    const warnings: string[] = [];
    await stage.runner({ onWarning: (warning) => warnings.push(warning) }).run(task, stage.request(2));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^maxmemory-policy of redis:.* is allkeys-lru: answers may get lost; set it to noeviction$/,
      ),
    ]);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasRedis || !hasOpenssl)(`TLS ${NEEDS.replace(')', ', and openssl)')}`, () => {
  /** A certificate of its own authority, for this machine. */
  function certificate(name: string) {
    const [key, cert] = ['key', 'cert'].map((part) => join(stage.folder, `${name}-${part}.pem`));
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const args = ['req', '-x509', ...curve, '-nodes', '-keyout', key, '-out', cert, '-days', '2', ...names];
    execFileSync('openssl', args, { stdio: 'ignore' });
    return { key, cert, ca: readFileSync(cert, 'utf8') };
  }

  it('runs over rediss:// with our authority only', async () => {
    const { key, cert, ca } = certificate('server');
    const settings = (port: number) => [
      ...['--port', '0', '--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key],
      ...['--tls-ca-cert-file', cert, '--tls-auth-clients', 'no', ...ACCESS, '--requirepass', 'owner'],
    ];
    await stage.start(settings, { tls: { ca }, password: 'owner' });
    const address = `127.0.0.1:${stage.server.port}/`;
    const url = `rediss://ght:secret@${address}`;
    const request = stage.request(3);
    await stage.worker({ url }, { GHT_REDIS_CA: cert });
    const coordinator = stage.coordinator(request, { url, ca });
    expect(await coordinator.line(/^result /)).toBe(`result ${JSON.stringify((await stage.expected(request)).result)}`);
    expect(await runs(url, { ca })).toMatchObject([{ state: 'done' }]);
    const other = certificate('other');
    expect((await errorOf(runs(url, { ca: other.ca }))).message).toMatch(/self[- ]signed certificate/);
    expect((await errorOf(runs(url))).message).toMatch(/self[- ]signed certificate/);
    expect((await errorOf(runs(`rediss://${address}`, { ca }))).message).toContain('NOAUTH');
    expect(isGhtError(await errorOf(runs(`redis://ght:secret@${address}`)), 'environment')).toBe(true);
  });
});

describe.skipIf(!hasRedis)(`jobs that ask for too much ${NEEDS}`, () => {
  it('name a plan or work that is no code of the worker', async () => {
    await stage.start();
    await stage.worker();
    const works = ['constructor', '__proto__', 'hasOwnProperty', './evil.js'].map((work) => ['toy', work]);
    for (const [name, work] of [...works, ['node:fs', 'rmSync'], ['__proto__', 'sum']]) {
      const error = await errorOf(stage.runner().run(forged(name, work, null), stage.request(1)));
      expect(isGhtError(error, 'environment')).toBe(true);
      expect(error.message).toContain(`a task that the worker knows (toy), but got "${work} of ${name}"`);
    }
    expect(stage.logged()).toEqual([]);
  });

  it('name files outside the roots, also by links: nothing is read or written', async () => {
    await stage.start();
    await stage.worker();
    writeFileSync(join(stage.folder, 'secret'), 'x'.repeat(16));
    symlinkSync('../secret', join(stage.root, 'link'));
    const runner = stage.runner({ sources: () => [], attempts: 1 });
    const request = stage.request(1);
    for (const input of [
      'data:../secret',
      'data:link',
      `data:${join(stage.folder, 'secret')}`,
      'https://x.example/a',
    ]) {
      const error = await errorOf(runner.run(forged('toy', 'sum', null), { ...request, input }));
      expect(error.message).toMatch(/must lie inside its root|must begin with an address that this process allows/);
    }
    const error = await errorOf(
      runner.run(forged('toy', 'write', { mean: Float64Array.of(0) }), { ...request, output: 'data:../out' }),
    );
    expect(error.message).toContain('must lie inside its root');
    expect(() => readFileSync(join(stage.folder, 'out', '0.bin'))).toThrow('ENOENT');
    expect(stage.logged()).toEqual([expect.stringMatching(/^write 0/)]);
  });

  it('hold garbage: the worker goes on', async () => {
    await stage.start();
    const worker = await stage.worker();
    const { redis } = stage.server;
    // A run whose request is no message.
    await redis.hset('ght:run:broken', { plan: 'toy', request: 'garbage', sources: '{}', state: 'running' });
    const { Queue } = await import('bullmq');
    const queue = new Queue('tiles-abcdef012345', { connection: { port: stage.server.port }, prefix: 'ght' });
    const data: unknown[] = [
      null,
      'x',
      { run: 'broken', pass: 'a', tile: 0 },
      { run: { a: 1 }, pass: 'x', tile: '../x' },
    ];
    await queue.addBulk(
      data.map((each, i) => ({ name: 'x', data: each, opts: { jobId: `garbage-${i}`, removeOnComplete: true } })),
    );
    await until(
      'the garbage to be gone',
      async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0,
    );
    await queue.close();
    expect(worker.process.exitCode).toBe(null);
    const request = stage.request(3);
    expect(await stage.runner().run(task, request)).toEqual((await stage.expected(request)).result);
  });
});
