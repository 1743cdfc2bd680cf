/** Parts of images. */
import { describe, expect, it } from 'vitest';
import { cut, emptyLike, gridCell, gridLength, gridOf, grown, place, within } from '../../src/image/rectangle.js';

const image = { width: 5, height: 4 };
const all = { left: 0, top: 0, ...image };
const plane = Uint16Array.from({ length: 20 }, (_, i) => i);

describe('rectangles', () => {
  it('grow only inside the image', () => {
    expect(grown({ left: 1, top: 2, width: 2, height: 1 }, 2, image)).toEqual({ left: 0, top: 0, width: 5, height: 4 });
    expect(grown({ left: 3, top: 0, width: 1, height: 1 }, 1, image)).toEqual({ left: 2, top: 0, width: 3, height: 2 });
  });

  it('divide an image row by row', () => {
    const grid = gridOf(image, { width: 3, height: 3 });
    expect(grid.map(({ left, top, width, height }) => [left, top, width, height])).toEqual([
      [0, 0, 3, 3],
      [3, 0, 2, 3],
      [0, 3, 3, 1],
      [3, 3, 2, 1],
    ]);
  });

  it('are counted and found by their numbers without a list of all', () => {
    const [size, giant] = [
      { width: 3, height: 3 },
      { width: 2 ** 31 - 1, height: 2 ** 31 - 1 },
    ];
    expect(gridOf(image, size)).toEqual([0, 1, 2, 3].map((index) => gridCell(image, size, index)));
    expect(gridLength(image, size)).toBe(4);
    expect(gridLength(giant, { width: 2048, height: 2048 })).toBe(2 ** 40);
    const last = { left: 2 ** 31 - 2048, top: 2 ** 31 - 2048, width: 2047, height: 2047 };
    expect(gridCell(giant, { width: 2048, height: 2048 }, 2 ** 40 - 1)).toEqual(last);
    expect(() => gridCell(image, size, 4)).toThrow('tile must be the number of a tile of the image, but got 4');
    expect(() => gridOf(giant, { width: 2048, height: 2048 })).toThrow('image must have at most 4194304 parts');
    expect(() => gridOf(image, { width: 0, height: 0 })).toThrow('image must have at most 4194304 parts');
  });

  it('are seen from another one', () => {
    const seen = within({ left: 4, top: 3, width: 1, height: 1 }, { left: 2, top: 3 });
    expect(seen).toEqual({ left: 2, top: 0, width: 1, height: 1 });
  });
});

describe('samples', () => {
  it('are cut out, with their type; all of them are the plane itself', () => {
    expect(cut(plane, all, { left: 1, top: 2, width: 2, height: 2 })).toEqual(Uint16Array.of(11, 12, 16, 17));
    expect(cut(plane, all, all)).toBe(plane);
    expect(emptyLike(Buffer.from([1, 2]), 3)).toEqual(new Uint8Array(3));
  });

  it('are placed where two rectangles overlap, and nowhere else', () => {
    const into = new Uint16Array(6);
    place(plane, all, into, { left: 4, top: 3, width: 3, height: 2 });
    expect([...into]).toEqual([19, 0, 0, 0, 0, 0]);
    place(plane, all, into, { left: 9, top: 0, width: 3, height: 2 });
    expect([...into]).toEqual([19, 0, 0, 0, 0, 0]);
  });
});
