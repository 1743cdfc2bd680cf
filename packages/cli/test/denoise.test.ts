import { randomSource, readNpy, writeNpy } from 'ght';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, pixels, png, psnr, smooth, width, workplace } from './command.js';

const { ght, json, save, read } = workplace();
const sigma = 20;
const clean = smooth().map(Math.round);
const { normal } = randomSource(7);
const noisy = clean.map((value) => Math.min(255, Math.max(0, Math.round(value + sigma * normal()))));

beforeAll(async () => {
  await save('clean.png', await png(clean));
  await save('noisy.png', await png(noisy));
});

describe('ght denoise', () => {
  it.each(['--sigma 20', '--budget 2', '--budget 2 --solver omp', '--sigma 20 --stride 4 --solver joint-omp'])(
    'brings the picture closer to the clean one with %s',
    async (flags) => {
      const result = await json(
        'denoise',
        'noisy.png',
        '-o',
        'out.png',
        '--reference',
        'clean.png',
        ...flags.split(' '),
      );
      expect(result).toMatchObject({ task: 'denoise', image: { width, height, channels: 1, depth: 8 } });
      const written = psnr((await pixels(await read('out.png'))).samples, clean, 255);
      const before = psnr(noisy, clean, 255);
      expect(written).toBeGreaterThan(before + 3);
      expect(result.psnr).toBeCloseTo(written, 0);
      expect(result.psnrNoisy).toBeCloseTo(before, 9);
    },
  );

  it('--sigma leaves about the noise behind', async () => {
    const result = await json('denoise', 'noisy.png', '-o', 'out.png', '--sigma', '20');
    expect(result.rmsePixel).toBeLessThan(1.05 * sigma);
    expect(result.rmsePixel).toBeGreaterThan(0.9 * sigma);
    expect(result.psnr).toBeNull();
  });

  it('takes sigma in the units of the image', async () => {
    const data = Float64Array.from(noisy, (value) => value / 255);
    await save('unit.npy', writeNpy({ type: 'f8', shape: [height, width], data }));
    const unit = await json('denoise', 'unit.npy', '-o', 'unit-out.npy', '--sigma', String(sigma / 255));
    expect(255 * unit.rmsePixel).toBeLessThan(1.05 * sigma);
    expect(255 * unit.rmsePixel).toBeGreaterThan(0.9 * sigma);
    const out = Array.from(readNpy(await read('unit-out.npy')).data, Number);
    expect(
      psnr(
        out,
        clean.map((value) => value / 255),
        1,
      ),
    ).toBeGreaterThan(psnr(noisy, clean, 255) + 3);
  });

  it('tells people what each number is against', async () => {
    const { stdout } = await ght('denoise', 'noisy.png', '-o', 'out.png', '--budget', '2', '--reference', 'clean.png');
    expect(stdout).toMatch(/RMSE .* against the noisy image/);
    expect(stdout).toMatch(/PSNR .* dB, against the reference/);
    expect(stdout).toMatch(/before +22\.\d\d dB/);
  });
});
