/** The noise of a part of a picture is that of the whole. */
import { describe, expect, it } from 'vitest';
import { type ColouredNoise, diagnose, type Image, type WhiteNoise } from '../../src/index.js';
import { greyPhotograph, photograph } from '../photographs.js';
import { noisy } from '../pictures.js';
import { coloured } from '../tasks/camera-files.js';

const SIDE = 256;

/** The four quarters of a square picture. */
function quarters({ planes, peak }: Image): Image[] {
  const half = SIDE / 2;
  return [0, 1, 2, 3].map((k) => {
    const first = Math.floor(k / 2) * half * SIDE + (k % 2) * half;
    const part = (plane: Image['planes'][number]) =>
      Float64Array.from({ length: half * half }, (_, i) => plane[first + Math.floor(i / half) * SIDE + (i % half)]);
    return { width: half, height: half, planes: planes.map(part), peak };
  });
}

/** The deviation of luma, or of the only plane. */
function levelOf(model: WhiteNoise | ColouredNoise): number {
  if (model.kind === 'white') return model.sigma[0];
  const rows = model.deviations[0].map((row) => row.reduce((sum, value) => sum + value ** 2, 0) / row.length);
  return Math.sqrt(rows.reduce((sum, value) => sum + value, 0) / rows.length);
}

describe.each(['nagasaki-boats', 'black-canyon'])('%s', (name) => {
  it.each([
    ['white', async () => noisy(await greyPhotograph(name, SIDE), 12), 0.1],
    ['coloured', async () => coloured(await photograph(name, SIDE), 10), 0.35],
  ] as const)('with %s noise: its quarters have the kind and the strength of the whole', async (kind, make, most) => {
    const image = await make();
    const whole = (await diagnose(image)).model as WhiteNoise | ColouredNoise;
    expect(whole.kind).toBe(kind);
    for (const quarter of quarters(image)) {
      const part = (await diagnose(quarter)).model as WhiteNoise | ColouredNoise;
      expect(part.kind).toBe(kind);
      expect(Math.abs(levelOf(part) / levelOf(whole) - 1)).toBeLessThan(most);
    }
  });
});

// How strongly coloured noise is removed depends on how soft a picture is: the model of a smooth sky alone is stronger than that of the whole.
it.each(['nagasaki-boats', 'black-canyon', 'dust-bowl-home'])(
  '%s: its quarters have its measured levels',
  async (name) => {
    const image = coloured(await photograph(name, SIDE), 10);
    const whole = (await diagnose(image)).levels ?? [];
    for (const quarter of quarters(image)) {
      const { levels = [] } = await diagnose(quarter);
      expect(levels).toHaveLength(3);
      for (const [c, { middle }] of levels.entries()) expect(Math.abs(middle / whole[c].middle - 1)).toBeLessThan(0.12);
    }
  },
);
