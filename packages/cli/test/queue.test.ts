/** `ght runs` and `ght worker` on servers and addresses that cannot be used, or that hold what others have written. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

const hasRedis = spawnSync('redis-cli', ['--version']).status === 0;

describe.skipIf(!hasRedis)('a server that holds junk (needs redis-server and redis-cli)', () => {
  let port = 0;
  let server: ReturnType<typeof spawn>;
  const redis = (...args: string[]) => spawnSync('redis-cli', ['-p', `${port}`, ...args], { encoding: 'utf8' });

  beforeAll(async () => {
    port = await freePort();
    await mkdir(path('redis'));
    const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', path('redis'), '--save', ''];
    server = spawn('redis-server', settings, { stdio: 'ignore' });
    await vi.waitUntil(() => redis('ping').stdout.trim() === 'PONG', { timeout: 30_000 });
  });
  afterAll(() => {
    server.kill('SIGKILL');
  });

  it('is shown without escape codes, and each piece of junk in one line', async () => {
    const ESCAPE = '\u001b[2J\u001b]0;owned\u0007';
    redis('sadd', 'ght:runs', '0123456789abcdef', 'text', `${ESCAPE}evil`);
    redis('set', 'ght:run:text', 'x');
    const fields = ['plan', `toy${ESCAPE}`, 'state', 'failed', 'attempt', '0123456789ab', 'started', `2024${ESCAPE}`];
    redis('hset', 'ght:run:0123456789abcdef', ...fields);
    const failure = { pass: 'sum', tile: 3, worker: 'one', reason: `no${ESCAPE} luck\nat all`, at: 'now' };
    redis('rpush', 'ght:run:0123456789abcdef:failures', 'null', JSON.stringify(failure));
    redis('sadd', 'ght:workers', 'nobody');
    redis('set', 'ght:workers:nobody', 'null');
    const { code, stdout, stderr } = await ght('runs', `redis://127.0.0.1:${port}/`);
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
    const cleaned = await ght('runs', `redis://127.0.0.1:${port}/`, '--clean');
    expect(cleaned).toMatchObject({ code: 0, stdout: 'removed 0123456789abcdef, text\n' });
  });

  it('that is full says so in one line', async () => {
    redis('config', 'set', 'maxmemory', '1');
    const { code, stderr } = await ght('worker', `redis://127.0.0.1:${port}/`, '--root', 'data=.');
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/ght: queue must have memory left \(OOM .*raise maxmemory of the server/);
    expect(stderr).not.toContain('internal error');
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
