import { randomSource } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, pixels, png, psnr, smooth, width, workplace } from './command.js';

const { ght, json, save, read, contents } = workplace();
const clean = smooth().map(Math.round);
const random = randomSource(3);
const missing = clean.map(() => random.uniform() < 0.3);
const holes = clean.map((value, i) => (missing[i] ? 0 : value));
const samplesOf = async (name: string) => (await pixels(await read(name))).samples;
const npy = (data: number[], h = height, w = width) =>
  writeNpy({ type: 'f8', shape: [h, w], data: Float64Array.from(data) });
/** Means of three pixels of a row, as a kernel of 3×1 gives them; the outermost columns have two. */
const blurred = clean.map((_, i) => {
  const there = [i - 1, i, i + 1].filter((k) => Math.floor(k / width) === Math.floor(i / width));
  return Math.round(there.reduce((sum, k) => sum + clean[k], 0) / there.length);
});

/** Boxes of random places, sizes and shades, and the same moved by 7 pixels along rows. */
const SIDE = 64;
const boxes = new Array<number>(SIDE * SIDE).fill(100);
for (let n = 0; n < 120; n++) {
  const [x, y, w, h, shade] = [SIDE, SIDE, 24, 24, 200].map((most) => Math.floor(most * random.uniform()));
  for (let i = 0; i < w * h; i++) {
    const [column, row] = [x + (i % w), y + Math.floor(i / w)];
    if (column < SIDE && row < SIDE) boxes[row * SIDE + column] = 20 + shade;
  }
}
const moved = boxes.map((_, i) => {
  const there = [-3, -2, -1, 0, 1, 2, 3].map((off) => Math.min(SIDE - 1, Math.max(0, (i % SIDE) + off)));
  return Math.round(there.reduce((sum, x) => sum + boxes[i - (i % SIDE) + x], 0) / 7 + random.normal());
});

beforeAll(async () => {
  await save('boxes.png', await png(boxes, 1, SIDE));
  await save('moved.png', await png(moved, 1, SIDE));
  await save('clean.png', await png(clean));
  await save('holes.png', await png(holes));
  await save('mask.png', await png(missing.map((gone) => (gone ? 255 : 0))));
  await save('mask.npy', npy(missing.map(Number)));
  await save('none.png', await png(clean.map(() => 0)));
  await save('all.png', await png(clean.map(() => 255)));
  await save('wide.png', await png(smooth(49, 40).map(Math.round), 1, 49));
  await save('nan.npy', npy(clean.map((value, i) => (missing[i] ? Number.NaN : value))));
  const rgba = clean.flatMap((value, i) => (missing[i] ? [0, 0, 0, 0] : [value, value, 255 - value, 255]));
  await save('rgba.png', await png(rgba, 4));
  await save('blurred.png', await png(blurred));
  await save('line.png', await png([9, 9, 9], 1, 3));
  await save('line.npy', npy([1, 1, 1], 1, 3));
  await save('zero.npy', npy([0, 0, 0, 0], 2, 2));
  await save('negative.npy', npy([1, -1], 1, 2));
  await save('nankernel.npy', npy([1, Number.NaN], 1, 2));
  await save('long.npy', npy(new Array(49).fill(1), 1, 49));
  await save('small.png', await png(smooth(24, 20).map(Math.round), 1, 24));
  await save(
    'deep.png',
    await png(
      clean.map((value) => 257 * value),
      1,
      width,
      16,
    ),
  );
  await save('out.png', 'precious');
});

describe('ght inpaint', () => {
  it.each(['mask.png', 'mask.npy'])('fills what %s marks, and keeps the rest', async (mask) => {
    const result = await json('inpaint', 'holes.png', '--mask', mask, '-o', 'filled.png', '--reference', 'clean.png');
    expect(result).toMatchObject({ task: 'inpaint', quality: 'balanced', sigma: 0, estimated: false, width, height });
    expect(result.history).toHaveLength(12);
    expect(result.history[0]).toMatchObject({ k: 1, sigma: 50 });
    const filled = await samplesOf('filled.png');
    filled.forEach((value, i) => {
      if (!missing[i]) expect(value).toBe(clean[i]);
    });
    expect(psnr(filled, clean, 255)).toBeGreaterThan(35);
    const { widest, ...amount } = result.missing;
    const count = missing.filter(Boolean).length;
    expect(amount).toEqual({ count, share: count / missing.length });
    expect(widest).toBeGreaterThan(1);
    // The file is rounded to bytes.
    expect(Math.abs(result.psnr - psnr(filled, clean, 255))).toBeLessThan(3);
  });

  it('fills transparent pixels and NaN without a mask', async () => {
    await json('inpaint', 'rgba.png', '-o', 'filled.png');
    const { channels, samples } = await pixels(await read('filled.png'));
    expect(channels).toBe(4);
    clean.forEach((value, i) => {
      expect(samples[4 * i + 3]).toBe(255);
      if (!missing[i]) expect(samples.slice(4 * i, 4 * i + 3)).toEqual([value, value, 255 - value]);
    });
    await json('inpaint', 'nan.npy', '-o', 'filled.npy', '--quality', 'fast');
    const { data } = readNpy(await read('filled.npy'));
    expect(psnr(Array.from(data, Number), clean, 255)).toBeGreaterThan(35);
  });

  it('as the paper does it, prints the budget', async () => {
    const { code, stdout } = await ght(
      ...['inpaint', 'holes.png', '--mask', 'mask.png', '-o', 'paper.png', '--method', 'paper', '--budget', '3'],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}budget +1,071 \(3\.000 per patch\)$/m);
    expect(psnr(await samplesOf('paper.png'), clean, 255)).toBeGreaterThan(30);
  });

  it('says how much is missing, and that a mask looks inverted', async () => {
    await save(
      'line-mask.png',
      await png(
        boxes.map((_, i) => (i % SIDE === 40 ? 0 : 255)),
        1,
        SIDE,
      ),
    );
    const { code, stdout } = await ght(
      'inpaint',
      'boxes.png',
      '--mask',
      'line-mask.png',
      '-o',
      'filled.png',
      '--quality',
      'fast',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ {2}missing +4032 pixels \(98.4%\), the widest hole 40 across: its middle is filled smoothly/m,
    );
    expect(stdout).toMatch(
      /^ {2}warning +the mask may be inverted: it marks 98.4% as missing, where there is a picture$/m,
    );
  });

  it('keeps 16 bits', async () => {
    await json('inpaint', 'deep.png', '--mask', 'mask.png', '-o', 'filled.png', '--quality', 'fast');
    const { depth, samples } = await pixels(await read('filled.png'));
    expect(depth).toBe('ushort');
    expect(
      psnr(
        samples,
        clean.map((value) => 257 * value),
        65535,
      ),
    ).toBeGreaterThan(35);
  });
});

describe('ght deblur', () => {
  it.each(['line.png', 'line.npy', 'motion:3,0'])('removes the blur of %s', async (kernel) => {
    const result = await json('deblur', 'blurred.png', '--kernel', kernel, '-o', 'sharp.png');
    expect(result).toMatchObject({ task: 'deblur', estimated: true });
    const inside = (samples: readonly number[]) => samples.filter((_, i) => i % width > 0 && i % width < width - 1);
    const [before, after] = [blurred, await samplesOf('sharp.png')].map((each) =>
      psnr(inside(each), inside(clean), 255),
    );
    expect(after).toBeGreaterThan(before);
  });

  it('finds a blur, and refuses a sharp picture with the reason', async () => {
    const args = ['deblur', 'moved.png', '--kernel', 'auto', '-o', 'sharp.png', '--quality', 'fast'];
    const { blur } = await json(...args);
    expect(blur).toMatchObject({ kind: 'motion', length: 7, confidence: 1 });
    // Angles of 0° and 180° are the same.
    expect(Math.min(blur.angle, 180 - blur.angle)).toBeLessThan(3);
    const { stdout } = await ght(...args);
    expect(stdout).toMatch(/^ {2}kernel +found: motion over 7.0 pixels at \d°; confidence \d+%$/m);
    const { code, stderr } = await ght('deblur', 'boxes.png', '--kernel', 'auto', '-o', 'sharp.png', '-q');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('ght: IMAGE must be blurred') });
    const warned = await ght('deblur', 'boxes.png', '--kernel', 'disk:5', '-o', 'sharp.png', '--quality', 'fast');
    expect(warned.stdout).toMatch(/^ {2}warning +the picture looks sharp/m);
    expect(warned.stdout).toContain('the kernel does not fit the picture');
  });

  it('says what it did', async () => {
    const { code, stdout } = await ght(
      ...['deblur', 'blurred.png', '--kernel', 'gaussian:0.8', '-o', 'sharp.png', '--sigma', '2', '--quality', 'best'],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}kernel +gaussian:0.8, 7×7$/m);
    expect(stdout).toMatch(/^ {2}noise +given: σ = 2.000$/m);
    expect(stdout).toMatch(/^ {2}quality +best, 8 steps$/m);
  });
});

describe('ght upscale', () => {
  it('enlarges, by whole factors and others', async () => {
    const result = await json('upscale', 'small.png', '--factor', '2', '-o', 'large.png');
    expect(result).toMatchObject({ task: 'upscale', width: 48, height: 40, sigma: 0 });
    expect(await pixels(await read('large.png'))).toMatchObject({ width: 48, height: 40 });
    const other = await json('upscale', 'small.png', '--factor', '1.5', '-o', 'large.png', '--blur', 'gaussian:0.7');
    expect(other).toMatchObject({ width: 36, height: 30 });
    const { stdout } = await ght('upscale', 'small.png', '--factor', '3', '-o', 'large.png', '--quality', 'fast');
    expect(stdout).toMatch(/^ {2}size +72×60$/m);
  });

  it('says how the image was reduced, unless that was given', async () => {
    const args = ['upscale', 'small.png', '--factor', '2', '-o', 'large.png', '--quality', 'fast'];
    const found = await json(...args);
    expect(['bicubic', 'area', 'mixed', 'gaussian']).toContain(found.reduction.kind);
    expect(found.messages).toEqual(['noise: none assumed', expect.stringMatching(/^reduction: /)]);
    const { stdout } = await ght(...args, '--blur', 'auto', '--sigma', 'auto');
    expect(stdout).toMatch(/^ {2}reduction +(found to be|not certain)/m);
    const given = await json(...args, '--blur', 'area');
    expect(given.reduction).toBeUndefined();
    expect(given.messages).toEqual(['noise: none assumed']);
  });

  it('removes the steps of a JPEG, which are in its header, also in tiles', async () => {
    await save(
      'small.jpg',
      await sharp(await png(clean))
        .jpeg({ quality: 60 })
        .toBuffer(),
    );
    const args = ['upscale', 'small.jpg', '--factor', '2', '--quality', 'fast'];
    const found = await json(...args, '-o', 'whole.png');
    expect(found.noise).toMatchObject({ kind: 'coloured', jpegQuality: 60 });
    expect(found.reduction).toMatchObject({ kind: 'mixed', reason: 'noise-removed' });
    const { stdout } = await ght(...args, '-o', 'whole.png');
    expect(stdout).toMatch(/^ {2}noise +JPEG steps of quality about 60; removed before enlarging$/m);
    await ght(...args, '-o', 'tiled.png', '--tile', '24');
    expect((await read('tiled.png')).equals(await read('whole.png'))).toBe(true);
    const given = await json(...args, '-o', 'whole.png', '--sigma', '0');
    expect(given.noise).toBeUndefined();
  });
});

describe('in tiles', () => {
  it.each([
    ['inpaint', ['holes.png', '--mask', 'mask.png']],
    ['inpaint', ['rgba.png']],
    ['deblur', ['blurred.png', '--kernel', 'line.npy']],
    ['upscale', ['small.png', '--factor', '1.5']],
  ])('%s writes the bytes of the untiled run', async (task, args) => {
    await json(task, ...args, '-o', 'whole.png', '--quality', 'fast');
    const tiled = await json(task, ...args, '-o', 'tiled.png', '--quality', 'fast', '--tile', '24');
    expect(tiled).toMatchObject({ task, quality: 'fast', by: 'here' });
    expect(await samplesOf('tiled.png')).toEqual(await samplesOf('whole.png'));
    expect((await read('tiled.png')).equals(await read('whole.png'))).toBe(true);
  });

  it('writes a TIFF, and says what it did', async () => {
    const args = ['small.png', '--factor', '2', '--quality', 'fast'];
    const { code, stdout } = await ght('upscale', ...args, '-o', 'large.tif', '--tile', '32');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}quality +fast, 8 steps$/m);
    expect(stdout).toMatch(/ s in tiles, on the wasm engine$/m);
    await ght('upscale', ...args, '-o', 'large.png');
    expect(await samplesOf('large.tif')).toEqual(await samplesOf('large.png'));
    expect(Object.keys(await contents()).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('refusals', () => {
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['inpaint holes.png --mask wide.png', '--mask must have the size of the image, 48×40', '49×40 in wide.png'],
    ['inpaint holes.png --mask line.npy', '--mask must have the size of the image', '3×1'],
    ['inpaint holes.png --mask none.png', '--mask must mark at least one pixel as missing'],
    ['inpaint holes.png --mask all.png', '--mask must leave at least one pixel known'],
    ['inpaint holes.png', '--mask must be given for an image without transparent pixels and without NaN'],
    ['inpaint holes.png --mask there.png', '--mask', 'there.png'],
    ['inpaint holes.png --mask wide.png --tile 24', '--mask must have the size of the image, 48×40', '49×40'],
    ['inpaint holes.png --mask mask.png --tile 24 --method paper', '--method must be groups for an image in tiles'],
    ['inpaint holes.png --mask mask.png --tile 24 --reference clean.png', '--reference must be left out'],
    ['inpaint holes.png --mask mask.png --root data=.', '--root must come with --workers'],
    ['inpaint holes.png --mask mask.png --sigma -1', '--sigma must be a finite number of at least 0', 'got -1'],
    ['inpaint holes.png --mask mask.png --budget 3', '--budget belongs to --method paper'],
    ['inpaint holes.png --mask mask.png --method paper --quality best', '--quality must be left out'],
    ['inpaint holes.png --mask mask.png --reference wide.png', '--reference must have the size of the result, 48×40'],
    ['deblur small.png --kernel auto', 'IMAGE must be at least 32×32 pixels for the kernel auto', '24×20'],
    [
      'deblur blurred.png --kernel gaussian:x',
      '--kernel must be auto, gaussian:SIGMA, motion:LENGTH,ANGLE, disk:RADIUS',
      'gaussian:1.6',
    ],
    ['deblur blurred.png --kernel gaussian:0', '--kernel must have a valid sigma', 'above 0'],
    ['deblur blurred.png --kernel motion:15', '--kernel must be auto, gaussian:SIGMA', 'motion:15,30'],
    ['deblur blurred.png --kernel long.npy', '--kernel must not be larger than the image, 48×40', '49×1'],
    ['deblur blurred.png --kernel zero.npy', '--kernel must have a sum above 0'],
    [
      'deblur blurred.png --kernel negative.npy',
      '--kernel weight (x 1, y 0) must be a finite number of at least 0',
      '-1',
    ],
    ['deblur blurred.png --kernel nankernel.npy', '--kernel weight (x 1, y 0) must be a finite number', 'NaN'],
    ['deblur blurred.png --kernel missing.npy', '--kernel', 'missing.npy'],
    ['deblur blurred.png --kernel disk:2 --sigma -3', '--sigma must be a finite number of at least 0', 'got -3'],
    ['upscale small.png --factor 0.5', '--factor must be at least 1', 'got 0.5'],
    ['upscale small.png --factor two', '--factor must be a finite number', 'two'],
    ['upscale small.png --factor 100000', 'IMAGE must need less memory than this machine has', '--factor'],
    ['upscale small.png --factor 2 --blur box', '--blur must be auto, bicubic, area or gaussian:SIGMA', 'box'],
    ['upscale small.png --factor 2 --blur gaussian:0', '--blur must be auto, bicubic, area, or', 'above 0'],
    ['upscale small.png --factor 2 --sigma -1', '--sigma must be a finite number of at least 0'],
  ];
  it.concurrent.each(cases)('ght %s', async (args, ...parts) => {
    const before = await contents();
    const { code, stdout, stderr } = await ght(...args.split(' '), '-o', 'out.png');
    expect(stderr).toMatch(/^ght: [^\n]+: [^\n]+\n$/);
    for (const part of parts) expect(stderr).toContain(part);
    expect(stderr).not.toContain('internal error');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(await contents()).toEqual(before);
  });
});
