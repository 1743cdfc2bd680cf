import { describe, expect, it } from 'vitest';
import type { Denoiser, Image, Restored, RestoreProgress } from '../../src/index.js';
import { deblur, gaussianKernel, inpaint, psnr, randomSource, restore, upscale } from '../../src/index.js';
import { blurOperator } from '../../src/operators/blur.js';
import { checkedKernel } from '../../src/operators/kernel.js';
import { reductionOperator } from '../../src/operators/reduction.js';
import type { ReductionBlur } from '../../src/operators/resampling.js';
import { inpaintPaper } from '../../src/paper.js';
import { finish } from '../../src/work.js';
import { greyPhotograph, photograph } from '../photographs.js';
import { noisy, picture } from '../pictures.js';

/** A denoiser that smooths each row; it counts its runs. */
function smoother() {
  const calls: number[] = [];
  const denoiser: Denoiser = {
    ...{ margin: 1, alignment: { columns: 1, rows: 1 }, least: 1, effort: 1, passes: ['smooth'] },
    bytes: (width, height, channels) => 8 * width * height * channels,
    async run({ width, height, channels, read }) {
      calls.push(channels);
      return Array.from({ length: channels }, (_, c) => {
        const plane = new Float64Array(width * height);
        finish(read(c, plane));
        return plane.map((value, i) => (i % width === 0 ? value : (value + plane[i - 1]) / 2));
      });
    },
  };
  return { denoiser, calls };
}

const maskOf = ({ width, height }: Image, share: number) => {
  const random = randomSource(5);
  return Uint8Array.from({ length: width * height }, () => Number(random.uniform() < share));
};

/** The inside of the blurred image: what lies outside its frame has blurred into it. */
function blurred(image: Image, kernel = gaussianKernel(1.6), sigma = 1.5, rim = 8): { image: Image; clean: Image } {
  const A = blurOperator(image, checkedKernel(kernel, image.width, image.height));
  const planes = image.planes.map((plane) => finish(A.apply(finish(A.mirrored(Float64Array.from(plane))))));
  return { image: inside(noisy({ ...image, planes }, sigma), rim), clean: inside(image, rim) };
}

function inside({ width, height, planes, peak }: Image, rim: number): Image {
  const [w, h] = [width - 2 * rim, height - 2 * rim];
  const cut = (plane: ArrayLike<number>) =>
    Float64Array.from({ length: w * h }, (_, i) => plane[(rim + Math.floor(i / w)) * width + rim + (i % w)]);
  return { width: w, height: h, peak, planes: planes.map(cut) };
}

function reduced(image: Image, factor: number, blur: ReductionBlur = 'bicubic'): Image {
  const size = { width: image.width / factor, height: image.height / factor };
  const A = reductionOperator(image, size, blur);
  return { ...size, peak: image.peak, planes: image.planes.map((plane) => finish(A.apply(Float64Array.from(plane)))) };
}

const scaledBy = (image: Image, by: number): Image => ({
  ...image,
  peak: by * image.peak,
  planes: image.planes.map((plane) => Float64Array.from(plane, (value) => by * value)),
});
const largestDifference = (a: Image, b: Image) =>
  a.planes
    .flatMap((plane, c) => Array.from(plane, (value, i) => Math.abs(value - b.planes[c][i])))
    .reduce((most, difference) => Math.max(most, difference), 0);
const one = { threads: 1 } as const;
const fast = { ...one, quality: 'fast' } as const;

describe('inpainting', () => {
  it('fills half of the pixels of a photograph, and returns the others as they are', async () => {
    const image = await greyPhotograph('nagasaki-boats', 96);
    const mask = maskOf(image, 0.5);
    const levels: number[] = [];
    for (const quality of ['fast', 'balanced', 'best'] as const) {
      const { image: filled, ...rest } = await inpaint(image, mask, { quality, ...one });
      expect(rest).toMatchObject({ sigma: 0, estimated: false, quality });
      expect(filled.planes[0].some((value, i) => !mask[i] && value !== image.planes[0][i])).toBe(false);
      levels.push(psnr(filled, image));
    }
    // Biharmonic interpolation has 24.93 dB here.
    expect(levels[0]).toBeGreaterThan(25.2);
    expect(levels[1]).toBeGreaterThan(levels[0]);
    expect(levels[2]).toBeGreaterThan(levels[1]);
  });

  it('ignores the values of missing pixels', async () => {
    const image = picture(40, 30);
    const mask = maskOf(image, 0.3);
    const wild = { ...image, planes: image.planes.map((plane) => plane.map((v, i) => (mask[i] ? Number.NaN : v))) };
    const [a, b, c] = [
      await inpaint(image, mask, fast),
      await inpaint(wild, mask, fast),
      await inpaint(wild, 'auto', fast),
    ];
    expect(b.image.planes).toEqual(a.image.planes);
    expect(c.image.planes).toEqual(a.image.planes);
  });

  it('fills transparent pixels, which become opaque', async () => {
    const { planes, ...image } = picture(40, 30, 3);
    const mask = maskOf({ ...image, planes }, 0.2);
    const alpha = Uint8Array.from(mask, (gone, i) => (gone ? 0 : i === 7 ? 128 : 255));
    const { image: filled } = await inpaint({ ...image, planes, alpha }, 'auto', fast);
    expect(filled.planes).toEqual((await inpaint({ ...image, planes }, mask, fast)).image.planes);
    expect(filled.alpha?.every((value, i) => value === (i === 7 && !mask[7] ? 128 : 255))).toBe(true);
  });

  it('fills a small hole far into a large image, and changes nothing else', async () => {
    const image = picture(420, 300);
    const mask = new Uint8Array(420 * 300);
    for (let i = 0; i < 6; i++) mask[(200 + i) * 420 + 310 + i] = 1;
    const { image: filled, history } = await inpaint(image, mask, one);
    expect(filled.planes[0].filter((value, i) => value !== image.planes[0][i]).length).toBeLessThanOrEqual(6);
    expect(largestDifference(filled, image)).toBeLessThan(60);
    expect(history.length).toBe(12);
  });

  it('denoises known pixels too if they have noise', async () => {
    const clean = await greyPhotograph('march-pastoral', 64);
    const given = noisy(clean, 10);
    const mask = maskOf(given, 0.3);
    const [known, unknown] = [await inpaint(given, mask, { sigma: 10, ...one }), await inpaint(given, mask, one)];
    expect(known.sigma).toBe(10);
    expect(psnr(known.image, clean)).toBeGreaterThan(psnr(unknown.image, clean) + 1);
  });

  it('leaves equal channels equal', async () => {
    const { planes, ...rest } = picture(40, 30);
    const image = { ...rest, planes: [planes[0], planes[0], planes[0]] };
    const { image: filled } = await inpaint(image, maskOf(image, 0.3), one);
    for (const plane of filled.planes) {
      plane.forEach((value, i) => {
        expect(value).toBeCloseTo(filled.planes[0][i], 6);
      });
    }
  });
});

describe('deblurring', () => {
  it('restores detail, with the noise estimated, and what lies outside the frame unknown', async () => {
    const { image, clean } = blurred(await greyPhotograph('french-alpine-landscape', 96));
    const before = psnr(image, clean);
    const levels: number[] = [];
    for (const quality of ['fast', 'balanced', 'best'] as const) {
      const result = await deblur(image, gaussianKernel(1.6), { quality, ...one });
      expect(result).toMatchObject({ estimated: true, quality });
      expect(Math.abs(result.sigma / 1.5 - 1)).toBeLessThan(0.25);
      levels.push(psnr(result.image, clean));
    }
    expect(Math.min(...levels)).toBeGreaterThan(before + 1);
    expect(levels[2]).toBeGreaterThan(levels[1] - 0.05);
  });

  it('takes kernels in any units', async () => {
    const { image } = blurred(picture(48, 40), undefined, 2, 4);
    const kernel = gaussianKernel(1.6);
    const bytes = { ...kernel, data: Uint16Array.from(kernel.data, (weight) => Math.round(65535 * weight)) };
    const [a, b] = [
      await deblur(image, kernel, { sigma: 2, ...fast }),
      await deblur(image, bytes, { sigma: 2, ...fast }),
    ];
    expect(largestDifference(a.image, b.image)).toBeLessThan(2);
  });

  it('inverts a blur without noise', async () => {
    const { image, clean } = blurred(await greyPhotograph('nagasaki-boats', 96), gaussianKernel(1), 0);
    const { image: sharp, sigma } = await deblur(image, gaussianKernel(1), { sigma: 0, ...one });
    expect(sigma).toBe(0);
    expect(psnr(sharp, clean)).toBeGreaterThan(psnr(image, clean) + 8);
  });
});

describe('upscaling', () => {
  it('restores detail, and reduced again it is the image', async () => {
    const clean = await greyPhotograph('nagasaki-boats', 96);
    for (const factor of [2, 3]) {
      const small = reduced(clean, factor);
      const { image: large } = await upscale(small, factor, one);
      expect(largestDifference(reduced(large, factor), small)).toBeLessThan(2);
      // Cubic interpolation has 23.3 and 21.6 dB.
      expect(large.width).toBe(96);
      expect(psnr(large, clean)).toBeGreaterThan(factor === 2 ? 24.2 : 21.8);
    }
  });

  it.each([1, 1.5, 2.3])('takes the factor %f', async (factor) => {
    const image = picture(31, 22);
    const { image: large } = await upscale(image, factor, { quality: 'fast', ...one });
    expect([large.width, large.height]).toEqual([Math.round(31 * factor), Math.round(22 * factor)]);
    if (factor === 1) expect(largestDifference(large, image)).toBeLessThan(1);
  });

  it('is better with the blur that the image has', async () => {
    const clean = await greyPhotograph('march-pastoral', 96);
    const blur = { gaussian: 1.6 };
    const small = reduced(clean, 3, blur);
    const level = async (each: ReductionBlur) => psnr((await upscale(small, 3, { blur: each, ...one })).image, clean);
    expect(await level(blur)).toBeGreaterThan((await level('bicubic')) + 0.5);
  });

  it('restores the luma of RGB, interpolates its colours, and enlarges alpha within its range', async () => {
    const clean = await photograph('french-alpine-landscape', 64);
    const small = reduced(clean, 2);
    const alpha = Uint8Array.from({ length: 32 * 32 }, (_, i) => (i % 32 < 16 ? 0 : 200));
    const { image: large } = await upscale({ ...small, alpha }, 2, one);
    const luma = ({ planes: [r, g, b] }: Image) => r.map((value, i) => 0.299 * value + 0.587 * g[i] + 0.114 * b[i]);
    const grey = { ...small, planes: [Float64Array.from(luma(small))] };
    const { image: alone } = await upscale(grey, 2, one);
    expect(psnr(luma(large), alone.planes[0], 255)).toBeGreaterThan(90);
    expect(large.alpha).toBeInstanceOf(Uint8Array);
    expect(large.alpha?.length).toBe(64 * 64);
    expect([Math.min(...(large.alpha ?? [])), Math.max(...(large.alpha ?? []))]).toEqual([0, 200]);
  });
});

describe('an operator of your own', () => {
  const [width, height] = [48, 40];
  /** Every second row of the picture. */
  const rows = {
    ...{ width, height },
    apply: (x: Float64Array) =>
      Float64Array.from({ length: (width * height) / 2 }, (_, i) => x[2 * width * Math.floor(i / width) + (i % width)]),
    adjoint: (r: Float64Array) => {
      const x = new Float64Array(width * height);
      r.forEach((value, i) => {
        x[2 * width * Math.floor(i / width) + (i % width)] = value;
      });
      return x;
    },
  };

  it('is inverted by conjugate gradients', async () => {
    const clean = picture(width, height);
    const data = { width, height: height / 2, peak: 255, planes: [rows.apply(clean.planes[0] as Float64Array)] };
    const { image, history } = await restore(data, rows, one);
    expect([image.width, image.height]).toEqual([width, height]);
    const known = rows.apply(image.planes[0] as Float64Array);
    expect(Math.max(...known.map((value, i) => Math.abs(value - data.planes[0][i])))).toBeLessThan(3);
    expect(psnr(image, clean)).toBeGreaterThan(19);
    expect(history.length).toBe(12);
  });

  it('is refused if its adjoint is wrong or its size', async () => {
    const data = picture(width, height / 2);
    await expect(restore(data, { ...rows, adjoint: (r) => rows.adjoint(r).map((v) => 2 * v) })).rejects.toThrow(
      'operator.adjoint must be the adjoint of operator.apply',
    );
    await expect(restore(data, { ...rows, apply: () => new Float64Array(3) })).rejects.toThrow(
      'operator.apply must return a Float64Array of 960 samples, but got 3',
    );
    await expect(restore(data, { ...rows, width: 0 })).rejects.toThrow('operator must have a width and a height');
    await expect(restore(data, rows, { start: data })).rejects.toThrow('start must have the size of the operator');
  });
});

const clean = picture(60, 44);
const mask = maskOf(clean, 0.4);
const kernel = gaussianKernel(1.2);
const tasks: Readonly<Record<string, (image: Image, options?: object) => Promise<Restored>>> = {
  inpaint: (image, options) => inpaint(image, mask, options),
  deblur: (image, options) => deblur(image, kernel, { sigma: image.peak / 100, ...options }),
  upscale: (image, options) => upscale(image, 2, options),
};

describe.each(Object.entries(tasks))('%s', (_name, task) => {
  it('gives the same bits for any number of threads', async () => {
    const [a, b] = [await task(clean, fast), await task(clean, { ...fast, threads: 2 })];
    expect(b.image).toEqual(a.image);
    expect(b.engine.threads).toBe(2);
  });

  it('is the same in any units', async () => {
    const plain = await task(clean, fast);
    for (const by of [257, 1 / 256, 2 ** -400]) {
      const other = await task(scaledBy(clean, by), fast);
      expect(largestDifference(scaledBy(other.image, 1 / by), plain.image)).toBeLessThan(0.05);
      expect(other.history[0].sigma / by).toBeCloseTo(plain.history[0].sigma, 6);
    }
  });

  it('reports its history, and progress that never falls', async () => {
    const progress: RestoreProgress[] = [];
    const { history } = await task(clean, { ...one, onProgress: (at: RestoreProgress) => progress.push(at) });
    expect(history.map(({ k }) => k)).toEqual(history.map((_, i) => i + 1));
    for (let k = 1; k < history.length; k++) expect(history[k].sigma).toBeLessThan(history[k - 1].sigma);
    expect(progress.at(-1)).toEqual({ fraction: 1, step: history.length, steps: history.length });
    for (let i = 1; i < progress.length; i++) {
      expect(progress[i].fraction).toBeGreaterThanOrEqual(progress[i - 1].fraction);
    }
  });

  it('can be stopped', async () => {
    const stop = new AbortController();
    const running = task(picture(60, 44, 3), { ...one, signal: stop.signal, onProgress: () => stop.abort() });
    await expect(running).rejects.toThrow('abort');
  });

  it('refuses what it cannot use', async () => {
    for (const [options, message] of [
      [{ sigma: -1 }, 'sigma must be a finite number of at least 0, but got -1'],
      [{ sigma: Number.NaN }, 'sigma must be a finite number'],
      [{ quality: 'good' }, 'quality must be one of fast, balanced, best'],
      [{ engine: 'abacus' }, 'engine must be one of'],
      [{ threads: 0 }, 'threads must be'],
      [{ sgima: 3 }, 'unknown option sgima; did you mean sigma?'],
    ] as const) {
      await expect(task(clean, options)).rejects.toThrow(message);
    }
    const bad = { ...clean, planes: [clean.planes[0].map((value, i) => (i === mask.indexOf(0) ? Number.NaN : value))] };
    await expect(task(bad)).rejects.toThrow(/image pixel \(x \d+, y 0, channel 0\) must be a finite number/);
  });
});

describe('restoration refuses', () => {
  it('masks that say nothing', async () => {
    const blank = new Uint8Array(60 * 44);
    for (const [given, message] of [
      [new Uint8Array(60 * 43), 'mask must have one sample per pixel of the image, 60×44 = 2640, but got 2580'],
      [blank, 'mask must mark at least one pixel as missing'],
      [blank.map(() => 255), 'mask must leave at least one pixel known'],
      ['auto', 'mask must be given for an image without transparent pixels and without NaN'],
      [[1, 0], 'mask must be a Float64Array'],
    ] as const) {
      await expect(inpaint(clean, given as Uint8Array)).rejects.toThrow(message);
    }
  });

  it('kernels that are none', async () => {
    const kernelOf = (width: number, height: number, data: number[]) => ({ width, height, data });
    for (const [given, message] of [
      [kernelOf(61, 1, new Array(61).fill(1)), 'kernel must not be larger than the image, 60×44, but got "61×1"'],
      [kernelOf(2, 2, [0, 0, 0, 0]), 'kernel must have a sum above 0'],
      [kernelOf(2, 1, [1, -1]), 'kernel weight (x 1, y 0) must be a finite number of at least 0, but got -1'],
      [kernelOf(2, 1, [1, Number.NaN]), 'kernel weight (x 1, y 0) must be a finite number'],
      [kernelOf(2, 2, [1]), 'kernel must have at least one weight'],
      [undefined, 'kernel must have at least one weight'],
    ] as const) {
      await expect(deblur(clean, given as ReturnType<typeof kernelOf>)).rejects.toThrow(message);
    }
  });

  it('factors and blurs out of range', async () => {
    for (const [factor, message] of [
      [0.5, 'factor must be at least 1, but got 0.5'],
      [Number.NaN, 'factor must be a finite number above 0'],
      [1000, 'factor must give at most 268435456 pixels, but got "1000, which gives 60000×44000"'],
    ] as const) {
      await expect(upscale(clean, factor)).rejects.toThrow(message);
    }
    for (const blur of ['box', { gaussian: 0 }, null]) {
      await expect(upscale(clean, 2, { blur: blur as 'area' })).rejects.toThrow('blur must be auto, bicubic, area, or');
    }
  });
});

describe('inpainting from the paper’s side', () => {
  it('fills pixels under one budget, below the loop on a photograph', async () => {
    const image = await greyPhotograph('march-pastoral', 48);
    const missing = maskOf(image, 0.5);
    const { image: filled, budget, nonzeros, patches } = await inpaintPaper(image, missing);
    expect(patches).toBe(21 * 21);
    expect(nonzeros).toBeLessThanOrEqual(budget);
    filled.planes[0].forEach((value, i) => {
      if (!missing[i]) expect(value).toBe(image.planes[0][i]);
    });
    const [paper, loop] = [psnr(filled, image), psnr((await inpaint(image, missing, one)).image, image)];
    expect(paper).toBeGreaterThan(20);
    expect(loop).toBeGreaterThan(paper + 1);
    const less = await inpaintPaper(image, missing, { budget: 1 });
    expect(less.budget).toBe(21 * 21);
    expect(psnr(less.image, image)).toBeLessThan(paper);
  });

  it('refuses what it cannot use', async () => {
    await expect(inpaintPaper(clean, mask, { budget: -1 })).rejects.toThrow('budget must be a finite number');
    await expect(inpaintPaper(clean, new Uint8Array(3))).rejects.toThrow('mask must have one sample per pixel');
  });
});

describe('a prior of your own', () => {
  it('takes the place of the passes over groups, once per step', async () => {
    const image = picture(40, 32, 1);
    const { denoiser, calls } = smoother();
    const mask = maskOf(image, 0.3);
    const { history, engine, image: own } = await inpaint(image, mask, { prior: denoiser, quality: 'fast' });
    expect(calls).toHaveLength(history.length);
    expect(engine).toEqual({ name: 'own', threads: 1 });
    const usual = await inpaint(image, mask, { quality: 'fast' });
    expect(own.planes[0]).not.toEqual(usual.image.planes[0]);
    expect(psnr(usual.image, image)).toBeGreaterThan(psnr(own, image));
    for (const [i, missing] of mask.entries()) if (!missing) expect(own.planes[0][i]).toBe(image.planes[0][i]);
  });

  it('is refused if it is not a denoiser', async () => {
    const image = picture(40, 32, 1);
    const prior = {} as Denoiser;
    await expect(inpaint(image, maskOf(image, 0.3), { prior })).rejects.toThrow(
      'prior must be a denoiser with a function run, but got "Object"',
    );
  });
});
