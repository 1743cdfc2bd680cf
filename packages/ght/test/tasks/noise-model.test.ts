/** Noise models as files: what is written is read back to the last bit, scaled, and refused by name. */
import { readFile } from 'node:fs/promises';
import { type ColouredNoise, type Diagnosis, denoise, diagnose, type Image } from 'ght';
import { saveNoiseModel } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { photograph } from '../photographs.js';
import { noisy, picture } from '../pictures.js';
import { coloured, inBytes, jpegOf } from './camera-files.js';

let image: Image;
let diagnosis: Diagnosis;
beforeAll(async () => {
  image = inBytes(coloured(await photograph('nagasaki-boats', 128), 12));
  diagnosis = await diagnose(image);
});

const fast = { quality: 'fast', threads: 1 } as const;
const fileOf = (found: Diagnosis, peak?: number) => JSON.parse(saveNoiseModel(found, { peak }));
const rowsOf = (noise: unknown) => (noise as ColouredNoise).deviations.map(([row]) => [...row]);

describe('a noise model as a file', () => {
  it('is the diagnosis, to the last bit', async () => {
    const file = JSON.parse(saveNoiseModel(diagnosis, { ...image, images: 3, camera: { make: 'Maker', iso: 800 } }));
    expect(file).toMatchObject({
      ...{ format: 'ght-noise-model', version: 1, units: 'samples', peak: 255, planes: 3, images: 3 },
      camera: { make: 'Maker', iso: 800 },
      ...{ confidence: diagnosis.confidence, levels: diagnosis.levels, impulses: diagnosis.impulses },
    });
    const [read, given] = [
      await denoise(image, { ...fast, noise: file }),
      await denoise(image, { ...fast, noise: diagnosis }),
    ];
    expect(read).toEqual(given);
    expect(read).toMatchObject({ noise: diagnosis.model, estimated: false, levels: diagnosis.levels });
  });

  it('is scaled to the peak of the image, or not if it has none', async () => {
    const large = {
      ...image,
      planes: image.planes.map((plane) => Uint16Array.from(plane, (v) => 257 * v)),
      peak: 65535,
    };
    const small = await denoise(image, { ...fast, noise: fileOf(diagnosis, 255) });
    const result = await denoise(large, { ...fast, noise: fileOf(diagnosis, 255) });
    const apart = Array.from(result.image.planes[0], (value, i) => Math.abs(value / 257 - small.image.planes[0][i]));
    expect(Math.max(...apart)).toBeLessThan(0.01);
    expect(rowsOf(result.noise)[0][9]).toBeCloseTo(257 * rowsOf(diagnosis.model)[0][9], 6);
    expect(result.levels?.[0].middle).toBeCloseTo(257 * (diagnosis.levels?.[0].middle ?? 0), 6);
    expect(rowsOf(result.coarse)[0][9]).toBeCloseTo(257 * rowsOf(diagnosis.coarse)[0][9], 6);
    const unscaled = await denoise(large, { ...fast, noise: fileOf(diagnosis) });
    expect(unscaled.noise).toEqual(diagnosis.model);
  });

  it.each([
    [{ version: 2 }, 'noise.version must be 1, but got 2: measure it again'],
    [{ format: 'other' }, 'noise.format must be one of ght-noise-model'],
    [{ units: 'percent' }, 'noise.units must be one of samples'],
    [{ peak: 0 }, 'noise.peak must be a finite number above 0'],
    [{ planes: 1 }, 'noise.planes must be those of its model, 3'],
    [{ confidence: 'high' }, 'noise.confidence must be a number from 0 to 1'],
    [{ levels: [{ middle: -1 }] }, 'noise.levels.middle must be a finite number of at least 0'],
    [{ jpeg: { luma: [1] } }, 'jpeg.luma must hold 64 steps'],
    [{ coarse: { kind: 'coloured', brightness: [0], deviations: [[[1]]] } }, 'noise.coarse.deviations must have 64'],
    [{ coarse: { kind: 'coloured', brightness: [], deviations: [] } }, 'noise.coarse.brightness must be a list'],
    [{ model: undefined }, 'noise must be a noise model'],
  ])('with %j is refused', async (wrong, message) => {
    await expect(denoise(image, { noise: { ...fileOf(diagnosis, 255), ...wrong } })).rejects.toThrow(message);
  });

  it('of colour is refused for grey', async () => {
    const grey = { ...image, planes: image.planes.slice(0, 1) };
    const rule = 'noise must be the noise of 1 plane, as many as the image has, but got "that of 3"';
    await expect(denoise(grey, { noise: fileOf(diagnosis, 255) })).rejects.toThrow(rule);
  });

  it('has only fields that the schema describes, and all that it requires', async () => {
    const schema = JSON.parse(
      await readFile(new URL('../../../../docs/noise-model.schema.json', import.meta.url), 'utf8'),
    );
    const jpeg = await diagnose((await jpegOf(noisy(picture(128, 128, 3), 10), 80)).image);
    const growing = await diagnose(noisy(picture(64, 64), 10), { kind: 'signal-dependent' });
    const flat = { width: 64, height: 64, planes: [Uint8Array.from({ length: 4096 }, (_, i) => (i < 999 ? 9 : 99))] };
    const page = await diagnose({ ...flat, peak: 255 });
    expect(page.isDrawn).toBe(true);
    const { coloured: spectrum } = schema.$defs;
    const resolved = (each: { $ref?: string }) => (each.$ref === '#/$defs/coloured' ? spectrum : each);
    const kinds = schema.properties.model.oneOf.map((kind: object) => Object.keys(resolved(kind).properties));
    expect(resolved(schema.properties.coarse)).toBe(spectrum);
    for (const each of [diagnosis, jpeg, growing, page]) {
      const file = fileOf(each, 255);
      if (file.coarse) expect(Object.keys(file.coarse)).toEqual(Object.keys(spectrum.properties));
      for (const name of Object.keys(file)) expect(Object.keys(schema.properties)).toContain(name);
      for (const name of schema.required) expect(Object.keys(file)).toContain(name);
      expect(kinds).toContainEqual(Object.keys(file.model));
    }
  });
});

describe('the steps of a JPEG', () => {
  it('are those of the image, in place of those that were measured', async () => {
    const { image: compressed, jpeg } = await jpegOf(image, 70);
    if (!jpeg) throw new Error('a JPEG has tables');
    const own = rowsOf((await denoise(compressed, { ...fast, noise: diagnosis, jpeg })).noise);
    const found = await denoise(compressed, { ...fast, noise: diagnosis });
    expect(rowsOf(found.noise)).toEqual(own);
    expect(found.jpegQuality).toBeCloseTo(70, 0);
    const plain = rowsOf(diagnosis.model);
    expect(own.every((row, c) => row.every((deviation, f) => deviation >= plain[c][f]))).toBe(true);
    expect(own[0][63]).toBeGreaterThan(2 * plain[0][63]);
    // Measured with these steps, and used without them.
    const measured = await diagnose(compressed, { jpeg });
    const same = await denoise(compressed, { ...fast, noise: measured, jpeg });
    expect(same.noise).toEqual(measured.model);
    const without = rowsOf((await denoise(compressed, { ...fast, noise: measured, jpeg: 'off' })).noise);
    const counted = rowsOf(measured.model);
    expect(without.every((row, c) => row.every((deviation, f) => deviation <= counted[c][f]))).toBe(true);
  });

  it('are not added to a model alone', async () => {
    const { image: compressed, jpeg } = await jpegOf(image, 70);
    expect((await denoise(compressed, { ...fast, noise: diagnosis.model, jpeg })).noise).toEqual(diagnosis.model);
  });
});
