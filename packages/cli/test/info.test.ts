import { writeNpy } from 'ght';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { png, textured, workplace } from './command.js';

const { ght, json, save } = workplace();

beforeAll(async () => {
  const samples = textured(20, 12, 65535);
  await save('deep.png', await png([1000, 60000, ...samples.slice(2).map(() => 1234)], 1, 20, 16));
  const rgba = samples.flatMap((_, i) => [10, 20 + (i % 2), 30, 40]);
  await save('rgba.png', await png(rgba, 4, 20));
  await save('float.npy', writeNpy({ type: 'f4', shape: [12, 20], data: Float32Array.from(samples, (_, i) => -i) }));
});

describe('ght info', () => {
  it('prints size, channels, depth, range and memory', async () => {
    const { code, stdout, stderr } = await ght('info', 'deep.png');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('deep.png: 20×12, 1 channel, 16 bit');
    expect(stdout).toMatch(/range +1000 to 60000 \(full scale for PSNR: 65535\)/);
    expect(stdout).toMatch(/patches +6 of 8×8/);
    expect(stdout).toMatch(/memory +about [\d.]+ (KiB|MiB|B) /);
  });

  it('--json holds the same as one object', async () => {
    const info = await json('info', 'deep.png');
    expect(info).toMatchObject({
      ...{ task: 'info', format: 'png', range: [1000, 60000], patches: 6 },
      image: { width: 20, height: 12, channels: 1, depth: 16, peak: 65535 },
    });
    // At least the patches themselves, as 64-bit floats.
    expect(info.memoryBytes).toBeGreaterThan(6 * 64 * 8);
  });

  it('shows alpha and floats', async () => {
    expect((await ght('info', 'rgba.png')).stdout).toMatch(/4 channels, 8 bit[\s\S]*alpha +yes/);
    const float = await json('info', 'float.npy');
    expect(float).toMatchObject({ format: 'npy', range: [-239, 0], image: { depth: 32, peak: 239 } });
  });

  it('prints signed samples, pages and the resolution', async () => {
    const data = Int16Array.from({ length: 240 }, (_, i) => i - 100);
    await save('signed.npy', writeNpy({ type: 'i2', shape: [12, 20], data }));
    expect((await ght('info', 'signed.npy')).stdout).toContain('signed.npy: 20×12, 1 channel, 16 bit, signed');
    const scans = Array.from({ length: 2 }, () => ({
      create: { width: 16, height: 16, channels: 3, background: '#842' } as const,
    }));
    const pages = await Promise.all(scans.map((each) => sharp(each).png().toBuffer()));
    const stack = sharp(pages, { join: { animated: true } }).withMetadata({ density: 300 });
    await save('scans.tif', await stack.tiff({ compression: 'lzw' }).toBuffer());
    const { stdout } = await ght('info', 'scans.tif');
    expect(stdout).toMatch(/format +tiff, 2 pages\n +resolution +300 × 300 pixels per inch/);
    expect(await json('info', 'scans.tif', '--pages', '1')).toMatchObject({
      pages: 2,
      image: { width: 16, height: 16 },
    });
  });

  it('prints memory in whole bytes, whatever the size', async () => {
    for (const side of [33, 47, 61]) {
      await save('square.png', await png(textured(side, side), 1, side));
      for (const stride of ['1', '3', '8']) {
        const { memoryBytes } = await json('info', 'square.png', '--stride', stride);
        expect(Number.isInteger(memoryBytes)).toBe(true);
      }
    }
  });

  it('a smaller stride needs more patches and memory', async () => {
    const [far, near] = [await json('info', 'deep.png'), await json('info', 'deep.png', '--stride', '2')];
    expect(near.patches).toBe(7 * 3);
    expect(near.memoryBytes).toBeGreaterThan(far.memoryBytes);
  });
});
