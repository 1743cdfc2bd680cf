/** A real server for tests, on a free port and with a folder of its own; skipped by name where there is no redis-server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';

/** Whether there is a server to test with. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** The end of the names of tests that need it. */
export const NEEDS = '(needs redis-server in PATH)';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Thrown if the server has ended by itself. */
class Ended extends Error {}

export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** A connection that sees all keys. */
  readonly redis: Redis;
  /** Ends it as a power failure would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Fills its memory, whose limit is then reached. */
  fill(): Promise<void>;
}

/** Starts a server. `settings` are added to its configuration; `as` says how the tests connect, for a server with passwords. */
export async function startRedis(
  folder: string,
  settings: (port: number) => readonly string[] = (port) => ['--port', String(port), '--appendonly', 'yes'],
  as: RedisOptions = {},
): Promise<TestServer> {
  let port = await freePort();
  const args = () => {
    const fixed = { bind: '127.0.0.1', dir: folder, save: '', 'maxmemory-policy': 'noeviction' };
    return [...Object.entries(fixed).flatMap(([name, value]) => [`--${name}`, value]), ...settings(port)];
  };
  let server: ChildProcess;
  const start = async () => {
    server = spawn('redis-server', args(), { stdio: 'ignore' });
    for (const end = Date.now() + 30_000; Date.now() < end; ) {
      // Another server on this port would be tested instead.
      if (server.exitCode !== null) throw new Ended(`redis-server ended with ${server.exitCode}`);
      const probe = new Redis({ port, ...as, lazyConnect: true, retryStrategy: () => null });
      probe.on('error', () => {});
      const answers = await probe.connect().then(
        () => true,
        () => false,
      );
      probe.disconnect();
      if (answers) return;
      await sleep(25);
    }
    throw new Error('redis-server does not answer');
  };
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  for (let attempt = 1; ; attempt++) {
    const error = await start().catch((reason: unknown) => reason);
    if (error === undefined) break;
    // Another process may have taken the port meanwhile.
    if (!(error instanceof Ended) || attempt === 5) throw error;
    port = await freePort();
  }
  const redis = new Redis({ port, ...as, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  const stop = async () => {
    redis.disconnect();
    await kill();
  };
  const fill = async () => {
    await redis.set('filler', 'x'.repeat(1000));
    await redis.config('SET', 'maxmemory', '1');
  };
  return { port, url: `redis://127.0.0.1:${port}/`, redis, kill, restart: start, stop, fill };
}
