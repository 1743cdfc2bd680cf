/** Pictures with areas without noise around them: the estimate is that of the picture alone, and these areas stay as they are. */
import { beforeAll, describe, expect, it } from 'vitest';
import { denoise, diagnose, type Image, type SignalNoise, type WhiteNoise } from '../../src/index.js';
import { greyPhotograph, photograph } from '../photographs.js';
import { noisy } from '../pictures.js';
import { coloured, inBytes, jpegOf } from '../tasks/camera-files.js';

const SIDE = 192;

interface Cover {
  /** Samples to the left of the picture, above, to the right and below. */
  readonly around: readonly [left: number, top: number, right: number, bottom: number];
  readonly value: number;
  /** The radius of rounded corners. */
  readonly radius?: number;
}
const covers: [name: string, cover: Cover][] = [
  ['a black frame', { around: [48, 48, 48, 48], value: 0 }],
  ['a grey panel', { around: [0, 0, 96, 0], value: 235 }],
  ['a letterbox', { around: [0, 48, 0, 48], value: 16 }],
  ['transparency and rounded corners', { around: [40, 40, 40, 40], value: 0, radius: 40 }],
];

/** Whether the sample (x, y) of a picture lies outside its rounded corners. */
function isCorner(x: number, y: number, radius: number): boolean {
  const beyond = (at: number) => Math.max(0, radius - at, at - (SIDE - 1 - radius));
  return Math.hypot(beyond(x), beyond(y)) > radius;
}

/** The picture with a cover around it, and where the cover is. */
function covered({ planes, peak }: Image, { around, value, radius = 0 }: Cover) {
  const [left, top, right, bottom] = around;
  const [width, height] = [left + SIDE + right, top + SIDE + bottom];
  const isCovered = (i: number) => {
    const [x, y] = [(i % width) - left, Math.floor(i / width) - top];
    return x < 0 || y < 0 || x >= SIDE || y >= SIDE || (radius > 0 && isCorner(x, y, radius));
  };
  const from = (i: number) => (Math.floor(i / width) - top) * SIDE + (i % width) - left;
  const canvas = planes.map((plane) =>
    Float64Array.from({ length: width * height }, (_, i) => (isCovered(i) ? value : plane[from(i)])),
  );
  return { image: { width, height, planes: canvas, peak }, isCovered };
}

let grey: Image;
let colour: Image;
beforeAll(async () => {
  grey = await greyPhotograph('nagasaki-boats', SIDE);
  colour = await photograph('nagasaki-boats', SIDE);
});
const relative = (value: number, truth = 0) => Math.abs(value / truth - 1);

describe.each(covers)('with %s', (_name, cover) => {
  it('white noise is that of the picture', async () => {
    for (const sigma of [4, 15]) {
      const input = noisy(grey, sigma);
      const { sigma: alone } = (await diagnose(input)).model as WhiteNoise;
      const { model } = await diagnose(covered(input, cover).image);
      expect(model.kind).toBe('white');
      expect(relative((model as WhiteNoise).sigma[0], alone[0])).toBeLessThan(0.04);
    }
  });

  it('noise that grows with the signal is that of the picture', async () => {
    const input = noisy(grey, 6);
    const kind = { kind: 'signal-dependent' } as const;
    const at = ({ planes: [{ gain, sigma, offset }] }: SignalNoise) => Math.sqrt(gain * (120 - offset) + sigma ** 2);
    const alone = at((await diagnose(input, kind)).model as SignalNoise);
    expect(relative(at((await diagnose(covered(input, cover).image, kind)).model as SignalNoise), alone)).toBeLessThan(
      0.05,
    );
  });

  it('coloured noise is that of the picture', async () => {
    const input = coloured(colour, 12);
    const alone = await diagnose(input);
    const found = await diagnose(covered(input, cover).image);
    expect([alone.model.kind, found.model.kind]).toEqual(['coloured', 'coloured']);
    for (const [c, { middle, finest }] of (found.levels ?? []).entries()) {
      expect(relative(middle, alone.levels?.[c].middle)).toBeLessThan(0.06);
      expect(relative(finest, alone.levels?.[c].finest)).toBeLessThan(0.06);
    }
  });

  it('its samples come back exactly, and those of the picture do not', async () => {
    for (const picture of [noisy(grey, 15), inBytes(coloured(colour, 12))]) {
      const { image: input, isCovered } = covered(picture, cover);
      const { image } = await denoise(input, { quality: 'fast', threads: 1 });
      for (const [c, plane] of image.planes.entries()) {
        const kept = plane.filter((_, i) => isCovered(i));
        expect(kept.every((sample) => sample === cover.value)).toBe(true);
        const changed = plane.filter((sample, i) => !isCovered(i) && sample !== input.planes[c][i]);
        expect(changed.length).toBeGreaterThan(0.99 * (plane.length - kept.length));
      }
    }
  });
});

describe('areas without noise', () => {
  it('come back as the nearest float32, which is what a result holds', async () => {
    const { image: input, isCovered } = covered(noisy(grey, 15), { around: [40, 40, 40, 40], value: 0.1 });
    const { image } = await denoise(input, { quality: 'fast', threads: 1 });
    expect(image.planes[0].every((sample, i) => !isCovered(i) || sample === Math.fround(0.1))).toBe(true);
  });

  it('of a JPEG are left out too, and come back exactly', async () => {
    const input = coloured(colour, 12);
    // A frame of whole blocks, also in the chromas of half the size: the picture has the same blocks with and without it.
    const [, frame] = covers[0];
    const { image, jpeg } = await jpegOf(covered(input, frame).image, 90);
    const alone = await jpegOf(input, 90);
    const expected = await diagnose(alone.image, { jpeg: alone.jpeg });
    const found = await denoise(image, { quality: 'fast', jpeg, threads: 1 });
    for (const [c, { middle }] of (found.levels ?? []).entries()) {
      expect(relative(middle, expected.levels?.[c].middle), `plane ${c} ${middle}`).toBeLessThan(0.06);
    }
    // The JPEG blurs its colours across the edge of the picture.
    const rows = found.image.planes.flatMap((plane) => [...plane.subarray(0, 32 * image.width)]);
    expect(rows.every((sample) => sample === 0)).toBe(true);
  });
});
