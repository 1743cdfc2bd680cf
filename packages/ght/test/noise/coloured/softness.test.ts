/** Soft pictures are smoothed more than sharp ones with the same noise, and texture is believed less in sharp ones. */
import { describe, expect, it } from 'vitest';
import type { Image } from '../../../src/index.js';
import { colouredModel } from '../../../src/noise/coloured/model.js';
import { type SpectrumEstimate, softness } from '../../../src/noise/coloured/spectrum.js';
import type { JpegInfo } from '../../../src/noise/model.js';
import { drawn } from '../made.js';
import { estimateOf, filtered, middleOf, whiteNoise } from '../made-noise.js';

const [width, height] = [256, 192];
const KERNEL = [0.25, 0.5, 0.25];

/** Shading, and a grating in the rows below this share of the height. */
const scene = (flat: number): Image =>
  drawn(width, height, (x, y) => 70 + 0.2 * x + (y > flat * height ? 50 * Math.sign(Math.sin(0.9 * x + 0.6 * y)) : 0));

/** The picture with the noise of a camera, of a strength that may depend on the place. */
function withNoise({ planes, ...rest }: Image, strength: (x: number, y: number) => number = () => 30): Image {
  const noise = filtered(whiteNoise(width * height, 21), width, KERNEL, KERNEL);
  const add = (value: number, i: number) => value + strength(i % width, Math.floor(i / width)) * noise[i];
  return { ...rest, planes: planes.map((plane) => plane.map(add)) };
}

/** What the model multiplies the deviations by. */
function factorOf(estimate: SpectrumEstimate): number {
  const [{ deviations, anchor }] = estimate.planes;
  return colouredModel(estimate).deviations[0][anchor][20] / deviations[anchor][20];
}

describe('softness', () => {
  it('is 1 up to a share of 0.1 of blocks with structure, and 0 from 0.3 on', () => {
    expect([0, 0.1, 0.3, 1].map(softness)).toEqual([1, 1, 0, 0]);
    expect(softness(0.2)).toBeCloseTo(0.5, 12);
  });
});

describe('the share of blocks with structure', () => {
  it('is that of the grating, and the noise of the flat part is the same', () => {
    const [soft, medium, sharp] = [1, 0.8, 0.65].map((flat) => estimateOf(withNoise(scene(flat))).planes[0]);
    expect(soft.structure).toBeLessThan(0.01);
    expect(medium.structure).toBeCloseTo(0.2, 1);
    expect(sharp.structure).toBeCloseTo(0.35, 1);
    const least = ({ deviations }: typeof soft) => Math.min(...deviations.map(middleOf));
    for (const plane of [medium, sharp]) {
      expect(plane.confidence).toBe(1);
      expect(Math.abs(least(plane) / least(soft) - 1)).toBeLessThan(0.2);
    }
  });

  it('falls if the noise hides the structure', () => {
    const structure = (sigma: number) => estimateOf(withNoise(scene(0.4), () => sigma)).planes[0].structure;
    expect(structure(30)).toBeGreaterThan(0.5);
    expect(structure(400)).toBeLessThan(0.1);
  });

  it('does not count what the steps of a JPEG explain', () => {
    const jpeg = (step: number): JpegInfo => ({ luma: new Float64Array(64).fill(step) });
    const structure = (step: number) => estimateOf(withNoise(scene(0.4)), jpeg(step)).planes[0].structure;
    expect(structure(1)).toBeGreaterThan(0.5);
    expect(structure(2000)).toBe(0);
  });
});

describe('a soft picture', () => {
  it('has a larger factor than a sharp one with the same noise', () => {
    const [soft, medium, sharp] = [1, 0.8, 0.65].map((flat) => factorOf(estimateOf(withNoise(scene(flat)))));
    expect(soft).toBeCloseTo(1.65, 12);
    expect(sharp).toBe(1);
    expect(medium).toBeGreaterThan(sharp + 0.05);
    expect(medium).toBeLessThan(soft - 0.05);
  });

  it('has no larger factor for white noise', () => {
    const noise = whiteNoise(width * height, 5);
    const { planes, ...rest } = scene(1);
    const white = estimateOf({ ...rest, planes: planes.map((plane) => plane.map((v, i) => v + 12 * noise[i])) });
    expect(white.planes[0].structure).toBeLessThan(0.01);
    expect(factorOf(white)).toBeLessThan(1.1);
  });
});

describe('uneven noise', () => {
  const middle = (image: Image) => {
    const { deviations, ratios, confidence } = estimateOf(image).planes[0];
    expect(Math.min(...ratios)).toBeGreaterThan(1.2);
    expect(confidence).toBeLessThan(1);
    return Math.max(...deviations.map(middleOf));
  };

  it('is believed in a soft picture, and hardly in a sharp one', () => {
    // From 0.6 to 1.4 times its mean, or from 0.25 to 4 times: so uneven that it looks like the texture of a sharp picture.
    const ripples = (depth: number) => (x: number, y: number) => 30 * (1 + depth * Math.sin(x / 12) * Math.sin(y / 12));
    const flat = scene(1);
    const soft = middle(withNoise(flat, ripples(0.4)));
    const sharp = middle(withNoise(flat, (x, y) => 30 * Math.exp(1.4 * Math.sin(x / 12) * Math.sin(y / 12))));
    const even = Math.max(...estimateOf(withNoise(flat)).planes[0].deviations.map(middleOf));
    expect(soft).toBeGreaterThan(0.45 * even);
    expect(sharp).toBeLessThan(0.15 * even);
  });
});
