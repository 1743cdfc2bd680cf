/** Images in tiles: the same bytes as without. */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { openCodes } from 'ght-tiles';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { workplace } from './command.js';
import { h, w, writePictures } from './tiled-pictures.js';

const { ght, json, path, read } = workplace();

beforeAll(async () => {
  await writePictures(path);
  await ght('denoise', 'photo.png', '-o', 'whole.png', '--sigma', '10', '--quality', 'fast');
  await ght('denoise', 'photo.png', '-o', 'estimated.png', '--quality', 'fast');
});

/** The samples of an image file. */
const samplesOf = (name: string) => sharp(path(name)).removeAlpha().raw().toBuffer();

describe('ght denoise in tiles', () => {
  it('writes the bytes of the untiled run', async () => {
    await ght('denoise', 'photo.png', '-o', 'tiled.png', '--sigma', '10', '--quality', 'fast', '--tile', '64');
    expect((await read('tiled.png')).equals(await read('whole.png'))).toBe(true);
    await ght('denoise', 'photo.png', '-o', 'again.png', '--quality', 'fast', '--tile', '80');
    expect((await read('again.png')).equals(await read('estimated.png'))).toBe(true);
  });

  it('leaves transparent pixels as they are and does not count them, in tiles and without', async () => {
    const opaque = await sharp(path('photo.png')).ensureAlpha().raw().toBuffer();
    const isHidden = (n: number) => (n >> 2) % w > 40 && n >> 2 < 50 * w;
    const cutout = async (name: string, factor: number) => {
      const pixels = Uint8Array.from(opaque, (value, n) => (isHidden(n) ? (n % 4 === 3 ? 0 : factor * n) : value));
      await sharp(pixels, { raw: { width: w, height: h, channels: 4 } })
        .png()
        .toFile(path(name));
      return pixels;
    };
    const given = await cutout('cutout.png', 91);
    await cutout('other.png', 0);
    const { noise } = await json('denoise', 'cutout.png', '-o', 'cut-whole.png', '--quality', 'fast');
    await ght('denoise', 'cutout.png', '-o', 'cut-tiled.png', '--quality', 'fast', '--tile', '48');
    expect((await read('cut-tiled.png')).equals(await read('cut-whole.png'))).toBe(true);
    const result = await sharp(path('cut-whole.png')).raw().toBuffer();
    expect(result.length).toBe(given.length);
    const changed = [...given.keys()].filter((n) => result[n] !== given[n]);
    expect(changed.filter(isHidden)).toEqual([]);
    expect(changed.length).toBeGreaterThan(0.25 * given.length);
    const [one, other] = [await json('diagnose', 'cutout.png'), await json('diagnose', 'other.png')];
    expect(one.model).toEqual(noise);
    expect(other.model).toEqual(noise);
  });

  it('reads a tiled TIFF and writes a Zarr or a TIFF with the same samples', async () => {
    const asked = ['--sigma', '10', '--quality', 'fast', '--tile', '64'];
    const { messages, image } = await json('denoise', 'slide.tif', '-o', 'clean.zarr', ...asked);
    expect(messages).toEqual(['noise: white, σ = 10.0']);
    expect(image).toEqual({ width: w, height: h, channels: 3, alpha: false, sample: 'uint', depth: 8 });
    await ght('denoise', 'slide.tif', '-o', 'clean.tif', ...asked);
    expect((await samplesOf('clean.tif')).equals(await samplesOf('whole.png'))).toBe(true);
    await ght('denoise', 'clean.zarr', '-o', 'back.png', '--sigma', '0');
    expect((await samplesOf('back.png')).equals(await samplesOf('whole.png'))).toBe(true);
    expect((await readdir(path('.'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it.each([
    ['--tile', ['photo.png', '-o', 'no.png', '--tile', '0'], '--tile must be a whole number of at least 1, but got 0'],
    ['--root', ['photo.png', '-o', 'no.png', '--root', 'data=.'], '--root must come with --workers'],
    [
      'several images',
      ['photo.png', 'slide.tif', '-o', 'no.zarr'],
      'IMAGE must be one image if it is processed in tiles',
    ],
    [
      '--reference',
      ['photo.png', '-o', 'no.zarr', '--reference', 'photo.png'],
      '--reference must be left out for an image',
    ],
    ['--method', ['photo.png', '-o', 'no.zarr', '--method', 'paper'], '--method must be groups for an image in tiles'],
    ['a stream', ['-', '-o', 'no.zarr'], 'IMAGE must be a file for an image that is processed in tiles'],
    ['standard output', ['photo.png', '-o', '-', '--tile', '64'], '-o must be a file for an image'],
    ['a folder', ['.', '-o', 'no.zarr'], 'IMAGE must be'],
    ['a missing file', ['absent.tif', '-o', 'no.zarr'], 'IMAGE must be'],
    [
      'an output of workers',
      ['photo.png', '-o', 'no.png', '--workers', 'redis://127.0.0.1:1/'],
      '-o must end in .zarr or .tif with --workers',
    ],
  ])('refuses what it cannot do: %s', async (_, args, message) => {
    const { code, stderr } = await ght('denoise', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(path('no.zarr'))).toBe(false);
    expect(existsSync(path('no.png'))).toBe(false);
  });
});

describe('ght represent in tiles', () => {
  it.each([
    ['a target', ['--target-psnr', '30']],
    ['swaps', ['--budget', '3', '--effort', '3']],
    ['a refit', ['--budget', '3', '--solver', 'qpm', '--refit']],
  ])('has the bytes of the untiled run for %s', async (_, args) => {
    const whole = await json('represent', 'photo.png', '-o', 'target.png', ...args);
    const tiled = await json('represent', 'photo.png', '-o', 'target-tiled.png', ...args, '--tile', '64');
    expect((await read('target-tiled.png')).equals(await read('target.png'))).toBe(true);
    expect(tiled.nonzeros).toBe(whole.nonzeros);
  });

  it('writes the bytes of the untiled run, and the codes next to the picture of a Zarr', async () => {
    const whole = await json('represent', 'photo.png', '-o', 'rep.png', '--budget', '4');
    const tiled = await json('represent', 'photo.png', '-o', 'rep-tiled.png', '--budget', '4', '--tile', '64');
    expect((await read('rep-tiled.png')).equals(await read('rep.png'))).toBe(true);
    const { nonzeros, patches, rmse } = whole;
    expect(tiled).toMatchObject({ nonzeros, patches, rmse });
    expect(tiled.psnr).toBeCloseTo(whole.psnr, 9);
    const { stdout } = await ght('represent', 'slide.tif', '-o', 'rep.zarr', '--budget', '4', '--tile', '64');
    expect(stdout).toContain('rep.zarr, picture and codes');
    await ght('denoise', 'rep.zarr', '-o', 'rep-back.png', '--sigma', '0');
    expect((await samplesOf('rep-back.png')).equals(await samplesOf('rep.png'))).toBe(true);
    const store = await openCodes(path('rep.zarr'));
    expect(store.layout.image.grid).toMatchObject({ patch: 8, stride: 8, count: patches / 3 });
  });

  it.each([
    ['an output', ['--tile', '64'], '-o must be given for an image in tiles'],
    [
      '--heatmap',
      ['-o', 'no.zarr', '--heatmap', 'no.png'],
      '--heatmap must be left out for an image that is processed',
    ],
  ])('refuses what it cannot do: %s', async (_, args, message) => {
    const { code, stderr } = await ght('represent', 'photo.png', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    await rm(path('no.zarr'), { recursive: true, force: true });
  });
});
