/** What a restoration works on: planes on the scale where 255 is full scale, how they were degraded, and what becomes of them. */
import { decorrelation, recorrelation } from '../../image/colour.js';
import type { Image, Samples } from '../../image/image.js';
import { mapped } from '../../image/image.js';
import { largestOf } from '../../image/scale.js';
import { noiseEstimate } from '../../noise/white/sigma.js';
import type { Operator, Plane } from '../../operators/operator.js';
import { drive, type Watch, type Work } from '../../work.js';
import { checkLevel } from '../given-noise.js';
import type { Findings, FoundInput } from './findings.js';
import type { RestorationTask, RestoreSettings } from './options.js';

/** A restoration of an image that is still to be read. */
export interface RestorationProblem {
  /** The task whose recipe is followed. */
  readonly task: RestorationTask;
  /** The deviation of the noise of the data, in units of the image; undefined if it is estimated. */
  readonly sigma: number | undefined;
  /** The deviations of the first and the last step, in units of the loop; never below that of the noise. */
  readonly first: number;
  readonly last: number;
  /** Whether the result has to stay near the range of the data; if it does not, more noise is assumed. @default false */
  readonly bounded?: boolean;
  /** Checks an image, and finds out what is not given. @default only the noise, if it is not given */
  find?(image: Image): Work<Findings>;
  /** In place of `find`, if noise has to be removed before the loop begins. */
  diagnose?(image: Image, settings: RestoreSettings, watch: Watch): Promise<FoundInput>;
  /** Checks an image, and prepares it for the loop, with what was found. */
  open(image: Image, found: Findings): Work<OpenProblem>;
}

/** An image that is ready for the loop. */
export interface OpenProblem {
  /** The unit of the loop, in units of the image. */
  readonly unit: number;
  readonly operator: Operator;
  /** The data, in units of the loop. */
  readonly planes: readonly Plane[];
  /** The first estimate of a plane. */
  start(plane: Plane, c: number): Work<Plane>;
  /** The image of restored planes, which are overwritten. */
  result(planes: readonly Plane[]): Work<Image>;
}

/** The full scale on which deviations are given in the recipes. */
const FULL_SCALE = 255;
/** Samples up to this many units enter the loop, whatever the peak, so that their squares do not overflow. */
export const MOST_UNITS = 2 ** 20;
const LEAST_UNIT = 1e-300;
/** The estimate of a blurred image is a few percent low, and too low a deviation is what costs. */
const CAUTION = 1.1;
/** The least deviation that is taken for an estimate, in units of the loop: somewhat more than the rounding to bytes. */
const LEAST_ESTIMATE = 0.4;

/** The unit of the loop for these samples, of which the full scale is 255. Checks given noise against them. */
export function* unitFor(planes: readonly Samples[], peak: number, sigma: number | undefined): Work<number> {
  let largest = 0;
  for (const plane of planes) largest = Math.max(largest, yield* largestOf(plane));
  if (sigma !== undefined) checkLevel('sigma', sigma, Math.max(peak, largest));
  return Math.max(peak / FULL_SCALE, LEAST_UNIT, largest / MOST_UNITS);
}

/** What is found in an image for a problem. */
export async function findingsOf(
  problem: RestorationProblem,
  image: Image,
  settings: RestoreSettings,
  watch: Watch,
): Promise<FoundInput> {
  if (problem.diagnose) return problem.diagnose(image, settings, watch);
  return { found: await drive(foundIn(problem, image), watch) };
}

/** What the problem finds itself, or the noise alone. */
function* foundIn(problem: RestorationProblem, image: Image): Work<Findings> {
  if (problem.find) return yield* problem.find(image);
  const { sigma } = problem;
  if (sigma !== undefined) return { sigma, estimated: false, warnings: [] };
  const unit = yield* unitFor(image.planes, image.peak, sigma);
  return { sigma: yield* estimatedSigma(image, unit), estimated: true, warnings: [] };
}

/** The deviation to assume for an image whose noise is not known. */
export function* estimatedSigma(image: Image, unit: number): Work<number> {
  const estimates = yield* noiseEstimate(image);
  const square = estimates.reduce((sum, value) => sum + (value / unit) ** 2, 0) / estimates.length;
  return unit * Math.max(CAUTION * Math.sqrt(square), LEAST_ESTIMATE);
}

/** Planes in units of the loop. */
export function* inUnits(planes: readonly Samples[], unit: number): Work<Plane[]> {
  const scaled: Plane[] = [];
  for (const plane of planes) scaled.push(yield* mapped(plane, (value) => value / unit));
  return scaled;
}

/** The planes of an image in units of the loop; RGB becomes luma and two chromas. */
export function* loopPlanes(planes: readonly Samples[], unit: number): Work<Plane[]> {
  return (yield* decorrelation(yield* inUnits(planes, unit))) as Plane[];
}

/** The inverse of {@link loopPlanes}; the planes are overwritten. */
export function* imagePlanes(planes: readonly Plane[], unit: number): Work<Plane[]> {
  const mixed = (yield* recorrelation(planes, planes)) as Plane[];
  for (const plane of mixed) for (let i = 0; i < plane.length; i++) plane[i] *= unit;
  return mixed;
}
