import { describe, expect, it } from 'vitest';
import { readMatrix, runMatrix } from './matrix.js';
import { readWhole } from './whole-reader.js';

const entries = readMatrix();

describe('TIFF files of libtiff, GDAL and tifffile', () => {
  it('cover what the reader says that it reads', () => {
    const names = entries.map(({ name }) => name).join('\n');
    for (const word of ['uint8', 'uint16', 'uint32', 'int8', 'int16', 'int32', 'float16', 'float32', 'float64']) {
      expect(names).toContain(word);
    }
    for (const word of ['none', 'lzw:2', 'zip:3', 'packbits', 'zstd:2', 'lerc', 'jpeg', 'webp', 'g4', 'g3 2d']) {
      expect(names).toContain(word);
    }
    for (const word of ['strips big', 'tiles big', 'BigTIFF', 'separate', 'sparse', 'palette', 'reversed']) {
      expect(names).toContain(word);
    }
    expect(entries.length).toBeGreaterThan(300);
  });

  it('are read exactly or refused by the reader of whole files: intact, cut and damaged', async () => {
    const { wrong, exact, refused } = await runMatrix(entries, readWhole, { cuts: 3, flips: 2, seed: 26 });
    expect(wrong).toEqual([]);
    expect(exact).toBeGreaterThan(250);
    expect(refused).toBeGreaterThan(entries.length);
  });
});
