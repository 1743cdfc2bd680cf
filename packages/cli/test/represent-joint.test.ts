/** One budget for several images. */
import { mkdir } from 'node:fs/promises';
import { denoise, represent, representJoint } from 'ght';
import { decodeImage } from 'ght/npy';
import { openImage, pagesOutput, readImage, writeTogether } from 'ght-images/node';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { tiff } from '../../images/test/fixtures.js';
import { height, pixels, png, psnr, smooth, textured, width, workplace } from './command.js';

const { ght, json, path, save, read } = workplace();
const names = ['set/plain.png', 'set/rough.png', 'set/colour.png'];

beforeAll(async () => {
  await mkdir(path('set'));
  await save('set/plain.png', await png(smooth().map(Math.round)));
  await save('set/rough.png', await png(textured()));
  await save('set/colour.png', await png(textured(3 * 40, 24), 3, 40));
  await save('set/notes.txt', 'not an image');
  await save('deep.png', await png(textured(width, height, 65535), 1, width, 16));
  const stack = pagesOutput(path('stack.tif'), true);
  for (const name of names.slice(0, 2)) {
    const page = await readImage(path(name));
    await stack.add(page.image, page);
  }
  await writeTogether([await stack.finish()]);
});

const imagesOf = (files: readonly string[]) =>
  Promise.all(files.map(async (name) => (await readImage(path(name))).image));

describe('ght represent --joint', () => {
  it('gives images what the library gives them, and reports each', async () => {
    const report = await json('represent', ...names, '-o', 'out/', '--joint', '--budget', '3');
    const set = await representJoint(await imagesOf(names), { budget: { perPatch: 3 } });
    expect(report).toMatchObject({ task: 'represent', solver: 'joint-omp', nonzeros: set.nonzeros, psnr: set.psnr });
    expect(report.budget).toBe(3 * report.patches);
    expect(report.images).toHaveLength(3);
    for (const [k, { nonzeros, psnr: level, patches }] of set.images.entries()) {
      const [input, output] = [names[k], `out/${names[k].slice(4)}`];
      expect(report.images[k]).toMatchObject({ input, output, nonzeros, psnr: level, patches });
      expect(report.images[k].share).toBeCloseTo(nonzeros / set.nonzeros, 12);
      const [before, after] = [await pixels(await read(input)), await pixels(await read(output))];
      // Rounding to 8 bits changes it little.
      expect(Math.abs(psnr(before.samples, after.samples, 255) - level)).toBeLessThan(0.3);
    }
    const [plain, rough] = report.images;
    expect(rough.perPatch).toBeGreaterThan(1.2 * plain.perPatch);
  });

  it('takes a folder and a target for the set, and says for people what each got', async () => {
    const { code, stdout } = await ght('represent', 'set/', '-o', 'target', '--joint', '--target-psnr', '34');
    expect(code).toBe(0);
    for (const fact of ['set/plain.png', 'per patch', 'images', 'skipped 1 file that is not an image', 'target']) {
      expect(stdout).toContain(fact);
    }
    let squares = 0;
    let samples = 0;
    for (const name of ['plain.png', 'rough.png', 'colour.png']) {
      const [before, after] = [await pixels(await read(`set/${name}`)), await pixels(await read(`target/${name}`))];
      squares += before.samples.reduce((sum, value, i) => sum + (value - after.samples[i]) ** 2, 0);
      samples += before.samples.length;
    }
    // Of the files as they were written, together.
    expect(10 * Math.log10((255 ** 2 * samples) / squares)).toBeGreaterThanOrEqual(34);
  });

  it('takes the pages of a stack as a set', async () => {
    const report = await json(
      'represent',
      'stack.tif',
      '-o',
      'pages.tif',
      '--joint',
      '--pages',
      'all',
      '--budget',
      '3',
    );
    expect(report.images.map(({ page }: { page: number }) => page)).toEqual([0, 1]);
    const set = await representJoint(await imagesOf(names.slice(0, 2)), { budget: { perPatch: 3 } });
    expect(report.images.map(({ nonzeros }: { nonzeros: number }) => nonzeros)).toEqual(
      set.images.map(({ nonzeros }) => nonzeros),
    );
    expect((await openImage(path('pages.tif'))).count).toBe(2);
  });

  it('draws a contact sheet, in which the image that got more has the longer bar', async () => {
    await json('represent', ...names, '--joint', '--budget', '3', '--contact', 'sheet.png');
    const { data, info } = await sharp(await read('sheet.png'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const blue = (left: number, top: number) => {
      let bar = 0;
      for (let y = top; y < top + info.height / 2; y++) {
        for (let x = left; x < left + info.width / 2; x++) {
          const at = 3 * (y * info.width + x);
          bar += Number(data[at] === 90 && data[at + 1] === 160 && data[at + 2] === 220);
        }
      }
      return bar;
    };
    expect(blue(info.width / 2, 0)).toBeGreaterThan(1.2 * blue(0, 0));
    expect(blue(0, info.height / 2)).toBeGreaterThan(0);
  });

  it('takes three channels as bands where a TIFF calls them grey, and --channels decides otherwise', async () => {
    const samples = Uint8Array.from(textured(3 * 40, 24));
    await save('dyes.tif', tiff(40, 24, samples, { 258: [8, 8, 8], 262: [1], 277: [3] }));
    const { image } = await readImage(path('dyes.tif'));
    for (const [flags, channels] of [
      [[], 'bands'],
      [['--channels', 'bands'], 'bands'],
      [['--channels', 'colour'], 'colour'],
    ] as const) {
      const alone = await json('represent', 'dyes.tif', '--budget', '3', ...flags, '--codes', 'dyes.npz');
      const expected = await represent(image, { budget: { perPatch: 3 }, channels });
      expect(alone.psnr).toBe(expected.psnr);
      expect((await decodeImage(await read('dyes.npz'))).image.planes).toEqual(expected.image.planes);
      const set = await json('represent', 'dyes.tif', '--joint', '--budget', '3', ...flags);
      expect(set.psnr).toBe(expected.psnr);
      await json('denoise', 'dyes.tif', '-o', 'clean.npy', '--sigma', '15', ...flags);
      const clean = await denoise(image, { sigma: 15, channels });
      const rounded = clean.image.planes.map((plane) => Uint8ClampedArray.from(plane, Math.round));
      expect((await readImage(path('clean.npy'))).image.planes.map((plane) => [...plane])).toEqual(
        rounded.map((plane) => [...plane]),
      );
    }
  });

  it.each([
    [['set/plain.png', 'set/rough.png', '-o', 'no/'], 'IMAGE must be one image without --joint'],
    [
      ['set/plain.png', 'deep.png', '--joint'],
      'must have the full scale of set/plain.png, 255, to share a budget with it',
    ],
    [['set/plain.png', 'set/rough.png', '-o', 'no.png', '--joint'], '-o must be a folder for several images'],
    [['set/', '--joint', '--heatmap', 'h.png'], '--heatmap must be left out with --joint'],
    [['set/plain.png', '--contact', 'c.png'], '--contact must come with --joint'],
    [['-', '--joint'], 'IMAGE must be files with --joint'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await ght('represent', ...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(message);
  });
});
