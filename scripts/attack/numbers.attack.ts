/** Tasks on finite numbers of any size, on the library as it is built. */
import { it } from 'vitest';
import { runExtremes } from '../../packages/ght/test/properties/extremes.js';
import { report, scaled, seed } from './report.js';

it('extreme numbers', async () => {
  // A case is the one of its seed: seeds that are far apart share none.
  const { cases, refused, failures } = await runExtremes({ cases: scaled(300), seed: 1_000_000 * seed });
  const exact = cases - refused - failures.length;
  report('Tasks on samples and noise from 1e-310 to 1e300', { exact, refused, undetected: 0, wrong: [...failures] });
});
