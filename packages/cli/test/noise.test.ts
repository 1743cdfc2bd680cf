import { randomSource, writeNpy } from 'ght';
import { beforeAll, describe, expect, it } from 'vitest';
import { png, smooth, workplace } from './command.js';

const { ght, json, save } = workplace();
const [width, height] = [96, 80];

beforeAll(async () => {
  const { normal } = randomSource(3);
  const clean = smooth(width, height, 150).map((value) => value + 50);
  const noisy = clean.map((value) => value + 12 * normal());
  await save('grey.png', await png(noisy.map(Math.round), 1, width));
  const colour = clean.flatMap((value) => [4, 8, 16].map((sigma) => Math.round(value + sigma * normal())));
  await save('colour.png', await png(colour, 3, width));
  const unit = Float32Array.from(noisy, (value) => value / 255);
  await save('unit.npy', writeNpy({ type: 'f4', shape: [height, width], data: unit }));
  await save('flat.png', await png(new Array(400).fill(77), 1, 20));
  await save('line.png', await png([1, 2, 3, 4], 1, 4));
});

describe('ght noise', () => {
  it('tells the level of each channel, in the units of the image and of full scale', async () => {
    const { code, stdout, stderr } = await ght('noise', 'grey.png');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('grey.png: 96×80, 1 channel, 8 bit');
    const [, sigma, share] = stdout.match(/grey +σ = ([\d.]+) \(([\d.]+)% of full scale\)/) ?? [];
    expect(Math.abs(Number(sigma) - 12)).toBeLessThan(1);
    expect(Number(share)).toBeCloseTo((100 * Number(sigma)) / 255, 1);
  });

  it('--json holds the same as one object', async () => {
    const { task, format, image, sigma, share } = await json('noise', 'colour.png');
    expect({ task, format, image }).toMatchObject({ task: 'noise', format: 'png', image: { channels: 3, peak: 255 } });
    [4, 8, 16].forEach((level, c) => {
      expect(Math.abs(sigma[c] / level - 1)).toBeLessThan(0.1);
      expect(share[c]).toBeCloseTo(sigma[c] / 255, 12);
    });
    expect((await ght('noise', 'colour.png')).stdout).toMatch(/red +σ[^\n]+\n +green +σ[^\n]+\n +blue +σ/);
  });

  it('works on floats, and finds none in a constant image', async () => {
    const { sigma } = await json('noise', 'unit.npy');
    expect(Math.abs((sigma[0] * 255) / 12 - 1)).toBeLessThan(0.1);
    expect((await json('noise', 'flat.png')).sigma).toEqual([0]);
  });

  it('refuses in one line what holds no picture or too little of one', async () => {
    for (const [file, ...parts] of [
      ['line.png', 'IMAGE must be at least 3×3 pixels', '4×1', 'larger image'],
      ['nowhere.png', 'nowhere.png'],
    ]) {
      const { code, stdout, stderr } = await ght('noise', file);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^ght: [^\n]+\n$/);
      for (const part of parts) expect(stderr).toContain(part);
    }
    expect((await ght('noise', 'grey.png', '--sigma', '3')).stderr).toContain('see ght noise --help');
  });
});
