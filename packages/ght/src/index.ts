/**
 * GHT: joint sparse representation of image patches under one global budget.
 *
 *     minimise ‖DZ − Y‖²_F   subject to   ‖Z‖₀ ≤ S   in the whole matrix Z
 *
 * Start with {@link represent}, {@link denoise}, {@link inpaint}, {@link deblur}, {@link upscale} or, for signals and dictionaries of any kind, {@link solve}.
 *
 * @module ght
 */

export type { Matrix } from './algebra/matrix.js';
export type { Budget, NoiseRule } from './budget/budget.js';
export { noiseRules } from './budget/budget.js';
export type { Selection } from './budget/select.js';
export { hardThreshold, selectLargest, survives } from './budget/select.js';
export type { CodedImage } from './codes/coded-image.js';
export type { Codes } from './codes/codes.js';
export { atomsPerPatch, codesFromDense, denseFromCodes, nonzeros } from './codes/codes.js';
export type { StoredDictionary } from './codes/dictionary-file.js';
export { loadDictionary, saveDictionary } from './codes/dictionary-file.js';
export type { NpyArray, NpyType } from './codes/npy.js';
export { readNpy, writeNpy } from './codes/npy.js';
export { loadCodes, saveCodes } from './codes/npz.js';
export { reconstruct } from './codes/reconstruct.js';
export type { Denoiser, Tile, TileNoise, TileProgress, TileWatch } from './denoisers/denoiser.js';
export { completeDct, overcompleteDct } from './dictionary/dct.js';
export type { Dictionary } from './dictionary/dictionary.js';
export {
  coherence,
  denseDictionary,
  gramMatrix,
  separableDictionary,
  spectralNormSquared,
} from './dictionary/dictionary.js';
export { gaussianDictionary } from './dictionary/gaussian.js';
export { learnedDictionary } from './dictionary/learned.js';
export { drawAtoms } from './draw/atoms.js';
export { drawHeatmap, heatColour } from './draw/heatmap.js';
export type { EngineInfo } from './engines/engine.js';
export type { EngineName } from './engines/engines.js';
export { type EngineState, engineNames, probeEngines } from './engines/engines.js';
export type { ErrorKind } from './errors.js';
export {
  EnvironmentError,
  GhtError,
  InputError,
  isEnvironmentError,
  isGhtError,
  isInputError,
  isOptionError,
  isResourceError,
  OptionError,
  ResourceError,
} from './errors.js';
export type { Quality } from './groups/recipes.js';
export { qualities } from './groups/recipes.js';
export { psnr, psnrOf, rmsePixel } from './measures/error.js';
export type { AtomCounts } from './measures/heatmap.js';
export { heatmap } from './measures/heatmap.js';
export { supportMismatch } from './measures/mismatch.js';
export { estimateSigma } from './measures/noise.js';
export { estimatePoissonGaussian } from './measures/poisson-gaussian.js';
export { ssim } from './measures/ssim.js';
export type { BandingReport } from './noise/banding.js';
export type { NoiseEstimate, NoiseOptions, SpectrumLevel } from './noise/estimate.js';
export { estimateNoise } from './noise/estimate.js';
export type { ImpulseKind, ImpulseReport } from './noise/impulses.js';
export { readJpegInfo } from './noise/jpeg-header.js';
export type { ColouredNoise, JpegInfo, NoiseModel, SignalNoise, WhiteNoise } from './noise/model.js';
export type { NoiseSpectrum } from './noise/told-spectrum.js';
export type { BlurKernel } from './operators/kernel.js';
export { diskKernel, gaussianKernel, motionKernel } from './operators/kernel.js';
export type { RestorationEntry } from './operators/loop.js';
export type { LinearOperator } from './operators/own.js';
export type { ReductionBlur } from './operators/resampling.js';
export type { RandomSource } from './random.js';
export { randomSource } from './random.js';
export { decorrelate, recorrelate } from './signal/colour.js';
export type { Image, Samples } from './signal/image.js';
export { checkImage } from './signal/image.js';
export type { FromInterleavedOptions, Interleaved, ToInterleavedOptions } from './signal/interleaved.js';
export { fromInterleaved, toInterleaved } from './signal/interleaved.js';
export type { PatchGrid } from './signal/patches.js';
export { aggregate, extract, patchGrid } from './signal/patches.js';
export type { PoissonGaussian, Stabiliser } from './signal/stabilise.js';
export { stabiliser } from './signal/stabilise.js';
export type { IterativeSolver, PatchwiseSolver, SolverEntry, SolverName } from './solvers/catalogue.js';
export { isIterative, isPatchwise, solverCatalogue, solverNames } from './solvers/catalogue.js';
export type { Effort } from './solvers/joint-omp.js';
export type { HistoryEntry, StepReport, StopReason } from './solvers/loop.js';
export type { RisingPenalty } from './solvers/penalty.js';
export type { DeblurOptions } from './tasks/deblur.js';
export { deblur } from './tasks/deblur.js';
export type { DecodedImage } from './tasks/decode.js';
export { decodeImage } from './tasks/decode.js';
export type { Denoised } from './tasks/denoise.js';
export { denoise } from './tasks/denoise.js';
export type { DenoiseOptions, ToldPoissonGaussian } from './tasks/denoise-options.js';
export { denoisePaper } from './tasks/denoise-paper.js';
export { denoiseMemoryEstimate } from './tasks/denoise-planes.js';
export type { DenoiseQuality } from './tasks/denoise-quality.js';
export { denoiseQualities } from './tasks/denoise-quality.js';
export type { InpaintOptions } from './tasks/inpaint.js';
export { inpaint } from './tasks/inpaint.js';
export type { InpaintedPaper, InpaintPaperOptions } from './tasks/inpaint-paper.js';
export { inpaintPaper } from './tasks/inpaint-paper.js';
export type { ImageSource, LearnEntry, Learned } from './tasks/learn.js';
export { learn } from './tasks/learn.js';
export type { LearnOptions } from './tasks/learn-options.js';
export { memoryEstimate } from './tasks/memory-estimate.js';
export type { Penalty, Progress, SolveOptions } from './tasks/options.js';
export { solverDefaults } from './tasks/options.js';
export type { DictionaryName, Representation, RepresentOptions } from './tasks/represent.js';
export { dictionaryNames, represent, representDefaults } from './tasks/represent.js';
export type { RestoreOptions } from './tasks/restore.js';
export { restore } from './tasks/restore.js';
export type { RestorationOptions, Restored, RestoreProgress } from './tasks/restore-options.js';
export type { SignalOptions, Solution } from './tasks/solve.js';
export { solve } from './tasks/solve.js';
export type { UpscaleOptions } from './tasks/upscale.js';
export { upscale } from './tasks/upscale.js';
