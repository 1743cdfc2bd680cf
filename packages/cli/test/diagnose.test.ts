import { mkdir, readdir } from 'node:fs/promises';
import { randomSource } from 'ght';
import { writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { pixels, png, smooth, workplace } from './command.js';

const { ght, json, path, read, save } = workplace();
const [width, height] = [96, 80];

beforeAll(async () => {
  const { normal } = randomSource(3);
  const clean = smooth(width, height, 150).map((value) => value + 50);
  const noisy = clean.map((value) => value + 12 * normal());
  const salted = noisy.map((value, i) => (i % 20 === 7 ? (i % 40 === 7 ? 255 : 0) : value));
  await save('salted.png', await png(salted.map(Math.round), 1, width));
  await save('grey.png', await png(noisy.map(Math.round), 1, width));
  const colour = clean.flatMap((value) => [4, 8, 16].map((sigma) => Math.round(value + sigma * normal())));
  await save('colour.png', await png(colour, 3, width));
  const unit = Float32Array.from(noisy, (value) => value / 255);
  await save('unit.npy', writeNpy({ type: 'f4', shape: [height, width], data: unit }));
  const white = clean.map(() => 30 * normal());
  const soft = clean.flatMap((value, i) => {
    const below = white[i + width] ?? 0;
    const noise = (white[i] + (white[i + 1] ?? 0) + below + (white[i + width + 1] ?? 0)) / 4;
    return [0, 1, 2].map(() => Math.round(value + noise));
  });
  await save('soft.png', await png(soft, 3, width));
  await save('flat.png', await png(new Array(400).fill(77), 1, 20));
  await save('line.png', await png([1, 2, 3, 4], 1, 4));
});

describe('ght diagnose', () => {
  it('prints the level of each channel, in the units of the image and of full scale', async () => {
    const { code, stdout, stderr } = await ght('diagnose', 'grey.png');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('grey.png: 96×80, 1 channel, 8 bit');
    const [, sigma, share] = stdout.match(/grey +σ = ([\d.]+) \(([\d.]+)% of full scale\)/) ?? [];
    expect(Math.abs(Number(sigma) - 12)).toBeLessThan(1);
    expect(Number(share)).toBeCloseTo((100 * Number(sigma)) / 255, 1);
  });

  it('--json holds the same as one object', async () => {
    const { task, format, image, sigma, share } = await json('diagnose', 'colour.png');
    expect({ task, format, image }).toMatchObject({
      task: 'diagnose',
      format: 'png',
      image: { channels: 3, peak: 255 },
    });
    [4, 8, 16].forEach((level, c) => {
      expect(Math.abs(sigma[c] / level - 1)).toBeLessThan(0.1);
      expect(share[c]).toBeCloseTo(sigma[c] / 255, 12);
    });
    expect((await ght('diagnose', 'colour.png')).stdout).toMatch(/red +σ[^\n]+\n +green +σ[^\n]+\n +blue +σ/);
  });

  it('works on floats, and finds no noise in a constant image', async () => {
    const { sigma } = await json('diagnose', 'unit.npy');
    expect(Math.abs((sigma[0] * 255) / 12 - 1)).toBeLessThan(0.1);
    expect((await json('diagnose', 'flat.png')).sigma).toEqual([0]);
  });

  it('noise that is not white: its kind, the level of luma and chromas, and the whole model', async () => {
    const { model, levels, messages, confidence, sigma } = await json('diagnose', 'soft.png');
    expect({ kind: model.kind, sigma }).toEqual({ kind: 'coloured', sigma: null });
    expect(model.deviations.map((rows: number[][]) => rows.length)).toEqual(Array(3).fill(model.brightness.length));
    expect(model.deviations[0][0]).toHaveLength(64);
    expect(levels).toHaveLength(3);
    expect(levels[0].middle).toBeGreaterThan(3 * levels[0].finest);
    expect(confidence).toBeGreaterThan(0);
    expect(messages).toEqual([expect.stringMatching(/^noise: coloured; luma /)]);
    const { stdout } = await ght('diagnose', 'soft.png');
    expect(stdout).toMatch(/luma +σ = [\d.]+ at middle frequencies \([\d.]+% of full scale\), [\d.]+ at the finest/);
    expect(stdout).toMatch(/chroma 2 +σ = .*\n +confidence +[\d.]+ of 1/);
    const white = await ght('diagnose', 'soft.png', '--noise', 'white', '--json');
    expect(JSON.parse(white.stdout)).toMatchObject({ model: { kind: 'white' } });
    // The former name of white noise.
    const renamed = await ght('diagnose', 'soft.png', '--noise', 'gaussian', '--json');
    expect(renamed).toEqual({ ...white, stderr: 'ght: --noise gaussian is now called --noise white\n' });
    const signal = await json('diagnose', 'soft.png', '--noise', 'poisson-gaussian');
    expect(signal).toMatchObject({ model: { kind: 'signal-dependent' }, levels: null, sigma: null });
  });

  it('several files: one line per file, and a failure does not stop the others', async () => {
    await mkdir(path('scans'));
    for (const name of ['grey.png', 'soft.png']) await save(`scans/${name}`, await read(name));
    await save('scans/broken.png', 'no image');
    const { code, stdout, stderr } = await ght('diagnose', 'scans');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^scans\/grey\.png: noise: white, σ = [\d.]+\nscans\/soft\.png: noise: coloured; .*\n$/);
    expect(stderr).toMatch(/^ght: scans\/broken\.png: IMAGE must be a PNG[^\n]*\n$/);
    const machine = JSON.parse((await ght('diagnose', 'scans', '--json')).stdout);
    expect(machine.files.map(({ input }: { input: string }) => input)).toEqual(['scans/grey.png', 'scans/soft.png']);
    expect(machine.failed).toMatchObject([{ input: 'scans/broken.png', kind: 'input' }]);
  });

  it('--plot draws both panels as SVG and as PNG, and for several files one SVG each', async () => {
    await json('diagnose', 'soft.png', '--plot', 'soft.svg');
    const svg = await read('soft.svg');
    expect(await sharp(svg).metadata()).toMatchObject({ format: 'svg' });
    for (const text of ['soft.png', 'luma', 'chroma 1', 'brightness', 'frequency (half waves per 8 pixels)']) {
      expect(String(svg)).toContain(`>${text}</text>`);
    }
    expect((await ght('diagnose', 'grey.png', '--plot', 'grey-plot.png')).stdout).toMatch(/wrote +grey-plot\.png$/m);
    const drawn = await pixels(await read('grey-plot.png'));
    expect(drawn.width).toBeGreaterThan(1500);
    // White paper with something on it.
    const dark = drawn.samples.filter((value) => value < 128).length / drawn.samples.length;
    expect(dark).toBeGreaterThan(0.005);
    expect(dark).toBeLessThan(0.2);
    const { files } = await json('diagnose', 'grey.png', 'unit.npy', '--plot', 'plots');
    expect(files.map(({ plot }: { plot: string }) => plot)).toEqual(['plots/grey.png.svg', 'plots/unit.npy.svg']);
    expect(await readdir(path('plots'))).toEqual(['grey.png.svg', 'unit.npy.svg']);
  });

  it('finds impulses and banding as denoise does, and leaves them out of the noise', async () => {
    const found = await json('diagnose', 'salted.png');
    expect(found).toMatchObject({ impulses: { kind: 'salt-and-pepper' }, model: { kind: 'white' } });
    expect(Math.abs(found.sigma[0] - 12)).toBeLessThan(1.5);
    const removed = await json('denoise', 'salted.png', '-o', 'unsalted.png', '--quality', 'fast');
    for (const name of ['impulses', 'banding', 'confidence']) expect(removed[name]).toEqual(found[name]);
    expect(removed.noise).toEqual(found.model);
    const { stdout } = await ght('diagnose', 'salted.png');
    expect(stdout).toMatch(/impulses +[\d.]+% of the samples are impulses \(salt and pepper\)\n +noise +white/);
    const kept = await json('diagnose', 'salted.png', '--impulses', 'off', '--banding', 'off');
    expect(kept).toMatchObject({ impulses: { kind: 'none', count: 0 }, banding: { search: 'off' } });
  });

  it('--json is printed with --quiet too', async () => {
    const { code, stdout } = await ght('diagnose', 'grey.png', '--json', '--quiet');
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await ght('diagnose', 'grey.png', '--json')).stdout });
    expect(await ght('diagnose', 'grey.png', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('ght noise is the former name, which still works and says so', async () => {
    const now = await ght('diagnose', 'grey.png', '--json');
    expect(await ght('noise', 'grey.png', '--json')).toEqual({
      ...now,
      stderr: 'ght: ght noise is now called ght diagnose\n',
    });
    expect((await ght('--help')).stdout).not.toMatch(/^ {2}noise /m);
  });

  it.each([
    ['--plot noise.pdf', '--plot must end in .svg, .png, but got "noise.pdf"'],
    ['--plot grey.png', '--plot must not be the file of IMAGE, but got "grey.png"'],
    ['--plot nowhere/noise.svg', '--plot must lie in an existing folder'],
    ['--noise pink', '--noise must be one of auto, white, poisson-gaussian, but got "pink"'],
    ['flat.png --plot line.png', '--plot must be a folder for several images, but got "line.png"'],
  ])('refuses %s in one line', async (flags, message) => {
    const { code, stdout, stderr } = await ght('diagnose', 'grey.png', ...flags.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ght: [^\n]*\n$/);
    expect(stderr).toContain(message);
  });

  it('refuses in one line what is not an image, or one that is too small', async () => {
    for (const [file, ...parts] of [
      ['line.png', 'IMAGE must be at least 3×3 pixels', '4×1', 'larger image'],
      ['nowhere.png', 'nowhere.png'],
    ]) {
      const { code, stdout, stderr } = await ght('diagnose', file);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^ght: [^\n]+\n$/);
      for (const part of parts) expect(stderr).toContain(part);
    }
    expect((await ght('diagnose', 'grey.png', '--sigma', '3')).stderr).toContain('see ght diagnose --help');
  });
});
