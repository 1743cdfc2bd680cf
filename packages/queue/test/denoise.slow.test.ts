/** The plan of denoising on the queue: file in, Zarr out, with the bits of `denoise` on the whole image. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { denoise, type Image, randomSource } from 'ght';
import { toRaster } from 'ght-images';
import { readImage, writeImage } from 'ght-images/node';
import { denoiseTask, zarrSource } from 'ght-tiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueRunner } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { errorOf, Stage } from './stage.js';

const [width, height] = [1100, 600];

describe.skipIf(!hasRedis)(`denoising on the queue ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().start();
  });
  afterEach(() => stage.end());

  // Each process computes its fingerprint.
  const worker = () => stage.worker({ images: true, fingerprint: undefined });
  const request = {
    input: 'data:noisy.tif',
    output: 'data:clean.zarr',
    options: { quality: 'fast' as const },
    tile: 512,
  };
  const runner = () =>
    queueRunner(stage.server.url, {
      roots: { data: stage.root },
      backoff: 0,
      begin: async (_, places) => {
        const { picture } = await places.source(request.input);
        await places.sink(request.output, picture);
      },
    });
  const save = async (plane: Uint8Array | Float32Array) => {
    const image: Image = { width, height, planes: [plane], peak: 255 };
    const kind =
      plane instanceof Uint8Array ? ({ sample: 'uint', depth: 8 } as const) : ({ sample: 'float', depth: 32 } as const);
    await writeImage(join(stage.root, 'noisy.tif'), image, { image, format: 'tiff', ...kind });
  };
  const read = async () => {
    const source = await zarrSource(join(stage.root, 'clean.zarr'));
    const [plane] = await source.read({ left: 0, top: 0, width, height });
    await source.close();
    return plane;
  };
  const written = async () => Buffer.from((await read()) as Uint8Array);
  const writtenFloats = async () => Buffer.from(Float32Array.from(await read()).buffer);

  it('has the bits of one process, though a worker is killed', async () => {
    await save(noisy());
    const [victim] = await Promise.all([worker(), worker()]);
    const passes = new Map<string, number>();
    const onProgress = ({ pass, parts }: { pass: string; parts: number }) => {
      if (pass === 'denoise' && !passes.has(pass)) void victim.kill('SIGKILL');
      passes.set(pass, parts);
    };
    const result = await runner().run(denoiseTask(), request, { onProgress });
    expect(passes.get('denoise')).toBe(6);
    const whole = await denoise((await readImage(join(stage.root, 'noisy.tif'))).image, { quality: 'fast' });
    expect(result.noise).toEqual(whole.noise);
    const expected = toRaster(whole.image, 'uint', 8).rows(0, height);
    expect(Buffer.compare(await written(), Buffer.from(expected as Uint8Array))).toBe(0);
  });

  it.each(['keep', 'fill'] as const)('has the bits of one process where samples are missing: %s', async (missing) => {
    const plane = Float32Array.from(noisy(), (value, i) =>
      i % width > 400 && i % width < 640 && i < 90_000 ? Number.NaN : value,
    );
    await save(plane);
    await Promise.all([worker(), worker()]);
    const options = { ...request.options, missing };
    await runner().run(denoiseTask(), { ...request, options });
    const whole = await denoise((await readImage(join(stage.root, 'noisy.tif'))).image, options);
    const expected = Float32Array.from(whole.image.planes[0]);
    expect(Buffer.compare(await writtenFloats(), Buffer.from(expected.buffer))).toBe(0);
    expect(readdirSync(stage.root).sort()).toEqual(['clean.zarr', 'noisy.tif']);
  });

  it('leaves nothing of an image that is refused', async () => {
    await save(new Float32Array(width * height).fill(1).fill(Number.NaN, 4000, 4001));
    await worker();
    const error = await errorOf(runner().run(denoiseTask(), request));
    expect(error.message).toMatch(/pass range, tile 0 .* got NaN/);
    expect(readdirSync(stage.root)).toEqual(['noisy.tif']);
  });

  it('begins again if its unfinished output was removed', async () => {
    await save(noisy());
    await worker();
    const stop = new AbortController();
    const onProgress = ({ pass, done }: { pass: string; done: number }) => {
      if (pass === 'denoise' && done > 0) stop.abort();
    };
    await expect(runner().run(denoiseTask(), request, { signal: stop.signal, onProgress })).rejects.toThrow(/abort/);
    const parts = readdirSync(stage.root).filter((name) => name.endsWith('.part'));
    expect(parts).toHaveLength(1);
    rmSync(join(stage.root, parts[0]), { recursive: true });
    await runner().run(denoiseTask(), request);
    const whole = await denoise((await readImage(join(stage.root, 'noisy.tif'))).image, { quality: 'fast' });
    const expected = toRaster(whole.image, 'uint', 8).rows(0, height);
    expect(Buffer.compare(await written(), Buffer.from(expected as Uint8Array))).toBe(0);
  });
});

function noisy(): Uint8Array {
  const random = randomSource(1);
  return Uint8Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return Math.round(Math.max(0, Math.min(255, 90 + 60 * Math.sin(x / 30) * Math.cos(y / 50) + 12 * random.normal())));
  });
}
