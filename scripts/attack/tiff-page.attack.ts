/** The matrix of TIFF files of other programs through the reader of the page. */
import { randomSource } from 'ght';
import { it } from 'vitest';
import { readMatrix, runMatrix } from '../../packages/images/test/tiff/matrix.js';
import { entriesForPage, readAsPage } from '../../packages/studio/test/page-reader.js';
import { fullMatrix, report, scale, scaled, seed, sum } from './report.js';
import { sample } from './sample.js';

const times = Math.max(1, Math.floor(scale));

it('TIFF files in the page', async () => {
  const { read, refused } = entriesForPage(sample(readMatrix(fullMatrix), scaled(5000), randomSource(seed)));
  const damages = { cuts: times, flips: times, seed: seed + 2 };
  const known = await runMatrix(read, readAsPage, damages);
  const unknown = await runMatrix(refused, readAsPage, { cuts: 0, flips: 0, seed });
  report('TIFF files of libtiff, GDAL and tifffile, intact, cut and damaged: by the page', sum(known, unknown));
});
