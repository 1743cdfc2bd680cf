/** The plan of denoising on the queue: file in, Zarr out, with the bits of `denoise` on the whole image. */
import { join } from 'node:path';
import { denoise, type Image, randomSource } from 'ght';
import { toRaster } from 'ght-images';
import { readImage, writeImage } from 'ght-images/node';
import { denoiseTask, type Places, zarrSource } from 'ght-tiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueRunner } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { Stage } from './stage.js';

const [width, height] = [1100, 600];

describe.skipIf(!hasRedis)(`denoising on the queue ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().start();
  });
  afterEach(() => stage.end());

  it('has the bits of one process, though a worker is killed', async () => {
    const random = randomSource(1);
    const sample = (_: unknown, i: number) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      return Math.round(
        Math.max(0, Math.min(255, 90 + 60 * Math.sin(x / 30) * Math.cos(y / 50) + 12 * random.normal())),
      );
    };
    const image: Image = { width, height, planes: [Uint8Array.from({ length: width * height }, sample)], peak: 255 };
    const path = join(stage.root, 'noisy.png');
    await writeImage(path, image, { image, format: 'png', sample: 'uint', depth: 8 });
    // Each process computes its fingerprint.
    const options = { images: true, fingerprint: undefined };
    const [victim] = await Promise.all([stage.worker(options), stage.worker(options)]);
    const request = {
      input: 'data:noisy.png',
      output: 'data:clean.zarr',
      options: { quality: 'fast' as const },
      tile: 512,
    };
    const begin = async (_: string, places: Places) => {
      const { picture } = await places.source(request.input);
      await places.sink(request.output, picture);
    };
    const passes = new Map<string, number>();
    const onProgress = ({ pass, parts }: { pass: string; parts: number }) => {
      if (pass === 'denoise' && !passes.has(pass)) void victim.kill('SIGKILL');
      passes.set(pass, parts);
    };
    const runner = queueRunner(stage.server.url, { roots: { data: stage.root }, begin });
    const result = await runner.run(denoiseTask(), request, { onProgress });
    expect(passes.get('denoise')).toBe(6);
    const whole = await denoise((await readImage(path)).image, { quality: 'fast' });
    expect(result.noise).toEqual(whole.noise);
    const clean = await zarrSource(join(stage.root, 'clean.zarr'));
    const [plane] = await clean.read({ left: 0, top: 0, width, height });
    await clean.close();
    const expected = toRaster(whole.image, 'uint', 8).rows(0, height);
    expect(Buffer.compare(Buffer.from(plane as Uint8Array), Buffer.from(expected as Uint8Array))).toBe(0);
  });
});
