import { execFileSync } from 'node:child_process';
import { appendFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusing } from 'ght-images/node';
import { afterAll, describe, expect, it } from 'vitest';
import { openFileBytes } from '../../dist/stores/file-bytes.js';
import { openHttpBytes } from '../../dist/stores/http-bytes.js';
import { messageOf, temporaryFolder } from './fixtures.js';

const path = temporaryFolder();
const CHANGED = /^file must not change while it is read, but got ".*": start again when/;

/** Bytes that do not repeat with the blocks of a cache. */
const content = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => (i * 40503 + (i >> 8)) % 251));

describe('the bytes of a file', () => {
  const opened = async (name: string, bytes: Uint8Array = content) => {
    await writeFile(path(name), bytes);
    return openFileBytes(path(name), refusing(path(name), 'file'));
  };

  it('are exactly those of the range', async () => {
    const source = await opened('whole.bin');
    expect(source.size).toBe(content.length);
    for (const [offset, length] of [
      [0, 16],
      [65_530, 12],
      [299_999, 1],
      [300_000, 0],
      [0, 300_000],
    ]) {
      expect(Buffer.from(await source.read(offset, length)).equals(content.subarray(offset, offset + length))).toBe(
        true,
      );
    }
    await source.close();
  });

  it.each([
    [299_999, 2],
    [300_001, 0],
    [-1, 4],
    [0, 2 ** 50],
    [Number.NaN, 1],
    [0.5, 1],
  ])('are refused outside the file: %d, %d', async (offset, length) => {
    const source = await opened('short.bin');
    const message = await messageOf(() => source.read(offset, length));
    expect(message).toMatch(/^file must hold .* bytes from byte .* on, but has only 300000 bytes/);
    await source.close();
  });

  it.each([
    ['longer', (file: string) => appendFile(file, 'x')],
    ['shorter', (file: string) => writeFile(file, content.subarray(0, 10))],
    ['written in place', (file: string) => writeFile(file, Buffer.from(content).reverse())],
    ['touched', (file: string) => utimes(file, 1e9, 1e9)],
    [
      'replaced',
      async (file: string) => {
        await writeFile(`${file}.new`, content);
        await rename(`${file}.new`, file);
      },
    ],
  ])('are refused once the file is %s', async (_, change) => {
    const source = await opened('changing.bin');
    await source.read(0, 16);
    await change(path('changing.bin'));
    expect(await messageOf(() => source.read(0, 16))).toMatch(CHANGED);
    await source.close();
  });

  it('are those of the opened file after it is removed', async () => {
    const source = await opened('removed.bin');
    await rm(path('removed.bin'));
    expect(Buffer.from(await source.read(5, 5))).toEqual(content.subarray(5, 10));
    await source.close();
  });

  it('are not read from folders', async () => {
    const message = await messageOf(() => openFileBytes(path('.'), refusing('folder', 'file')));
    expect(message).toBe(
      'file must be an ordinary file, not a folder, a pipe or a device, but got "folder": give a file',
    );
  });

  it.skipIf(process.platform === 'win32')('are not read from a FIFO or a device', async () => {
    execFileSync('mkfifo', [path('fifo')]);
    for (const name of [path('fifo'), '/dev/zero']) {
      const message = await messageOf(() => openFileBytes(name, refusing(name, 'file')));
      expect(message).toContain('must be an ordinary file');
    }
  });
});

describe('the bytes at an address', () => {
  type Handler = (request: IncomingMessage, response: ServerResponse) => void;
  let handle: Handler = () => {};
  let requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers.range ?? 'all');
    handle(request, response);
  });
  const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const opened = async (handler: Handler, options = {}) => {
    await listening;
    handle = handler;
    requests = [];
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.tif`;
    return openHttpBytes(url, { http: true, ...options });
  };

  /** A server of ranges, with headers that a test may replace. */
  const ranges =
    (bytes: Buffer = content, headers: Record<string, string> = { ETag: '"one"' }): Handler =>
    (request, response) => {
      const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      if (Number(first) >= bytes.length) {
        response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end();
        return;
      }
      const part = bytes.subarray(Number(first), Number(last) + 1);
      const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
      response.writeHead(206, { 'Content-Range': range, ...headers }).end(part);
    };

  it('are exactly those of the range, whatever is in the cache', async () => {
    const source = await opened(ranges());
    expect(source.size).toBe(content.length);
    for (const [offset, length] of [
      [0, 16],
      [65_530, 12],
      [131_000, 131_000],
      [10, 290_000],
      [299_999, 1],
      [300_000, 0],
    ]) {
      const bytes = Buffer.from(await source.read(offset, length));
      expect(bytes.equals(content.subarray(offset, offset + length)), `${offset}, ${length}`).toBe(true);
    }
    await source.close();
  });

  it('are requested in blocks, each once', async () => {
    const source = await opened(ranges());
    for (let offset = 70_000; offset < 71_000; offset += 8) await source.read(offset, 8);
    expect(requests).toEqual(['bytes=0-65535', 'bytes=65536-131071']);
    await source.close();
  });

  it('are requested without their neighbours where they are long', async () => {
    const long = Buffer.alloc(2 ** 21, 'long');
    const source = await opened(ranges(long));
    expect(Buffer.from(await source.read(1001, 2 ** 20)).equals(long.subarray(1001, 1001 + 2 ** 20))).toBe(true);
    expect(requests.at(-1)).toBe(`bytes=1001-${1000 + 2 ** 20}`);
    await source.close();
  });

  it.each([
    ['another ETag', ranges(content, { ETag: '"two"' })],
    ['another time', ranges(content, { ETag: '"one"', 'Last-Modified': 'Mon, 01 Jan 2024 00:00:00 GMT' })],
    ['no ETag any more', ranges(content, {})],
    ['another length', ranges(content.subarray(1))],
    ['nothing at this place any more', ranges(content.subarray(0, 1000))],
    ['the whole of another content', ((_, response) => response.end('new')) as Handler],
  ])('are refused once the server has %s', async (_, then) => {
    const source = await opened(ranges());
    handle = then;
    expect(await messageOf(() => source.read(200_000, 16))).toMatch(CHANGED);
    await source.close();
  });

  const answering = (status: number, headers: Record<string, string>, body: string): Handler => {
    return (_, response) => response.writeHead(status, headers).end(body);
  };

  it.each([
    ['no ranges', answering(200, {}, 'all of it'), /must be on a server that answers with ranges/],
    ['an unknown length', answering(206, { 'Content-Range': 'bytes 0-3/*' }, 'abcd'), /that answers with ranges/],
    ['another range', answering(206, { 'Content-Range': 'bytes 4-7/8' }, 'abcd'), /not 4 bytes from byte 4 on/],
    ['fewer bytes', answering(206, { 'Content-Range': 'bytes 0-7/8' }, 'abcd'), /not 4 bytes from byte 0 on/],
    ['nothing', answering(404, {}, 'none'), /must be reachable \(HTTP 404\)/],
    [
      'a compressed range',
      answering(206, { 'Content-Range': 'bytes 0-3/4', 'Content-Encoding': 'br' }, 'abcd'),
      /does not compress what it sends \(br\)/,
    ],
  ])('are refused from a server that sends %s', async (_, handler, expected) => {
    expect(await messageOf(() => opened(handler))).toMatch(expected);
  });

  it('are cut off and refused where a body goes on without end', async () => {
    let sent = 0;
    const endless: Handler = (_, response) => {
      response.writeHead(206, { 'Content-Range': 'bytes 0-65535/99999999' });
      const block = Buffer.alloc(2 ** 16);
      const more = () => {
        while (!response.destroyed && response.write(block)) sent += block.length;
      };
      response.on('drain', more);
      more();
    };
    expect(await messageOf(() => opened(endless))).toMatch(/that sends at most the 65536 bytes that are expected/);
    expect(sent).toBeLessThan(2 ** 24);
  });

  it.each([
    ['never answers', (() => {}) as Handler],
    [
      'stops in the middle',
      ((_, response) => {
        response.writeHead(206, { 'Content-Range': 'bytes 0-65535/99999999' });
        response.write('some');
      }) as Handler,
    ],
  ])('are refused where a server %s', async (_, handler) => {
    const message = await messageOf(() => opened(handler, { timeout: 50 }));
    expect(message).toMatch(/^file must be on a server that answers, which this one has not done for 0\.05 s/);
  });

  it('end with the reason of an abort, also one by close', async () => {
    const source = await opened(ranges());
    handle = () => {};
    const abort = new AbortController();
    const read = messageOf(() => source.read(200_000, 16, abort.signal));
    abort.abort(new Error('enough'));
    expect(await read).toBe('enough');
    const other = messageOf(() => source.read(200_000, 16));
    await source.close();
    expect(await other).toMatch(/aborted/);
    expect(await messageOf(() => source.read(0, 16))).toMatch(/aborted/);
  });

  it('are refused before anything is requested where http is not allowed, or the timeout is no time', async () => {
    expect(await messageOf(() => openHttpBytes('http://127.0.0.1/a.tif', {}))).toMatch(/must be a local file/);
    expect(await messageOf(() => opened(ranges(), { timeout: 0 }))).toMatch(/^timeout must be a number of millise/);
  });
});
