import { mkdir, readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readImage } from 'ght-images/node';
import { openSource, type Source, tiffSource, zarrSink } from 'ght-tiles';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  encoded,
  expectWindows,
  joined,
  messageOf,
  numbers,
  type Sampled,
  sampled,
  sampleTypes,
  temporaryFolder,
  writeAll,
} from './fixtures.js';

const path = temporaryFolder();

/** The picture that the untiled reader gives. */
async function asRead(file: string): Promise<Sampled> {
  const { image, sample, depth, metadata } = await readImage(file);
  const { width, height, planes, alpha } = image;
  const picture = { width, height, channels: planes.length, alpha: alpha !== undefined, sample, depth, metadata };
  return { picture, planes: alpha ? [...planes, alpha] : planes };
}

/** Expects what the untiled reader gives: the same picture, metadata and samples. */
async function expectAsRead(source: Source, file: string): Promise<void> {
  const whole = await asRead(file);
  expect(source.picture).toEqual(whole.picture);
  await expectWindows(source, whole);
}

describe('a tiled TIFF', () => {
  it.each(sampleTypes)('gives windows with the samples of the untiled reader: $sample $depth', async (type) => {
    for (const [channels, alpha] of [
      [1, false],
      [3, true],
      [5, false],
      [1, true],
    ] as const) {
      const metadata = { icc: Uint8Array.of(3, 1, 4), resolution: { x: 300, y: 72, unit: 'inch' } } as const;
      const picture = sampled(77, 45, { channels, alpha, metadata }, type);
      const file = path(`${type.sample}${type.depth}-${channels}${alpha}.tif`);
      await joined(picture, file);
      const source = await openSource(file);
      expect(source.chunk).toEqual({ width: 32, height: 32 });
      expect(source.picture).toEqual(picture.picture);
      await expectWindows(source, picture);
      await source.close();
    }
  });

  it.each([
    ['LZW', { compression: 'lzw' }],
    ['JPEG, as on slides', { compression: 'jpeg', quality: 80 }],
    ['overviews', { compression: 'deflate', pyramid: true }],
    ['BigTIFF', { compression: 'none', bigtiff: true }],
  ] as const)('of other writers is read as the untiled reader does: %s', async (name, options) => {
    const file = path(`sharp-${name.slice(0, 4)}.tif`);
    const raw = Buffer.from(sampled(300, 200, { channels: 3 }).planes.flatMap((plane) => Array.from(plane)));
    const picture = sharp(raw, { raw: { width: 300, height: 200, channels: 3 } }).withIccProfile('srgb');
    await picture.tiff({ tile: true, tileWidth: 64, tileHeight: 64, ...options }).toFile(file);
    const source = await openSource(file);
    expect(source.chunk).toEqual({ width: 64, height: 64 });
    const { data } = await sharp(file, { page: 0 }).raw().toBuffer({ resolveWithObject: true });
    const window = { left: 50, top: 60, width: 100, height: 90 };
    const planes = await source.read(window);
    const expected = [0, 1, 2].map((channel) =>
      Array.from({ length: 9000 }, (_, i) => data[3 * ((60 + Math.floor(i / 100)) * 300 + 50 + (i % 100)) + channel]),
    );
    expect(numbers(planes)).toEqual(expected);
    await source.close();
  });

  it('has a version that changes with the file', async () => {
    const file = path('version.tif');
    await joined(sampled(20, 20), file);
    const versionOf = async () => {
      const source = await openSource(file);
      await source.close();
      return source.version;
    };
    const version = await versionOf();
    expect(await versionOf()).toBe(version);
    await joined(sampled(20, 21), file, 'again');
    expect(await versionOf()).not.toBe(version);
  });

  it('that is cut short, sparse or a bomb is refused in one line', async () => {
    const file = path('cut.tif');
    await joined(sampled(90, 90, { channels: 3 }, sampleTypes[4]), file);
    const bytes = await readFile(file);
    await truncate(file, bytes.length - 3);
    expect(await messageOf(() => openSource(file))).toMatch(/^file must be an intact TIFF file \([^\n]+\)/);
    const claim = Buffer.from(bytes);
    const patch = (tag: number, value: number) => {
      const directory = claim.readUInt32LE(4);
      for (let at = directory + 2; at < directory + 2 + 12 * claim.readUInt16LE(directory); at += 12) {
        if (claim.readUInt16LE(at) === tag) claim.writeUInt32LE(value, at + 8);
      }
    };
    patch(256, 4_000_000_000);
    patch(257, 4_000_000_000);
    await writeFile(file, claim);
    expect(await messageOf(() => openSource(file))).toMatch('must hold the image it announces');
    claim.set(bytes);
    patch(322, 1_000_000);
    patch(323, 1_000_000);
    await writeFile(file, claim);
    expect(await messageOf(() => openSource(file))).toMatch('must have tiles or strips of at most');
  });

  it('with damage in a tile is refused when that tile is read, and only then', async () => {
    const file = path('damage.tif');
    const picture = sampled(64, 64, {}, sampleTypes[1]);
    await joined(picture, file);
    const bytes = await readFile(file);
    // The first tile lies behind the header.
    bytes.fill(255, 20, 60);
    await writeFile(file, bytes);
    const source = await openSource(file);
    const read = (left: number) => source.read({ left, top: 32, width: 32, height: 32 });
    expect(await messageOf(() => source.read({ left: 0, top: 0, width: 8, height: 8 }))).toMatch(
      /^file must be an intact TIFF file \([^\n]+\)/,
    );
    expect((await read(0))[0]).toHaveLength(1024);
    expect(await messageOf(() => read(40))).toMatch('must lie inside the image of 64×64 pixels');
    await source.close();
  });

  it('of several pictures is refused, as the untiled reader does', async () => {
    const file = path('pages.tif');
    const raw = sharp(Buffer.alloc(64 * 128), { raw: { width: 64, height: 128, channels: 1, pageHeight: 64 } });
    await raw.tiff({ tile: true, tileWidth: 32, tileHeight: 32 }).toFile(file);
    expect(await messageOf(() => openSource(file))).toMatch('must hold exactly one page');
  });

  it('stops reading when aborted', async () => {
    const file = path('abort.tif');
    await joined(sampled(90, 90), file);
    const source = await tiffSource(file);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(source.read({ left: 0, top: 0, width: 9, height: 9 }, signal)).rejects.toThrow('enough');
    await source.close();
    await expect(openSource(file, { signal })).rejects.toThrow('enough');
  });
});

describe('a file that is not tiled', () => {
  const colour = sampled(131, 97, { channels: 3 });
  const kinds: readonly (readonly [string, () => Promise<Uint8Array>])[] = [
    ['striped.tif', () => encoded(colour)],
    ['striped-float.tif', () => encoded(sampled(131, 97, { channels: 2 }, sampleTypes[4]))],
    ['striped-int16.tif', () => encoded(sampled(131, 97, {}, sampleTypes[3]))],
    ['grey.png', () => encoded(sampled(131, 97), 'png')],
    ['grey16.png', () => encoded(sampled(131, 97, {}, sampleTypes[1]), 'png')],
    ['grey-alpha.png', () => encoded(sampled(131, 97, { alpha: true }), 'png')],
    ['grey16-alpha.png', () => encoded(sampled(131, 97, { alpha: true }, sampleTypes[1]), 'png')],
    ['rgba16.png', () => encoded(sampled(131, 97, { channels: 3, alpha: true }, sampleTypes[1]), 'png')],
    ['rgba.png', () => encoded(sampled(131, 97, { channels: 3, alpha: true }), 'png')],
    ['photo.jpg', () => rawSharp().jpeg({ quality: 70 }).withMetadata({ density: 300 }).toBuffer()],
    ['turned.jpg', () => rawSharp().jpeg().withMetadata({ orientation: 6 }).toBuffer()],
    ['palette.png', () => rawSharp().png({ palette: true, colours: 16 }).toBuffer()],
    ['striped-jpeg.tif', () => rawSharp().tiff({ compression: 'jpeg' }).toBuffer()],
    ['array.npy', () => encoded(sampled(131, 97, {}, sampleTypes[5]), 'npy')],
    ['bitmap.bmp', () => encoded(colour, 'bmp')],
    ['web.webp', () => encoded(colour, 'webp')],
  ];
  const rawSharp = () => {
    const pixels = Buffer.from(colour.planes.flatMap((plane) => Array.from(plane)));
    return sharp(pixels, { raw: { width: 131, height: 97, channels: 3 } });
  };

  it('is read by a tiled copy if it unpacks to far more than its length', async () => {
    const file = path('dense.png');
    const blank = { width: 4800, height: 4800, channels: 3, background: { r: 7, g: 7, b: 7 } } as const;
    await sharp({ create: blank }).png({ compressionLevel: 9 }).toFile(file);
    expect(await messageOf(() => readImage(file))).toMatch('must not unpack to more than 250 times its');
    const source = await openSource(file);
    expect(source.chunk).toEqual({ width: 512, height: 512 });
    const [plane] = await source.read({ left: 4700, top: 4700, width: 100, height: 100 });
    expect(new Set(plane)).toEqual(new Set([7]));
    await source.close();
  });

  it.each(kinds)('is read as the untiled reader does, in memory and by a tiled copy: %s', async (name, make) => {
    const file = path(name);
    await writeFile(file, await make());
    const folder = path(`copies-of-${name}`);
    await mkdir(folder);
    for (const memory of [undefined, 0]) {
      const source = await openSource(file, { folder, memory });
      await expectAsRead(source, file);
      await source.close();
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it('has its temporary copy removed when it is aborted, or does not decode', async () => {
    const folder = path('aborted');
    await mkdir(folder);
    const big = path('big.png');
    await sharp({ create: { width: 3000, height: 3000, channels: 3, background: '#123' } })
      .png()
      .toFile(big);
    const controller = new AbortController();
    const opening = openSource(big, { folder, memory: 0, signal: controller.signal });
    const failed = expect(opening).rejects.toThrow('enough');
    while ((await readdir(folder)).length === 0) await sleep(1);
    controller.abort(new Error('enough'));
    await failed;
    expect(await readdir(folder)).toEqual([]);
    const bytes = await readFile(big);
    await writeFile(big, bytes.subarray(0, bytes.length / 2));
    expect(await messageOf(() => openSource(big, { folder, memory: 0 }))).toMatch(/^file must be an intact [^\n]+$/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused if it changes while it is copied, and leaves no copy', async () => {
    const folder = path('changed');
    await mkdir(folder);
    const big = path('changed.png');
    await sharp({ create: { width: 3000, height: 3000, channels: 3, background: '#123' } })
      .png()
      .toFile(big);
    const opening = messageOf(() => openSource(big, { folder, memory: 0 }));
    while ((await readdir(folder)).length === 0) await sleep(1);
    await utimes(big, 1e9, 1e9);
    expect(await opening).toMatch(/^file must not change while it is read/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused if it changes between two windows', async () => {
    const file = path('between.tif');
    await sharp({ create: { width: 600, height: 600, channels: 3, background: '#123' } })
      .tiff({ tile: true, tileWidth: 64, tileHeight: 64, compression: 'none' })
      .toFile(file);
    const source = await openSource(file);
    const window = { left: 0, top: 0, width: 64, height: 64 };
    expect((await source.read(window))[0][0]).toBe(0x11);
    await utimes(file, 1e9, 1e9);
    expect(await messageOf(() => source.read(window))).toMatch(/^file must not change while it is read/);
    await source.close();
  });

  it('has the errors of the untiled reader', async () => {
    const text = path('text.png');
    await writeFile(text, 'no picture at all, only words');
    const nowhere = path('nowhere.png');
    const empty = path('empty.tif');
    await writeFile(empty, '');
    for (const file of [text, nowhere, empty]) {
      expect(await messageOf(() => openSource(file))).toBe(await messageOf(() => readImage(file)));
    }
  });
});

describe('a TIFF of one strip, big-endian and not compressed, as ImageJ writes it', () => {
  const [width, height] = [800, 300];
  const at = (i: number) => (i * 40503 + 77) % 65536;

  it.each([
    ['interleaved', 1],
    ['plane after plane', 2],
  ] as const)('is read in parts: %s', async (_name, planar) => {
    const samples = width * height * 2;
    const tags = [
      [256, 3, [width]],
      [257, 3, [height]],
      [258, 3, [16, 16]],
      [259, 3, [1]],
      [262, 3, [1]],
      [273, 4, planar === 1 ? [200] : [200, 200 + samples]],
      [277, 3, [2]],
      [278, 3, [height]],
      [279, 4, planar === 1 ? [2 * samples] : [samples, samples]],
      [284, 3, [planar]],
    ] as const;
    const bytes = Buffer.alloc(200 + 2 * samples);
    bytes.write('MM\0*\0\0\0\x08', 'latin1');
    bytes.writeUInt16BE(tags.length, 8);
    let aside = 160;
    for (const [i, [tag, type, values]] of tags.entries()) {
      const entry = 10 + 12 * i;
      const size = type === 3 ? 2 : 4;
      bytes.writeUInt16BE(tag, entry);
      bytes.writeUInt16BE(type, entry + 2);
      bytes.writeUInt32BE(values.length, entry + 4);
      const inside = values.length * size <= 4;
      if (!inside) bytes.writeUInt32BE(aside, entry + 8);
      for (const [k, value] of values.entries())
        bytes.writeUIntBE(value, (inside ? entry + 8 : aside) + size * k, size);
      if (!inside) aside += 8;
    }
    for (let i = 0; i < samples; i++) bytes.writeUInt16BE(at(i), 200 + 2 * i);
    const file = path(`strip-${planar}.tif`);
    await writeFile(file, bytes);
    const source = await openSource(file, { memory: 0, folder: path('.') });
    await expectAsRead(source, file);
    await source.close();
    await truncate(file, bytes.length - 2);
    expect(await messageOf(() => openSource(file, { memory: 0 }))).toMatch(
      /^file must be an intact TIFF file \([^\n]+\)/,
    );
  });
});

describe('an image on the web', () => {
  let server: Server;
  let address = '';
  const requests: string[] = [];
  const picture = sampled(200, 150, { channels: 3 });

  beforeAll(async () => {
    await joined(picture, path('web.tif'));
    const sink = await zarrSink(path('web.zarr'), { run: 'web', picture: picture.picture, chunk: 64 });
    await writeAll(sink, picture);
    await sink.finish();
    server = createServer(async (request, response) => {
      const name = request.url?.slice(1) ?? '';
      requests.push(`${name} ${request.headers.range ?? 'whole'}`);
      const bytes = await readFile(path(name)).catch(() => undefined);
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (!bytes) response.writeHead(404).end();
      else if (first === undefined || request.url?.includes('norange')) response.writeHead(200).end(bytes);
      else {
        const end = Math.min(Number(last) + 1, bytes.length);
        const range = `bytes ${first}-${end - 1}/${bytes.length}`;
        response.writeHead(206, { 'content-range': range, etag: '"v1"' }).end(bytes.subarray(Number(first), end));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  it('is not asked for unless http is allowed', async () => {
    for (const name of ['web.tif', 'web.zarr']) {
      expect(await messageOf(() => openSource(`${address}/${name}`))).toMatch(/^file must be a local file/);
    }
    expect(requests).toEqual([]);
  });

  it('is read by ranges and by chunks, with the same samples', async () => {
    const tiff = await openSource(`${address}/web.tif`, { http: true });
    expect(tiff.version).toBe('"v1"');
    await expectWindows(tiff, picture);
    expect(requests.filter((request) => request.endsWith('whole'))).toEqual([]);
    const zarr = await openSource(`${address}/web.zarr`, { http: true });
    expect(zarr.picture).toEqual(picture.picture);
    await expectWindows(zarr, picture);
  });

  it('has errors that name the address', async () => {
    const open = (name: string) => messageOf(() => openSource(`${address}/${name}`, { http: true }));
    expect(await open('none.tif')).toMatch(/must be reachable \(HTTP 404\).*none\.tif/);
    await writeFile(path('norange.tif'), await readFile(path('web.tif')));
    expect(await open('norange.tif')).toMatch('must be on a server that answers with ranges');
    expect(await open('none.zarr')).toMatch(/must be a Zarr.*none\.zarr/);
  });
});
