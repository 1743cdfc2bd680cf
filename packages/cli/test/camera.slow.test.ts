/** Noise models as files, and the noise that files of one camera share. */
import { mkdir } from 'node:fs/promises';
import { randomSource } from 'ght';
import { writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { pixels, smooth, workplace } from './command.js';

const { ght, json, path, read, save } = workplace();
const [width, height] = [160, 144];
const fast = ['--quality', 'fast', '--threads', '1'];

/** A picture with soft noise, as colour of 8 bits or grey. */
function noisy(seed: number, channels: 1 | 3 = 3, [w, h] = [width, height]): number[] {
  const { normal } = randomSource(seed);
  const white = Array.from({ length: channels * (w * h + w + 1) }, () => 24 * normal());
  const clean = smooth(w, h, 150);
  return Array.from({ length: channels * w * h }, (_, i) => {
    const at = (j: number) => white[i + channels * j];
    const value = clean[Math.floor(i / channels)] + 50 + (at(0) + at(1) + at(w) + at(w + 1)) / 4;
    return Math.min(255, Math.max(0, Math.round(value)));
  });
}

interface Named {
  readonly input: string;
  readonly shared?: { readonly files: number };
}

interface Shot {
  readonly make?: string;
  readonly model?: string;
  readonly iso?: number;
  readonly format?: 'png' | 'jpeg';
  readonly quality?: number;
  readonly size?: [number, number];
}

/** A file of a camera. */
async function shot(
  seed: number,
  { make, model, iso, format = 'png', quality = 92, size }: Shot = {},
): Promise<Buffer> {
  const [w, h] = size ?? [width, height];
  const image = sharp(Buffer.from(noisy(seed, 3, [w, h])), { raw: { width: w, height: h, channels: 3 } });
  const exif = {
    IFD0: { ...(make && { Make: make }), ...(model && { Model: model }) },
    ...(iso && { IFD2: { ISOSpeedRatings: String(iso) } }),
  };
  return (make ? image.withExif(exif) : image).toFormat(format, { quality }).toBuffer();
}

const x1 = { make: 'Maker Inc.', model: 'Maker X1', iso: 3200 } as const;

beforeAll(async () => {
  await mkdir(path('shoot'));
  for (const seed of [1, 2, 3]) await save(`shoot/${seed}.png`, await shot(seed, x1));
  await mkdir(path('plain'));
  for (const seed of [4, 5]) await save(`plain/${seed}.png`, await shot(seed));
  await save(
    'grey.png',
    await sharp(Buffer.from(noisy(6, 1)), { raw: { width, height, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer(),
  );
  const deep = Uint16Array.from(noisy(1), (value) => 257 * value);
  await save(
    'deep.png',
    await sharp(deep, { raw: { width, height, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer(),
  );
  const floats = Float32Array.from(noisy(1), (value) => value / 255);
  await save('floats.npy', writeNpy({ type: 'f4', shape: [height, width, 3], data: floats }));
});

describe('a noise model', () => {
  it('of one file is its diagnosis, and denoises it as the library does', async () => {
    const found = await json('diagnose', 'shoot/1.png', '-o', 'one.json');
    const model = JSON.parse(String(await read('one.json')));
    expect(model).toMatchObject({
      ...{ format: 'ght-noise-model', version: 1, units: 'samples', peak: 255, planes: 3, images: 1, camera: x1 },
      ...{ model: found.model, levels: found.levels, confidence: found.confidence },
    });
    const result = await json('denoise', 'shoot/1.png', '-o', 'one.png', '--noise-model', 'one.json', ...fast);
    expect(result).toMatchObject({ estimated: false, noise: found.model, levels: found.levels });
    const { stdout } = await ght('denoise', 'shoot/1.png', '-o', 'one.png', '--noise-model', 'one.json', ...fast);
    expect(stdout).toMatch(/noise +given, measured on one image of Maker X1, ISO 3200: coloured; luma/);
  });

  it('of several files is the noise they have in common, in any order', async () => {
    const found = await json('diagnose', 'shoot', '-o', 'camera.json');
    expect(found).toMatchObject({ task: 'diagnose', images: 3, camera: x1, output: 'camera.json', failed: [] });
    const text = String(await read('camera.json'));
    expect(JSON.parse(text)).toMatchObject({ images: 3, camera: x1, model: found.model });
    await json('diagnose', 'shoot/3.png', 'shoot/1.png', 'shoot/2.png', '-o', 'again.json');
    expect(String(await read('again.json'))).toBe(text);
    const { stdout } = await ght('diagnose', 'shoot', '-o', 'camera.json');
    expect(stdout).toMatch(
      /^3 images of Maker X1, ISO 3200\n +noise +coloured.*\n.*\n.*\n.*\n.*\n +wrote +camera\.json\n$/,
    );
  });

  it('is scaled for 16 bits, and refused for grey and for floats without a white level', async () => {
    await json('diagnose', 'shoot/1.png', '-o', 'eight.json');
    const [{ levels }] = [await json('diagnose', 'shoot/1.png')];
    const model = ['--noise-model', 'eight.json'];
    const deep = await json('denoise', 'deep.png', '-o', 'deep-out.png', ...model, ...fast);
    expect(deep.levels[0].middle).toBeCloseTo(257 * levels[0].middle, 6);
    const grey = await ght('denoise', 'grey.png', '-o', 'grey-out.png', ...model);
    expect(grey).toMatchObject({ code: 2, stdout: '' });
    expect(grey.stderr).toMatch(/^ght: IMAGE must have 3 planes, as the images of --noise-model, but got 1: [^\n]*\n$/);
    const floats = await ght('denoise', 'floats.npy', '-o', 'floats-out.npy', ...model);
    expect(floats.stderr).toContain(
      'IMAGE must have a known white level to be compared with that of --noise-model, 255',
    );
    const given = await json('denoise', 'floats.npy', '-o', 'floats-out.npy', '--peak', '1', ...model, ...fast);
    expect(given.levels[0].middle).toBeCloseTo(levels[0].middle / 255, 9);
    await json('diagnose', 'floats.npy', '-o', 'floats.json');
    expect(JSON.parse(String(await read('floats.json'))).peak).toBeUndefined();
    const same = await json('denoise', 'floats.npy', '-o', 'floats-out.npy', '--noise-model', 'floats.json', ...fast);
    expect(same.levels).toEqual((await json('diagnose', 'floats.npy')).levels);
  });

  it('is refused by name with another version, format or flag', async () => {
    const model = JSON.parse(String(await read('one.json')));
    await save('future.json', JSON.stringify({ ...model, version: 2 }));
    await save('other.json', '{"sigma": 3}');
    await save('text.json', 'no JSON');
    for (const [flags, message] of [
      ['--noise-model future.json', '--noise-model version must be 1, but got 2'],
      ['--noise-model other.json', '--noise-model must be a noise model with a format and a version'],
      ['--noise-model text.json', '--noise-model must be JSON, but got "text.json"'],
      ['--noise-model missing.json', '--noise-model must be an existing file'],
      ['--noise-model one.json --sigma 3', '--sigma must be left out with --noise-model'],
      ['--noise-model one.json --noise white', '--noise must be left out with --noise-model'],
      ['--same-camera', '--same-camera must come with several images'],
      ['--same-camera --separate', '--same-camera and --separate exclude each other'],
    ]) {
      const { code, stdout, stderr } = await ght('denoise', 'shoot/1.png', '-o', 'no.png', ...flags.split(' '));
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(message);
    }
    const image = await ght('diagnose', 'shoot/1.png', '-o', 'model.png');
    expect(image.stderr).toContain('-o must end in .json, but got "model.png"');
    const mixed = await ght('diagnose', 'shoot/1.png', 'grey.png', '-o', 'mixed.json');
    expect(mixed.stderr).toContain('IMAGE must have 3 planes with white at 255, as the first image');
  });
});

describe('a noise model in tiles', () => {
  it('gives the bits of the whole, and is refused for other planes', async () => {
    const flags = ['--noise-model', 'one.json', '--quality', 'fast'];
    await json('denoise', 'shoot/2.png', '-o', 'whole.png', ...flags);
    await json('denoise', 'shoot/2.png', '-o', 'tiles.png', '--tile', '64', ...flags);
    expect(await pixels(await read('tiles.png'))).toEqual(await pixels(await read('whole.png')));
    const { code, stderr } = await ght('denoise', 'grey.png', '-o', 'tiles.png', '--tile', '64', ...flags);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('IMAGE must have 3 planes') });
  });
});

describe('files of one camera', () => {
  it('share their noise, in any order, and say so', async () => {
    const { files } = await json('denoise', 'shoot', '-o', 'shared', ...fast);
    await json('diagnose', 'shoot', '-o', 'pool.json');
    const { model } = JSON.parse(String(await read('pool.json')));
    expect(files).toHaveLength(3);
    for (const { shared, noise, estimated } of files) {
      expect({ shared, estimated, noise }).toEqual({
        shared: { files: 3, camera: x1 },
        estimated: false,
        noise: model,
      });
    }
    const turned = ['shoot/3.png', 'shoot/1.png', 'shoot/2.png'];
    await json('denoise', ...turned, '-o', 'turned', ...fast);
    for (const name of ['1.png', '2.png', '3.png']) {
      expect(await read(`turned/${name}`)).toEqual(await read(`shared/${name}`));
    }
    const { stdout } = await ght('denoise', 'shoot', '-o', 'shared', ...fast);
    expect(stdout).toMatch(/^shoot\/1\.png: noise: coloured; .*; measured on 3 files of Maker X1, ISO 3200$/m);
    // The model is what was used.
    const given = await json('denoise', 'shoot/2.png', '-o', 'given.png', '--noise-model', 'pool.json', ...fast);
    expect(given.noise).toEqual(model);
    expect(await read('given.png')).toEqual(await read('shared/2.png'));
  });

  it('are denoised by themselves with --separate, and if they are the only one', async () => {
    const { files } = await json('denoise', 'shoot', '-o', 'separate', '--separate', ...fast);
    for (const file of files) expect(file).toMatchObject({ estimated: true });
    await json('denoise', 'shoot/1.png', '-o', 'alone.png', ...fast);
    expect(await read('separate/1.png')).toEqual(await read('alone.png'));
    await json('denoise', 'shoot/1.png', '-o', 'only/', ...fast);
    expect(await read('only/1.png')).toEqual(await read('alone.png'));
    const given = await json('denoise', 'shoot', '-o', 'given', '--sigma', '10', ...fast);
    for (const { noise } of given.files) expect(noise).toEqual({ kind: 'white', sigma: [10, 10, 10] });
  });

  it('are those that agree in camera, ISO, size and tables', async () => {
    await mkdir(path('mixed'));
    for (const [name, file] of Object.entries({
      'a.png': await shot(1, x1),
      'b.png': await shot(2, x1),
      'iso.png': await shot(3, { ...x1, iso: 100 }),
      'size.png': await shot(4, { ...x1, size: [width, height + 16] }),
      'turned.png': await shot(5, { ...x1, size: [height, width] }),
      'c.jpg': await shot(6, { ...x1, format: 'jpeg' }),
      'd.jpg': await shot(7, { ...x1, format: 'jpeg' }),
      'quality.jpg': await shot(8, { ...x1, format: 'jpeg', quality: 60 }),
      'small.png': await shot(9, { ...x1, size: [100, 100] }),
      'small-too.png': await shot(10, { ...x1, size: [100, 100] }),
      'plain.png': await shot(11),
      'plain-too.png': await shot(12),
      'without-iso.png': await shot(13, { ...x1, iso: undefined }),
      'broken.png': (await shot(14, x1)).subarray(0, 5000),
    })) {
      await save(`mixed/${name}`, file);
    }
    const { code, stdout } = await ght('denoise', 'mixed', '-o', 'mixed-out', '--json', ...fast);
    const { files, failed }: { files: Named[]; failed: Named[] } = JSON.parse(stdout);
    expect({ code, failed }).toMatchObject({ code: 1, failed: [{ input: 'mixed/broken.png' }] });
    const sharing = files.flatMap(({ input, shared }) =>
      shared ? [[input.slice('mixed/'.length), shared.files]] : [],
    );
    expect(Object.fromEntries(sharing)).toEqual({ 'a.png': 3, 'b.png': 3, 'turned.png': 3, 'c.jpg': 2, 'd.jpg': 2 });
  });

  it('of JPEG share noise with the steps of their tables', async () => {
    const { files } = await json('denoise', 'mixed/c.jpg', 'mixed/d.jpg', '-o', 'jpegs', '--format', 'png', ...fast);
    for (const { jpegQuality, shared, messages } of files) {
      expect(shared).toEqual({ files: 2, camera: x1 });
      expect(Math.abs(jpegQuality - 92)).toBeLessThan(2);
      expect(messages.join()).toContain('JPEG steps of quality about 9');
    }
  });

  it('without camera data share their noise with --same-camera', async () => {
    const all = ['plain/*', 'shoot/1.png', 'shoot/2.png'];
    const { files } = await json('denoise', ...all, '-o', 'grouped', '--same-camera', ...fast);
    const none = { files: 2, camera: {} };
    const both = { files: 2, camera: x1 };
    expect(files.map(({ shared }: Named) => shared)).toEqual([none, none, both, both]);
    const { stdout } = await ght('denoise', 'plain', '-o', 'same', '--same-camera', ...fast);
    expect(stdout).toContain('; measured on 2 files of one camera\n');
  });
});
