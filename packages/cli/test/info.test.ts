import { truncate, writeFile } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { png as pngFile } from '../../images/test/fixtures.js';
import { png, textured, workplace } from './command.js';

const { ght, json, save, path } = workplace();

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
    expect(stdout).toMatch(/memory +about [\d.]+ (KiB|MiB|B) for a run, which fits here\n/);
  });

  it('--json holds the same as one object', async () => {
    const info = await json('info', 'deep.png');
    expect(info).toMatchObject({
      ...{ task: 'info', format: 'png', range: [1000, 60000], patches: 6, fits: true, tiles: null },
      image: { width: 20, height: 12, channels: 1, depth: 16, peak: 65535 },
    });
    // At least the patches themselves, as 64-bit floats.
    expect(info.memoryBytes).toBeGreaterThan(6 * 64 * 8);
  });

  it('reads only the header of a large image, and tells how tiles would divide one that is packed too densely', async () => {
    const size = { width: 4800, height: 4800 };
    const blank = sharp({ create: { ...size, channels: 3, background: '#123' } });
    await blank.png({ compressionLevel: 0 }).toFile(path('large.png'));
    const large = await json('info', 'large.png');
    expect(large).toMatchObject({ range: null, tiles: null, patches: 1_080_000, image: { ...size, peak: 255 } });
    expect((await ght('info', 'large.png')).stdout).toMatch(/range +not read, .*\(full scale for PSNR: 255\)/);
    await blank.png({ compressionLevel: 9 }).toFile(path('dense.png'));
    expect(await json('info', 'dense.png')).toMatchObject({ image: size, tiles: { tiles: 9 } });
  });

  it('--engines prints which engines can run here, and how to get a GPU', async () => {
    const { code, stdout } = await ght('info', '--engines');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ +webgpu +(not available: .*; to get it: npm install webgpu|.*, bindings of up to)/);
    expect(stdout).toMatch(/\n +wasm +SIMD/);
    const { engines } = await json('info', '--engines');
    expect(engines).toMatchObject([
      { name: 'webgpu' },
      { name: 'wasm', available: true },
      { name: 'portable', available: true },
      { name: 'reference', available: true },
    ]);
    expect((await ght('info', '--engines', 'deep.png')).stderr).toMatch(/^ght: --engines must stand alone, /);
    expect((await ght('info')).stderr).toMatch(/^ght: IMAGE must be given, .* or use --engines\n$/);
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
    expect(stdout).toMatch(/format +tiff, 2 pages\n +stack +2 pages, 2 t\n +resolution +300 × 300 pixels per inch/);
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

  it('says how a file that is too large for memory is divided, and reads only its header', async () => {
    const side = 48_000;
    await saveLargeTiff(path('slide.tif'), side);
    const { code, stdout, stderr } = await ght('info', 'slide.tif');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`slide.tif: ${side}×${side}, 1 channel, 8 bit`);
    expect(stdout).toMatch(/format +tiff\n/);
    expect(stdout).toMatch(/tiles +144 of at most 4096×4096 pixels, about 4\d\d MiB; write to \.zarr or \.tif\n/);
    expect(await json('info', 'slide.tif')).toMatchObject({
      ...{ format: 'tiff', image: { width: side, height: side, channels: 1, depth: 8 } },
      tiles: { tiles: 144, width: 4096, height: 4096 },
    });
    const refused = await ght('info', 'slide.tif', '--peak', '100');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--peak must be left out for an image that is processed in tiles');
  });

  it('divides an image above 268 megapixels, and other commands process it in tiles by themselves, however small its file is', async () => {
    const [width, height] = [17_000, 16_000];
    const rows = Array.from({ length: height }, () => Buffer.alloc(width / 8, 0x5a));
    const text = Buffer.alloc(2 ** 21, 'a');
    const file = pngFile({ width, height, bits: 1, colourType: 0 }, rows, [['paDd', text]]);
    expect(file.length).toBeLessThan(2 ** 22);
    await save('huge.png', file);
    expect(await json('info', 'huge.png')).toMatchObject({ image: { width, height }, tiles: expect.anything() });
    for (const command of ['denoise', 'deblur']) {
      // Refused before anything is computed, which would take minutes.
      const { stderr } = await ght(
        command,
        'huge.png',
        '-o',
        'out.png',
        '--peak',
        '255',
        ...(command === 'deblur' ? ['--kernel', 'gaussian:1'] : []),
      );
      expect(stderr).toContain('--peak must be left out for an image that is processed in tiles');
    }
    const { stderr } = await ght('diagnose', 'huge.png');
    expect(stderr).toMatch(/must have at most \d+ pixels, not 17000×16000, .*: process it in tiles .* or crop it/);
  });

  it('describes a Zarr, and any format it can be written to', async () => {
    await save('small.png', await png(textured(40, 30), 1, 40));
    await ght('denoise', 'small.png', '-o', 'small.zarr', '--sigma', '5', '--quality', 'fast');
    const { stdout } = await ght('info', 'small.zarr');
    expect(stdout).toMatch(/small\.zarr: 40×30, 1 channel, 8 bit\n +format +zarr\n/);
    expect(stdout).toMatch(/tiles +1 of at most 40×30 pixels, about [\d.]+ KiB\n/);
    expect((await ght('info', 'missing.zarr')).stderr).toContain('missing.zarr');
  });
});

/** A tiled TIFF whose tiles are all the same zeros, so that it is small on disk, whatever its size in pixels. */
async function saveLargeTiff(name: string, side: number): Promise<void> {
  const tile = 2048;
  const tiles = Math.ceil(side / tile) ** 2;
  const [lists, samples] = [1024, 2 ** 20];
  const entries = [
    ...[[256, 4, 1, side] as const, [257, 4, 1, side] as const, [258, 3, 1, 8] as const, [259, 3, 1, 1] as const],
    ...[[262, 3, 1, 1] as const, [277, 3, 1, 1] as const, [322, 4, 1, tile] as const, [323, 4, 1, tile] as const],
    ...[[324, 4, tiles, lists] as const, [325, 4, tiles, lists + 4 * tiles] as const],
  ];
  const head = Buffer.alloc(lists + 8 * tiles);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  for (const [i, [tag, type, number, value]] of entries.entries()) {
    const at = 10 + 12 * i;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(number, at + 4);
    head.writeUInt32LE(value, at + 8);
  }
  for (let i = 0; i < tiles; i++) {
    head.writeUInt32LE(samples, lists + 4 * i);
    head.writeUInt32LE(tile * tile, lists + 4 * (tiles + i));
  }
  await writeFile(name, head);
  await truncate(name, samples + tile * tile);
}
