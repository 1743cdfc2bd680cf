import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  denseDictionary,
  gaussianDictionary,
  type Image,
  overcompleteDct,
  type RepresentOptions,
  represent,
} from '../../../src/index.js';
import { decodeImage, loadCodes, saveCodes, writeNpy } from '../../../src/npy.js';
import { unzip, zip } from '../../../src/sparse/codes/zip.js';
import { picture } from '../../pictures.js';

const python = ['/usr/bin/python3', 'python3'].find(
  (name) => spawnSync(name, ['-c', 'import scipy.sparse']).status === 0,
);

async function coded(image: Image, options: RepresentOptions = {}) {
  const result = await represent(image, { budget: { perPatch: 3 }, ...options });
  const { grid, dictionary, codes } = result;
  const { peak, alpha } = image;
  const bands = options.channels === 'bands';
  return { result, bytes: await saveCodes(codes, { grid, dictionary, peak, alpha, bands, sampleType: 'uint8' }) };
}

/** The file with one of its arrays replaced, or left out. */
async function changed(bytes: Uint8Array, name: string, array?: Uint8Array<ArrayBuffer>) {
  const files = await unzip(bytes, 'codes');
  const kept = [...files].filter(([each]) => each !== `${name}.npy`);
  const entries = kept.map(([each, content]) => ({ name: each, bytes: new Uint8Array(content) }));
  return zip(array ? [...entries, { name: `${name}.npy`, bytes: array }] : entries);
}

describe('the file of an image in codes', () => {
  const colour: Image = { ...picture(45, 37, 3), alpha: Uint8Array.from({ length: 45 * 37 }, (_, i) => i % 256) };

  it.each<[string, Image, RepresentOptions]>([
    ['grey', picture(40, 32), {}],
    ['colour with alpha, at a rim and with overlap', colour, { stride: 5 }],
    ['three bands', colour, { channels: 'bands' }],
    ['a dictionary of your own', picture(40, 32), { dictionary: gaussianDictionary(64, 90, 1) }],
  ])('rebuilds the image to the last bit: %s', async (_name, image, options) => {
    const { result, bytes } = await coded(image, options);
    const decoded = await decodeImage(bytes);
    expect(decoded.image).toEqual(result.image);
    expect(decoded.dictionary.atoms).toEqual(result.dictionary.atoms);
    expect(decoded).toMatchObject({ codes: result.codes, grid: result.grid, peak: 255, sampleType: 'uint8' });
  });

  it('is read by those who want the codes alone', async () => {
    const { result, bytes } = await coded(colour);
    expect(await loadCodes(bytes)).toEqual(result.codes);
  });

  it.skipIf(python === undefined)('is read by SciPy, and D Z is the first patch', async () => {
    const { result, bytes } = await coded(picture(40, 32));
    const folder = mkdtempSync(join(tmpdir(), 'ght-coded-'));
    try {
      writeFileSync(join(folder, 'z.npz'), bytes);
      const script =
        'import json, numpy as np, scipy.sparse, sys; Z = scipy.sparse.load_npz(sys.argv[1]); f = np.load(sys.argv[1]); ' +
        'D = np.kron(f["dictionary_a"], f["dictionary_b"]); print(json.dumps((D @ Z[:, [0]].toarray()).ravel().tolist()))';
      const { stdout, stderr } = spawnSync(python as string, ['-c', script, join(folder, 'z.npz')]);
      expect(String(stderr)).toBe('');
      const first: number[] = JSON.parse(String(stdout));
      first.forEach((value, i) => {
        const pixel = Math.floor(i / 8) * 40 + (i % 8);
        expect(value).toBeCloseTo(result.image.planes[0][pixel], 9);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses codes alone, as older versions wrote them', async () => {
    const { result } = await coded(picture(40, 32));
    await expect(decodeImage(await saveCodes(result.codes))).rejects.toThrow(
      'codes must hold the array grid, from which the image is rebuilt, but got "codes alone, as version 0.1 and',
    );
  });

  it('refuses arrays that do not belong together', async () => {
    const { bytes } = await coded(picture(40, 32));
    const grid = (...numbers: number[]) =>
      writeNpy({ type: 'i8', shape: [numbers.length], data: Float64Array.from(numbers) });
    const cases: [string, Uint8Array<ArrayBuffer>, string][] = [
      ['grid', grid(40, 33, 8, 8), 'codes must be of whole planes, each of 25 patches, but got "20 patches"'],
      ['grid', grid(40, 32, 4, 4), 'dictionary must be 16×256, as the patches and the codes are, but got "64×256"'],
      ['grid', grid(40, 32, 8), 'codes.grid must be the width and height of an image'],
      ['grid', grid(-1, 32, 8, 8), 'codes.grid must be the width and height of an image'],
      ['peak', writeNpy({ type: 'f8', shape: [1], data: Float64Array.of(Number.NaN) }), 'codes.peak must be a finite'],
      ['alpha', writeNpy({ type: 'u1', shape: [4], data: new Uint8Array(4) }), 'alpha must hold width × height = 1280'],
      ['dictionary_b', grid(1, 2), 'codes.dictionary_b must be a matrix'],
    ];
    for (const [name, array, message] of cases) {
      await expect(decodeImage(await changed(bytes, name, array))).rejects.toThrow(message);
    }
    await expect(decodeImage(await changed(bytes, 'dictionary_b'))).rejects.toThrow('must hold the array dictionary_b');
    const { codes, grid: own } = (await coded(picture(40, 32))).result;
    const other = denseDictionary(64, 1, new Float64Array(64).fill(0.125));
    await expect(saveCodes(codes, { grid: own, dictionary: other, peak: 255 })).rejects.toThrow('must be 64×256');
    await expect(saveCodes(codes, { grid: own, dictionary: overcompleteDct(8, 16), peak: 0 })).rejects.toThrow('peak');
  });
});
