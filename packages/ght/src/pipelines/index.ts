/**
 * Tasks as plans: passes over the parts of an image, for images in stores and for many machines (`ght-tiles`, `ght-queue`). Not meant
 * for use on their own.
 *
 * @module ght/plans
 */
export { placementOf } from '../denoisers/tiles.js';
export type { LoadedDenoiser } from '../engines/engine.js';
export type { PartedImage } from '../image/parted-image.js';
export type { Part, Rectangle, Size } from '../image/rectangle.js';
export { checkParts, cut, gridLength, gridOf, place } from '../image/rectangle.js';
export { biharmonic } from '../operators/biharmonic.js';
export { drive } from '../work.js';
export { type CoarseStore, type DenoiseContext, DenoiserCache } from './denoise/context.js';
export { mirrored, missingIn, restored } from './denoise/missing.js';
export { resolveDenoiseOptions } from './denoise/options.js';
export { partReader } from './denoise/parts.js';
export { type DenoiseResult, denoisePlan, partSide, partSize } from './denoise/plan.js';
export { loadDenoiser } from './denoise/planes.js';
export { denoiseWhole } from './denoise/whole.js';
export type { Job, Pass, Perform, Plan, RunProgress, RunWatch, Scratch } from './plan.js';
export { definePass, workByName } from './plan.js';
export type { CodesBands, RepresentContext } from './represent/context.js';
export { type RepresentResult, representPlan } from './represent/plan.js';
export { findAndKeep, type PlaneStore, type RestoreContext, withoutNoise } from './restore/context.js';
export { deblurring } from './restore/deblurring.js';
export { inpainting } from './restore/inpainting.js';
export type { RestoreResult } from './restore/options.js';
export { resolveRestoreOptions } from './restore/options.js';
export { restorePlan } from './restore/plan.js';
export type { RestorationProblem } from './restore/problem.js';
export { enlargedSize, upscaling } from './restore/upscaling.js';
export { risingProgress, runHere } from './run.js';
export { resolveSeriesOptions, type SeriesSettings } from './series/options.js';
export type { SeriesPage } from './series/page.js';
export { denoisePages, type PageResult, type SeriesOutput } from './series/series.js';
