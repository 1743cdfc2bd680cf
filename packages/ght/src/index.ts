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
export type { EngineName } from './engines/engines.js';
export { type EngineState, engineNames, probeEngines } from './engines/engines.js';
export type { ErrorKind } from './errors.js';
export { EnvironmentError, GhtError, InputError, isGhtError, OptionError, ResourceError } from './errors.js';
export { decorrelate, recorrelate } from './image/colour.js';
export type { Image, Samples } from './image/image.js';
export { checkImage } from './image/image.js';
export type { Interleaved } from './image/interleaved.js';
export { fromInterleaved, toInterleaved } from './image/interleaved.js';
export type { PatchGrid } from './image/patches.js';
export { aggregate, extract, patchGrid } from './image/patches.js';
export type { Rectangle } from './image/rectangle.js';
export type { PoissonGaussian } from './image/stabilise.js';
export type { Matrix } from './math/matrix.js';
export type { RandomSource } from './math/random.js';
export { randomSource } from './math/random.js';
export { psnr, rmsePixel } from './measures/error.js';
export { ssim } from './measures/ssim.js';
export type { NoiseSpectrum } from './noise/coloured/given-spectrum.js';
export type { NoiseEstimate, NoiseOptions } from './noise/estimate.js';
export { estimateNoise } from './noise/estimate.js';
export { readJpegInfo } from './noise/jpeg/header.js';
export type { ColouredNoise, JpegInfo, NoiseModel, SignalNoise, WhiteNoise } from './noise/model.js';
export type { BlurKernel } from './operators/kernel.js';
export { diskKernel, gaussianKernel, motionKernel } from './operators/kernel.js';
export type { LinearOperator } from './operators/own.js';
export type { DenoiseOptions } from './pipelines/denoise/options.js';
export type { Quality } from './pipelines/denoise/quality.js';
export { qualities } from './pipelines/denoise/quality.js';
export type { Denoised } from './pipelines/denoise/whole.js';
export type { DictionaryName, RepresentOptions } from './pipelines/represent/options.js';
export { dictionaryNames, representDefaults } from './pipelines/represent/options.js';
export type { Representation } from './pipelines/represent/whole.js';
export type { RestorationOptions, Restored, RestoreProgress } from './pipelines/restore/options.js';
export type { Penalty, Progress, SolverOptions } from './pipelines/solve/options.js';
export { solverDefaults } from './pipelines/solve/options.js';
export type { Solution } from './pipelines/solve/solve.js';
export type { Budget } from './sparse/budget/budget.js';
export { hardThreshold, selectLargest } from './sparse/budget/select.js';
export type { Codes } from './sparse/codes/codes.js';
export { atomsPerPatch, codesFromDense, denseFromCodes, nonzeros } from './sparse/codes/codes.js';
export { reconstruct } from './sparse/codes/reconstruct.js';
export { completeDct, overcompleteDct } from './sparse/dictionary/dct.js';
export type { Dictionary } from './sparse/dictionary/dictionary.js';
export { coherence, denseDictionary, separableDictionary } from './sparse/dictionary/dictionary.js';
export { gaussianDictionary } from './sparse/dictionary/gaussian.js';
export { learnedDictionary } from './sparse/dictionary/learned.js';
export type { SolverEntry, SolverName } from './sparse/solvers/catalogue.js';
export { solverCatalogue, solverNames } from './sparse/solvers/catalogue.js';
export type { HistoryEntry, StopReason } from './sparse/solvers/loop.js';
export type { DeblurOptions } from './tasks/deblur.js';
export { deblur } from './tasks/deblur.js';
export { denoise } from './tasks/denoise.js';
export { describe, describeBySubject } from './tasks/describe.js';
export type { MemorySize } from './tasks/estimate-memory.js';
export { estimateMemory } from './tasks/estimate-memory.js';
export type { InpaintOptions } from './tasks/inpaint.js';
export { inpaint } from './tasks/inpaint.js';
export type { Learned } from './tasks/learn.js';
export { learn } from './tasks/learn.js';
export type { LearnOptions } from './tasks/learn-options.js';
export { represent } from './tasks/represent.js';
export type { RestoreOptions } from './tasks/restore.js';
export { restore } from './tasks/restore.js';
export type { SolveOptions } from './tasks/solve.js';
export { solve } from './tasks/solve.js';
export type { UpscaleOptions } from './tasks/upscale.js';
export { upscale } from './tasks/upscale.js';
