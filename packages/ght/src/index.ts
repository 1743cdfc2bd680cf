/**
 * GHT: joint sparse representation of image patches under one global budget.
 *
 *     minimise ‖DZ − Y‖²_F   subject to   ‖Z‖₀ ≤ S   in the whole matrix Z
 *
 * Start with {@link represent}, {@link denoise}, {@link inpaint}, {@link deblur}, {@link upscale} or, for signals and dictionaries of any kind, {@link solve}.
 *
 * @module ght
 */

export type { Denoiser, Tile } from './denoisers/denoiser.js';
export type { EngineInfo } from './engines/engine.js';
export { type EngineName, type EngineState, engineNames, probeEngines } from './engines/engines.js';
export type { ErrorKind } from './errors.js';
export { EnvironmentError, GhtError, InputError, isGhtError, OptionError, ResourceError } from './errors.js';
export { decorrelate, recorrelate } from './image/colour.js';
export { checkImage, type Image, type Samples } from './image/image.js';
export { fromInterleaved, toInterleaved } from './image/interleaved.js';
export { aggregate, extract, type PatchGrid, patchGrid } from './image/patches.js';
export type { Rectangle } from './image/rectangle.js';
export type { PoissonGaussian } from './image/stabilise.js';
export type { Matrix } from './math/matrix.js';
export { type RandomSource, randomSource } from './math/random.js';
export { psnr, rmsePixel } from './measures/error.js';
export { ssim } from './measures/ssim.js';
export type { NoiseSpectrum } from './noise/coloured/given-spectrum.js';
export { readJpegInfo } from './noise/jpeg/header.js';
export type { ColouredNoise, JpegInfo, NoiseModel, SignalNoise, WhiteNoise } from './noise/model.js';
export { type BlurKernel, diskKernel, gaussianKernel, motionKernel } from './operators/kernel.js';
export type { LinearOperator } from './operators/own.js';
export type { Diagnosis } from './pipelines/denoise/findings.js';
export type { DenoiseOptions } from './pipelines/denoise/options.js';
export { type Quality, qualities } from './pipelines/denoise/quality.js';
export type { Denoised } from './pipelines/denoise/whole.js';
export type { Learned } from './pipelines/learn/learn.js';
export type { LearnOptions } from './pipelines/learn/options.js';
export type { DictionaryName, RepresentOptions } from './pipelines/represent/options.js';
export { dictionaryNames, representDefaults } from './pipelines/represent/options.js';
export type { Representation } from './pipelines/represent/whole.js';
export type { RestorationOptions, Restored, RestoreProgress } from './pipelines/restore/options.js';
export type { SeriesOptions } from './pipelines/series/options.js';
export type { DenoisedPage } from './pipelines/series/series.js';
export { type Penalty, type Progress, type SolverOptions, solverDefaults } from './pipelines/solve/options.js';
export type { Solution } from './pipelines/solve/solve.js';
export type { Budget } from './sparse/budget/budget.js';
export { hardThreshold, selectLargest } from './sparse/budget/select.js';
export { atomsPerPatch, type Codes, codesFromDense, denseFromCodes, nonzeros } from './sparse/codes/codes.js';
export { reconstruct } from './sparse/codes/reconstruct.js';
export { completeDct, overcompleteDct } from './sparse/dictionary/dct.js';
export { coherence, type Dictionary, denseDictionary, separableDictionary } from './sparse/dictionary/dictionary.js';
export { gaussianDictionary } from './sparse/dictionary/gaussian.js';
export { learnedDictionary } from './sparse/dictionary/learned.js';
export { type SolverName, solverCatalogue, solverNames } from './sparse/solvers/catalogue.js';
export type { HistoryEntry, StopReason } from './sparse/solvers/loop.js';
export { type DeblurOptions, deblur } from './tasks/deblur.js';
export { denoise } from './tasks/denoise.js';
export { denoiseSeries } from './tasks/denoise-series.js';
export { describe, describeBySubject } from './tasks/describe.js';
export { type DiagnoseOptions, diagnose } from './tasks/diagnose.js';
export { estimateMemory, type MemorySize } from './tasks/estimate-memory.js';
export { type InpaintOptions, inpaint } from './tasks/inpaint.js';
export { learn } from './tasks/learn.js';
export { represent } from './tasks/represent.js';
export { representJoint } from './tasks/represent-joint.js';
export { type RestoreOptions, restore } from './tasks/restore.js';
export { type SolveOptions, solve } from './tasks/solve.js';
export { type UpscaleOptions, upscale } from './tasks/upscale.js';
