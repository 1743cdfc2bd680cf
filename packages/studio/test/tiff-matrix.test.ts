import { expect, it } from 'vitest';
import { readMatrix, runMatrix } from '../../images/test/tiff/matrix.js';
import { entriesForPage, readAsPage } from './page-reader.js';

it('TIFF files of other programs are read exactly or refused by the page: intact, cut and damaged', async () => {
  const { read, refused } = entriesForPage(readMatrix());
  const known = await runMatrix(read, readAsPage, { cuts: 2, flips: 2, seed: 28 });
  expect(known.wrong).toEqual([]);
  expect(known.exact).toBeGreaterThan(100);
  const unknown = await runMatrix(refused, readAsPage, { cuts: 0, flips: 0, seed: 28 });
  expect(unknown.wrong).toEqual([]);
});
