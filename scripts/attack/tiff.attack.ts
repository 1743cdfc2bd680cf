/** The matrix of TIFF files of other programs through the readers of the command: whole files, and windows of them. */
import { randomSource } from 'ght';
import { describe, it } from 'vitest';
import { readMatrix, runMatrix } from '../../packages/images/test/tiff/matrix.js';
import { readWhole } from '../../packages/images/test/tiff/whole-reader.js';
import { temporaryFolder } from '../../packages/tiles/test/stores/fixtures.js';
import { windowReader } from '../../packages/tiles/test/stores/window-reader.js';
import { fullMatrix, report, scale, scaled, seed } from './report.js';
import { sample } from './sample.js';

const files = readMatrix(fullMatrix);
const entries = sample(files, scaled(5000), randomSource(seed));
// Windows are read one by one from the disk, which takes ten times as long.
const fewer = sample(files, scaled(500), randomSource(seed + 1));
// Beyond all files once, a longer run cuts and damages each of them more often.
const times = Math.max(1, Math.floor(scale));
const windows = windowReader(temporaryFolder());
const of = `TIFF files of libtiff, GDAL and tifffile, intact, cut and damaged`;

describe(`${entries.length} TIFF files`, () => {
  it('whole', async () => {
    report(`${of}: whole`, await runMatrix(entries, readWhole, { cuts: times, flips: times, seed }));
  });

  it('in windows', async () => {
    report(`${of}: in windows`, await runMatrix(fewer, windows, { cuts: times, flips: times, seed: seed + 1 }));
  });
});
