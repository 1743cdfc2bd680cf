/** The two scales of coloured noise: strengths, the second estimate, and a coarse part that is given. */
import { beforeAll, describe, expect, it } from 'vitest';
import { decorrelate } from '../../../src/image/colour.js';
import {
  type ColouredNoise,
  type Diagnosis,
  denoise,
  diagnose,
  type Image,
  type JpegInfo,
} from '../../../src/index.js';
import { fineEstimate, scaled } from '../../../src/pipelines/denoise/scales.js';
import { finish } from '../../../src/work.js';
import { filtered, whiteNoise } from '../../noise/made-noise.js';
import { photograph } from '../../photographs.js';
import { inBytes, level } from '../../tasks/camera-files.js';

const BOX = [0.2, 0.2, 0.2, 0.2, 0.2];
const fast = { quality: 'fast', threads: 1 } as const;

let clean: Image;
let image: Image;
let diagnosis: Diagnosis;
beforeAll(async () => {
  clean = await photograph('nagasaki-boats', 160);
  const planes = clean.planes.map((plane, c) => {
    const grain = filtered(whiteNoise(plane.length, 40 + c), 160, BOX, BOX);
    return plane.map((value, i) => value + 70 * grain[i]);
  });
  image = inBytes({ ...clean, planes });
  diagnosis = await diagnose(image);
});

describe('scaled', () => {
  const noise = (planes: number): ColouredNoise => ({
    ...{ kind: 'coloured', brightness: [0, 100] },
    deviations: Array.from({ length: planes }, (_, c) => [1, 2].map((b) => new Float64Array(64).fill(b * (c + 1)))),
  });
  const first = ({ deviations }: ColouredNoise) => deviations.map(([row]) => row[9]);

  it('multiplies by the strength, and chroma also by its own strength', () => {
    expect(first(scaled(noise(3), { strength: 2, chroma: 3 }))).toEqual([2, 12, 18]);
    expect(scaled(noise(3), { strength: 2, chroma: 3 }).deviations[1][1][9]).toBe(24);
    expect(first(scaled(noise(2), { strength: 2, chroma: 3 }))).toEqual([2, 4]);
    expect(scaled(noise(3), { strength: 1, chroma: 1 })).toEqual(noise(3));
  });
});

describe('fineEstimate', () => {
  const again = (levels: Diagnosis['levels'], jpeg?: JpegInfo) =>
    finish(fineEstimate(image, decorrelate(image.planes), { levels, jpeg }));
  const middles = ({ levels = [] }: Pick<Diagnosis, 'levels'>) => levels.map(({ middle }) => middle);
  const times = (factor: number, levels: Diagnosis['levels'] = []) =>
    levels.map((each) => ({ ...each, middle: factor * each.middle }));

  it.each([0.5, 2])('has the level of the first estimate: %d times its own', (factor) => {
    const free = again(undefined);
    const found = again(times(factor, free.levels));
    for (const [c, middle] of middles(found).entries()) expect(middle).toBeCloseTo(factor * middles(free)[c], 9);
    const [model, own] = [found.model, free.model].map((each) => each as ColouredNoise);
    expect(model.deviations[0][0][20] / own.deviations[0][0][20]).toBeCloseTo(factor, 9);
  });

  it('may be lower in a JPEG, but not higher', () => {
    const table = new Uint8Array(64).fill(2);
    const jpeg = { luma: table, chroma: table };
    const free = again(undefined, jpeg);
    expect(again(times(2, free.levels), jpeg)).toEqual(free);
    for (const [c, middle] of middles(again(times(0.5, free.levels), jpeg)).entries()) {
      expect(middle).toBeCloseTo(0.5 * middles(free)[c], 9);
    }
  });
});

describe('the coarse part of an estimate', () => {
  it('is there for coloured noise, with the planes of the model', () => {
    expect(diagnosis.model.kind).toBe('coloured');
    expect(diagnosis.coarse?.deviations).toHaveLength(3);
    expect(diagnosis.coarse?.deviations.slice(1).every((rows) => rows.every((row) => row[9] > 0))).toBe(true);
  });

  it('is removed first if it is given, and the result is better for it', async () => {
    const { coarse, ...without } = diagnosis;
    const two = await denoise(image, { ...fast, noise: diagnosis });
    const one = await denoise(image, { ...fast, noise: without });
    expect(two.image.planes).not.toEqual(one.image.planes);
    expect(level(two.image, clean)).toBeGreaterThan(level(one.image, clean) + 0.3);
    expect([two.coarse, one.coarse]).toEqual([coarse, undefined]);
    const own = await denoise(image, { ...fast, noise: { ...without, coarse } });
    expect(own.image).toEqual(two.image);
  });

  it('is what denoise finds by itself', async () => {
    expect((await denoise(image, fast)).coarse).toEqual(diagnosis.coarse);
  });

  it('follows the strength, as the fine part does', async () => {
    const { model, coarse } = diagnosis;
    if (model.kind !== 'coloured' || !coarse) throw new Error('the noise is coloured');
    const strength = { strength: 1.5, chroma: 0.8 };
    const stronger = { ...diagnosis, model: scaled(model, strength), coarse: scaled(coarse, strength) };
    const given = await denoise(image, { ...fast, noise: stronger });
    const asked = await denoise(image, { ...fast, noise: diagnosis, strength: 1.5, strengthChroma: 0.8 });
    expect(asked.image).toEqual(given.image);
  });

  it('is left out for images below 128×128 pixels, and not used for them', async () => {
    const crop = (plane: Image['planes'][number]) =>
      Uint8Array.from({ length: 120 * 120 }, (_, i) => plane[Math.floor(i / 120) * 160 + (i % 120)]);
    const small = { ...image, width: 120, height: 120, planes: image.planes.map(crop) };
    expect((await diagnose(small)).coarse).toBeUndefined();
    const { coarse: _, ...without } = diagnosis;
    const [two, one] = [
      await denoise(small, { ...fast, noise: diagnosis }),
      await denoise(small, { ...fast, noise: without }),
    ];
    expect(two.image).toEqual(one.image);
  });
});
