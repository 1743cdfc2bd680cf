import { describe, expect, it } from 'vitest';
import { drawAtoms } from '../../src/draw/index.js';
import { denseDictionary } from '../../src/index.js';

describe('the picture of the atoms', () => {
  // Four atoms of 2×2 samples.
  const D = denseDictionary(4, 4, [1, 1, 1, 1, 2, -2, 0, 0, 0, 0, 0.5, -0.5, 3, 3, -3, -3]);
  const at = (image: ReturnType<typeof drawAtoms>, x: number, y: number) => image.planes[0][y * image.width + x];

  it('has white for the largest sample of each atom, black for the smallest, grey for zero', () => {
    const image = drawAtoms(D, undefined, 1);
    expect([image.width, image.height]).toEqual([10, 10]);
    expect([at(image, 2, 2), at(image, 3, 3)]).toEqual([255, 255]);
    expect([at(image, 6, 2), at(image, 7, 2), at(image, 6, 3)]).toEqual([255, 0, 128]);
    expect(at(image, 0, 0)).toBe(0);
  });

  it('begins with the atom that is used most', () => {
    const image = drawAtoms(D, [1, 5, 5, 9], 1);
    expect([at(image, 2, 2), at(image, 2, 3)]).toEqual([255, 0]);
    expect(at(image, 7, 7)).toBe(255);
    // Of two that are used equally the first comes first.
    expect([at(image, 6, 2), at(image, 7, 2)]).toEqual([255, 0]);
  });

  it('refuses atoms that are no square patches, and uses of another dictionary', () => {
    expect(() => drawAtoms(denseDictionary(3, 1, [1, 2, 3]))).toThrow('as many rows as a square patch has pixels');
    expect(() => drawAtoms(D, [1])).toThrow('uses must have one number for each of the 4 atoms, but got 1');
  });
});
