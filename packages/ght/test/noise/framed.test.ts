/** Pictures with areas without noise around them or beside them: the estimate is that of the picture, and these areas stay as they are. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type ColouredNoise, denoise, diagnose, type Image, type WhiteNoise } from '../../src/index.js';
import { greyPhotograph, photograph } from '../photographs.js';
import { noisy } from '../pictures.js';
import { coloured, inBytes, jpegOf } from '../tasks/camera-files.js';
import { overlaid } from './made.js';

const SIDE = 160;
/** What covers the pixel (x, y) of a canvas of 224×224 pixels, whose picture of 160×160 pixels begins at (32, 32). */
const covers: [name: string, isCovered: (x: number, y: number) => boolean, value: number][] = [
  ['a black frame', (x, y) => Math.max(Math.abs(x - 111.5), Math.abs(y - 111.5)) > 80, 0],
  ['a grey panel', (x) => x >= 192, 235],
  ['a letterbox', (_x, y) => y < 32 || y >= 192, 16],
  ['transparency', (x, y) => Math.hypot(x - 112, y - 112) > 84, 0],
];
/** The picture, repeated by reflection over the canvas. */
function onCanvas({ planes, peak }: Image): Image {
  const mirrored = (at: number) => (at < 0 ? -1 - at : at >= SIDE ? 2 * SIDE - 1 - at : at);
  const from = (i: number) => mirrored(Math.floor(i / 224) - 32) * SIDE + mirrored((i % 224) - 32);
  const enlarged = planes.map((plane) => Float64Array.from({ length: 224 * 224 }, (_, i) => plane[from(i)]));
  return { width: 224, height: 224, planes: enlarged, peak };
}

let grey: Image;
let colour: Image;
beforeAll(async () => {
  grey = onCanvas(await greyPhotograph('nagasaki-boats', SIDE));
  colour = onCanvas(await photograph('nagasaki-boats', SIDE));
});
const relative = (value: number, truth: number) => Math.abs(value / truth - 1);

describe.each(covers)('with %s', (_name, isCovered, value) => {
  const covered = (image: Image) => overlaid(image, isCovered, value);

  it('white noise is that of the picture', async () => {
    for (const sigma of [4, 15]) {
      const input = noisy(grey, sigma);
      const alone = (await diagnose(input)).model as WhiteNoise;
      const { model } = await diagnose(covered(input));
      expect(model.kind).toBe('white');
      expect(relative((model as WhiteNoise).sigma[0], alone.sigma[0])).toBeLessThan(0.05);
    }
  });

  it('coloured noise is that of the picture, at both scales', async () => {
    const input = coloured(colour, 12);
    const alone = await diagnose(input);
    const found = await diagnose(covered(input));
    expect([alone.model.kind, found.model.kind]).toEqual(['coloured', 'coloured']);
    for (const [c, { middle, finest }] of (found.levels ?? []).entries()) {
      expect(relative(middle, alone.levels?.[c].middle ?? 0)).toBeLessThan(0.07);
      expect(relative(finest, alone.levels?.[c].finest ?? 0)).toBeLessThan(0.07);
    }
    const level = ({ deviations }: ColouredNoise) => Math.hypot(...deviations[0].map((row) => row[18]));
    const bins = (noise: ColouredNoise) => Math.sqrt(noise.brightness.length);
    if (!alone.coarse || !found.coarse) throw new Error('an image of this size has a coarse scale');
    expect(relative(level(found.coarse) / bins(found.coarse), level(alone.coarse) / bins(alone.coarse))).toBeLessThan(
      0.15,
    );
  });

  it('its samples come back exactly, and those of the picture do not', async () => {
    for (const input of [covered(noisy(grey, 15)), covered(inBytes(coloured(colour, 12)))]) {
      const { image } = await denoise(input, { quality: 'fast', threads: 1 });
      for (const [c, plane] of image.planes.entries()) {
        let changed = 0;
        for (const [i, sample] of plane.entries()) {
          if (isCovered(i % 224, Math.floor(i / 224))) expect(sample).toBe(value);
          else if (sample !== input.planes[c][i]) changed++;
        }
        expect(changed).toBeGreaterThan(0.9 * plane.filter((sample) => sample !== value).length);
      }
    }
  });
});

describe('with a black frame', () => {
  it('a JPEG has the quality that it has without it, and its frame comes back exactly', async () => {
    const [, isCovered] = covers[0];
    const input = noisy(colour, 8);
    const framed = await jpegOf(overlaid(input, isCovered, 0), 85);
    const alone = await jpegOf(input, 85);
    const [found, expected] = [
      await denoise(framed.image, { quality: 'fast', jpeg: framed.jpeg, threads: 1 }),
      await diagnose(alone.image, { jpeg: alone.jpeg }),
    ];
    expect(relative(found.levels?.[0].middle ?? 0, expected.levels?.[0].middle ?? 1)).toBeLessThan(0.1);
    for (let y = 0; y < 24; y++) {
      for (let x = 0; x < 224; x++) expect(found.image.planes[1][224 * y + x]).toBe(0);
    }
  });
});
