import { execFileSync } from 'node:child_process';
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
