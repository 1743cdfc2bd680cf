import { readdir } from 'node:fs/promises';
import { loadCodes, readNpy, saveCodes, writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, pixels, png, smooth, textured, width, workplace } from './command.js';

const { ght, json, path, save, read } = workplace();
const grey = textured();

beforeAll(async () => {
  await save('grey.png', await png(grey));
  await save(
    'rgba.png',
    await png(
      grey.flatMap((value, i) => [value, 255 - value, 128, i % 256]),
      4,
    ),
  );
  await save('deep.png', await png(textured(width, height, 65535), 1, width, 16));
  const floats = Float32Array.from(smooth(), (value) => value / 255 - 0.5);
  await save('floats.npy', writeNpy({ type: 'f4', shape: [height, width], data: floats }));
});

describe('ght decode', () => {
  it.each(['grey.png', 'rgba.png', 'deep.png', 'floats.npy'])('returns what represent wrote for %s', async (name) => {
    const again = `again${name.slice(-4)}`;
    await json('represent', name, '-o', `out-${name}`, '--budget', '5', '--stride', '5', '--codes', 'z.npz');
    const result = await json('decode', 'z.npz', '-o', again);
    expect(result).toMatchObject({ task: 'decode', image: { width, height }, output: again });
    if (name.endsWith('.npy')) expect(readNpy(await read(again))).toEqual(readNpy(await read(`out-${name}`)));
    else expect(await pixels(await read(again))).toEqual(await pixels(await read(`out-${name}`)));
  });

  it('writes into a folder, made if missing, under the name of the codes', async () => {
    await json('represent', 'grey.png', '--codes', 'photo.npz');
    const { code, stdout } = await ght('decode', 'photo.npz', '-o', 'made/here/');
    expect(code).toBe(0);
    expect(stdout).toMatch(/photo\.npz: 48×40, 1 channel, 8 bit[\s\S]*wrote +made\/here\/photo\.png/);
    expect(await readdir(path('made/here'))).toEqual(['photo.png']);
  });

  it('rebuilds with the dictionary that the image was represented with', async () => {
    // The atoms are unit vectors, so a patch keeps its brightest pixels.
    const identity = Float64Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 1 : 0));
    await save('I.npy', writeNpy({ type: 'f8', shape: [4, 4], data: identity }));
    await json(
      'represent',
      'grey.png',
      '--dictionary',
      'I.npy',
      '-o',
      'own.png',
      '--budget',
      '2',
      '--codes',
      'own.npz',
    );
    await json('decode', 'own.npz', '-o', 'own-again.png');
    expect(await pixels(await read('own-again.png'))).toEqual(await pixels(await read('own.png')));
    const { L, P } = await loadCodes(await read('own.npz'));
    expect([L, P]).toEqual([4, (width / 2) * (height / 2)]);
  });

  it('refuses codes without a grid, which older versions wrote, and files that are not codes', async () => {
    await json('represent', 'grey.png', '--codes', 'new.npz');
    await save('old.npz', await saveCodes(await loadCodes(await read('new.npz'))));
    for (const [file, message] of [
      ['old.npz', 'ght: CODES must hold the array grid, from which the image is rebuilt, but got "codes alone'],
      ['grey.png', 'ght: CODES must be a'],
      ['none.npz', 'ght: CODES must be an existing file, but got "none.npz": check the path'],
    ]) {
      const { code, stdout, stderr } = await ght('decode', file, '-o', 'refused/');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr.startsWith(message), stderr).toBe(true);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    const { code, stderr } = await ght('decode', 'new.npz', '-o', 'photo.txt');
    expect(code).toBe(2);
    expect(stderr).toContain('-o must end in .png');
    expect(await readdir(path('.'))).not.toContain('refused');
  });
});
