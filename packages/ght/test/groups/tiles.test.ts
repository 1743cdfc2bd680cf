/** Tiles: every pixel is kept once, and a tile sees as much of the picture as its pixels depend on. */
import { describe, expect, it } from 'vitest';
import type { Pass, Step } from '../../src/groups/recipes.js';
import { qualities, recipeOf } from '../../src/groups/recipes.js';
import { bandOf, leastBand, marginOf, tilesOf } from '../../src/groups/tiles.js';

const pass = (patch: number, stride: number, reach: number): Pass => ({
  ...{ name: 'pass', from: 'noisy', guide: 'noisy', to: 'pilot', patch, stride, reach, members: 1, window: 0 },
  filter: { kind: 'wiener', transform: 'dct' },
});
const blend: Step = { name: 'blend', share: 0.5, a: 'noisy', b: 'pilot', to: 'pilot' };

describe('how far a recipe looks', () => {
  it('is twice reach and patch for every pass; blends look nowhere', () => {
    expect(marginOf([pass(2, 3, 1), blend, pass(8, 1, 5)])).toBe(2 * 3 + 2 * 13);
    expect(marginOf([blend])).toBe(0);
  });

  it('is twice the reach and a patch for the rows of a band, in thirties for all passes', () => {
    expect(leastBand(pass(8, 1, 11))).toBe(30);
    expect(bandOf([pass(8, 1, 11), blend, pass(2, 1, 1)])).toBe(30);
    expect(bandOf([pass(2, 1, 1), blend, pass(9, 1, 11)])).toBe(60);
  });
});

describe('the tiles of a picture', () => {
  const along = (tiles: ReturnType<typeof tilesOf>, part: 'inner' | 'outer') => ({
    columns: [...new Set(tiles.map((tile) => `${tile[part].left}+${tile[part].width}`))],
    rows: [...new Set(tiles.map((tile) => `${tile[part].top}+${tile[part].height}`))],
  });

  it('begin at references of every pass, and their rows at an even band', () => {
    // Columns in threes: 7 become 9, the margin is 6. Rows in sixties: twice a band of 30.
    const tiles = tilesOf([pass(2, 3, 1), blend], 20, 130, 7);
    expect(tiles).toHaveLength(9);
    expect(along(tiles, 'inner')).toEqual({ columns: ['0+9', '9+9', '18+2'], rows: ['0+60', '60+60', '120+10'] });
    expect(along(tiles, 'outer')).toEqual({ columns: ['0+15', '3+17', '12+8'], rows: ['0+120', '0+130', '60+70'] });
    expect(tiles.slice(0, 4).map(({ inner }) => [inner.left, inner.top])).toEqual([
      [0, 0],
      [9, 0],
      [18, 0],
      [0, 60],
    ]);
  });

  it('begin at common multiples of different strides', () => {
    // 4 and 6 have 12 in common: 13 become 24, and a margin of 2 · 2 · (1 + 2) = 12 stays so.
    const tiles = tilesOf([pass(2, 4, 1), pass(2, 6, 1)], 50, 8, 13);
    expect(along(tiles, 'inner').columns).toEqual(['0+24', '24+24', '48+2']);
    expect(along(tiles, 'outer').columns).toEqual(['0+36', '12+38', '36+14']);
    // 7 does not divide 60: rows begin at multiples of 420.
    expect(along(tilesOf([pass(2, 7, 1)], 5, 900, 1), 'inner').rows).toEqual(['0+420', '420+420', '840+60']);
  });

  it.each(qualities)('%s: one tile is all, where the side is', (quality) => {
    const whole = { left: 0, top: 0, width: 333, height: 222 };
    expect(tilesOf(recipeOf(quality), 333, 222, 333)).toEqual([{ inner: whole, outer: whole }]);
  });

  it('a side of 0 is as small as it can be', () => {
    expect(along(tilesOf([pass(2, 3, 1)], 7, 10, 0), 'inner').columns).toEqual(['0+3', '3+3', '6+1']);
  });
});
