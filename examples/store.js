/**
 * A store of your own for images of any size: here files of raw samples, 8 bits each, row after row. The image is denoised tile after
 * tile, from one file into another, and has the bits of `denoise` on the whole image.
 */
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { denoise, describe, psnr, randomSource } from 'ght';
import { denoiseLarge } from 'ght-tiles';

async function rawSource(path, width, height) {
  const file = await open(path);
  return {
    picture: { width, height, channels: 1, alpha: false, sample: 'uint', depth: 8 },
    chunk: { width, height: 1 },
    version: String((await file.stat()).mtimeMs),
    async read(window) {
      const samples = new Uint8Array(window.width * window.height);
      for (let y = 0; y < window.height; y++) {
        const at = (window.top + y) * width + window.left;
        await file.read(samples, y * window.width, window.width, at);
      }
      return [samples];
    },
    close: () => file.close(),
  };
}

async function rawSink(path, picture) {
  const file = await open(path, 'w');
  return {
    picture,
    chunk: { width: 256, height: 256 },
    has: async () => false, // a raw file does not tell which windows it has, so no run is continued
    async write(window, [plane]) {
      const samples = Uint8ClampedArray.from(plane); // rounded and clamped
      for (let y = 0; y < window.height; y++) {
        const at = (window.top + y) * picture.width + window.left;
        await file.write(samples, y * window.width, window.width, at);
      }
    },
    finish: () => file.sync(),
    close: () => file.close(),
  };
}

const [width, height] = [600, 400];
const original = Uint8Array.from({ length: width * height }, (_, i) => {
  const [x, y] = [i % width, Math.floor(i / width)];
  return 128 + 50 * Math.sin(x / 30) * Math.cos(y / 25) + (x > 350 ? 40 : 0);
});
const random = randomSource(1);
const noisy = Uint8Array.from(Uint8ClampedArray.from(original, (value) => value + 15 * random.normal()));

const folder = await mkdtemp(join(tmpdir(), 'ght-store-'));
try {
  await writeFile(join(folder, 'noisy.raw'), noisy);
  const source = await rawSource(join(folder, 'noisy.raw'), width, height);
  const sink = await rawSink(join(folder, 'clean.raw'), source.picture);
  const result = await denoiseLarge(source, sink, { quality: 'fast', tile: 256 });
  await Promise.all([source.close(), sink.close()]);

  const clean = await readFile(join(folder, 'clean.raw'));
  const whole = await denoise({ width, height, planes: [noisy], peak: 255 }, { quality: 'fast' });
  const differences = Uint8ClampedArray.from(whole.image.planes[0]).filter((value, i) => value !== clean[i]);
  console.log(describe(result).join('; '));
  console.log(`${psnr(noisy, original, 255).toFixed(2)} dB before, ${psnr(clean, original, 255).toFixed(2)} dB after`);
  console.log(`samples that differ from the untiled run: ${differences.length}`);
} finally {
  await rm(folder, { recursive: true });
}
