/** The matrix of Zarr stores of zarr-python, read in windows. */
import { randomSource } from 'ght';
import { it } from 'vitest';
import { temporaryFolder } from '../../packages/tiles/test/stores/fixtures.js';
import { readWindows } from '../../packages/tiles/test/stores/window-reader.js';
import { readZarrMatrix, runZarrMatrix } from '../../packages/tiles/test/zarr/matrix.js';
import { fullMatrix, report, scale, scaled, seed } from './report.js';
import { sample } from './sample.js';

const path = temporaryFolder();
const times = Math.max(1, Math.floor(scale));

it('Zarr stores', async () => {
  const entries = sample(readZarrMatrix(fullMatrix), scaled(600), randomSource(seed));
  const options = { cuts: times, flips: times, seed, folder: path('.') };
  const counts = await runZarrMatrix(entries, (store) => readWindows(store, path('.')), options);
  report('Zarr stores of zarr-python, intact, cut and damaged: in windows', counts);
});
