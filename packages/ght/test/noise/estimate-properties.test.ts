import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import { diagnose } from '../../src/index.js';
import type { PlaneSpectrum, SpectrumEstimate } from '../../src/noise/coloured/spectrum.js';
import type { JpegInfo } from '../../src/noise/model.js';
import { isWhite } from '../../src/noise/white/gate.js';
import { noiseCases } from '../golden/noise.js';
import { runs } from '../properties/problems.js';
import { estimateOf } from './made-noise.js';

/** An image of at most 20×20 pixels with samples of a byte, in as many planes as are asked for. */
const bytes = (leastSide: number, ...channels: number[]): fc.Arbitrary<Image> =>
  fc
    .tuple(
      fc.integer({ min: leastSide, max: 20 }),
      fc.integer({ min: leastSide, max: 20 }),
      fc.constantFrom(...channels),
    )
    .chain(([width, height, count]) => {
      const plane = fc.uint8Array({ minLength: width * height, maxLength: width * height });
      return fc
        .array(plane, { minLength: count, maxLength: count })
        .map((planes) => ({ width, height, peak: 255, planes: planes.map((each) => Float64Array.from(each)) }));
    });

/** gain · image + offset. The peak is the same sample as before. */
const mapped = ({ planes, peak, ...size }: Image, gain: number, offset = 0): Image => ({
  ...size,
  planes: planes.map((plane) => Float64Array.from(plane, (value) => gain * value + offset)),
  peak: gain * peak + offset,
});

const ordered = (image: Image, order: readonly number[]): Image => ({
  ...image,
  planes: order.map((c) => image.planes[c]),
});

/** All that is in the units of the image, times a factor; the rest as it is. */
function scaled({ brightness, planes, blocks }: SpectrumEstimate, by: number): SpectrumEstimate {
  const times = (values: Float64Array) => values.map((value) => by * value);
  const plane = ({ deviations, middle, reference, finest, coarsest, ...rest }: PlaneSpectrum): PlaneSpectrum => ({
    ...rest,
    deviations: deviations.map(times),
    ...{ middle: by * middle, reference: by * reference, finest: by * finest, coarsest: by * coarsest },
  });
  return { brightness: brightness.map((value) => by * value), planes: planes.map(plane), blocks };
}

/** Fails unless deviations agree but for rounding, and choices exactly. */
function expectAlike(found: readonly PlaneSpectrum[], expected: readonly PlaneSpectrum[]): void {
  expect(found.map(({ anchor }) => anchor)).toEqual(expected.map(({ anchor }) => anchor));
  for (const [c, { deviations, confidence }] of expected.entries()) {
    expect(found[c].confidence).toBeCloseTo(confidence, 9);
    expect(found[c].deviations).toHaveLength(deviations.length);
    for (const [b, row] of deviations.entries()) {
      const least = 1e-11 * Math.max(...row);
      row.forEach((value, f) => {
        const difference = Math.abs(found[c].deviations[b][f] - value);
        expect(difference, `plane ${c}, bin ${b}, frequency ${f}`).toBeLessThanOrEqual(1e-8 * value + least);
      });
    }
  }
}

const isFiniteEstimate = ({ planes }: SpectrumEstimate) =>
  planes.every(
    ({ deviations, confidence, middle, reference, finest, coarsest }) =>
      [confidence, middle, reference, finest, coarsest].every((value) => Number.isFinite(value) && value >= 0) &&
      deviations.every((row) => row.every((value) => Number.isFinite(value) && value >= 0)),
  );

describe('the estimate of noise', () => {
  it.each(noiseCases)('scales exactly with powers of two: %s', (_name, { image, jpeg }) => {
    const estimate = estimateOf(image, jpeg);
    for (const by of [2 ** -60, 2, 2 ** 40]) {
      expect(estimateOf(mapped(image, by), jpeg)).toEqual(scaled(estimate, by));
    }
  });

  it('of any small image scales with powers of two exactly, and with 257 but for rounding', () => {
    fc.assert(
      fc.property(bytes(8, 1, 2, 3, 4), fc.integer({ min: -200, max: 200 }), (image, e) => {
        const estimate = estimateOf(image);
        expect(estimateOf(mapped(image, 2 ** e))).toEqual(scaled(estimate, 2 ** e));
        expectAlike(estimateOf(mapped(image, 257)).planes, scaled(estimate, 257).planes);
      }),
      runs(60),
    );
  });

  it('of any small image does not see its offset', () => {
    const offset = fc.integer({ min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(bytes(8, 1, 2), offset, (image, by) => {
        expectAlike(estimateOf(mapped(image, 1, by)).planes, estimateOf(image).planes);
      }),
      runs(60),
    );
  });

  it('gives every plane of a stack its own, in any order', () => {
    fc.assert(
      fc.property(bytes(8, 4), fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4, maxLength: 4 }), (image, order) => {
        const { planes } = estimateOf(image);
        expect(estimateOf(ordered(image, order)).planes).toEqual(order.map((c) => planes[c]));
      }),
      runs(60),
    );
  });

  it('does not tell red from blue: luma and chromas are those of the other order', () => {
    fc.assert(
      fc.property(bytes(8, 3), (image) => {
        expectAlike(estimateOf(ordered(image, [2, 1, 0])).planes, estimateOf(image).planes);
      }),
      runs(60),
    );
  });

  it('is 0 and white for constant planes of any size, number and value', async () => {
    const value = fc.double({ noNaN: true, min: -1e200, max: 1e200 });
    const side = fc.integer({ min: 3, max: 60 });
    const constant = fc.record({ width: side, height: side, values: fc.array(value, { minLength: 1, maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(constant, async ({ width, height, values }) => {
        const planes = values.map((each) => new Float64Array(width * height).fill(each));
        const image: Image = { width, height, planes, peak: 255 };
        const estimate = estimateOf(image);
        for (const { deviations } of estimate.planes)
          expect(deviations.every((row) => row.every((d) => d === 0))).toBe(true);
        expect(isWhite(estimate, false)).toBe(true);
        const { model } = await diagnose(image);
        expect(model).toEqual({ kind: 'white', sigma: values.map(() => 0) });
      }),
      runs(60),
    );
  });

  it('is a number for any tiny image, as a JPEG as well', async () => {
    const table = fc.array(fc.nat(255), { minLength: 64, maxLength: 64 });
    const origin = fc.tuple(fc.nat(7), fc.nat(7));
    const quantised: fc.Arbitrary<JpegInfo> = fc.record({ luma: table, chroma: table, origin });
    const few = fc.constantFrom(1, 2, 256);
    await fc.assert(
      fc.asyncProperty(bytes(1, 1, 2, 3), quantised, few, async (given, jpeg, values) => {
        // Few values make flat blocks next to others, and equal ranks.
        const planes = given.planes.map((plane) => plane.map((value) => value % values));
        const image = { ...given, planes };
        expect(isFiniteEstimate(estimateOf(image))).toBe(true);
        expect(isFiniteEstimate(estimateOf(image, jpeg))).toBe(true);
        const { model, confidence } = await diagnose(image, { kind: 'coloured', jpeg });
        expect(confidence >= 0 && confidence <= 1).toBe(true);
        if (model.kind !== 'coloured') throw new Error(`${model.kind}, not coloured`);
        expect(model.deviations.flat().every((row) => row.every((d) => Number.isFinite(d) && d >= 0))).toBe(true);
      }),
      runs(150),
    );
  });
});
