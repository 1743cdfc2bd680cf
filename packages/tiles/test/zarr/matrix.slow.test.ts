import { openSource } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../stores/fixtures.js';
import { readZarrMatrix, runZarrMatrix, type ZarrReader } from './matrix.js';

const path = temporaryFolder();
const entries = readZarrMatrix();

const whole: ZarrReader = async (folder) => {
  const source = await openSource(folder);
  try {
    const { width, height } = source.picture;
    // A damaged document may announce any size.
    if (width * height > 2 ** 20) return [[0]];
    return await source.read({ left: 0, top: 0, width, height });
  } finally {
    await source.close();
  }
};

describe('Zarr stores of zarr-python', () => {
  it('cover what the reader says that it reads', () => {
    const names = entries.map(({ name }) => name).join('\n');
    for (const word of ['uint8', 'uint16', 'uint32', 'int8', 'int16', 'int32', 'float32', 'float64', 'big', 'little']) {
      expect(names).toContain(word);
    }
    for (const codec of ['none', 'zstd', 'gzip', 'zlib', 'lz4', 'delta shuffle', 'crc32 ', 'adler32', 'crc32c']) {
      expect(names).toContain(codec);
    }
    for (const codec of ['lz4', 'lz4hc', 'zstd', 'zlib', 'blosclz']) {
      for (const order of ['plain', 'shuffle', 'bitshuffle']) expect(names).toContain(`blosc-${codec}-${order}`);
    }
    for (const word of [
      'missing chunks',
      'index at start',
      'index at end',
      'OME-Zarr 0.4',
      ' F ',
      ' v2 x3',
      'blocks of',
    ]) {
      expect(names).toContain(word);
    }
    expect(entries.length).toBeGreaterThan(300);
  });

  it('are read exactly or refused: intact, cut and damaged', async () => {
    const options = { cuts: 1, flips: 2, seed: 26, folder: path('.') };
    const { wrong, exact, refused, undetected } = await runZarrMatrix(entries, whole, options);
    expect(wrong).toEqual([]);
    expect(exact).toBeGreaterThan(entries.length);
    expect(refused).toBeGreaterThan(1.5 * entries.length);
    // Most of them in chunks without compression.
    expect(undetected).toBeLessThan(entries.length);
  }, 120_000);
});
