/** Sources, sinks and scratch in memory. */
import type { Image } from 'ght';
import { describe, expect, it } from 'vitest';
import { memoryScratch, memorySink, memorySource, pictureOf } from '../src/memory.js';

const image: Image = {
  ...{ width: 3, height: 2, peak: 255 },
  planes: [Uint8Array.of(1, 2, 3, 4, 5, 6)],
  alpha: Uint8Array.of(9, 9, 9, 8, 8, 8),
};

describe('a source in memory', () => {
  it('has the picture of its image, and reads windows with opacity last', async () => {
    const source = memorySource(image);
    expect(source.picture).toEqual({ width: 3, height: 2, channels: 1, alpha: true, sample: 'uint', depth: 8 });
    const window = { left: 1, top: 1, width: 2, height: 1 };
    expect(await source.read(window)).toEqual([Uint8Array.of(5, 6), Uint8Array.of(8, 8)]);
  });

  it.each([
    [new Uint16Array(6), 'uint', 16],
    [new Float32Array(6), 'float', 32],
    [new Float64Array(6), 'float', 64],
  ])('%o is known by its type', (plane, sample, depth) => {
    expect(pictureOf({ width: 3, height: 2, peak: 1, planes: [plane] })).toMatchObject({ sample, depth, alpha: false });
  });

  it('refuses a window outside', async () => {
    const window = { left: 2, top: 0, width: 2, height: 1 };
    const message = 'window must lie inside the image of 3×2 pixels, but got "2×1 pixels from (2, 0)"';
    await expect(memorySource(image).read(window)).rejects.toThrow(message);
  });
});

describe('a sink in memory', () => {
  const picture = { ...pictureOf(image), alpha: false };

  it('rounds and clamps integers, and keeps floats', async () => {
    const window = { left: 0, top: 0, width: 3, height: 2 };
    const values = [Float64Array.of(-3, 0.5, 1.4, 254.6, 300, 7)];
    const sink = memorySink(picture);
    await sink.write(window, values);
    expect(sink.planes).toEqual([Uint8Array.of(0, 1, 1, 255, 255, 7)]);
    const floats = memorySink({ ...picture, sample: 'float', depth: 64 });
    await floats.write(window, values);
    expect(floats.planes).toEqual(values);
  });

  it('knows which chunks were written, and refuses parts of chunks', async () => {
    const sink = memorySink(picture, { width: 2, height: 2 });
    const right = { left: 2, top: 0, width: 1, height: 2 };
    expect(await sink.has(right)).toBe(false);
    await sink.write(right, [Uint8Array.of(3, 6)]);
    expect(await sink.has(right)).toBe(true);
    expect(await sink.has({ left: 0, top: 0, width: 3, height: 2 })).toBe(false);
    expect(sink.planes).toEqual([Uint8Array.of(0, 0, 3, 0, 0, 6)]);
    const half = { left: 0, top: 0, width: 1, height: 2 };
    await expect(sink.write(half, [Uint8Array.of(1, 4)])).rejects.toThrow('window must consist of whole chunks of 2×2');
  });
});

it('a scratch in memory returns what was put, until it is cleared', async () => {
  const scratch = memoryScratch();
  await scratch.put('a', [1, Float32Array.of(2)]);
  expect(await scratch.get('a')).toEqual([1, Float32Array.of(2)]);
  expect(await scratch.get('b')).toBeUndefined();
  await scratch.clear();
  expect(await scratch.get('a')).toBeUndefined();
});
