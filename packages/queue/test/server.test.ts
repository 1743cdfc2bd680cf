/** Addresses and servers that cannot be used give one line with a remedy. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGhtError } from 'ght';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queueWorker, runs } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { errorOf, FINGERPRINT, Stage, task } from './stage.js';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stage.end();
});

const isOneLine = (error: Error) => !error.message.includes('\n') && error.message.length < 600;

describe('an address', () => {
  it.each(['redis://ght:50%secret@127.0.0.1/', 'redis://%zz@127.0.0.1/', 'redis://ght:%E0%A4%A@127.0.0.1/'])(
    'with broken percent-encoding is refused without showing the password: %s',
    async (url) => {
      const options = { tasks: [], roots: { data: stage.root }, fingerprint: FINGERPRINT };
      for (const error of [await errorOf(runs(url)), await errorOf(queueWorker(url, options))]) {
        expect(isGhtError(error, 'option')).toBe(true);
        expect(error.message).toMatch(/^address of the queue must have a (user|password) in which % is written as %25/);
        expect(error.message).not.toMatch(/secret|E0%A4/);
        expect(isOneLine(error)).toBe(true);
      }
    },
  );

  it('needs the certificate that the environment names', async () => {
    const missing = join(stage.folder, 'missing.pem');
    vi.stubEnv('GHT_REDIS_CA', missing);
    const absent = await errorOf(runs('rediss://127.0.0.1:1/'));
    expect(isGhtError(absent, 'input')).toBe(true);
    expect(absent.message).toBe(
      `GHT_REDIS_CA must name a file that can be read (ENOENT), but got "${missing}": correct the path, or unset it`,
    );
    writeFileSync(missing, 'no certificate');
    const wrong = await errorOf(runs('rediss://127.0.0.1:1/'));
    expect(isGhtError(wrong, 'input')).toBe(true);
    expect(wrong.message).toContain('GHT_REDIS_CA must name a certificate as PEM text');
    writeFileSync(missing, '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n');
    const broken = await errorOf(runs('rediss://127.0.0.1:1/'));
    expect(isGhtError(broken)).toBe(true);
    expect(isOneLine(broken)).toBe(true);
  });
});

describe.skipIf(!hasRedis)(`a full server ${NEEDS}`, () => {
  it('ends a run and refuses a worker with the remedy', async () => {
    await stage.start();
    await stage.server.fill();
    const request = stage.request(2);
    const error = await errorOf(stage.runner().run(task, request));
    expect(isGhtError(error, 'resource')).toBe(true);
    expect(error.message).toMatch(
      /^queue must have memory left \(OOM command not allowed.*raise maxmemory of the server/,
    );
    expect(isOneLine(error)).toBe(true);
    const options = { tasks: [], roots: { data: stage.root }, fingerprint: FINGERPRINT };
    expect(isGhtError(await errorOf(queueWorker(stage.server.url, options)), 'resource')).toBe(true);
    expect(await runs(stage.server.url)).toEqual([]);
  });
});

describe.skipIf(!hasRedis)(`a server without permission ${NEEDS}`, () => {
  it('names the access list', async () => {
    const user = ['--user', 'ght', 'on', '>secret', '~ght:*', '&*', '+@read', '+info', '+ping'];
    await stage.start((port) => ['--port', String(port), '--requirepass', 'owner', ...user], { password: 'owner' });
    const error = await errorOf(stage.runner({ user: 'ght', password: 'secret' }).run(task, stage.request(1)));
    expect(isGhtError(error, 'environment')).toBe(true);
    expect(error.message).toMatch(/^queue must allow the commands and keys of the queue \(NOPERM/);
  });
});
