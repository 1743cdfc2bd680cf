/** The service under load, and how its work ends: by the client, by the clock, by a signal. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { programOf } from '../dist/main.js';
import { type Service, startService } from '../dist/service/server.js';
import { ended, workplace } from './command.js';

const { ght, read, save, start } = workplace();
const limits = { concurrency: 2, waiting: 64, timeoutMs: 300_000, mostBytes: 1e8, mostPixels: 1e7 };
const common = { host: '127.0.0.1', port: 0, commands: programOf().commands, version: '1.2.3', ...limits };

/** Noise in colour, as a PNG. */
function noisy(side: number): Promise<Buffer> {
  const data = Uint8Array.from({ length: 3 * side * side }, (_, i) => 100 + ((i * 2654435761) % 61));
  return sharp(data, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
}

describe('the service', () => {
  let service: Service | undefined;
  const serve = async (more: Partial<typeof common> = {}) => {
    service = await startService({ ...common, ...more });
    return service.url;
  };
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });
  const post = (url: string, body: Buffer, signal?: AbortSignal) =>
    fetch(url, { method: 'POST', body: new Uint8Array(body), signal });
  const health = async (url: string) => (await fetch(`${url}health`)).json();
  const until = async (url: string, running: number) => {
    while ((await health(url)).running !== running) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  it('has the bytes of the command in 16 answers at once, and answers others meanwhile', async () => {
    const png = await noisy(96);
    await save('noisy.png', png);
    const { code } = await ght('denoise', 'noisy.png', '-o', 'clean.png');
    expect(code).toBe(0);
    const clean = await read('clean.png');
    const url = await serve();
    const replies = Array.from({ length: 16 }, async () => (await post(`${url}denoise`, png)).arrayBuffer());
    let most = 0;
    let all: ArrayBuffer[] | undefined;
    const answered = Promise.all(replies).then((buffers) => {
      all = buffers;
    });
    while (!all) most = Math.max(most, (await health(url)).waiting);
    await answered;
    expect(most).toBeGreaterThan(4);
    for (const bytes of all) expect(Buffer.from(bytes).equals(clean)).toBe(true);
  });

  it('refuses more than may wait, with the time to try again', async () => {
    const url = await serve({ concurrency: 1, waiting: 1 });
    const client = new AbortController();
    const png = await noisy(512);
    const first = post(`${url}denoise?quality=best`, png, client.signal).catch(() => 'left');
    await until(url, 1);
    const second = post(`${url}denoise?quality=best`, png, client.signal).catch(() => 'left');
    while ((await health(url)).waiting !== 1) await new Promise((resolve) => setTimeout(resolve, 20));
    const third = await post(`${url}denoise`, png);
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '5']);
    client.abort();
    expect(await Promise.all([first, second])).toEqual(['left', 'left']);
    // Both are given up, the one that ran and the one that waited.
    await until(url, 0);
    expect(await health(url)).toMatchObject({ running: 0, waiting: 0 });
    expect(await (await fetch(`${url}metrics`)).text()).toContain('status="499"} 2');
    expect((await post(`${url}denoise?quality=fast`, await noisy(32))).status).toBe(200);
  });

  it('ends work that takes too long, and goes on with the next', async () => {
    const url = await serve({ timeoutMs: 400 });
    const reply = await post(`${url}denoise?quality=best`, await noisy(512));
    expect(reply.status).toBe(504);
    expect((await reply.json()).error).toContain('within 0.4 seconds');
    await until(url, 0);
  });

  it('answers what runs after SIGTERM, and ends with 0', async () => {
    const child = start('serve', '--port', '0');
    const [line] = await once(createInterface(child.stdout), 'line');
    const url = /http:\S+/.exec(line)?.[0] ?? '';
    const reply = post(`${url}denoise`, await noisy(128));
    await until(url, 1);
    child.kill('SIGTERM');
    const { status } = await reply;
    const { code } = await ended(child);
    expect({ status, code }).toEqual({ status: 200, code: 0 });
    await expect(fetch(`${url}health`)).rejects.toThrow();
  });

  it('listens on other addresses with a token only', async () => {
    const { code, stderr } = await ght('serve', '--host', '0.0.0.0');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^ght: --host must be this machine if there is no token, but got "0\.0\.0\.0": .*\n$/,
      ),
    });
  });
});
