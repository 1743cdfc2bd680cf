import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { denoiseLarge, memorySink, openSource, type SourceOptions, zarrSink, zarrSource } from 'ght-tiles';
import { afterAll, describe, expect, it } from 'vitest';
import { readZarrMatrix } from '../zarr/matrix.js';
import { expectWindows, messageOf, numbers, sampled, temporaryFolder, writeAll } from './fixtures.js';

const path = temporaryFolder();
const CHANGED = /^file must not change while it is read, but got ".*": start again when/;

const document = (more: object = {}) => ({
  ...{ zarr_format: 3, node_type: 'array', shape: [4, 8], data_type: 'uint8', fill_value: 7, attributes: {} },
  chunk_grid: { name: 'regular', configuration: { chunk_shape: [4, 4] } },
  chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
  codecs: [{ name: 'bytes' }],
  ...more,
});

/** A Zarr of two chunks. */
async function store(name: string, more: object = {}): Promise<string> {
  const folder = path(name);
  const files: Record<string, Uint8Array | string> = {
    ...{ 'zarr.json': JSON.stringify(document(more)), 'c/0/0': new Uint8Array(16).fill(1) },
    'c/0/1': new Uint8Array(16).fill(2),
  };
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  }
  return folder;
}

const all = { left: 0, top: 0, width: 8, height: 4 };
const readAll = async (name: string, options?: SourceOptions) => (await openSource(name, options)).read(all);

describe.skipIf(process.platform === 'win32')('what is no ordinary file in a Zarr is refused at once', () => {
  it.each(['c/0/1', 'zarr.json'])('a pipe as %s', async (file) => {
    const folder = await store(`pipe-${file.length}.zarr`);
    await rm(join(folder, file));
    execFileSync('mkfifo', [join(folder, file)]);
    const message = await messageOf(() => readAll(folder));
    expect(message).toMatch(/^file must have sound files, which .* is not: it must be an ordinary file, not a folder/);
    expect(message).toContain(file);
  });

  it.each(['c/0/1', 'zarr.json'])('a device as %s', async (file) => {
    const folder = await store(`device-${file.length}.zarr`);
    await rm(join(folder, file));
    await symlink('/dev/zero', join(folder, file));
    expect(await messageOf(() => readAll(folder))).toMatch('must be an ordinary file');
  });

  it.each(['c/0/1', 'zarr.json'])('a folder as %s', async (file) => {
    const folder = await store(`folder-${file.length}.zarr`);
    await rm(join(folder, file));
    await mkdir(join(folder, file));
    expect(await messageOf(() => readAll(folder))).toMatch('must be an ordinary file');
  });

  it('a file in place of the folder of chunks, which is not the same as chunks that are missing', async () => {
    const folder = await store('no-folder.zarr');
    await rm(join(folder, 'c/0'), { recursive: true });
    await writeFile(join(folder, 'c/0'), '');
    expect(await messageOf(() => readAll(folder))).toMatch('must be readable (ENOTDIR)');
  });

  it('a pipe where a run goes on', async () => {
    const picture = sampled(40, 30);
    const folder = path('resume-pipe.zarr');
    const sink = await zarrSink(folder, { run: '1', picture: picture.picture, chunk: 32 });
    await writeAll(sink, picture);
    await rm(join(folder, '0/c/0/0/0'));
    execFileSync('mkfifo', [join(folder, '0/c/0/0/0')]);
    expect(await sink.has({ left: 0, top: 0, width: 32, height: 30 })).toBe(false);
    await rm(join(folder, 'zarr.json'));
    execFileSync('mkfifo', [join(folder, 'zarr.json')]);
    expect(await messageOf(() => sink.finish())).toMatch('must be an ordinary file');
  });
});

describe('a Zarr that changes while it is read is refused', () => {
  const replace = async (file: string, content: Uint8Array | string) => {
    await writeFile(`${file}.new`, content);
    await rename(`${file}.new`, file);
  };
  it.each([
    ['a chunk is replaced', (folder: string) => replace(join(folder, 'c/0/0'), new Uint8Array(16).fill(9))],
    ['a chunk is written in place', (folder: string) => writeFile(join(folder, 'c/0/0'), new Uint8Array(16))],
    ['a chunk is touched', (folder: string) => utimes(join(folder, 'c/0/0'), 1e9, 1e9)],
    ['a chunk is removed', (folder: string) => rm(join(folder, 'c/0/0'))],
    ['the document is replaced', (folder: string) => replace(join(folder, 'zarr.json'), JSON.stringify(document()))],
    ['the document is removed', (folder: string) => rm(join(folder, 'zarr.json'))],
  ])('once %s', async (what, change) => {
    const folder = await store(`${what}.zarr`);
    const source = await zarrSource(folder);
    await source.read(all);
    await change(folder);
    expect(await messageOf(() => source.read(all))).toMatch(CHANGED);
  });

  it('once a chunk appears that was missing', async () => {
    const folder = await store('appears.zarr');
    await rm(join(folder, 'c/0/1'));
    const source = await zarrSource(folder);
    expect(numbers(await source.read({ left: 4, top: 0, width: 2, height: 1 }))).toEqual([[7, 7]]);
    await writeFile(join(folder, 'c/0/1'), new Uint8Array(16));
    expect(await messageOf(() => source.read(all))).toMatch(CHANGED);
  });
});

describe('a Zarr that unpacks to more than it should', () => {
  it.each(['gzip', 'numcodecs.zlib'])('is refused without unpacking it: %s', async (name) => {
    const folder = await store(`bomb-${name}.zarr`, { codecs: [{ name: 'bytes' }, { name, configuration: {} }] });
    const { deflateSync } = await import('node:zlib');
    await writeFile(join(folder, 'c/0/0'), (name === 'gzip' ? gzipSync : deflateSync)(Buffer.alloc(2 ** 25)));
    expect(await messageOf(() => readAll(folder))).toMatch(
      /^file must be an intact ZARR file \(chunk 0\/0: it unpacks to more than 16 bytes\)/,
    );
  });

  it('is refused if a chunk is longer than any coding of it', async () => {
    const folder = await store('long.zarr', { codecs: [{ name: 'bytes' }, { name: 'gzip' }] });
    await truncate(join(folder, 'c/0/0'), 2 ** 40);
    expect(await messageOf(() => readAll(folder))).toMatch('but c/0/0 has more than 65554 bytes');
  });

  it('is refused if it announces too many channels, or chunks that are too large', async () => {
    const shape = { shape: [2 ** 31 - 1, 4, 8], dimension_names: ['c', 'y', 'x'] };
    const chunks = (chunk_shape: readonly number[]) => ({
      chunk_grid: { name: 'regular', configuration: { chunk_shape } },
    });
    const channels = await store('channels.zarr', { ...shape, ...chunks([1, 4, 4]) });
    expect(await messageOf(() => zarrSource(channels))).toMatch('must have at most 65535 channels, not 2147483647');
    const large = await store('large.zarr', chunks([2 ** 31 - 1, 2 ** 31 - 1]));
    expect(await messageOf(() => zarrSource(large))).toMatch('must have chunks of at most 536870912 bytes');
  });

  it('is opened if it announces 2³¹−1 squared pixels, and refused where all parts of it would be listed', async () => {
    const side = 2 ** 31 - 1;
    const source = await zarrSource(await store('giant.zarr', { shape: [side, side] }));
    expect(source.picture).toMatchObject({ width: side, height: side });
    expect(numbers(await source.read({ left: side - 2, top: side - 1, width: 2, height: 1 }))).toEqual([[7, 7]]);
    const { width, height } = all;
    const sink = { ...memorySink({ ...source.picture, width, height }), picture: source.picture };
    expect(await messageOf(() => denoiseLarge(source, sink))).toMatch(/^image must have at most 4194304 parts/i);
  });
});

describe('a run that goes on', () => {
  const picture = sampled(100, 70, { channels: 3 });
  const run = { run: '1', picture: picture.picture, chunk: 32 };
  const left = { left: 0, top: 0, width: 64, height: 64 };

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, 100)],
    ['empty', () => Buffer.alloc(0)],
    ['of zeros, as after a crash', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['of another size', (_: Buffer, other: Buffer) => other],
  ])('does not count a chunk as done that is %s', async (name, damage) => {
    const folder = path(`resume-${name}.zarr`);
    const small = path(`other-${name}.zarr`);
    await writeAll(await zarrSink(small, { ...run, chunk: 16 }), picture);
    const sink = await zarrSink(folder, run);
    await writeAll(sink, picture);
    const file = join(folder, '0/c/1/0/1');
    const sound = await readFile(file);
    expect(await sink.has(left)).toBe(true);
    await writeFile(file, damage(sound, await readFile(join(small, '0/c/1/0/1'))));
    expect(await sink.has(left)).toBe(false);
    expect(await messageOf(() => sink.finish())).toMatch('must have intact chunks, which 0/c/1/0/1 is not');
    await writeAll(sink, picture);
    expect(await readFile(file)).toEqual(sound);
    await sink.finish();
    await expectWindows(await zarrSource(folder), picture);
  });

  it('builds a chunk of a level again that is cut, and notices a cut one below it', async () => {
    const folder = path('resume-levels.zarr');
    const sink = await zarrSink(folder, run);
    await writeAll(sink, picture);
    const group = await readFile(join(folder, 'zarr.json'));
    await sink.finish();
    const file = join(folder, '1/c/0/0/0');
    const sound = await readFile(file);
    await truncate(file, 20);
    // As if the run had been killed before its last document.
    await writeFile(join(folder, 'zarr.json'), group);
    await sink.finish();
    expect(await readFile(file)).toEqual(sound);
    await writeFile(join(folder, 'zarr.json'), group);
    await truncate(join(folder, '0/c/0/0/0'), 20);
    expect(await messageOf(() => sink.finish())).toMatch('must have intact chunks, which 0/c/0/0/0 is not');
  });

  it('notices a cut chunk of a picture that has no other levels', async () => {
    const folder = path('resume-small.zarr');
    const small = sampled(20, 10);
    const sink = await zarrSink(folder, { ...run, picture: small.picture });
    await writeAll(sink, small);
    await truncate(join(folder, '0/c/0/0/0'), 20);
    expect(await messageOf(() => sink.finish())).toMatch('must have intact chunks, which 0/c/0/0/0 is not');
  });
});

describe('a Zarr on a server', () => {
  let serve: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => serve(request, response));
  const listening = new Promise<string>((done) => {
    server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const options = { http: true };
  const files = new Map<string, Uint8Array>();
  const contents = (request: IncomingMessage) => files.get(new URL(request.url ?? '', 'http://x').pathname);
  const serveFiles = (tag: (name: string) => string) => (request: IncomingMessage, response: ServerResponse) => {
    const bytes = contents(request);
    if (!bytes) return response.writeHead(404).end();
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined) return response.writeHead(200, { etag: tag(request.url ?? '') }).end(bytes);
    const start = from === '' ? bytes.length - Number(to) : Number(from);
    const end = from === '' ? bytes.length - 1 : Number(to);
    const range = { etag: tag(request.url ?? ''), 'content-range': `bytes ${start}-${end}/${bytes.length}` };
    return response.writeHead(206, range).end(bytes.subarray(start, end + 1));
  };
  const fill = () => {
    files.clear();
    files.set('/a.zarr/zarr.json', Buffer.from(JSON.stringify(document())));
    files.set('/a.zarr/c/0/0', new Uint8Array(16).fill(1));
  };

  it('has the fill value for chunks that are not there, and keeps the query of its address', async () => {
    fill();
    const asked: string[] = [];
    serve = (request, response) => {
      asked.push(request.url ?? '');
      serveFiles(() => '"1"')(request, response);
    };
    const [samples] = await readAll(`${await listening}/a.zarr?key=1`, options);
    expect(Array.from(samples.subarray(0, 8))).toEqual([1, 1, 1, 1, 7, 7, 7, 7]);
    expect(asked).toContain('/a.zarr/c/0/0?key=1');
  });

  it('is read out of shards by ranges', async () => {
    const entry = readZarrMatrix().find(
      ({ name }) => name.includes('shards uint16') && name.includes('zstd index at end'),
    );
    files.clear();
    for (const [name, content] of entry?.files ?? []) files.set(`/a.zarr/${name}`, content);
    for (const [name, content] of entry?.files ?? []) {
      await mkdir(dirname(path(`shards.zarr/${name}`)), { recursive: true });
      await writeFile(path(`shards.zarr/${name}`), content);
    }
    serve = serveFiles(() => '"1"');
    const there = await openSource(`${await listening}/a.zarr`, options);
    const here = await openSource(path('shards.zarr'));
    const window = { left: 3, top: 2, width: 17, height: 15 };
    expect(numbers(await there.read(window))).toEqual(numbers(await here.read(window)));
    serve = serveFiles(() => '"2"');
    expect(await messageOf(() => there.read(window))).toMatch(CHANGED);
  });

  it.each(['c/0/0', 'zarr.json'])('is refused once %s has another tag', async (name) => {
    fill();
    serve = serveFiles(() => '"1"');
    const source = await openSource(`${await listening}/a.zarr`, options);
    await source.read(all);
    serve = serveFiles((url) => (url.endsWith(name) ? '"2"' : '"1"'));
    expect(await messageOf(() => source.read(all))).toMatch(CHANGED);
  });

  it('is refused once a chunk without a tag has other bytes', async () => {
    fill();
    serve = (request, response) => {
      const bytes = contents(request);
      response.writeHead(bytes ? 200 : 404).end(bytes);
    };
    const source = await openSource(`${await listening}/a.zarr`, options);
    await source.read(all);
    files.set('/a.zarr/c/0/0', new Uint8Array(16).fill(3));
    expect(await messageOf(() => source.read(all))).toMatch(CHANGED);
  });

  it.each(['c/0/0', 'zarr.json'])('is refused if %s does not end', async (name) => {
    fill();
    const intact = serveFiles(() => '"1"');
    serve = (request, response) => {
      if (!request.url?.endsWith(name)) return intact(request, response);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(2 ** 20, ' ')));
      };
      response.on('drain', more);
      more();
    };
    const message = await messageOf(async () => readAll(`${await listening}/a.zarr`, options));
    expect(message).toMatch(/^file must be on a server that sends at most the \d+ bytes that are expected/);
  });

  it.each(['c/0/0', 'zarr.json'])('is refused if the server stops in the middle of %s', async (name) => {
    fill();
    const intact = serveFiles(() => '"1"');
    serve = (request, response) => {
      if (!request.url?.endsWith(name)) return intact(request, response);
      response.writeHead(200, { 'content-length': '16' });
      response.write('{');
    };
    const message = await messageOf(async () => readAll(`${await listening}/a.zarr`, { http: true, timeout: 200 }));
    expect(message).toMatch(/^file must be on a server that answers, which this one has not done for 0\.2 s/);
  });

  it('is refused if the server has an error, which is not a chunk that is missing', async () => {
    fill();
    const intact = serveFiles(() => '"1"');
    serve = (request, response) => {
      if (!request.url?.endsWith('c/0/1')) return intact(request, response);
      response.writeHead(503).end();
    };
    expect(await messageOf(async () => readAll(`${await listening}/a.zarr`, options))).toMatch('(HTTP 503)');
  });
});
