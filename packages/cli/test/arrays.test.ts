/** One array of a file of several, as an image. */
import { cp } from 'node:fs/promises';
import { writeNpy, zip } from 'ght/npy';
import { readImage } from 'ght-images/node';
import { describe, expect, it } from 'vitest';
import { workplace } from './command.js';

const { path, ght, save } = workplace();
const matrices = new URL('../../images/test/matrices/', import.meta.url);

describe('--array', () => {
  it('chooses an array of an .npz or .mat, by its name', async () => {
    const array = (value: number) =>
      writeNpy({ type: 'f4', shape: [16, 20], data: Float32Array.from({ length: 320 }, (_, i) => value + (i % 7)) });
    const entries = ['a', 'b'].map((name, i) => ({ name: `${name}.npy`, bytes: array(100 * i) }));
    await save('two.npz', await zip(entries));
    expect((await ght('denoise', 'two.npz', '-o', 'out.npy', '--sigma', '2')).stderr).toMatch(/--array/);
    const { code } = await ght('denoise', 'two.npz', '--array', 'b', '-o', 'out.npy', '--sigma', '2');
    const { image } = await readImage(path('out.npy'));
    expect([code, image.width, Math.round(image.planes[0][5] / 100)]).toEqual([0, 20, 1]);
    await cp(new URL('several.mat', matrices), path('several.mat'));
    const { stdout } = await ght('info', 'several.mat', '--array', 'D', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ image: { width: 5, height: 7, sample: 'float', depth: 64 } });
  });

  it('is refused where it would be ignored', async () => {
    const { code, stderr } = await ght('denoise', 'two.npz', '--array', 'b', '-o', 'out.tif', '--tile', '32');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--array must be left out for an image that is processed in tiles'),
    ]);
  });
});
