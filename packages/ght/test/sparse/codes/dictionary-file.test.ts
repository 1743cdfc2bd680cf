import { describe, expect, it } from 'vitest';
import { denseDictionary, overcompleteDct } from '../../../src/index.js';
import { loadDictionary, readNpy, saveDictionary, writeNpy } from '../../../src/npy.js';
import { unzip } from '../../../src/sparse/codes/zip.js';

describe('a dictionary as a file', () => {
  it('is loaded as it was saved: factors, uses, name and facts', async () => {
    const dictionary = overcompleteDct(3, 4);
    const uses = Int32Array.from({ length: 16 }, (_, l) => 7 * l);
    const about = { perPatch: 5, images: 'Zürich – „Σ”' };
    const loaded = await loadDictionary(await saveDictionary({ dictionary, uses, about }));
    expect(loaded.dictionary).toEqual(dictionary);
    expect(loaded.uses).toEqual(uses);
    expect(loaded.about).toEqual({ ...about, name: 'overcomplete DCT 9×16' });
  });

  it('holds the matrix row by row, as NumPy reads it, also without factors', async () => {
    const dictionary = denseDictionary(2, 3, [1, 2, 3, 4, 5, 6]);
    const bytes = await saveDictionary({ dictionary });
    const files = await unzip(bytes);
    expect([...files.keys()]).toEqual(['D.npy', 'about.npy']);
    const D = readNpy(files.get('D.npy') as Uint8Array);
    expect([D.shape, [...D.data]]).toEqual([
      [2, 3],
      [1, 3, 5, 2, 4, 6],
    ]);
    expect((await loadDictionary(bytes)).dictionary).toEqual(dictionary);
  });

  it('may be the .npy file of a matrix', async () => {
    const bytes = writeNpy({ type: 'f4', shape: [2, 3], data: Float32Array.of(1, 3, 5, 2, 4, 6) });
    expect((await loadDictionary(bytes)).dictionary.atoms.data).toEqual(Float64Array.of(1, 2, 3, 4, 5, 6));
  });

  it('is refused if it holds no matrix, with what is wrong', async () => {
    const vector = writeNpy({ type: 'f4', shape: [2], data: Float32Array.of(1, 3) });
    await expect(loadDictionary(vector)).rejects.toThrow('dictionary must be a 2-D array with at least one entry');
    await expect(loadDictionary(Uint8Array.of(1, 2, 3))).rejects.toThrow('dictionary must be a .npy file');
  });
});
