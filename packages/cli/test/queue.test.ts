/** `ght runs` and `ght worker` on servers and addresses that cannot be used, or that hold what others have written. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, NEEDS, startRedis, type TestServer } from '../../queue/test/redis.js';
import { ended, workplace } from './command.js';

const { path, ght } = workplace();
const binary = fileURLToPath(new URL('../bin/ght.js', import.meta.url));

describe('an address', () => {
  it('with broken percent-encoding is refused in one line', async () => {
    const { code, stderr } = await ght('runs', 'redis://ght:50%secret@127.0.0.1/');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^ght: address of the queue must have a password in which % is written as %25.*\n$/);
    expect(stderr).not.toContain('secret@');
  });

  it('needs the certificate that the environment names', async () => {
    const command = spawn(process.execPath, [binary, 'runs', 'rediss://127.0.0.1:1/'], {
      env: { ...process.env, GHT_REDIS_CA: path('missing.pem') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { code, stderr } = await ended(command);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^ght: GHT_REDIS_CA must name a file that can be read \(ENOENT\).*\n$/);
  });
});

describe.skipIf(!hasRedis)(`a server that holds junk ${NEEDS}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    await mkdir(path('redis'));
    server = await startRedis(path('redis'), (port) => ['--port', `${port}`]);
  });
  afterAll(() => server.stop());

  it('is shown without escape codes, and each piece of junk in one line', async () => {
    const ESCAPE = '\u001b[2J\u001b]0;owned\u0007';
    const { redis, url } = server;
    await redis.sadd('ght:runs', '0123456789abcdef', 'text', `${ESCAPE}evil`);
    await redis.set('ght:run:text', 'x');
    const fields = ['plan', `toy${ESCAPE}`, 'state', 'failed', 'attempt', '0123456789ab', 'started', `2024${ESCAPE}`];
    await redis.hset('ght:run:0123456789abcdef', ...fields);
    const failure = { pass: 'sum', tile: 3, worker: 'one', reason: `no${ESCAPE} luck\nat all`, at: 'now' };
    await redis.rpush('ght:run:0123456789abcdef:failures', 'null', JSON.stringify(failure));
    await redis.sadd('ght:workers', 'nobody');
    await redis.set('ght:workers:nobody', 'null');
    const { code, stdout, stderr } = await ght('runs', url);
    expect(code).toBe(0);
    expect(stdout).toMatch(/0123456789abcdef +toy +failed/);
    expect(stdout).toContain('0123456789abcdef: tile 3 of sum failed at one: no luck at all\n');
    expect(stdout).toContain('0 workers');
    expect(stderr.trimEnd().split('\n').sort()).toEqual([
      expect.stringMatching(/^ght: ght:runs holds what is no run: "evil"$/),
      expect.stringMatching(/^ght: ght:workers in Redis holds "nobody", which is no entry of a process: remove it$/),
      expect.stringMatching(/^ght: run text is left out, because its record cannot be read: WRONGTYPE/),
    ]);
    expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    const cleaned = await ght('runs', url, '--clean');
    expect(cleaned).toMatchObject({ code: 0, stdout: 'removed 0123456789abcdef, text\n' });
  });

  it('that is full says so in one line', async () => {
    await server.fill();
    const { code, stderr } = await ght('worker', server.url, '--root', 'data=.');
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/ght: queue must have memory left \(OOM .*raise maxmemory of the server/);
    expect(stderr).not.toContain('internal error');
  });
});
