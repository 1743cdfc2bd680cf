import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from '../dist/main.js';
import { operations } from '../dist/service/operations.js';
import { type Service, startService } from '../dist/service/server.js';

const limits = { concurrency: 1, waiting: 2, timeoutMs: 60_000, mostBytes: 1e5, mostPixels: 5000 };
const common = { host: '127.0.0.1', port: 0, commands: programOf().commands, version: '1.2.3', ...limits };
const TOKEN = 'a-token-of-some-length';

/** Grey noise, as a PNG. */
function noisy(width = 24, height = 16): Promise<Buffer> {
  const data = Uint8Array.from({ length: width * height }, (_, i) => 100 + ((i * 2654435761) % 61));
  return sharp(data, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

/** A mask of a few pixels. */
function scratched(): Promise<Buffer> {
  const data = Uint8Array.from({ length: 24 * 16 }, (_, i) => (i % 100 === 0 ? 255 : 0));
  return sharp(data, { raw: { width: 24, height: 16, channels: 1 } })
    .png()
    .toBuffer();
}

/** The answer to a request whose header is sent in two parts; the server is stopped once it may have read the first. */
async function answerWhileStopping(milliseconds: number): Promise<string> {
  const service = await startService(common);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  await new Promise((resolve) => socket.write(`GET /health HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`, resolve));
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const closed = service.close();
  socket.write('Connection: close\r\n\r\n');
  await once(socket, 'close');
  await closed;
  return text;
}

const foldersLeft = () => readdirSync(tmpdir()).filter((name) => name.startsWith('ght-serve-'));

describe('the service', () => {
  let service: Service;
  let png: Buffer;
  const post = (target: string, body: BodyInit = new Uint8Array(png), headers: Record<string, string> = {}) =>
    fetch(service.url + target, { method: 'POST', body, headers });
  const refusal = async (reply: Response) => ({ status: reply.status, ...(await reply.json()) });

  beforeAll(async () => {
    [service, png] = [await startService(common), await noisy()];
  });
  afterAll(() => service.close());

  it('returns the denoised image with its report', async () => {
    const before = foldersLeft();
    const reply = await post('denoise?quality=fast&sigma=15');
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png']);
    const { width, height, format } = await sharp(await reply.arrayBuffer()).metadata();
    expect({ width, height, format }).toEqual({ width: 24, height: 16, format: 'png' });
    expect(JSON.parse(reply.headers.get('ght-report') ?? '')).toMatchObject({ task: 'denoise', quality: 'fast' });
    expect(foldersLeft()).toEqual(before);
  });

  it('takes a form, and returns the format and the report that Accept asks for', async () => {
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(png)]));
    form.set('mask', new Blob([new Uint8Array(await scratched())]));
    form.set('quality', 'fast');
    const tiff = await post('inpaint', form, { Accept: 'image/tiff' });
    expect([tiff.status, tiff.headers.get('content-type')]).toEqual([200, 'image/tiff']);
    const json = await post('diagnose', undefined, { Accept: 'application/json' });
    expect(await json.json()).toMatchObject({ task: 'diagnose', image: { width: 24, height: 16 } });
  });

  it('answers errors with one line, and the status for its kind', async () => {
    expect(await refusal(await post('denoise?strength=-1'))).toMatchObject({
      ...{ status: 400, kind: 'option' },
      error: '--strength must be a finite number above 0, but got -1: use 1, or 1.4 for a smoother picture',
    });
    expect(await refusal(await post('denoise?qualty=fast'))).toMatchObject({ status: 400, kind: 'option' });
    expect(await refusal(await post('deblur'))).toMatchObject({ status: 400 });
    expect(await refusal(await post('denoise?quality=fast&quality=best'))).toMatchObject({ status: 400 });
    expect(await refusal(await post('denoise', 'no image'))).toMatchObject({ status: 422, kind: 'input' });
    expect(await refusal(await post('denoise?format=png', new Uint8Array(png.subarray(0, 60))))).toMatchObject({
      status: 422,
      error: expect.not.stringContaining(tmpdir()),
    });
    expect(await refusal(await post('denoise', new Uint8Array(await noisy(100, 51))))).toMatchObject({
      ...{ status: 413, kind: 'resource' },
      error: 'IMAGE must have at most 5000 pixels, but got "100×51": send a smaller image',
    });
    expect(await refusal(await post('upscale?factor=4'))).toMatchObject({ status: 413 });
    expect(await refusal(await post('denoise', new Uint8Array(1e5 + 1)))).toMatchObject({ status: 413 });
    expect(await refusal(await fetch(`${service.url}denoise`))).toMatchObject({ status: 405 });
    expect(await refusal(await fetch(`${service.url}etc/passwd`))).toMatchObject({ status: 404, kind: 'request' });
  });

  it('opens no file that a request names', async () => {
    for (const query of [
      'noise-model=/etc/passwd',
      'reference=a.png',
      'output=x.png',
      'workers=redis://h',
      'tile=64',
    ]) {
      expect(await refusal(await post(`denoise?${query}`)), query).toMatchObject({ status: 400, kind: 'option' });
    }
    expect(await refusal(await post('represent?dictionary=D.npy'))).toMatchObject({ status: 400 });
    expect(await refusal(await post('deblur?kernel=kernel.npy'))).toMatchObject({ status: 400 });
  });

  it('sends the progress of a job to those who know its name', async () => {
    const events = await fetch(`${service.url}jobs/mine/events`);
    const reply = await post('denoise?job=mine&quality=fast');
    expect(reply.headers.get('ght-job')).toBe('mine');
    const text = await events.text();
    expect(text).toMatch(/event: waiting\ndata: \{\}\n\nevent: running\n/);
    expect(text).toMatch(/event: done\ndata: \{"status":200\}\n\n$/);
    expect(await refusal(await post('denoise?job=a/b'))).toMatchObject({ status: 400 });
  });

  it('refuses a second job of the same name, and leaves the progress of the first alone', async () => {
    const events = await fetch(`${service.url}jobs/twice/events`);
    const replies = await Promise.all([1, 2].map(() => post('denoise?job=twice&quality=best')));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const text = await events.text();
    expect(text).not.toContain('event: failed');
    expect(text).toMatch(/event: done\ndata: \{"status":200\}\n\n$/);
  });

  it('refuses pages of other sites, and names that resolve to this machine', async () => {
    expect((await post('denoise', undefined, { Origin: 'https://example.org' })).status).toBe(403);
    const { port } = new URL(service.url);
    const status = await new Promise((resolve) => {
      send({ host: '127.0.0.1', port, path: '/metrics', headers: { host: 'rebound.example' } }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      }).end();
    });
    expect(status).toBe(403);
  });

  it('counts what it does, in the text format of Prometheus', async () => {
    const text = await (await fetch(`${service.url}metrics`)).text();
    expect(text).toMatch(/^ght_requests_total\{operation="denoise",status="200"\} [1-9]/m);
    expect(text).toMatch(/^ght_request_seconds_bucket\{operation="denoise",le="\+Inf"\} [1-9]/m);
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.+\})? [-+.\de]+)$/);
  });

  it('describes itself: every path is a route, and every option a flag of its command', async () => {
    const { openapi, paths } = await (await fetch(`${service.url}openapi.json`)).json();
    expect(openapi).toBe('3.1.0');
    const described = Object.keys(paths).filter((path) => path !== '/jobs/{job}/events');
    expect(described.sort()).toEqual(
      [...Object.keys(operations).map((name) => `/${name}`), '/health', '/metrics', '/openapi.json'].sort(),
    );
    for (const path of described) {
      const [method] = Object.keys(paths[path]);
      const other = method === 'post' ? 'GET' : 'POST';
      expect((await fetch(service.url + path.slice(1), { method: other })).status, path).toBe(405);
    }
    for (const [name, { options, files }] of Object.entries(operations)) {
      const command = programOf().commands.find((each) => each.name() === name);
      const flags = new Map(command?.options.map((option) => [option.long, option]));
      for (const field of [...options, ...files]) expect(flags.has(`--${field}`), `${name} --${field}`).toBe(true);
      // A plain value is never the name of a file.
      for (const field of options) expect(flags.get(`--${field}`)?.flags).not.toMatch(/file|image|folder|url/);
      const names = paths[`/${name}`].post.parameters.map((parameter: { name: string }) => parameter.name);
      expect(names).toEqual(expect.arrayContaining([...options, 'job']));
    }
  });
});

describe('a service with a token', () => {
  it('answers only those who know it, except whether it is there', async () => {
    const service = await startService({ ...common, token: TOKEN });
    const status = async (target: string, token?: string) =>
      (await fetch(service.url + target, { headers: token ? { Authorization: `Bearer ${token}` } : {} })).status;
    expect(await status('metrics')).toBe(401);
    expect(await status('metrics', `${TOKEN}x`)).toBe(401);
    expect(await status('metrics', TOKEN)).toBe(200);
    expect(await status('health')).toBe(200);
    const reply = await fetch(`${service.url}denoise`, { method: 'POST', body: 'x' });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    await service.close();
  });
});

describe('a service that stops', () => {
  it('answers new requests with 503 and when to try again', async () => {
    let answer = '';
    // A connection that the server has not read anything of is closed without an answer.
    for (let wait = 25; answer === '' && wait < 5000; wait *= 4) answer = await answerWhileStopping(wait);
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n.*"the server stops: try again later"/s);
  });
});
