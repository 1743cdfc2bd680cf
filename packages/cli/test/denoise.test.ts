import { mkdir, readdir } from 'node:fs/promises';
import { randomSource } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, pixels, png, psnr, smooth, textured, width, workplace } from './command.js';

const { ght, json, path, save, read } = workplace();
const sigma = 20;
const clean = smooth().map(Math.round);
const { normal } = randomSource(7);
const clipped = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
const noisy = clean.map((value) => clipped(value + sigma * normal()));

beforeAll(async () => {
  await save('clean.png', await png(clean));
  await save('noisy.png', await png(noisy));
  await save('row.npy', writeNpy({ type: 'f8', shape: [64], data: new Float64Array(64) }));
  await save('negative.npy', writeNpy({ type: 'f8', shape: [8, 8], data: new Float64Array(64).fill(-1, 5, 6) }));
});

describe('ght denoise', () => {
  const paper = ['--method paper --sigma 20', '--method paper --budget 2', '--method paper --budget 2 --solver omp'];
  it.each([
    '',
    '--sigma auto',
    '--sigma 20 --engine portable',
    '--sigma 20 --quality fast',
    '--sigma 20 --quality best',
    '--sigma 20 --quality learned',
    ...paper,
  ])('brings the picture closer to the clean one with "%s"', async (flags) => {
    const given = flags === '' ? [] : flags.split(' ');
    const result = await json('denoise', 'noisy.png', '-o', 'out.png', '--reference', 'clean.png', ...given);
    expect(result).toMatchObject({ task: 'denoise', image: { width, height, channels: 1, depth: 8 } });
    const written = psnr((await pixels(await read('out.png'))).samples, clean, 255);
    const before = psnr(noisy, clean, 255);
    expect(written).toBeGreaterThan(before + 3);
    expect(result.psnr).toBeCloseTo(written, 0);
    expect(result.psnrNoisy).toBeCloseTo(before, 9);
  });

  it('measures floats against a reference of 8 bits in the same units', async () => {
    await save('noisy.npy', writeNpy({ type: 'f8', shape: [height, width], data: Float64Array.from(noisy) }));
    const result = await json('denoise', 'noisy.npy', '-o', 'out.npy', '--reference', 'clean.png');
    expect(result.psnrNoisy).toBeCloseTo(psnr(noisy, clean, 255), 9);
  });

  it('says what noise it removed, and whether that was estimated', async () => {
    const estimated = await json('denoise', 'noisy.png', '-o', 'out.png');
    expect(estimated).toMatchObject({ method: 'groups', quality: 'balanced', estimated: true, psnr: null });
    expect(estimated).toMatchObject({ confidence: 1, changed: true, noise: { kind: 'white' } });
    expect(Math.abs(estimated.noise.sigma[0] - sigma)).toBeLessThan(0.25 * sigma);
    expect(estimated.messages).toEqual([expect.stringMatching(/^noise: white, σ = [\d.]+$/)]);
    const reported = await json('denoise', 'noisy.png', '-o', 'out.png', '--sigma', '17');
    expect(reported).toMatchObject({
      noise: { kind: 'white', sigma: [17] },
      estimated: false,
      messages: ['noise: white, σ = 17.0'],
    });
    const { stdout } = await ght('denoise', 'noisy.png', '-o', 'out.png');
    expect(stdout).toMatch(/^ {2}noise +estimated: white, σ = [\d.]+$/m);
    const weak = await ght('denoise', 'noisy.png', '-o', 'out.png', '--sigma', '1', '--quality', 'learned');
    expect(weak.stdout).toMatch(/^ {2}quality +best in place of learned, which is for noise of at least 1\/64 /m);
    expect(weak.stdout).toMatch(/^ {2}noise +given: white, σ = 1.0$/m);
  });

  it('--method paper --sigma leaves about the noise behind', async () => {
    for (const level of ['20', 'auto']) {
      const result = await json('denoise', 'noisy.png', '-o', 'out.png', '--method', 'paper', '--sigma', level);
      expect(result.rmsePixel).toBeLessThan(1.25 * sigma);
      expect(result.rmsePixel).toBeGreaterThan(0.75 * sigma);
    }
  });

  it('takes sigma in the units of the image, and writes floats as floats, neither clipped nor rounded', async () => {
    const data = Float64Array.from(noisy, (value) => value / 255 - 0.5);
    await save('unit.npy', writeNpy({ type: 'f8', shape: [height, width], data }));
    await json('denoise', 'unit.npy', '-o', 'unit-out.npy', '--sigma', String(sigma / 255));
    const { type, data: written } = readNpy(await read('unit-out.npy'));
    expect(type).toBe('f8');
    const out = Array.from(written, Number);
    expect(Math.min(...out)).toBeLessThan(0);
    const target = clean.map((value) => value / 255 - 0.5);
    expect(psnr(out, target, 1)).toBeGreaterThan(psnr(noisy, clean, 255) + 3);
  });

  it('--sigma takes a level per channel, which is better than one level for all', async () => {
    // Nearly equal channels with noise of 4, 25 and 8.
    const { normal } = randomSource(8);
    const channels = (value: number) => [value, 0.9 * value + 10, 255 - value];
    const colours = smooth(96, 96).flatMap(channels);
    const levels = [4, 25, 8];
    const speckled = colours.map((value, i) => clipped(value + levels[i % 3] * normal()));
    await save('colours.png', await png(colours.map(Math.round), 3, 96));
    await save('speckled.png', await png(speckled, 3, 96));
    const flags = ['denoise', 'speckled.png', '-o', 'out.png', '--reference', 'colours.png', '--sigma'];
    const each = await json(...flags, levels.join());
    expect(each.noise).toEqual({ kind: 'white', sigma: levels });
    const mean = Math.hypot(...levels) / Math.sqrt(3);
    const one = await json(...flags, String(mean));
    expect(each.psnr).toBeGreaterThan(one.psnr + 0.1);
    // The method of the paper has one budget for all channels, and so one level.
    const paper = [...flags.slice(0, -1), '--method', 'paper', '--sigma'];
    expect((await json(...paper, levels.join())).nonzeros).toBe((await json(...paper, String(mean))).nonzeros);
  });

  it('removes noise that grows with the signal, given or estimated', async () => {
    const [w, h] = [96, 80];
    const still = smooth(w, h).map((value) => value * 200);
    const { poisson } = randomSource(3);
    const counts = still.map((value) => Math.min(65535, 300 * poisson(value / 300)));
    const data = Uint16Array.from(counts);
    await save('photons.npy', writeNpy({ type: 'u2', shape: [h, w], data }));
    for (const flags of [['--gain', '300', '--sigma', '0'], ['--offset', '0'], []]) {
      const kind = ['--noise', 'poisson-gaussian', ...flags];
      const result = await json('denoise', 'photons.npy', '-o', 'photons-out.npy', ...kind);
      expect(Math.abs(result.noise.planes[0].gain - 300)).toBeLessThan(90);
      const out = Array.from(readNpy(await read('photons-out.npy')).data, Number);
      expect(psnr(out, still, 65535)).toBeGreaterThan(psnr(counts, still, 65535) + 5);
    }
  });

  it('--offset alone gives the value without signal; gain and deviation are estimated', async () => {
    const [w, h, offset] = [96, 80, 5000];
    const still = smooth(w, h).map((value) => offset + value * 100);
    const { poisson } = randomSource(5);
    const data = Uint16Array.from(still, (value) => offset + 100 * poisson((value - offset) / 100));
    await save('dark.npy', writeNpy({ type: 'u2', shape: [h, w], data }));
    const flags = ['--noise', 'poisson-gaussian', '--offset', String(offset)];
    const result = await json('denoise', 'dark.npy', '-o', 'dark-out.npy', ...flags);
    expect(result).toMatchObject({ estimated: true, noise: { kind: 'signal-dependent', planes: [{ offset }] } });
    expect(Math.abs(result.noise.planes[0].gain - 100)).toBeLessThan(30);
    const out = Array.from(readNpy(await read('dark-out.npy')).data, Number);
    expect(psnr(out, still, 65535)).toBeGreaterThan(psnr([...data], still, 65535) + 5);
  });

  it('--noise-spectrum takes 8×8 deviations, or a power spectral density of any other size', async () => {
    const [w, h] = [96, 80];
    const still = smooth(w, h);
    const random = randomSource(11);
    // The mean of two neighbours in a row: |1 + exp(−iω)|² / 4 times the density of white noise of deviation 30.
    const white = Float64Array.from({ length: w * h }, () => 30 * random.normal());
    const soft = still.map((value, i) => value + (white[i] + white[i % w === 0 ? i + w - 1 : i - 1]) / 2);
    await save('soft.npy', writeNpy({ type: 'f8', shape: [h, w], data: Float64Array.from(soft) }));
    const density = Float64Array.from({ length: w * h }, (_, i) => {
      return 30 ** 2 * w * h * ((1 + Math.cos((2 * Math.PI * (i % w)) / w)) / 2);
    });
    await save('density.npy', writeNpy({ type: 'f8', shape: [h, w], data: density }));
    const reported = await json('denoise', 'soft.npy', '-o', 'soft-psd.npy', '--noise-spectrum', 'density.npy');
    expect(reported).toMatchObject({ estimated: false, confidence: 1, noise: { kind: 'coloured', brightness: [0] } });
    const [deviations] = reported.noise.deviations[0];
    // Slow waves along a row keep their noise, except 1/16 over 8 pixels, and fast ones lose it.
    expect(deviations[7]).toBeLessThan(0.3 * deviations[8 * 7]);
    expect(deviations[8 * 7]).toBeCloseTo(30 * Math.sqrt(15 / 16), 6);
    await save('deviations.npy', writeNpy({ type: 'f4', shape: [8, 8], data: Float32Array.from(deviations) }));
    await json('denoise', 'soft.npy', '-o', 'soft-dct.npy', '--noise-spectrum', 'deviations.npy');
    const outcome = async (name: string) => Array.from(readNpy(await read(name)).data, Number);
    const [byDensity, byDeviations] = [await outcome('soft-psd.npy'), await outcome('soft-dct.npy')];
    expect(psnr(byDensity, still, 255)).toBeGreaterThan(psnr(soft, still, 255) + 5);
    expect(psnr(byDeviations, byDensity, 255)).toBeGreaterThan(80);
  });

  it('says what each number is compared with', async () => {
    const flags = ['--reference', 'clean.png'];
    const { stdout } = await ght(
      'denoise',
      'noisy.png',
      '-o',
      'out.png',
      ...flags,
      '--method',
      'paper',
      '--budget',
      '2',
    );
    expect(stdout).toMatch(/RMSE .* against the noisy image/);
    for (const text of [stdout, (await ght('denoise', 'noisy.png', '-o', 'out.png', ...flags)).stdout]) {
      expect(text).toMatch(/PSNR .* dB, against the reference/);
      expect(text).toMatch(/before +22\.\d\d dB/);
    }
  });

  it.each([
    ['--solver admm', '--solver belongs to --method paper, but got "admm"'],
    ['--budget 5', '--budget belongs to --method paper, but got 5'],
    ['--method paper --quality best', '--quality must be left out with --method paper, but got "best"'],
    ['--quality good', '--quality must be one of fast, balanced, best, learned, finest, but got "good"'],
    ['--sigma much', '--sigma must be a finite number, but got "much"'],
    ['--sigma -3', '--sigma must be a finite number of at least 0, but got -3'],
    ['--sigma 3,4', '--sigma must be a number, one for each of the 1 planes, or auto, but got [3,4]'],
    ['--sigma 3,', '--sigma must be a finite number, but got ""'],
    ['--method paper --sigma 3,4', '--sigma must be a number, one for each of the 1 planes, or auto, but got [3,4]'],
    ['--format jpg', '--format must come with -o - or a folder as -o, but got "jpg"'],
    ['--jpeg-quality 90', '--jpeg-quality must come with an output that ends in .jpg, but got "refused.png"'],
    ['--jpeg-quality 101', '--jpeg-quality must be a whole number from 1 to 100, but got "101"'],
    ['--gain 2', '--gain must come with --noise poisson-gaussian, but got 2'],
    ['--offset 2', '--offset must come with --noise poisson-gaussian, but got 2'],
    ['--noise poisson-gaussian --gain 1', '--gain must come with --sigma as a number, but got 1'],
    ['--noise poisson-gaussian --gain 1 --sigma auto', '--gain must come with --sigma as a number, but got 1'],
    ['--noise poisson-gaussian --gain -2 --sigma 0', '--gain must be a finite number of at least 0, but got -2'],
    ['--engine quick', '--engine must be one of auto, '],
    ['--noise coloured', '--noise must be one of auto, white, poisson-gaussian, but got "coloured"'],
    ['--strength 0', '--strength must be a finite number above 0, but got 0'],
    ['--strength-chroma -1', '--strength-chroma must be a finite number above 0, but got -1'],
    ['--strength much', '--strength must be a finite number, but got "much"'],
    ['--keep-grain 1.5', '--keep-grain must be a share from 0 to 1, but got 1.5'],
    ['--impulses on', '--impulses must be one of auto, off, but got "on"'],
    ['--banding never', '--banding must be one of auto, off, but got "never"'],
    ['--method paper --strength 2', '--strength must be left out with --method paper, but got 2'],
    [
      '--noise-spectrum row.npy',
      '--noise-spectrum must have two dimensions: 8×8 deviations, or a power spectral density',
    ],
    ['--noise-spectrum negative.npy', '--noise-spectrum [5] must be a finite number of at least 0, but got -1'],
    ['--noise-spectrum clean.png', '--noise-spectrum must be a .npy file, but got "clean.png"'],
    ['--noise-spectrum negative.npy --sigma 2', '--sigma must be left out with --noise-spectrum, but got 2'],
  ])('refuses %s in one line', async (flags, message) => {
    const { code, stdout, stderr } = await ght('denoise', 'noisy.png', '-o', 'refused.png', ...flags.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ght: [^\n]*\n$/);
    expect(stderr).toContain(message);
    expect(await readdir(path('.'))).not.toContain('refused.png');
  });
});

describe('ght denoise, several files', () => {
  beforeAll(async () => {
    await mkdir(path('scans'));
    await mkdir(path('others'));
    for (const name of ['a', 'b']) await save(`scans/${name}.png`, await png(textured(), 1));
    await save('scans/broken.png', 'no image');
    await save('scans/notes.txt', 'no image either');
    await save('others/a.png', await png(noisy));
    await save('others/a.dat', await png(noisy));
  });

  it('a folder: all valid images are denoised, failures are listed at the end, and the exit code is 1', async () => {
    const { code, stdout, stderr } = await ght('denoise', 'scans', '-o', 'cleaned', '--quality', 'fast');
    expect(code).toBe(1);
    const [a, b, ...rest] = stdout.trimEnd().split('\n');
    expect(a).toMatch(/^scans\/a\.png: noise: white, σ = [\d.]+$/);
    expect(b).toMatch(/^scans\/b\.png: noise: white, σ = [\d.]+$/);
    expect(rest).toEqual([
      'wrote 2 of 3 images to cleaned',
      'skipped 1 file that is not an image (.txt)',
      '2 changed, 0 left as they were',
    ]);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^ght: scans\/broken\.png: IMAGE must be a PNG, JPEG/);
    expect(await readdir(path('cleaned'))).toEqual(['a.png', 'b.png']);
  });

  it('gives each image the same bits as if it were alone, also for patterns and lists', async () => {
    const { files: done } = await json('denoise', 'scans/?.png', '-o', 'matched');
    expect(done.map(({ output }: { output: string }) => output)).toEqual(['matched/a.png', 'matched/b.png']);
    await json('denoise', 'scans/b.png', '-o', 'alone.png');
    expect(await read('matched/b.png')).toEqual(await read('alone.png'));
    await json('denoise', 'noisy.png', 'scans/b.png', '-o', 'listed');
    expect(await readdir(path('listed'))).toEqual(['b.png', 'noisy.png']);
  });

  it.each([
    [['scans/a.png', 'others/a.png'], 'x', '-o must not get two files of one name'],
    [['scans'], 'scans', '-o must not be the file of IMAGE, but got "scans/a.png": choose another name or folder'],
    [['scans', '--noise', 'poisson-gaussian', '--gain', '1'], 'x', '--gain must come with --sigma as a number'],
    [['scans', '--strength', '-1'], 'x', '--strength must be a finite number above 0'],
    [['scans'], 'noisy.png', '-o must be a folder for several images'],
    [['scans/z*.png'], 'x', 'IMAGE must match a file'],
  ])('%j to %s is refused', async (inputs, output, message) => {
    const { code, stderr } = await ght('denoise', ...inputs, '-o', output);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(await readdir(path('.'))).not.toContain('x');
  });

  it('makes no folder if there are no results', async () => {
    const { code } = await ght('denoise', 'gone.png', 'lost.png', '-o', 'deep/down/here');
    expect(code).toBe(1);
    expect(await readdir(path('.'))).not.toContain('deep');
  });

  it('treats a name that could be a pattern as the file of that name, if it exists', async () => {
    for (const name of ['what?.png', 'all*.png', 'allow.png']) await save(name, await png(noisy));
    await json('denoise', 'what?.png', '-o', 'question.png', '--quality', 'fast');
    expect((await pixels(await read('question.png'))).width).toBe(width);
    const { files: done } = await json('denoise', 'all*.png', 'scans/a.png', '-o', 'stars', '--quality', 'fast');
    expect(done.map(({ input }: { input: string }) => input)).toEqual(['all*.png', 'scans/a.png']);
  });

  it('lists failures by input, with the flags of the command, one per line', async () => {
    await mkdir(path('odd'));
    await save('odd/y\n\u001b[31m.png', 'no image');
    const nan = Float64Array.from(noisy).fill(Number.NaN, 7, 8);
    await save('odd/nan.npy', writeNpy({ type: 'f8', shape: [height, width], data: nan }));
    const { code, stderr } = await ght('denoise', 'odd', 'others/a.dat', '-o', 'odd-out');
    expect(code).toBe(1);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('ght: odd/nan.npy: IMAGE pixel (x 7, y 0, channel 0) must be a finite number');
    expect(lines[1]).toContain('ght: odd/y\\u000a\\u001b[31m.png: IMAGE must be a PNG');
    expect(lines[2]).toMatch(/^ght: others\/a\.dat: IMAGE must end in \.png, .* but got "others\/a\.dat": /);
  });

  it('--json lists what failed, with the kind of error and the reason', async () => {
    const { code, stdout } = await ght(
      'denoise',
      'scans',
      'others/a.dat',
      '-o',
      'reports',
      '--quality',
      'fast',
      '--json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout).failed).toEqual([
      { input: 'scans/broken.png', kind: 'input', error: expect.stringMatching(/^IMAGE must be a PNG, JPEG/) },
      { input: 'others/a.dat', kind: 'option', error: expect.stringMatching(/^IMAGE must end in \.png/) },
    ]);
  });
});
