/** Small files that ask for much memory: nothing that is not needed is unpacked, and the rest is refused before it is. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { denseDictionary, isGhtError, patchGrid } from '../../../src/index.js';
import type { NpyType } from '../../../src/npy.js';
import { decodeImage, loadCodes, loadDictionary, saveCodes, saveDictionary, writeNpy } from '../../../src/npy.js';
import { writeNpyText } from '../../../src/sparse/codes/npy.js';
import { unzip, zip } from '../../../src/sparse/codes/zip.js';

const codes = {
  ...{ L: 4, P: 1, indptr: Int32Array.of(0, 1) },
  ...{ indices: Int32Array.of(2), values: Float64Array.of(1.5) },
};
const D = denseDictionary(4, 4, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** The archive with one more entry, and what it holds damaged: reading it would fail. */
async function withUnusable(archive: Uint8Array): Promise<Uint8Array> {
  const files = await unzip(archive);
  const unused = new Uint8Array(5000).map((_, i) => (i * i) % 251);
  const larger = await zip([
    ...[...files].map(([name, bytes]) => ({ name, bytes })),
    { name: 'unused.npy', bytes: unused },
  ]);
  const at = Buffer.from(larger).indexOf('unused.npy') + 'unused.npy'.length;
  larger.fill(0xff, at, at + 50);
  await expect(unzip(larger)).rejects.toThrow('unused.npy must');
  return larger;
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((reason: unknown) => reason);
  if (!isGhtError(error, 'resource')) throw error;
  return error.message;
}

describe('an entry that is not needed', () => {
  it('is not unpacked from codes, images or dictionaries', async () => {
    const image = { grid: patchGrid(2, 2, 2), dictionary: D, peak: 255 };
    expect(await loadCodes(await withUnusable(await saveCodes(codes)))).toEqual(codes);
    const decoded = await decodeImage(await withUnusable(await saveCodes(codes, image)));
    expect(Array.from(decoded.image.planes[0])).toEqual([0, 0, 1.5, 0]);
    const { dictionary } = await loadDictionary(await withUnusable(await saveDictionary({ dictionary: D })));
    expect(dictionary.atoms).toEqual(D.atoms);
  });

  it('is named if another one is missing', async () => {
    const archive = await zip([{ name: 'other.npy', bytes: writeNpyText('csc') }]);
    await expect(loadCodes(archive)).rejects.toThrow('codes must hold the array format, but got "other.npy"');
    await expect(loadDictionary(archive)).rejects.toThrow('dictionary must hold the array D, but got "other.npy"');
  });
});

describe('a zip bomb', () => {
  it('is refused by its directory, before anything is unpacked', async () => {
    // Zeros, a thousand in each packed byte: as steep as deflate can be.
    const packed = deflateRawSync(new Uint8Array(2 ** 28));
    const bomb = await archiveOf('data.npy', packed, 2 ** 28);
    expect(await refusal(unzip(bomb, 'codes'))).toBe(
      `codes must unpack to at most 134217728 bytes, or 20 times its ${packed.length} packed bytes, but got 268435456: ` +
        'save it without compression, with numpy.savez',
    );
    // The same in an entry that nobody wants.
    expect((await unzip(bomb, 'codes', ['indptr.npy'])).size).toBe(0);
  });
});

/** An archive of one entry that is deflated already. */
async function archiveOf(name: string, packed: Uint8Array, size: number): Promise<Uint8Array> {
  const archive = Buffer.from(await zip([{ name, bytes: new Uint8Array(0) }]));
  const data = 30 + name.length;
  const directory = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const end = archive.indexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  archive.writeUInt32LE(packed.length, directory + 20);
  archive.writeUInt32LE(size, directory + 24);
  archive.writeUInt32LE(data + packed.length, end + 16);
  return Buffer.concat([archive.subarray(0, data), packed, archive.subarray(directory)]);
}

describe('sizes that are only numbers', () => {
  const array = (name: string, type: NpyType, shape: readonly number[], data: Float64Array) => {
    return { name: `${name}.npy`, bytes: writeNpy({ type, shape: [...shape], data }) };
  };
  const matrix = (name: string, rows: number, cols: number) =>
    array(name, 'f8', [rows, cols], new Float64Array(rows * cols).fill(1));

  it('do not make an image that fills the memory', async () => {
    // 200×200 patches of 32×32 pixels without any atom, over a dictionary of one atom.
    const P = 40_000;
    const none = { indices: new Int32Array(0), values: new Float64Array(0), indptr: new Int32Array(P + 1) };
    const files = await unzip(await saveCodes({ L: 1, P, ...none }));
    const archive = await zip([
      ...[...files].map(([name, bytes]) => ({ name, bytes })),
      array('grid', 'i8', [4], Float64Array.of(6400, 6400, 32, 32)),
      array('peak', 'f8', [1], Float64Array.of(255)),
      ...[matrix('dictionary_a', 32, 1), matrix('dictionary_b', 32, 1)],
    ]);
    expect(await refusal(decodeImage(archive))).toMatch(
      /^codes must not unpack to more than 250 times its \d+ bytes, but got "an image of 6400×6400 pixels": /,
    );
  });

  it('do not make a dictionary that fills the memory', async () => {
    const archive = await zip([matrix('A', 400, 400), matrix('B', 400, 400)]);
    expect(await refusal(loadDictionary(archive, '--dictionary'))).toMatch(
      /^--dictionary must not unpack to more than 250 times its \d+ bytes, but got "a dictionary of 160000×160000 entries": /,
    );
  });
});
