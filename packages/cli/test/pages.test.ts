/** Files of several pages, and what a file does not say itself: its axes, and which sample is white. */
import { mkdir } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import { openImage, pagesOutput, readImage, writeImage, writeTogether } from 'ght-images/node';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, png, textured, width, workplace } from './command.js';

const { ght, json, path, save, read, contents } = workplace();
const seeds = [1, 2, 3];

beforeAll(async () => {
  const stack = pagesOutput(path('stack.tif'), true);
  for (const [i, seed] of seeds.entries()) {
    await save(`page-${i}.png`, await png(textured(width, height, 255, seed)));
    const page = await (await openImage(path(`page-${i}.png`))).page(0);
    await stack.add(page.image, page);
  }
  await writeTogether([await stack.finish()]);
});

describe('ght denoise of a stack', () => {
  it('denoises page by page, each as it would be alone, into a TIFF of as many', async () => {
    const reported = await json('denoise', 'stack.tif', '-o', 'clean.tif', '--pages', 'all', '--sigma', '12');
    expect(reported.pages).toHaveLength(3);
    expect(reported.pages[2]).toMatchObject({ page: 2, changed: true, image: { width, height } });
    const clean = await openImage(path('clean.tif'));
    expect(clean.count).toBe(3);
    for (const i of [0, 2]) {
      await ght('denoise', `page-${i}.png`, '-o', `alone-${i}.png`, '--sigma', '12');
      const alone = await (await openImage(path(`alone-${i}.png`))).page(0);
      expect((await clean.page(i)).image.planes).toEqual(alone.image.planes);
    }
  });

  it('takes one page or some, one to any format', async () => {
    await json('denoise', 'stack.tif', '-o', 'second.png', '--pages', '1', '--sigma', '12');
    expect((await sharp(await read('second.png')).metadata()).format).toBe('png');
    const { stdout } = await ght('denoise', 'stack.tif', '-o', 'rest.tif', '--pages', '1-2', '--sigma', '12');
    expect(stdout).toMatch(/page 1 .*\n.*page 2 .*\n.*wrote +2 pages to rest\.tif/);
    expect((await openImage(path('rest.tif'))).count).toBe(2);
  });

  it.each([
    [['represent', 'stack.tif', '-o', 'no.tif'], 'must hold exactly one page, but got "stack.tif": use --pages all'],
    [['denoise', 'stack.tif', '-o', 'no.tif', '--pages', '1-3'], '--pages must be from 0 to 2, but got 3'],
    [
      ['denoise', 'stack.tif', '-o', 'no.png', '--pages', 'all'],
      '-o must be TIFF or .npy for several pages, but got "no.png"',
    ],
    [['denoise', 'page-0.png', '-o', 'no.png', '--pages', '1'], '--pages must be 0 for a file of one page, but got 1'],
    [
      ['denoise', 'stack.tif', '-o', 'no.tif', '--pages', 'first'],
      '--pages must be all, a page such as 0, or pages such',
    ],
    [['represent', 'stack.tif', '--pages', 'all', '--codes', 'no.npz'], '--codes must be left out for several pages'],
    [['diagnose', 'stack.tif', '--pages', 'all', '--plot', 'no.svg'], '--plot must be left out for several pages'],
    [['info', 'stack.tif', '--pages', 'all'], '--pages must be one page here'],
  ])('%j is refused and writes nothing', async (args, message) => {
    const before = await contents();
    const { code, stderr } = await ght(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(await contents()).toEqual(before);
  });
});

describe('other commands on a stack', () => {
  it('represent each page under the budget', async () => {
    const reported = await json('represent', 'stack.tif', '-o', 'small.tif', '--pages', 'all', '--budget', '4');
    expect(reported.pages.map(({ page, nonzeros }: { page: number; nonzeros: number }) => [page, nonzeros])).toEqual([
      [0, 120],
      [1, 120],
      [2, 120],
    ]);
    expect((await openImage(path('small.tif'))).count).toBe(3);
  });

  it('tell the noise of each page', async () => {
    const { pages } = await json('diagnose', 'stack.tif', '--pages', 'all');
    expect(pages.map(({ page }: { page: number }) => page)).toEqual([0, 1, 2]);
    const alone = await json('diagnose', 'page-1.png', '--noise', 'white');
    const again = await json('diagnose', 'stack.tif', '--pages', '1', '--noise', 'white');
    expect(again.sigma).toEqual(alone.sigma);
  });
});

describe('an array of C×H×W', () => {
  it('is refused without --axes, and denoised as the picture it is with it', async () => {
    const planes = seeds.map((seed) => textured(width, height, 255, seed));
    const interleaved = planes[0].flatMap((_, i) => planes.map((plane) => plane[i]));
    await save('chw.npy', writeNpy({ type: 'u1', shape: [3, height, width], data: Uint8Array.from(planes.flat()) }));
    await save('hwc.npy', writeNpy({ type: 'u1', shape: [height, width, 3], data: Uint8Array.from(interleaved) }));
    expect((await ght('denoise', 'chw.npy', '-o', 'no.npy')).stderr).toContain(
      `the shape 3×${height}×${width} leaves open, but got "chw.npy": set axes to HWC, CHW or NHW`,
    );
    // The reference has the same axes.
    const asked = ['--sigma', '12', '--axes', 'CHW', '--reference', 'chw.npy'];
    const { image, psnrNoisy } = await json('denoise', 'chw.npy', '-o', 'out.npy', ...asked);
    expect(image).toMatchObject({ width, height, channels: 3 });
    expect(psnrNoisy).toBeNull();
    await json('denoise', 'hwc.npy', '-o', 'same.npy', '--sigma', '12');
    const chw = await readImage(path('out.npy'), { axes: 'CHW' });
    expect(chw.image.planes).toEqual((await readImage(path('same.npy'))).image.planes);
  });
});

describe('a stack in an array', () => {
  it('is denoised page by page as a TIFF is', async () => {
    const data = Uint8Array.from(seeds.flatMap((seed) => textured(width, height, 255, seed)));
    await save('stack.npy', writeNpy({ type: 'u1', shape: [3, height, width], data }));
    const asked = ['--pages', 'all', '--sigma', '12'];
    const reported = await json('denoise', 'stack.npy', '-o', 'stack-out.npy', '--axes', 'NHW', ...asked);
    expect(reported.pages).toHaveLength(3);
    await json('denoise', 'stack.tif', '-o', 'stack-out.tif', ...asked);
    const [array, file] = [
      await openImage(path('stack-out.npy'), { axes: 'NHW' }),
      await openImage(path('stack-out.tif')),
    ];
    expect((await array.page(2)).image.planes).toEqual((await file.page(2)).image.planes);
  });
});

describe('a folder', () => {
  it('is searched for bitmaps too', async () => {
    await mkdir(path('bitmaps'));
    const image = await readImage(path('page-0.png'));
    await writeImage(path('bitmaps/scan.bmp'), image.image, image);
    const { files } = await json('denoise', 'bitmaps', '-o', 'cleaned', '--sigma', '12');
    expect(files).toMatchObject([{ input: 'bitmaps/scan.bmp', output: 'cleaned/scan.bmp' }]);
    expect((await readImage(path('cleaned/scan.bmp'))).format).toBe('bmp');
  });
});

describe('--peak', () => {
  it('is the full scale of PSNR and of the shares of the noise', async () => {
    await save('twelve.png', await png(textured(width, height, 4095), 1, width, 16));
    const { image, range } = await json('info', 'twelve.png', '--peak', '4095');
    expect(image.peak).toBe(4095);
    expect(range[1]).toBeLessThanOrEqual(4095);
    const at = async (...peak: string[]) => (await json('represent', 'twelve.png', '--budget', '4', ...peak)).psnr;
    // Smaller by 20·log10(65535 / 4095), about 24 dB.
    expect((await at()) - (await at('--peak', '4095'))).toBeCloseTo(20 * Math.log10(65535 / 4095), 1);
    const { sigma, share } = await json('diagnose', 'twelve.png', '--noise', 'white', '--peak', '4095');
    expect(share[0]).toBeCloseTo(sigma[0] / 4095, 12);
  });

  it('must be a number above 0', async () => {
    expect((await ght('info', 'page-0.png', '--peak', '0')).stderr).toContain('--peak must be above 0, but got 0');
  });
});
