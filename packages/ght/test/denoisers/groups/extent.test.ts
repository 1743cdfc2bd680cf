/** The margin of a recipe, and where its tiles may begin. */
import { describe, expect, it } from 'vitest';
import { alignmentOf, bandOf, leastBand, leastSide, marginOf } from '../../../src/denoisers/groups/extent.js';
import type { Pass, Step } from '../../../src/denoisers/groups/recipes.js';

const pass = (patch: number, stride: number, reach: number): Pass => ({
  ...{ name: 'pass', from: 'noisy', guide: 'noisy', to: 'pilot', patch, stride, reach, members: 1, window: 0 },
  filter: { kind: 'wiener', transform: 'dct' },
});
const blend: Step = { name: 'blend', share: 0.5, a: 'noisy', b: 'pilot', to: 'pilot' };

describe('the margin of a recipe', () => {
  it('is twice reach and patch for every pass, and 0 for blends', () => {
    expect(marginOf([pass(2, 3, 1), blend, pass(8, 1, 5)])).toBe(2 * 3 + 2 * 13);
    expect(marginOf([blend])).toBe(0);
  });

  it('sets the rows of a band: twice the reach and a patch, in multiples of 30 for all passes', () => {
    expect(leastBand(pass(8, 1, 11))).toBe(30);
    expect(bandOf([pass(8, 1, 11), blend, pass(2, 1, 1)])).toBe(30);
    expect(bandOf([pass(2, 1, 1), blend, pass(9, 1, 11)])).toBe(60);
  });

  it('lets tiles begin at references of every pass, and at an even band', () => {
    expect(alignmentOf([pass(2, 3, 1), blend])).toEqual({ columns: 3, rows: 60 });
    // The least common multiple of 4 and 6 is 12; 7 does not divide 60.
    expect(alignmentOf([pass(2, 4, 1), pass(2, 6, 1)])).toEqual({ columns: 12, rows: 60 });
    expect(alignmentOf([pass(2, 7, 1)])).toEqual({ columns: 7, rows: 420 });
  });

  it('needs pictures as large as its largest patch', () => {
    expect(leastSide([pass(2, 3, 1), blend, pass(8, 1, 5)])).toBe(8);
  });
});
