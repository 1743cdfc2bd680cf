/**
 * The diagnosis of an image that is in memory: the same search for defects and noise as in the first passes of denoising, so that both
 * find the same.
 */
import type { Image } from '../../image/image.js';
import { allOf } from '../../image/rectangle.js';
import { sampledImage, sampleLayout } from '../../image/sample.js';
import { impulsesByRule } from '../../noise/impulses/impulses.js';
import { part, type Work } from '../../work.js';
import { checkGivenNoise } from '../given-noise.js';
import { countOf, type Defects } from './defects.js';
import {
  type Diagnosis,
  diagnosisOf,
  find,
  type ImageRange,
  mergeRanges,
  type Sought,
  scanRange,
  toWorkingUnits,
} from './findings.js';
import { type MissingSamples, withoutMissing } from './missing.js';
import { visibleIn } from './opacity.js';

/** What is looked for, and in how many pixels of a large image. */
export interface DiagnosisSettings extends Sought {
  /** The most pixels in which defects and noise are searched; of a larger image, a sample is looked at. */
  readonly sampled: number;
  /** What becomes of samples that are NaN; undefined if there must be none. */
  readonly missing: MissingSamples | undefined;
}

/** The progress after the range, after a sample of a large image, and after its defects and noise. */
const [RANGE_DONE, SAMPLE_DONE, FOUND] = [0.04, 0.06, 0.9];

/** The diagnosis of one image. */
export function* diagnoseWhole(stored: Image, settings: DiagnosisSettings): Work<Diagnosis> {
  const given = settings.missing ? (yield* part(withoutMissing(stored), 0, 0)).image : stored;
  const { planes, alpha } = given;
  const range = mergeRanges([yield* part(scanRange({ at: allOf(given), planes }, alpha), 0, RANGE_DONE)]);
  checkGivenNoise(settings, range, given.peak);
  const image = yield* part(visibleIn(given, range), RANGE_DONE, RANGE_DONE);
  const layout = sampleLayout(image, settings.sampled);
  const working = yield* part(toWorkingUnits(sampledImage(image, layout), range), RANGE_DONE, SAMPLE_DONE);
  const found = yield* part(find(working, layout.whole, range, settings), SAMPLE_DONE, FOUND);
  const impulses = layout.whole ? found.impulses : yield* part(countImpulses(image, range, found.defects), FOUND, 1);
  return diagnosisOf(image, range, found, impulses, settings);
}

/** The number of impulses in all of an image of which a sample was searched. */
function* countImpulses(image: Image, range: ImageRange, { impulses }: Defects): Work<number> {
  if (impulses.every((rule) => rule === null)) return 0;
  const { planes, width, height } = yield* toWorkingUnits(image, range);
  const sites = yield* impulsesByRule(planes, width, height, impulses);
  return countOf(sites, (i) => image.alpha?.[i] !== 0);
}
