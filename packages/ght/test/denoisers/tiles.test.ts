/** Tiles: every pixel is kept once, and a tile includes all pixels that its kept part depends on. */
import { describe, expect, it } from 'vitest';
import { placementOf, tileSide, tilesOf } from '../../src/denoisers/tiles.js';

describe('the tiles of a picture', () => {
  const along = (tiles: ReturnType<typeof tilesOf>, part: 'inner' | 'outer') => ({
    columns: [...new Set(tiles.map((tile) => `${tile[part].left}+${tile[part].width}`))],
    rows: [...new Set(tiles.map((tile) => `${tile[part].top}+${tile[part].height}`))],
  });

  it('begin where the alignment allows, and have the margin on each side', () => {
    // Columns in multiples of 3: 7 becomes 9, the margin is 6. Rows in multiples of 60.
    const tiles = tilesOf({ margin: 6, alignment: { columns: 3, rows: 60 } }, 20, 130, 7);
    expect(tiles).toHaveLength(9);
    expect(along(tiles, 'inner')).toEqual({ columns: ['0+9', '9+9', '18+2'], rows: ['0+60', '60+60', '120+10'] });
    expect(along(tiles, 'outer')).toEqual({ columns: ['0+15', '3+17', '12+8'], rows: ['0+66', '0+126', '60+70'] });
    expect(tiles.slice(0, 4).map(({ inner }) => [inner.left, inner.top])).toEqual([
      [0, 0],
      [9, 0],
      [18, 0],
      [0, 60],
    ]);
  });

  it('may keep any rectangle: only the margin begins where the alignment allows', () => {
    const geometry = { margin: 6, alignment: { columns: 3, rows: 60 } };
    const inner = { left: 10, top: 70, width: 8, height: 8 };
    const { outer } = placementOf(geometry, inner, { width: 20, height: 130 });
    expect(outer).toEqual({ left: 3, top: 60, width: 17, height: 24 });
  });

  it('are one if the side covers the picture', () => {
    const whole = { left: 0, top: 0, width: 333, height: 222 };
    const geometry = { margin: 118, alignment: { columns: 12, rows: 120 } };
    expect(tilesOf(geometry, 333, 222, 333)).toEqual([{ inner: whole, outer: whole }]);
  });

  it('a side of 0 gives the smallest tiles', () => {
    expect(along(tilesOf({ margin: 6, alignment: { columns: 3, rows: 60 } }, 7, 10, 0), 'inner').columns).toEqual([
      '0+3',
      '3+3',
      '6+1',
    ]);
  });
});

describe('the side of a tile', () => {
  const bytes = (width: number, height: number, channels: number) => 28 * width * height * channels;

  it('is that of the picture if it fits in a gibibyte, or if the margin is a large part of it', () => {
    expect(tileSide({ margin: 118, bytes }, 3000, 2000, 1)).toBe(3000);
  });

  it('is smaller if more than a gibibyte would be needed, and never below 240', () => {
    const side = tileSide({ margin: 118, bytes }, 20_000, 20_000, 1);
    expect(bytes(side + 236, side + 236, 1)).toBeLessThanOrEqual(2 ** 30);
    expect(bytes(side / 0.85, side / 0.85, 1)).toBeGreaterThan(2 ** 30);
    expect(tileSide({ margin: 118, bytes: () => 1e12 }, 20_000, 20_000, 1)).toBe(240);
  });

  it('is smaller still if margins cost almost nothing', () => {
    const side = tileSide({ margin: 16, bytes }, 20_000, 20_000, 1);
    expect(bytes(side + 32, side + 32, 1)).toBeLessThanOrEqual(2 ** 27);
  });
});
