/** Stacks, frames and films: what `ght denoise` and `ght info` make of them. */
import { spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { randomSource } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';
import { readY4m } from 'ght-images';
import { openImage, readImage } from 'ght-images/node';
import { openStack, writeStack } from 'ght-tiles';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, png, psnr, smooth, width, workplace } from './command.js';

const { ght, json, path, save, read, contents } = workplace();
const binary = fileURLToPath(new URL('../bin/ght.js', import.meta.url));
const [size, sigma] = [width * height, 20];
const clean = smooth();

/** The same picture with other noise on every page. */
function noisy(seed: number, peak = 255): number[] {
  const { normal } = randomSource(seed);
  return clean.map((value) => Math.min(peak, Math.max(0, Math.round(value + sigma * normal()))));
}

/** Writes 8-bit pages along these axes. */
async function stackOf(name: string, axes: Readonly<Record<string, number>>): Promise<void> {
  const shape = [...Object.values(axes), height, width];
  const pages = Object.values(axes).reduce((product, length) => product * length, 1);
  const data = Uint8Array.from(Array.from({ length: pages }, (_, page) => noisy(page + 1)).flat());
  await save('pages.npy', writeNpy({ type: 'u1', shape, data }));
  const source = await openStack(path('pages.npy'), { axes: `${Object.keys(axes).join('')}yx` });
  if (!source) throw new Error('no stack');
  await writeStack(path(name), source, async (write) => {
    for (let page = 0; page < pages; page++) {
      const file = await source.read(page);
      await write(page, file.image, file);
    }
  });
  await source.close();
}

/** The mean PSNR of the pages of a TIFF against the clean picture. */
async function levelOf(name: string): Promise<number> {
  const pages = await openImage(path(name));
  let sum = 0;
  for (let page = 0; page < pages.count; page++) {
    sum += psnr(Array.from((await pages.page(page)).image.planes[0]), clean, 255);
  }
  return sum / pages.count;
}

beforeAll(() => stackOf('stack.tif', { t: 6 }));

describe('ght denoise of a stack', () => {
  it('takes its pages as a series, which says more than each page by itself', async () => {
    const reported = await json('denoise', 'stack.tif', '-o', 'series.tif', '--sigma', '20');
    expect(reported).toMatchObject({ task: 'denoise', axis: 't', stack: { pages: 6 }, image: { width, height } });
    expect(reported.series).toHaveLength(1);
    expect(reported.series[0]).toMatchObject({ place: {}, pages: 6, changed: true });
    expect(reported.series[0].series.depthMean).toBeGreaterThan(2);
    await json('denoise', 'stack.tif', '-o', 'alone.tif', '--sigma', '20', '--series', 'off');
    expect(await levelOf('series.tif')).toBeGreaterThan((await levelOf('alone.tif')) + 2);
  });

  it('has the pixels of --pages all with --series off', async () => {
    await json('denoise', 'stack.tif', '-o', 'off.tif', '--sigma', '20', '--series', 'off');
    await json('denoise', 'stack.tif', '-o', 'pages.tif', '--sigma', '20', '--pages', 'all');
    const [off, pages] = [await openImage(path('off.tif')), await openImage(path('pages.tif'))];
    for (let page = 0; page < 6; page++) {
      expect((await off.page(page)).image.planes).toEqual((await pages.page(page)).image.planes);
    }
  });

  it('takes time as the series, depth if there is one time, and the axis that is given', async () => {
    await stackOf('times.tif', { t: 3, c: 2, z: 2 });
    const times = await json('denoise', 'times.tif', '-o', 'a.tif', '--sigma', '20', '--quality', 'fast');
    expect(times.axis).toBe('t');
    expect(times.series.map(({ place, pages }: { place: object; pages: number }) => [place, pages])).toEqual([
      [{ z: 0, c: 0 }, 3],
      [{ z: 0, c: 1 }, 3],
      [{ z: 1, c: 0 }, 3],
      [{ z: 1, c: 1 }, 3],
    ]);
    const asked = await json(
      'denoise',
      'times.tif',
      '-o',
      'b.tif',
      '--sigma',
      '20',
      '--quality',
      'fast',
      '--series-axis',
      'z',
    );
    expect(asked).toMatchObject({ axis: 'z', series: Array.from({ length: 6 }, () => ({ pages: 2 })) });
    await stackOf('depth.tif', { z: 3 });
    const { stdout } = await ght('denoise', 'depth.tif', '-o', 'c.tif', '--sigma', '20', '--quality', 'fast');
    expect(stdout).toMatch(/stack +3 pages, 3 z\n +series +along z\n/);
  });

  it('goes from TIFF to Zarr to arrays and back, with its axes', async () => {
    const small = ['--sigma', '20', '--quality', 'fast'];
    await stackOf('cells.tif', { t: 3, z: 2 });
    await json('denoise', 'cells.tif', '-o', 'cells.zarr', ...small);
    await json('denoise', 'cells.tif', '-o', 'cells.npy', ...small);
    await json('denoise', 'cells.tif', '-o', 'same.tif', ...small);
    const all = await Promise.all([
      openStack(path('cells.zarr')),
      openStack(path('cells.npy'), { axes: 'tzyx' }),
      openStack(path('same.tif')),
    ]);
    for (const source of all) {
      expect(source?.stack.axes).toMatchObject([
        { name: 't', length: 3 },
        { name: 'z', length: 2 },
      ]);
      expect((await source?.read(3))?.image.planes).toEqual((await all[2]?.read(3))?.image.planes);
    }
    for (const source of all) await source?.close();
    const reported = await json('denoise', 'cells.zarr', '-o', 'back.tif', '--sigma', '5', '--quality', 'fast');
    expect(reported).toMatchObject({ axis: 't', stack: { pages: 6 } });
  });

  it('denoises bands together, which says more than each by itself', async () => {
    const [one, two] = [1, 2].map((first) => [0, 1, 2].map((page) => noisy(first + 2 * page)));
    const both = one.flatMap((page, i) => page.flatMap((value, at) => [value, two[i][at]]));
    await save('bands.npy', writeNpy({ type: 'u1', shape: [3, height, width, 2], data: Uint8Array.from(both) }));
    await save('band.npy', writeNpy({ type: 'u1', shape: [3, height, width], data: Uint8Array.from(two.flat()) }));
    const asked = ['--sigma', '20', '--quality', 'fast'];
    await json('denoise', 'bands.npy', '-o', 'bands-out.npy', '--axes', 'tyxc', ...asked);
    await json('denoise', 'band.npy', '-o', 'band-out.npy', '--axes', 'tyx', ...asked);
    const bands = await openStack(path('bands-out.npy'), { axes: 'tyxc' });
    const band = await openStack(path('band-out.npy'), { axes: 'tyx' });
    const level = async (stack: typeof band, plane: number, page: number) =>
      psnr(Array.from((await stack?.read(page))?.image.planes[plane] ?? []), clean, 255);
    for (let page = 0; page < 3; page++) {
      expect(await level(bands, 1, page)).toBeGreaterThan((await level(band, 0, page)) + 1);
    }
    await Promise.all([bands?.close(), band?.close()]);
  });

  it('in tiles has the bytes of whole pages', async () => {
    const asked = ['denoise', 'stack.tif', '--quality', 'fast', '--sigma', '20'];
    const whole = await json(...asked, '-o', 'whole.tif');
    const tiled = await json(...asked, '-o', 'tiled.tif', '--tile', '16');
    expect(await readFile(path('tiled.tif'))).toEqual(await readFile(path('whole.tif')));
    expect({ ...tiled, seconds: 0, series: 0 }).toEqual({ ...whole, seconds: 0, series: 0 });
    expect(tiled.series[0].noise).toEqual(whole.series[0].noise);
  });

  it('measures against a clean stack', async () => {
    const data = Uint8Array.from(Array.from({ length: 6 }, () => clean.map(Math.round)).flat());
    await save('clean.npy', writeNpy({ type: 'u1', shape: [6, height, width], data }));
    await save(
      'noisy.npy',
      writeNpy({
        type: 'u1',
        shape: [6, height, width],
        data: Uint8Array.from([1, 2, 3, 4, 5, 6].flatMap((seed) => noisy(seed))),
      }),
    );
    const asked = ['--axes', 'zyx', '--reference', 'clean.npy', '--sigma', '20'];
    const reported = await json('denoise', 'noisy.npy', '-o', 'measured.npy', ...asked);
    expect(reported.psnr).toBeGreaterThan(28);
  });

  it('writes floats that are neither rounded nor clipped with --float', async () => {
    await json('denoise', 'stack.tif', '-o', 'float.tif', '--sigma', '20', '--float', '--quality', 'fast');
    await json('denoise', 'stack.tif', '-o', 'whole.tif', '--sigma', '20', '--quality', 'fast');
    const [float, whole] = await Promise.all([openImage(path('float.tif')), openImage(path('whole.tif'))]);
    const [page, rounded] = [await float.page(2), await whole.page(2)];
    expect(page).toMatchObject({ sample: 'float', depth: 32 });
    const samples = Array.from(page.image.planes[0]);
    expect(samples.some((value) => !Number.isInteger(value))).toBe(true);
    expect(samples.map((value) => Math.min(255, Math.max(0, Math.round(value))))).toEqual(
      Array.from(rounded.image.planes[0]),
    );
    await save('one.png', await png(noisy(1)));
    await json('denoise', 'one.png', '-o', 'one.tif', '--sigma', '20', '--float');
    expect(await readImage(path('one.tif'))).toMatchObject({ sample: 'float', depth: 32 });
  });
});

describe('ght denoise of frames', () => {
  it('takes a folder in the natural order of its names with --series', async () => {
    await mkdir(path('frames'));
    for (const number of [1, 2, 3, 10, 11, 20]) await save(`frames/f${number}.png`, await png(noisy(number)));
    const reported = await json('denoise', 'frames', '-o', 'frames.tif', '--series', 'auto', '--sigma', '20');
    expect(reported).toMatchObject({ axis: 't', stack: { pages: 6 } });
    await json('denoise', 'frames', '-o', 'cleaned', '--series', 'auto', '--sigma', '20');
    const stack = await openImage(path('frames.tif'));
    for (const [page, number] of [1, 2, 3, 10, 11, 20].entries()) {
      const frame = await readImage(path(`cleaned/f${number}.png`));
      expect(frame.format).toBe('png');
      expect((await stack.page(page)).image.planes).toEqual(frame.image.planes);
    }
  });
});

/** A film of grey noise with this sampling, and what the command makes of it through pipes. */
async function throughPipes(film: Uint8Array, ...args: string[]) {
  const child = spawn(process.execPath, [binary, 'denoise', '-', '-o', '-', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (piece) => stdout.push(piece));
  child.stderr.on('data', (piece) => stderr.push(piece));
  child.stdin.on('error', () => {});
  child.stdin.end(film);
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, stdout: Buffer.concat(stdout), stderr: `${Buffer.concat(stderr)}` };
}

/** Five frames of the noisy picture, and of noise around the middle in planes of colours of these sizes. */
function filmOf(colours: string, sizes: readonly number[], deep = false): Buffer {
  const { normal } = randomSource(9);
  const scale = deep ? 4 : 1;
  const bytesOf = (values: readonly number[]) =>
    deep ? Buffer.from(Uint16Array.from(values, (value) => scale * value).buffer) : Buffer.from(values);
  const frames = [1, 2, 3, 4, 5].flatMap((seed) => [
    Buffer.from(`FRAME X${seed}\n`),
    bytesOf(noisy(seed)),
    ...sizes.map((length) => bytesOf(Array.from({ length }, () => Math.round(128 + 12 * normal())))),
  ]);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F25:1 Ip A1:1 ${colours}\n`), ...frames]);
}

async function framesIn(bytes: Uint8Array) {
  const { header, frames } = await readY4m(
    (async function* () {
      yield bytes;
    })(),
    'film',
  );
  const all = [];
  for await (const frame of frames) all.push(frame);
  return { header, frames: all };
}

describe('ght denoise of a film', () => {
  it.each([
    ['C420jpeg', [size / 4, size / 4], false],
    ['C422p10', [size / 2, size / 2], true],
    ['Cmono', [], false],
  ] as const)('of %s goes through pipes with its lines, planes and depth', async (colours, sizes, deep) => {
    const film = filmOf(colours, sizes, deep);
    // A level for each plane.
    const levels = [sigma, 12, 12].slice(0, 1 + sizes.length).map((level) => (deep ? 4 : 1) * level);
    const { code, stdout, stderr } = await throughPipes(film, '--quality', 'fast', '--sigma', levels.join());
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('film') });
    expect(stdout.length).toBe(film.length);
    const [before, after] = [await framesIn(film), await framesIn(stdout)];
    expect(after.header).toEqual(before.header);
    expect(after.frames.map(({ line }) => line)).toEqual(before.frames.map(({ line }) => line));
    const scale = deep ? 4 : 1;
    const level = (plane: ArrayLike<number>) =>
      psnr(
        Array.from(plane, (value) => value / scale),
        clean,
        255,
      );
    expect(level(after.frames[2].planes[0])).toBeGreaterThan(level(before.frames[2].planes[0]) + 6);
    for (const plane of after.frames[2].planes.slice(1)) {
      const spread = Math.sqrt(
        Array.from(plane, (value) => (value / scale - 128) ** 2).reduce((sum, square) => sum + square) / plane.length,
      );
      expect(spread).toBeLessThan(6);
    }
  });

  it('is the same from file to file', async () => {
    const film = filmOf('C420jpeg', [size / 4, size / 4]);
    await save('film.y4m', film);
    const reported = await json('denoise', 'film.y4m', '-o', 'out.y4m', '--quality', 'fast');
    expect(reported).toMatchObject({ film: { width, height, depth: 8, sampling: '420', rate: 25, frames: 5 } });
    expect(reported.planes).toHaveLength(3);
    const { stdout } = await throughPipes(film, '--quality', 'fast', '-q');
    expect(stdout.equals(await read('out.y4m'))).toBe(true);
  });

  it('that is cut is refused, and leaves no file', async () => {
    const film = filmOf('Cmono', []);
    await save('cut.y4m', film.subarray(0, film.length - 10));
    const before = await contents();
    const { code, stderr } = await ght('denoise', 'cut.y4m', '-o', 'no.y4m', '--quality', 'fast');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('must have whole frames, but ends in frame 4'),
    });
    expect(await contents()).toEqual(before);
  });
});

describe('ght info of a stack', () => {
  it('says what it is', async () => {
    await stackOf('hyperstack.tif', { t: 3, c: 2, z: 2 });
    const reported = await json('info', 'hyperstack.tif');
    expect(reported).toMatchObject({
      format: 'tiff',
      pages: 12,
      image: { width, height, depth: 8 },
      stack: { pages: 12 },
    });
    expect(reported.stack.axes.map(({ name, length }: { name: string; length: number }) => `${name}${length}`)).toEqual(
      ['t3', 'z2', 'c2'],
    );
    expect((await ght('info', 'hyperstack.tif')).stdout).toMatch(/stack +12 pages, 3 t × 2 z × 2 c\n/);
    expect((await ght('info', 'film.y4m')).stdout).toMatch(/format +y4m, 420\n +frames +25.00 per second/);
  });
});

describe('what a stack cannot have', () => {
  it.each([
    [['denoise', 'stack.tif', '-o', 'no.png'], '-o must end in .tif, .tiff, .npy, .zarr for a stack, but got "no.png"'],
    [['denoise', 'stack.tif', '-o', '-'], '-o must be a file for a stack'],
    [
      ['denoise', 'stack.tif', '-o', 'no.tif', '--pages', '1-2', '--series', '4'],
      '--series must be left out with --pages',
    ],
    [['denoise', 'stack.tif', '-o', 'no.tif', '--series', '9'], '--series must be auto, off, or a number from 1 to 8'],
    [
      ['denoise', 'stack.tif', '-o', 'no.tif', '--series-axis', 'z'],
      '--series-axis must be an axis of the stack, which has 6 t',
    ],
    [
      ['denoise', 'one.png', '-o', 'no.png', '--series', '4'],
      '--series must come with a stack, a film or several images',
    ],
    [['denoise', 'stack.tif', '-o', 'stack.tif'], '-o must not be the file of IMAGE'],
    [['denoise', 'one.png', '-o', 'no.png', '--float'], 'must name a format that holds floats, which PNG does not'],
    [['denoise', 'film.y4m', '-o', 'no.tif'], '-o must end in .y4m'],
    [['denoise', 'film.y4m', '-o', 'no.y4m', '--float'], '--float must be left out for a film'],
    [['denoise', 'pages.npy', '-o', 'no.npy', '--axes', 'xyz'], '--axes must be HWC, CHW, NHW, or letters such as tyx'],
    [
      ['denoise', 'stack.tif', '-o', 'no.tif', '--method', 'paper', '--series', '4'],
      '--series must be left out with --method paper',
    ],
  ])('%j is refused and writes nothing', async (args, message) => {
    const before = await contents();
    const { code, stderr } = await ght(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(await contents()).toEqual(before);
  });
});

describe('a stack with NaN', () => {
  it('is denoised as a series, and keeps or fills them; not in tiles', async () => {
    const values = [1, 2, 3].flatMap((seed) => noisy(seed));
    const data = Float32Array.from(values, (value, i) => ((i * 7919) % 211 === 0 ? Number.NaN : value));
    await save('odd.npy', writeNpy({ type: 'f4', shape: [3, height, width], data }));
    const flags = ['odd.npy', '-o', 'even.npy', '--axes', 'tyx', '--sigma', `${sigma}`];
    for (const [what, left] of [
      ['keep', data.filter(Number.isNaN).length],
      ['fill', 0],
    ] as const) {
      const { code, stdout } = await ght('denoise', ...flags, '--missing', what);
      const result = readNpy(await read('even.npy')).data as Float32Array;
      expect([code, result.filter(Number.isNaN).length]).toEqual([0, left]);
      expect(stdout).toMatch(/patches followed|series/);
    }
    expect((await ght('denoise', ...flags)).stderr).toContain('must be a finite number');
    const tiled = await ght(
      'denoise',
      'odd.npy',
      '-o',
      'odd.zarr',
      ...flags.slice(3),
      '--missing',
      'keep',
      '--tile',
      '32',
    );
    expect([tiled.code, tiled.stderr]).toEqual([
      2,
      expect.stringContaining('--missing must be left out for a stack in tiles'),
    ]);
  });
});
