/** Areas without noise, and drawings, by their definition. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, type Rectangle } from '../../src/image/rectangle.js';
import { type Image, randomSource, type Samples } from '../../src/index.js';
import { CONSTANT_REACH, constantAreas, isDrawn, keepConstantAreas } from '../../src/noise/constant-areas.js';
import { finish } from '../../src/work.js';
import { photograph } from '../photographs.js';
import { noisy, picture } from '../pictures.js';
import { runs } from '../properties/problems.js';
import { inBytes } from '../tasks/camera-files.js';
import { drawn, page } from './made.js';

/** Marks the samples of all squares in which every plane has one value, square by square. */
function squaresByDefinition(planes: readonly Samples[], width: number, height: number, side: number): Uint8Array {
  const marks = new Uint8Array(width * height);
  for (let top = 0; top + side <= height; top++) {
    for (let left = 0; left + side <= width; left++) {
      const inside = Array.from({ length: side * side }, (_, i) => {
        return (top + Math.floor(i / side)) * width + left + (i % side);
      });
      if (planes.every((plane) => inside.every((at) => plane[at] === plane[inside[0]]))) {
        for (const at of inside) marks[at] = 1;
      }
    }
  }
  return marks;
}

/** Rectangles of few values on noise, or on nothing: areas of every shape and size. */
const patchwork = fc
  .record({ width: fc.integer({ min: 1, max: 48 }), height: fc.integer({ min: 1, max: 48 }), seed: fc.nat() })
  .map(({ width, height, seed }): Image => {
    const random = randomSource(seed);
    const planes = [0, 1].map(() => Float64Array.from({ length: width * height }, () => random.uniform()));
    for (let n = 0; n < 5; n++) {
      const [left, top] = [Math.floor(width * random.uniform()), Math.floor(height * random.uniform())];
      const [w, h, value] = [50 * random.uniform(), 50 * random.uniform(), Math.floor(2 * random.uniform())];
      for (const plane of planes.slice(0, random.uniform() < 0.2 ? 1 : 2)) {
        for (let y = top; y < Math.min(height, top + h); y++) {
          for (let x = left; x < Math.min(width, left + w); x++) plane[y * width + x] = value;
        }
      }
    }
    return { width, height, planes, peak: 1 };
  });

const rectangle = (left: number, top: number, width: number, height: number): Rectangle => {
  return { left, top, width, height };
};
const contains = ({ left, top, width, height }: Rectangle, x: number, y: number) =>
  x >= left && x < left + width && y >= top && y < top + height;

describe('constantAreas', () => {
  it('marks the squares of 8 samples in which all planes are constant; of 32 in a JPEG', () => {
    fc.assert(
      fc.property(patchwork, fc.boolean(), ({ planes, width, height }, isJpeg) => {
        const marks = finish(constantAreas(planes, width, height, isJpeg));
        const expected = squaresByDefinition(planes, width, height, isJpeg ? 32 : 8);
        expect(marks ?? new Uint8Array(width * height)).toEqual(expected);
        expect(marks === undefined).toBe(!expected.includes(1));
      }),
      runs(60),
    );
  });

  it('does not join equal squares across an edge of the image', () => {
    // Columns 0..3 and 44..47: neighbours in memory, but not in the image.
    const { planes } = drawn(48, 48, (x, y) => (x < 4 || x >= 44 ? 0 : 1 + ((7 * x + 3 * y) % 5)));
    expect(finish(constantAreas(planes, 48, 48, false))).toBeUndefined();
  });

  it('needs all planes: a channel with noise shows the noise of a clipped one', () => {
    const random = randomSource(1);
    const [flat] = drawn(32, 32, () => 255).planes;
    const [rough] = drawn(32, 32, () => random.normal()).planes;
    expect(finish(constantAreas([flat, flat], 32, 32, false))?.every((mark) => mark === 1)).toBe(true);
    expect(finish(constantAreas([flat, rough], 32, 32, false))).toBeUndefined();
  });
});

describe('keepConstantAreas', () => {
  const width = 96;
  const random = randomSource(2);
  const area = rectangle(30, 25, 40, 36);
  const { planes } = drawn(width, width, (x, y) => (contains(area, x, y) ? 7.1 : 50 * random.uniform()));
  const whole = rectangle(0, 0, width, width);
  const changed = () => planes.map((plane) => plane.map((value) => value + 1));

  it.each([false, true])('puts their samples back and no others; JPEG: %s', (isJpeg) => {
    const [kept] = finish(keepConstantAreas({ at: whole, planes }, { at: whole, planes: changed() }, isJpeg));
    kept.forEach((value, i) => {
      const isInside = contains(area, i % width, Math.floor(i / width));
      expect(value).toBe(isInside ? 7.1 : planes[0][i] + 1);
    });
  });

  it.each([false, true])('has the same bits in parts that are read with their surroundings; JPEG: %s', (isJpeg) => {
    const [expected] = finish(keepConstantAreas({ at: whole, planes }, { at: whole, planes: changed() }, isJpeg));
    for (let top = 0; top < width; top += 16) {
      for (let left = 0; left < width; left += 16) {
        const inner = rectangle(left, top, 16, 16);
        const [l, t] = [left, top].map((edge) => Math.max(0, edge - CONSTANT_REACH));
        const [r, b] = [left, top].map((edge) => Math.min(width, edge + 16 + CONSTANT_REACH));
        const at = rectangle(l, t, r - l, b - t);
        const given = { at, planes: planes.map((plane) => cut(plane, whole, at)) };
        const result = { at: inner, planes: changed().map((plane) => cut(plane, whole, inner)) };
        expect(finish(keepConstantAreas(given, result, isJpeg))[0]).toEqual(cut(expected, whole, inner));
      }
    }
  });
});

describe('isDrawn', () => {
  const isIt = ({ planes, width, height }: Image) => finish(isDrawn(planes, width, height));

  it.each<[string, Image]>([
    ['text', page(256, 192)],
    ['one value', drawn(40, 30, () => 9)],
    ['a bar chart', drawn(128, 96, (x, y) => (y > 90 - (x >> 4) * 9 && x % 16 < 11 ? 40 * (x >> 5) : 255))],
    ['a diagonal line', drawn(96, 96, (x, y) => (Math.abs(x - y) < 2 ? 0 : 240))],
  ])('holds for %s', (_name, image) => {
    expect(isIt(image)).toBe(true);
  });

  it('does not hold for a noisy page, however weak its noise', () => {
    const { planes, ...rest } = page(256, 192);
    const paper = { ...rest, planes: planes.map((plane) => plane.map((value) => Math.min(235, value))) };
    for (const sigma of [0.6, 1, 4]) expect(isIt(inBytes(noisy(paper, sigma)))).toBe(false);
  });

  it('does not hold for photographs', async () => {
    for (const name of ['nagasaki-boats', 'airplane-from-above', 'march-pastoral', 'dust-bowl-home']) {
      expect(isIt(inBytes(await photograph(name, 128)))).toBe(false);
    }
  });

  it('does not hold for a photograph on a page, nor in a frame', () => {
    const photo = noisy(picture(96, 96), 5).planes[0];
    const paper = page(256, 256);
    const mixed = drawn(256, 256, (x, y) => {
      return x < 96 && y < 96 ? photo[y * 96 + x] : paper.planes[0][y * 256 + x];
    });
    expect(isIt(mixed)).toBe(false);
  });

  it('does not hold for an image below 3×3 samples', () => {
    for (const [width, height] of [
      [1, 1],
      [2, 9],
      [9, 2],
    ]) {
      expect(isIt(drawn(width, height, () => 5))).toBe(false);
    }
    expect(isIt(drawn(3, 3, () => 5))).toBe(true);
  });
});
