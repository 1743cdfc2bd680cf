import { expect, it } from 'vitest';
import { readMatrix, runMatrix } from '../../../images/test/tiff/matrix.js';
import { temporaryFolder } from './fixtures.js';
import { windowReader } from './window-reader.js';

const windows = windowReader(temporaryFolder());

it('TIFF files of other programs are read exactly or refused window by window: intact, cut and damaged', async () => {
  const { wrong, exact, refused } = await runMatrix(readMatrix(), windows, { cuts: 1, flips: 0, seed: 27 });
  expect(wrong).toEqual([]);
  expect(exact).toBeGreaterThan(250);
  expect(refused).toBeGreaterThan(100);
});
