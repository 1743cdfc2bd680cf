import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serveFolder } from '../dist/serve.js';
import { ended, workplace } from './command.js';

const { ght, path, save, start } = workplace();

/** A request exactly as written: no address is tidied up on the way. */
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
  ])('gives nothing but 404 for %s', async (target) => {
    const { status, body } = await get(target);
    expect({ status, body }).toEqual({ status: 404, body: 'not found\n' });
  });

  it('answers GET and HEAD only', async () => {
    expect(await get('/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await get('/', { method })).status).toBe(405);
  });

  it('answers only to its own name, so that no other site can reach it by a trick of names', async () => {
    expect((await get('/', { host: `localhost:${serving.port}` })).status).toBe(200);
    for (const host of ['evil.example', '127.0.0.1', `evil.example:${serving.port}`]) {
      expect((await get('/', { host })).status).toBe(403);
    }
  });
});

describe('ght studio', () => {
  it('prints where it is and how to stop it, serves the page, and ends with a clean line', async () => {
    const child = start('studio', '--port', '0');
    const end = ended(child);
    const [first] = await once(child.stdout, 'data');
    const port = Number(
      /^The studio is at http:\/\/127\.0\.0\.1:(\d+)\/\nCtrl-C stops it\.\n$/.exec(String(first))?.[1],
    );
    expect((await ask(port, '/')).body).toContain('<title>GHT studio</title>');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await end;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/The studio is closed\.\n$/);
  });

  it('says in one line that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await ght('studio', '--port', String(port));
    other.close();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `ght: --port must be a port that no other program uses, but got ${port}: ` +
        'choose another, or leave it out to get a free one\n',
    );
  });

  it.each(['70000', '-1', '1.5', 'http'])('refuses --port %s', async (port) => {
    const { code, stderr } = await ght('studio', `--port=${port}`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^ght: --port must be [^\n]+\n$/);
  });
});
