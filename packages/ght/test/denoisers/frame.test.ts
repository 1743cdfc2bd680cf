/** Planes in units of their noise, and back. */
import { describe, expect, it } from 'vitest';
import {
  BLOCK,
  blockExtents,
  type Frame,
  framedTile,
  frameOf,
  leaveFrame,
  type PlanesNoise,
  planeFor,
} from '../../src/denoisers/frame.js';
import type { Samples } from '../../src/index.js';
import { finish } from '../../src/work.js';
import { watched } from '../sparse/solvers/definitions.js';

describe('the frame of an image', () => {
  const planes = [Float64Array.of(10, 20, 30, 80, 0, 10), Float64Array.of(7, 7, 7, 7, 7, 7)];
  const frameFor = (shown: readonly Samples[], noise: PlanesNoise) => {
    const size = { width: 1, height: shown[0].length };
    return frameOf(finish(blockExtents(shown, size)), size.height, noise);
  };
  const framed = (sigma: number[]) => frameFor(planes, { sigma });

  it('is centred at the mean of each plane, in units of its noise', () => {
    const { frame, noisy } = framed([4, 0.5]);
    expect(frame).toEqual({ centres: [25, 7], scales: [4, 0.5] });
    expect(noisy).toEqual([true, true]);
    const pixel = frameFor([Float64Array.of(9)], { sigma: [4] });
    expect(pixel).toEqual({ frame: { centres: [9], scales: [4] }, noisy: [true] });
  });

  it('uses a millionth of the range as the noise of a plane that has less, and leaves that plane unchanged', () => {
    expect(framed([0, 0])).toMatchObject({ frame: { scales: [1e-6 * 80, 1] }, noisy: [false, false] });
    expect(framed([79e-6, 1e-20])).toMatchObject({ frame: { scales: [1e-6 * 80, 1e-20] }, noisy: [false, true] });
    // The mean of a constant plane is rounded, by far more than this.
    expect(framed([0, 1e-300])).toMatchObject({ frame: { scales: [1e-6 * 80, 1] }, noisy: [false, false] });
    expect(framed([1e-6 * 80, 1])).toMatchObject({ frame: { scales: [1e-6 * 80, 1] }, noisy: [false, true] });
    expect(framed([81e-6, 1])).toMatchObject({ frame: { scales: [81e-6, 1] }, noisy: [true, true] });
  });

  it('converts coloured noise to its units: brightness about the centre of the first plane, deviations over their level', () => {
    const deviations = [
      [new Float64Array(64).fill(4)],
      [Float64Array.from({ length: 64 }, (_, f) => (f < 32 ? 3 : 1))],
    ];
    const { frame, noisy } = frameFor(planes, { kind: 'coloured', brightness: [5], deviations });
    // The level of the second plane is √(mean of 9 and 1).
    expect(frame.scales).toEqual([4, Math.sqrt(5)]);
    expect(frame.noise?.brightness).toEqual([(5 - 25) / 4]);
    expect(frame.noise?.deviations[0][0][9]).toBe(1);
    expect(frame.noise?.deviations[1][0][0]).toBeCloseTo(3 / Math.sqrt(5), 12);
    expect(noisy).toEqual([true, true]);
  });

  it('has the mean of the sums of blocks, wherever they are computed, and reports progress', () => {
    const [width, height] = [2 * BLOCK + 40, BLOCK + 30];
    const large = Float64Array.from({ length: width * height }, (_, i) => Math.sin(i) / 3);
    large[width * height - 1] = 7e9;
    large[0] = -7e9;
    const { fractions, result } = watched(blockExtents([large], { width, height }));
    expect(fractions).toEqual([1, 2, 3, 4, 5, 6].map((n) => n / 6));
    // Block 4 by itself: the middle one of the second row.
    const [wide, high] = [BLOCK, 30];
    const block = Float64Array.from({ length: wide * high }, (_, i) => {
      return large[(BLOCK + Math.floor(i / wide)) * width + BLOCK + (i % wide)];
    });
    expect(finish(blockExtents([block], { width: wide, height: high }))).toEqual([result[4]]);
    const { frame } = frameOf(result, width * height, { sigma: [0] });
    // A plain sum rounds at 7e9 all the way.
    expect(frame.centres[0]).toBeCloseTo(large.reduce((sum, value) => sum + value, 0) / large.length, 8);
    expect(frame.scales).toEqual([14e3]);
  });

  it('uses float64 if a unit of noise is less than 2^-16 of the centre', () => {
    const frame: Frame = { centres: [2 ** 16, -(2 ** 16) - 1, 2 ** 17], scales: [1, 1, 2] };
    expect(planeFor(frame, 0, 5)).toEqual(new Float32Array(5));
    expect(planeFor(frame, 1, 5)).toEqual(new Float64Array(5));
    expect(planeFor(frame, 2, 5)).toEqual(new Float32Array(5));
  });
});

describe('into the frame and out of it', () => {
  // Two planes; the second has values around 100, in units of 10.
  const scaled = { centres: [0, 100], scales: [1, 10] };

  it('a part of a plane is framed, and mirrored if it is too small', () => {
    // 4×3: the part is the 2×2 pixels from (1, 1).
    const plane = Float64Array.from([0, 0, 0, 0, 0, 110, 120, 0, 0, 130, 150, 0]);
    const into = new Float64Array(9);
    const part = { left: 1, top: 1, width: 2, height: 2 };
    const tile = framedTile(scaled, [plane, plane], 4, part, 3);
    expect(tile).toMatchObject({ width: 3, height: 3, channels: 2 });
    const { fractions } = watched(tile.read(1, into));
    expect([...into]).toEqual([1, 2, 2, 3, 5, 5, 3, 5, 5]);
    expect(fractions).toEqual([0, 1 / 3, 2 / 3]);
    // A part that is large enough keeps its size.
    expect(framedTile(scaled, [plane], 4, { left: 0, top: 0, width: 4, height: 3 }, 3)).toMatchObject({
      width: 4,
      height: 3,
    });
  });

  it('only the kept part of a tile is written, to its place', () => {
    // The tile starts at (2, 1) and is 4 pixels wide; the kept part is 2×2 pixels from (3, 2).
    const tile = {
      outer: { left: 2, top: 1, width: 4, height: 3 },
      inner: { left: 3, top: 2, width: 2, height: 2 },
    };
    const framed = Float64Array.from({ length: 12 }, (_, i) => i);
    const plane = new Float64Array(6 * 5);
    const { fractions } = watched(
      leaveFrame(scaled, 1, framed, 4, tile, plane, { left: 0, top: 0, width: 6, height: 5 }),
    );
    const expected = new Float64Array(30);
    expected.set([150, 160], 2 * 6 + 3);
    expected.set([190, 200], 3 * 6 + 3);
    expect(plane).toEqual(expected);
    expect(fractions).toEqual([0, 1 / 2]);
    // The same, where the plane is only the kept part.
    const kept = new Float64Array(4);
    finish(leaveFrame(scaled, 1, framed, 4, tile, kept, tile.inner));
    expect([...kept]).toEqual([150, 160, 190, 200]);
  });
});
