/**
 * The steps of tasks: what `ght-tiles` is made of, for images beyond one memory, and what the lab compares with. These are not meant for use on
 * their own, and change without notice.
 */
export type { RankSearch } from '../budget/rank.js';
export { count, emptyHistogram, FLOAT64_DIGITS, isFound, magnitudeOf, narrow, rankSearch } from '../budget/rank.js';
export type { Denoiser } from '../denoisers/denoiser.js';
export type { Extent, PlanesFrame } from '../denoisers/frame.js';
export type { Placement } from '../denoisers/tiles.js';
export { placementOf, tileSide } from '../denoisers/tiles.js';
export type { Energies, Followed, LoadedDenoiser } from '../engines/engine.js';
export { biharmonic } from '../operators/biharmonic.js';
export type { Part, Rectangle, Size } from '../signal/rectangle.js';
export { cut, gridOf, place } from '../signal/rectangle.js';
export type { Bracket, Tries } from '../solvers/bracket.js';
export { CHUNK, moved, nearby, ONCE, rankIn } from '../solvers/bracket.js';
export { RESTARTS } from '../solvers/joint-omp.js';
export { drive } from '../work.js';
export { denoiseSettled } from './denoise.js';
export type { NoiseReport, Seen } from './denoise-findings.js';
export { lookAt, planesFor, reportOf, seenInAll } from './denoise-findings.js';
export type { DenoiseSettings } from './denoise-options.js';
export { settleDenoise } from './denoise-options.js';
export type { Known, PartedImage, ReadDifferences } from './denoise-parts.js';
export {
  denoiseHalves,
  denoisePart,
  findAgain,
  findInSample,
  frameOfHalves,
  frameOfImage,
  halfSize,
  isChanged,
  measure,
  measuredParts,
  measureHalves,
} from './denoise-parts.js';
export { loadDenoiser } from './denoise-planes.js';
export { qualityEffort } from './denoise-quality.js';
export { coarseSettings } from './denoise-scales.js';
export { isEstimatedColour } from './remove-noise.js';
export type { ChunkRun, PartedProblem } from './represent-parts.js';
export {
  chunkRuns,
  estimatedBracket,
  followPart,
  largestInPart,
  partedProblem,
  partsReport,
  rebuiltPart,
  rowsFor,
  settlePart,
  solveParts,
} from './represent-parts.js';
