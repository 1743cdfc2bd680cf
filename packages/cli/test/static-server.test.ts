import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serveFolder } from '../dist/static-server.js';
import { workplace } from './command.js';

const { path, save } = workplace();

/** Sends a request exactly as written: the address is not normalised. */
function ask(port: number, target: string, { method = 'GET', host = `127.0.0.1:${port}` } = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    send({ host: '127.0.0.1', port, path: target, method, headers: { host } }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    })
      .on('error', reject)
      .end();
  });
}

/** Sends bytes as they are; returns the answer until the server closes or breaks the connection. */
async function tell(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.write(bytes, 'latin1');
  await new Promise((resolve) => socket.on('close', resolve));
  return answer;
}

describe('the server', () => {
  let serving: Serving;
  const get = (target: string, more?: Parameters<typeof ask>[2]) => ask(serving.port, target, more);

  beforeAll(async () => {
    await mkdir(path('page/assets'), { recursive: true });
    await save('secret.txt', 'secret');
    await save('page/index.html', '<!doctype html>');
    await save('page/assets/a b.js', 'export {};');
    await save('page/.hidden', 'secret');
    await symlink(path('secret.txt'), path('page/out.txt'));
    serving = await serveFolder(path('page'), 0);
  });
  afterAll(() => serving.close());

  it('serves the files of the folder with their types, isolated and under a strict policy', async () => {
    const { status, headers, body } = await get('/');
    expect({ status, body }).toEqual({ status: 200, body: '<!doctype html>' });
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'");
    expect(headers['content-security-policy']).not.toMatch(/unsafe-inline|'unsafe-eval'|\*/);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect((await get('/assets/a%20b.js?x=1')).headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '//secret.txt',
    '/out.txt',
    '/.hidden',
    '/assets',
    '/missing',
    '/%',
    '/%00',
    'http://elsewhere/secret.txt',
  ])('answers 404 for %s', async (target) => {
    const { status, body } = await get(target);
    expect({ status, body }).toEqual({ status: 404, body: 'not found\n' });
  });

  it('answers GET and HEAD only', async () => {
    expect(await get('/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await get('/', { method })).status).toBe(405);
  });

  it('answers only to its own host name, so that no other site can reach it by DNS rebinding', async () => {
    expect((await get('/', { host: `localhost:${serving.port}` })).status).toBe(200);
    for (const host of ['evil.example', '127.0.0.1', `evil.example:${serving.port}`]) {
      expect((await get('/', { host })).status).toBe(403);
    }
  });

  describe('stays available when', () => {
    const host = () => `Host: 127.0.0.1:${serving.port}\r\n`;
    const noise = Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 73) % 256));
    /** An answer that comes before the whole request is sent may be lost with the connection. */
    const tooLong = /^(HTTP\/1.1 431 |$)/;
    const manyHeaders = Array.from({ length: 5000 }, (_, i) => `X${i}: 1\r\n`).join('');

    it.each<[string, string | Buffer | (() => string), RegExp]>([
      ['noise', noise, /^HTTP\/1.1 400 /],
      ['the greeting of TLS', Buffer.from('160301020001000001fc0303', 'hex'), /^HTTP\/1.1 400 /],
      ['the greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1.1 400 /],
      ['HTTP/3', () => `GET / HTTP/3.0\r\n${host()}\r\n`, /^HTTP\/1.1 400 /],
      ['no host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 /],
      ['HTTP/0.9', 'GET /\r\n\r\n', /^HTTP\/1.1 403 /],
      ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', /^HTTP\/1.1 403 /],
      ['a method in lower case', () => `get / HTTP/1.1\r\n${host()}\r\n`, /^HTTP\/1.1 400 /],
      ['lines that end without a carriage return', () => `GET / HTTP/1.1\n${host()}\n`, /^HTTP\/1.1 400 /],
      ['a zero in the address', () => `GET /\0 HTTP/1.1\r\n${host()}\r\n`, /^HTTP\/1.1 400 /],
      ['bytes in the address', () => `GET /\xff\xfe HTTP/1.1\r\n${host()}\r\n`, /^HTTP\/1.1 400 /],
      ['an endless address', () => `GET /${'a'.repeat(1e5)} HTTP/1.1\r\n${host()}\r\n`, tooLong],
      ['an endless header', () => `GET / HTTP/1.1\r\n${host()}X: ${'a'.repeat(1e5)}\r\n\r\n`, tooLong],
      ['a huge number of headers', () => `GET / HTTP/1.1\r\n${host()}${manyHeaders}\r\n`, tooLong],
      [
        'two lengths',
        () => `GET / HTTP/1.1\r\n${host()}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
        /^HTTP\/1.1 400 /,
      ],
      [
        'a broken chunk',
        () => `GET / HTTP/1.1\r\n${host()}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
        /^HTTP\/1.1 400 /,
      ],
      ['a CONNECT request to another host', () => `CONNECT evil:80 HTTP/1.1\r\n${host()}\r\n`, /^$/],
    ])('it receives %s', async (_, bytes, answer) => {
      expect(await tell(serving.port, typeof bytes === 'function' ? bytes() : bytes)).toMatch(answer);
      expect((await get('/')).status).toBe(200);
    });

    it.skipIf(process.platform !== 'linux')('readers leave in the middle: no file stays open', async () => {
      await save('page/large.js', Buffer.alloc(2e7));
      for (let i = 0; i < 50; i++) {
        const socket = connect(serving.port, '127.0.0.1');
        socket.write(`GET /large.js HTTP/1.1\r\n${host()}\r\n`);
        await once(socket, 'data');
        socket.destroy();
      }
      const open = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).endsWith('/page/large.js')).length;
      await expect.poll(open).toBe(0);
    });
  });
});

/** The path of an open file of this process; it may be closed by now. */
function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
