import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The output of an example. */
const output = (name: string) =>
  execFileSync(process.execPath, [fileURLToPath(new URL(`../examples/${name}.js`, import.meta.url))], {
    encoding: 'utf8',
  });

const numbers = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => Number(value));

it('examples/represent.js shows that one budget for all beats an even one', () => {
  const [joint, even] = numbers(output('represent'), /([\d.]+) dB/g);
  expect(joint).toBeGreaterThan(even + 3);
});

it('examples/recover.js shows that the joint solvers find atoms that OMP misses', () => {
  const [qpm, admm, omp] = numbers(output('recover'), /misses +([\d.]+)%/g);
  expect(Math.max(qpm, admm)).toBeLessThan(1);
  expect(omp).toBeGreaterThan(5);
});

it('examples/denoise.js shows that denoising raises the PSNR', () => {
  const [noisy, denoised] = numbers(output('denoise'), /([\d.]+) dB/g);
  expect(denoised).toBeGreaterThan(noisy + 8);
});

it('examples/photograph.js shows that coloured noise remains if it is treated as white', () => {
  const text = output('photograph');
  expect(text).toMatch(/^noise: coloured; /);
  const [noisy, white, coloured] = numbers(text, /([\d.]+) dB/g);
  expect(white).toBeLessThan(noisy + 3);
  expect(coloured).toBeGreaterThan(noisy + 8);
});

it('examples/abort.js shows progress up to the abort, and a call that works afterwards', () => {
  const text = output('abort');
  const fractions = numbers(text, /^ *(\d+)%, RMSE/gm);
  expect(fractions.length).toBeGreaterThan(2);
  expect(Math.max(...fractions)).toBeLessThan(50);
  expect(text).toMatch(/^stopped at \d+%$/m);
  expect(text).toMatch(/^the next call: [\d.]+ dB$/m);
});

it('examples/dictionary.js shows that atoms made for a picture represent it better', () => {
  const [dct, own] = numbers(output('dictionary'), /([\d.]+) dB/g);
  expect(own).toBeGreaterThan(dct + 3);
});

it('examples/learn.js shows that a learned dictionary represents another image better', () => {
  const text = output('learn');
  const [before, after] = /RMSE ([\d.]+) before, ([\d.]+) after/.exec(text)?.slice(1).map(Number) ?? [];
  expect(after).toBeLessThan(0.9 * before);
  const [dct, learned] = numbers(text, /([\d.]+) dB/g);
  expect(learned).toBeGreaterThan(dct + 1);
});

it('examples/colour.js shows that luma gets most of the atoms', () => {
  const text = output('colour');
  const [, luma, first, second] = /luma (\d+), chroma (\d+) and (\d+)/.exec(text)?.map(Number) ?? [];
  expect(luma).toBeGreaterThan(3 * (first + second));
  expect(numbers(text, /([\d.]+) dB/g)[0]).toBeGreaterThan(30);
});

it('examples/restore.js shows that every restoration raises the PSNR', () => {
  const text = output('restore');
  const levels = [...text.matchAll(/^(\w+) +([\d.]+) dB before, ([\d.]+) dB after/gm)];
  const gains = Object.fromEntries(levels.map(([, task, before, after]) => [task, Number(after) - Number(before)]));
  expect(Object.keys(gains)).toEqual(['inpaint', 'restore', 'upscale', 'deblur']);
  expect(gains.inpaint).toBeGreaterThan(25);
  expect(Math.min(gains.restore, gains.upscale, gains.deblur)).toBeGreaterThan(5);
  const [sigma] = numbers(text, /σ estimated as ([\d.]+)/g);
  expect(Math.abs(sigma - 1)).toBeLessThan(0.2);
});

it('examples/server.js denoises what is posted, and refuses what is no image', () => {
  const [denoised, refused] = output('server').split('\n');
  expect(denoised).toMatch(/^200: noise: white, σ = (19|20|21)\./);
  for (const left of numbers(denoised.split('left: ')[1], /([\d.]+)/g)) expect(left).toBeLessThan(5);
  expect(refused).toMatch(/^415: an image/);
});

it('examples/store.js shows that tiles from a store of your own have the samples of the untiled run', () => {
  const text = output('store');
  const [noisy, denoised] = numbers(text, /([\d.]+) dB/g);
  expect(denoised).toBeGreaterThan(noisy + 8);
  expect(text).toMatch(/^samples that differ from the untiled run: 0$/m);
});

it('docs/scale.md shows the store of examples/store.js', () => {
  const text = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
  const [, shown] = /```js\n([\s\S]+?)```/.exec(text('../docs/scale.md')) ?? [];
  const [imports, ...functions] = shown.split(/\n(?=async function )/);
  expect(functions).toHaveLength(2);
  const example = text('../examples/store.js');
  for (const each of functions) expect(example).toContain(each.split('\n}\n')[0]);
  expect(imports).toContain("import { denoiseLarge } from 'ght-tiles';");
});
