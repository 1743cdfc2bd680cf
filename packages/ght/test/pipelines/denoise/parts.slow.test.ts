/** Denoising an image with areas without noise in many parts: the same bits as in one. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Samples } from '../../../src/image/image.js';
import { allOf, cut, place, type Rectangle, type Size } from '../../../src/image/rectangle.js';
import { type DenoiseOptions, type Image, randomSource } from '../../../src/index.js';
import { type CoarseStore, type DenoiseContext, DenoiserCache } from '../../../src/pipelines/denoise/context.js';
import { resolveDenoiseOptions } from '../../../src/pipelines/denoise/options.js';
import { partReader } from '../../../src/pipelines/denoise/parts.js';
import { denoisePlan } from '../../../src/pipelines/denoise/plan.js';
import { denoiseWhole } from '../../../src/pipelines/denoise/whole.js';
import { runHere } from '../../../src/pipelines/run.js';
import { photograph } from '../../photographs.js';
import { noisy } from '../../pictures.js';
import { coloured, inBytes, jpegOf } from '../../tasks/camera-files.js';

/** Keeps the differences of the coarse scale in memory. */
function memoryStore(half: Size): CoarseStore {
  const kept: Float32Array[] = [];
  return {
    async write(at, planes) {
      for (const [c, plane] of planes.entries()) {
        kept[c] ??= new Float32Array(half.width * half.height);
        place(plane, at, kept[c], allOf(half));
      }
    },
    read: async (at, planes) => kept.slice(0, planes).map((plane) => cut(plane, allOf(half), at)),
    async clear() {},
  };
}

/** Denoises an image in parts of this side; also returns their number. */
async function denoiseInParts(noisyImage: Image, options: DenoiseOptions, side: number) {
  const { width, height, planes, peak } = noisyImage;
  const whole = allOf(noisyImage);
  const image = { width, height, read: async (at: Rectangle) => planes.map((plane) => cut(plane, whole, at)) };
  const result = planes.map((plane) => new Float64Array(plane.length));
  let parts = 0;
  const context: DenoiseContext = {
    ...{ image, reader: partReader(image), denoisers: new DenoiserCache(), peakOf: () => peak },
    settings: resolveDenoiseOptions(planes.length, options),
    tiles: { chunk: { width: side, height: side }, side },
    coarse: memoryStore({ width: Math.ceil(width / 2), height: Math.ceil(height / 2) }),
    output: {
      has: async () => false,
      async write(at, denoised) {
        parts++;
        const written = denoised ?? (await image.read(at));
        for (const [c, plane] of written.entries()) place(plane, at, result[c], whole);
      },
      async finish() {},
    },
  };
  const report = await runHere(denoisePlan, context);
  return { planes: result, report, parts };
}

/** A picture of 160×160 pixels in a frame of 40 samples, with a panel inside. */
function framed({ planes, peak }: Image, value: number): Image {
  const side = 240;
  const isConstant = (x: number, y: number) =>
    Math.max(Math.abs(x - 119.5), Math.abs(y - 119.5)) > 80 || (x > 100 && x < 150 && y > 90 && y < 130);
  const canvas = planes.map((plane) =>
    Float64Array.from({ length: side * side }, (_, i) => {
      const [x, y] = [i % side, Math.floor(i / side)];
      return isConstant(x, y) ? value : plane[(y - 40) * 160 + x - 40];
    }),
  );
  return { width: side, height: side, planes: canvas, peak };
}

const fast = { quality: 'fast', threads: 1 } as const;
const float64 = (planes: readonly Samples[]) => planes.map((plane) => Float64Array.from(plane));

let boats: Image;
beforeAll(async () => {
  boats = await photograph('nagasaki-boats', 160);
});

describe('one part and many parts have the same bits', () => {
  const same = async (image: Image, options: DenoiseOptions, kind: string, side: number) => {
    const whole = await denoiseWhole(image, resolveDenoiseOptions(image.planes.length, options));
    expect(whole.noise.kind).toBe(kind);
    expect(whole.changed).toBe(true);
    const { planes, report, parts } = await denoiseInParts(image, options, side);
    expect(parts).toBe(Math.ceil(240 / side) ** 2);
    expect(planes).toEqual(float64(whole.image.planes));
    expect(report.noise).toEqual(whole.noise);
    return whole.image;
  };
  const isKept = ({ planes }: Image, value: number) =>
    planes.every((plane) => plane[0] === value && plane[100 * 240 + 120] === value);

  it('with a frame, for white noise', async () => {
    const result = await same(framed(noisy(boats, 15), 20), fast, 'white', 96);
    expect(isKept(result, 20)).toBe(true);
  });

  it('with a frame, for coloured noise at two scales', async () => {
    const result = await same(framed(inBytes(coloured(boats, 12)), 20), fast, 'coloured', 60);
    expect(isKept(result, 20)).toBe(true);
  });

  it('with a frame, for a JPEG', async () => {
    const { image, jpeg } = await jpegOf(framed(coloured(boats, 12), 20), 90);
    const result = await same(image, { ...fast, jpeg }, 'coloured', 60);
    // Its panel is not constant over 32×32 samples, since the chromas of half the size reach into it.
    const corner = result.planes.map((plane, c) => plane[241] === image.planes[c][241]);
    expect(corner).toEqual([true, true, true]);
  });

  it('with a frame, for noise that grows with the signal', async () => {
    const { poisson } = randomSource(3);
    const planes = boats.planes.map((plane) => Float64Array.from(plane, (value) => 4 * poisson(value / 4)));
    await same(framed({ ...boats, planes }, 20), fast, 'signal-dependent', 96);
  });
});
