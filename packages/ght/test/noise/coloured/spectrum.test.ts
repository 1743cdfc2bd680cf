import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Image } from '../../../src/index.js';
import { randomSource } from '../../../src/index.js';
import { dctEntry } from '../../../src/math/dct.js';
import { colouredNoise, type SpectrumEstimate } from '../../../src/noise/coloured/spectrum.js';
import { isWhite } from '../../../src/noise/white/gate.js';
import { drive } from '../../../src/work.js';
import { noisy, picture } from '../../pictures.js';
import { image, runs } from '../../properties/problems.js';
import { estimateOf, filtered, filteredDeviations, middleOf, radius, whiteNoise } from '../made-noise.js';

const [width, height] = [320, 240];
const relative = (value: number, truth: number) => Math.abs(value / truth - 1);
const made = (value: (x: number, y: number, i: number) => number, peak = 255): Image => ({
  ...{ width, height, peak },
  planes: [Float64Array.from({ length: width * height }, (_, i) => value(i % width, Math.floor(i / width), i))],
});
const mapped = (given: Image, f: (value: number) => number, peak = given.peak): Image => ({
  ...given,
  planes: given.planes.map((plane) => Float64Array.from(plane, f)),
  peak,
});
/** Shading: one plane per channel. */
const shading = (channels: number): Image => ({
  ...made(() => 0),
  planes: Array.from({ length: channels }, (_, c) => made((x, y) => 50 + 0.2 * x + 0.1 * (c + 1) * y).planes[0]),
});
/** A picture with noise that was filtered along rows and columns; every channel has independent noise. */
function withFiltered(base: Image, sigma: number, across: readonly number[], down: readonly number[]): Image {
  const planes = base.planes.map((plane, c) => {
    const noise = filtered(whiteNoise(plane.length, 31 + c), width, across, down);
    return plane.map((value, i) => value + sigma * noise[i]);
  });
  return { ...base, planes };
}
const all = ({ planes }: SpectrumEstimate) => planes.flatMap(({ deviations }) => deviations.flatMap((at) => [...at]));

describe('colouredNoise', () => {
  it.each([5, 15, 50])('finds white noise of σ = %d: the same at every frequency', (sigma) => {
    const { planes } = estimateOf(noisy(picture(width, height, 3), sigma));
    for (const { deviations, middle, finest, confidence } of planes.slice(1)) {
      expect(relative(middle, sigma)).toBeLessThan(0.05);
      expect(relative(finest, sigma)).toBeLessThan(0.05);
      expect(confidence).toBe(1);
      for (const at of deviations) {
        for (let f = 2; f < 64; f++) if (f !== 8 && f !== 9) expect(relative(at[f], sigma)).toBeLessThan(0.2);
      }
    }
    expect(relative(planes[0].finest, sigma)).toBeLessThan(0.05);
    expect(relative(planes[0].middle, sigma)).toBeLessThan(0.1);
  });

  it.each([
    { across: [0.25, 0.5, 0.25], down: [0.25, 0.5, 0.25] },
    { across: [0.25, 0.5, 0.25], down: [1] },
    { across: [0.2, 0.2, 0.2, 0.2, 0.2], down: [0.5, 0.5] },
  ])('finds the spectrum of noise filtered by $across along rows and $down along columns', ({ across, down }) => {
    const truth = filteredDeviations(across, down).map((value) => 30 * value);
    const { planes } = estimateOf(withFiltered(shading(3), 30, across, down));
    for (const [c, { deviations, anchor }] of planes.entries()) {
      for (let f = 1; f < 64; f++) {
        // The lowest frequencies are limited.
        if (radius(f) < (c === 0 ? 2 : 1)) continue;
        expect(relative(deviations[anchor][f], truth[f]), `plane ${c} frequency ${f}`).toBeLessThan(0.15);
      }
    }
  });

  it('follows noise that increases with brightness, and noise that decreases', () => {
    const noise = whiteNoise(width * height, 3);
    for (const slope of [0.025, -0.025]) {
      const sigmaAt = (value: number) => 8 + slope * (value - 128);
      const { brightness, planes } = estimateOf(
        made((x, _y, i) => {
          const value = 60 + (136 * x) / width;
          return value + sigmaAt(value) * noise[i];
        }),
      );
      expect(brightness.length).toBeGreaterThan(3);
      brightness.forEach((value, b) => {
        expect(relative(middleOf(planes[0].deviations[b]), sigmaAt(value))).toBeLessThan(0.15);
      });
    }
  });

  it('limits the lowest frequencies of luma, where shading is, but not those of chroma', () => {
    const { planes } = estimateOf(
      withFiltered(picture(width, height, 3), 30, [0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]),
    );
    const [luma, chroma] = planes.map(({ deviations, anchor }) => deviations[anchor]);
    const ring = (at: Float64Array) => {
      const some = [...at].filter((_, f) => radius(f) >= 2 && radius(f) < 3.2);
      return Math.sqrt(some.reduce((sum, value) => sum + value ** 2, 0) / some.length);
    };
    expect(luma[1]).toBeLessThan(1.36 * ring(luma));
    expect(chroma[1]).toBeGreaterThan(1.6 * ring(chroma));
    expect(luma[0]).toBeCloseTo(1.6 * Math.max(luma[1], luma[8]), 9);
  });

  it('turns with the picture', () => {
    const given = withFiltered(picture(width, height), 20, [0.25, 0.5, 0.25], [1]);
    const turned: Image = {
      ...{ width: height, height: width, peak: 255 },
      planes: [given.planes[0].map((_, i) => given.planes[0][(i % height) * width + Math.floor(i / height)])],
    };
    const [one, other] = [estimateOf(given), estimateOf(turned)].map(({ planes }) => planes[0].deviations);
    one.forEach((at, b) => {
      at.forEach((value, f) => {
        expect(relative(other[b][8 * (f % 8) + Math.floor(f / 8)], value)).toBeLessThan(0.02);
      });
    });
  });

  it('gives every plane its own noise, whichever comes first', () => {
    const [dim, bright] = [5, 20].map((sigma) => noisy(picture(width, height), sigma, sigma).planes[0]);
    const stack = (planes: Float64Array[]) => estimateOf({ width, height, planes, peak: 255 }).planes;
    for (const [planes, truth] of [
      [stack([dim, bright] as Float64Array[]), [5, 20]],
      [stack([bright, dim] as Float64Array[]), [20, 5]],
    ] as const) {
      planes.forEach(({ finest }, c) => {
        expect(relative(finest, truth[c])).toBeLessThan(0.05);
      });
    }
  });

  it('scales with the image and does not depend on its offset', () => {
    const noise = withFiltered(picture(width, height), 20, [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]);
    const given = mapped(noise, (value) => Math.round(1024 * value) / 1024);
    const truth = all(estimateOf(given));
    for (const [changed, by, within] of [
      [mapped(given, (value) => 257 * value, 65535), 257, 1e-6],
      [mapped(given, (value) => value / 255, 1), 1 / 255, 1e-6],
      [mapped(given, (value) => value * 2 ** 900, 255 * 2 ** 900), 2 ** 900, 1e-6],
      [mapped(given, (value) => value + 1e9, 2e9), 1, 1e-4],
      // Exact in float64, except for values computed from sums of such samples.
      [mapped(given, (value) => value + 2 ** 40, 2 ** 41), 1, 1e-8],
    ] as const) {
      all(estimateOf(changed)).forEach((value, i) => {
        expect(relative(value / by, truth[i])).toBeLessThan(within);
      });
    }
  });

  it('leaves clipped parts out', () => {
    const noise = whiteNoise(width * height, 8);
    const sky = made((x, y, i) => (y < height / 2 ? 400 : 60 + (100 * x) / width) + 10 * noise[i]);
    const { planes, blocks } = estimateOf(mapped(sky, (value) => Math.round(Math.min(255, Math.max(0, value)))));
    expect(blocks).toBeLessThan(0.55 * (width / 3) * (height / 3));
    for (const at of planes[0].deviations) expect(relative(middleOf(at), 10)).toBeLessThan(0.1);
  });

  it('is not misled by drawn areas, which have no noise at all', () => {
    const noise = whiteNoise(width * height, 9);
    const { brightness, planes } = estimateOf(made((x, y, i) => (x < 100 ? 120 + 0 * y : 60 + y / 4 + 10 * noise[i])));
    const { deviations, anchor, confidence } = planes[0];
    expect(confidence).toBe(1);
    expect(brightness[anchor]).not.toBe(120);
    expect(relative(middleOf(deviations[anchor]), 10)).toBeLessThan(0.15);
  });

  it('finds no noise in the chromas of a grey image', () => {
    const [grey] = withFiltered(picture(width, height), 20, [0.5, 0.5], [0.5, 0.5]).planes;
    const { planes } = estimateOf({ width, height, planes: [grey, grey, grey], peak: 255 });
    expect(planes[0].middle).toBeGreaterThan(10);
    for (const { deviations } of planes.slice(1)) expect(deviations.every((at) => at.every((d) => d === 0))).toBe(true);
  });

  it('is not misled by compressed shadows', () => {
    const noise = whiteNoise(width * height, 10);
    const { planes } = estimateOf(made((x, y, i) => (x < 120 ? 20 + noise[i] : 80 + y / 4 + 10 * noise[i])));
    const levels = planes[0].deviations.map(middleOf);
    expect(levels[0]).toBeLessThan(2);
    expect(relative(levels[levels.length - 1], 10)).toBeLessThan(0.1);
    // The noise of the next brightness is ten times as strong, and smoothing mixes it into two steps.
    for (let b = 1; b < levels.length; b++) expect(levels[b] / levels[b - 1]).toBeLessThan(7);
  });

  it('does not mistake the texture of one brightness for noise if another brightness is flat', () => {
    const noise = whiteNoise(width * height, 11);
    const texture = whiteNoise(width * height, 12);
    const strength = (x: number, y: number) => 40 + 30 * Math.sin(x / 9) * Math.sin(y / 9);
    const { planes } = estimateOf(
      made((x, y, i) => (y < height / 2 ? 60 + x / 8 : 180 + strength(x, y) * texture[i]) + 5 * noise[i]),
    );
    const { deviations, ratios } = planes[0];
    expect(Math.max(...ratios)).toBeGreaterThan(1.4);
    for (const at of deviations) {
      expect(middleOf(at)).toBeGreaterThan(4.5);
      expect(middleOf(at)).toBeLessThan(1.3 * 5);
    }
  });

  it('distinguishes texture from noise: low confidence and a low estimate', () => {
    const texture = filtered(whiteNoise(width * height, 4), width, [0.5, 0.5], [0.5, 0.5]);
    const strength = (x: number, y: number) => 10 + 9 * Math.sin(x / 15) * Math.sin(y / 15);
    const { planes } = estimateOf(made((x, y, i) => 128 + 5 * strength(x, y) * texture[i]));
    expect(planes[0].ratios.every((ratio) => ratio > 1.2)).toBe(true);
    expect(planes[0].confidence).toBeLessThan(1);
    // A tenth of the picture has at most a fifth of the texture.
    expect(planes[0].middle).toBeLessThan(0.15 * 50 * middleOf(filteredDeviations([0.5, 0.5], [0.5, 0.5])));
    expect(planes[0].confidence).toBeCloseTo(1.2 / planes[0].ratios[planes[0].anchor], 9);
  });

  it('measures a JPEG on the blocks of its grid', () => {
    // Noise with only frequencies below 4 half waves in every block of a grid that begins at (3, 5).
    const given = made(() => 0);
    const noise = whiteNoise(64 * width * height, 6);
    given.planes[0].forEach((_, i) => {
      const [x, y] = [(i % width) + 5, Math.floor(i / width) + 3];
      const block = 64 * (Math.floor(y / 8) * width + Math.floor(x / 8));
      let value = 128;
      for (let v = 0; v < 4; v++) {
        for (let u = 0; u < 4; u++)
          value += 10 * noise[block + 8 * v + u] * dctEntry(8, u, x % 8) * dctEntry(8, v, y % 8);
      }
      given.planes[0][i] = value;
    });
    const luma = new Float64Array(64).fill(1);
    const [aligned] = estimateOf(given, { luma, origin: [3, 5] }).planes;
    const [astray] = estimateOf(given, { luma, origin: [4, 5] }).planes;
    expect(aligned.finest).toBeLessThan(1e-9);
    expect(astray.finest).toBeGreaterThan(0.3);
    expect(relative(aligned.deviations[aligned.anchor][8 * 3 + 3], 10)).toBeLessThan(0.15);
  });

  it('finds no noise if there is none, in any size', () => {
    for (const value of [0, -0.1, 77, 1e9]) {
      const estimate = estimateOf(made(() => value));
      expect(all(estimate).every((deviation) => deviation === 0)).toBe(true);
      expect(estimate.brightness).toHaveLength(1);
      expect(isWhite(estimate, false)).toBe(true);
    }
    const blackAndWhite = estimateOf(made((x, y) => 255 * ((x * y) % 2)));
    expect(all(blackAndWhite).every(Number.isFinite)).toBe(true);
  });

  it('gives a sensible answer for small images', () => {
    for (const [wide, tall] of [
      [8, 8],
      [9, 30],
      [16, 16],
      [24, 24],
      [40, 40],
    ]) {
      const random = randomSource(wide * tall);
      const planes = [Float64Array.from({ length: wide * tall }, () => 100 + 20 * random.normal())];
      const { blocks, brightness, planes: found } = estimateOf({ width: wide, height: tall, planes, peak: 255 });
      expect(blocks).toBeGreaterThan(0);
      expect(brightness).toHaveLength(1);
      expect(found[0].middle).toBeGreaterThan(2);
      expect(found[0].middle).toBeLessThan(30);
    }
  });

  it('of any image is finite, rising in brightness and the same each time', () => {
    fc.assert(
      fc.property(image, (given) => {
        const estimate = estimateOf(given);
        expect(all(estimate).every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
        estimate.brightness.forEach((value, b) => {
          if (b > 0) expect(value).toBeGreaterThan(estimate.brightness[b - 1]);
        });
        for (const { confidence, deviations, ratios } of estimate.planes) {
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect([deviations.length, ratios.length]).toEqual(Array(2).fill(estimate.brightness.length));
        }
        if (given.width < 8 || given.height < 8) expect(isWhite(estimate, false)).toBe(true);
        expect(estimateOf(given)).toEqual(estimate);
      }),
      runs(100),
    );
  });

  it('stops on abort, and yields often enough for that', async () => {
    const { planes } = noisy(picture(width, height, 3), 10);
    const controller = new AbortController();
    const work = colouredNoise(planes, width, height, { peak: 255, original: planes });
    let yields = 0;
    function* watched() {
      for (;;) {
        const next = work.next();
        if (next.done) return next.value;
        if (++yields === 50) controller.abort(new Error('enough'));
        yield next.value;
      }
    }
    await expect(drive(watched(), { signal: controller.signal })).rejects.toThrow('enough');
    expect(yields).toBe(50);
    for (const next of work) expect(next >= 0 && next <= 1 && ++yields > 50).toBe(true);
    expect(yields).toBeGreaterThan(200);
  });
});
