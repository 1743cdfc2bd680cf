/** Pages that are denoised in parts have the bits of whole pages. */
import { expect, it } from 'vitest';
import { allOf, gridOf, type Rectangle } from '../../../src/image/rectangle.js';
import { areAlike } from '../../../src/pipelines/series/alike.js';
import { motionOf } from '../../../src/pipelines/series/motion.js';
import { wholePage } from '../../../src/pipelines/series/page.js';
import { made } from '../../denoised-series.js';
import { asStream, inParts } from '../../parted-series.js';

const options = { sigma: 20, quality: 'fast', threads: 1 } as const;

it('a series in parts has the bits of whole pages, and the same is known about it', async () => {
  const noisy = made({ pages: 3, width: 232, height: 40, motion: [1, 0] });
  const parted = await inParts(noisy, { ...options, side: 80, sampled: 4096 });
  const whole = await inParts(noisy, { ...options, sampled: 4096 });
  expect(parted.planes).toEqual(whole.planes);
  const facts = ({ results }: typeof parted) => results.map(({ engine: _, series: __, ...others }) => others);
  expect(facts(parted)).toEqual(facts(whole));
  expect(parted.results[1].series?.depthMean).toBeGreaterThan(1.5);
});

it('one part has the bits of denoiseSeries', async () => {
  const noisy = made({ pages: 3, width: 72, height: 48, motion: [1, 0] });
  const { planes } = await inParts(noisy, { ...options, side: 96 });
  expect(planes).toEqual(await asStream(noisy, options));
});

it('how pages move, and whether they are alike, is found in parts as in whole pages', async () => {
  const size = { width: 200, height: 130 };
  for (const motion of [
    [2, -1],
    [40, 31],
  ] as const) {
    const [before, after] = made({ pages: 2, ...size, motion, sigma: 1 }).map(wholePage);
    const read = async (at: Rectangle) => [await before.read(at), await after.read(at)] as const;
    const frame = { centres: [110], scales: [10] };
    const [all, parts] = [[allOf(size)], gridOf(size, { width: 64, height: 32 })];
    const whole = await motionOf(read, all, size, frame, {});
    expect(await motionOf(read, parts, size, frame, {})).toEqual(whole);
    const alike = await areAlike(read, all, size, frame, whole, {});
    expect(alike).toBe(motion[0] === 2);
    expect(await areAlike(read, parts, size, frame, whole, {})).toBe(alike);
  }
});
