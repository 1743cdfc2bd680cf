/** The plan of restoration on the queue: file in, Zarr out, with the bits of `inpaint` on the whole image. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Image, inpaint, randomSource } from 'ght';
import { toRaster } from 'ght-images';
import { readImage, writeImage } from 'ght-images/node';
import { type Places, type RestoreRequest, restoreTask, zarrSource } from 'ght-tiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueRunner } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { Stage } from './stage.js';

const [width, height] = [150, 110];
const random = randomSource(1);

describe.skipIf(!hasRedis)(`restoration on the queue ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().start();
  });
  afterEach(() => stage.end());

  it('has the bits of one process, and leaves no planes behind', async () => {
    const grey = (sample: (x: number, y: number) => number): Image => ({
      ...{ width, height, peak: 255 },
      planes: [Uint8Array.from({ length: width * height }, (_, i) => sample(i % width, Math.floor(i / width)))],
    });
    const save = (name: string, image: Image) =>
      writeImage(join(stage.root, name), image, { image, format: 'png', sample: 'uint', depth: 8 });
    await save(
      'photo.png',
      grey((x, y) => Math.round(120 + 60 * Math.sin(x / 9) * Math.cos(y / 7) + 8 * random.normal())),
    );
    await save(
      'mask.png',
      grey(() => (random.uniform() < 0.3 ? 255 : 0)),
    );
    await Promise.all([stage.worker({ images: true }), stage.worker({ images: true })]);
    const request: RestoreRequest = {
      ...{ input: 'data:photo.png', output: 'data:filled.zarr', tile: 64 },
      task: 'inpaint',
      mask: 'data:mask.png',
      options: { quality: 'fast' },
    };
    const begin = async (_: string, places: Places) => {
      const { picture } = await places.source(request.input);
      await places.sink(request.output, picture);
    };
    const passes = new Map<string, number>();
    const onProgress = ({ pass, parts }: { pass: string; parts: number }) => passes.set(pass, parts);
    const runner = queueRunner(stage.server.url, stage.options({ files: undefined, begin }));
    const result = await runner.run(restoreTask(), request, { onProgress });
    expect(passes.get('prior-12')).toBe(6);
    const [photo, mask] = await Promise.all(['photo.png', 'mask.png'].map((name) => readImage(join(stage.root, name))));
    const whole = await inpaint(photo.image, mask.image.planes[0], { quality: 'fast' });
    expect(result.history.map(({ gap }) => gap)).toEqual(whole.history.map(({ gap }) => gap));
    const filled = await zarrSource(join(stage.root, 'filled.zarr'));
    const [plane] = await filled.read({ left: 0, top: 0, width, height });
    await filled.close();
    const expected = toRaster(whole.image, 'uint', 8).rows(0, height);
    expect(Buffer.compare(Buffer.from(plane as Uint8Array), Buffer.from(expected as Uint8Array))).toBe(0);
    expect((await readdir(stage.root)).sort()).toEqual(['filled.zarr', 'mask.png', 'photo.png']);
  });
});
