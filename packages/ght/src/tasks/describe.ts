/** Makes sentences from reports. Reports carry numbers and reasons as fields; this is the only place that puts them into words. */

import type { EngineFeatures, EngineInfo, EngineObstacle, GpuAdapter, ThreadsReason } from '../engines/engine.js';
import type { EngineState } from '../engines/engines.js';
import type { NoiseEstimate, SpectrumLevel } from '../noise/estimate.js';
import type { NoiseModel } from '../noise/model.js';
import type { FoundReduction } from '../operators/find-reduction.js';
import { WIDE } from '../operators/wide-holes.js';
import type { RemovedBanding, RemovedImpulses } from '../pipelines/denoise/defects.js';
import type { Diagnosis, NoiseReport } from '../pipelines/denoise/findings.js';
import { type ChosenQuality, MOST_RANGE } from '../pipelines/denoise/quality.js';
import { keptShare } from '../pipelines/restore/deblurring.js';
import type { RestorationWarning } from '../pipelines/restore/findings.js';
import type { RestoreResult } from '../pipelines/restore/options.js';
import type { DenoisedPage } from '../pipelines/series/series.js';
import { solverCatalogue } from '../sparse/solvers/catalogue.js';

/** What can be described: the result of `denoise` or of a restoration, a diagnosis, an engine that ran, or one that could. */
export type Describable =
  | NoiseReport
  | DenoisedPage
  | Diagnosis
  | NoiseEstimate
  | RestoreResult
  | EngineInfo
  | EngineState;

/** A subject of a report. */
export type Subject =
  | 'impulses'
  | 'banding'
  | 'noise'
  | 'quality'
  | 'series'
  | 'engine'
  | 'fallback'
  | 'blur'
  | 'reduction'
  | 'missing'
  | 'warning';

/** The subjects whose sentences need a label, because they do not name what they are about. */
const LABELLED: readonly Subject[] = ['noise', 'quality', 'blur', 'reduction', 'missing'];

/**
 * Describes a report in sentences for people, without a full stop: what `denoise` found and removed, what `diagnose` found, what a
 * restoration found and what may be wrong, or the engine that ran and why. Numbers are in the units of the image. Programs should
 * read the fields of the report.
 *
 * @example
 * ```js
 * import { denoise, describe } from 'ght';
 *
 * const noisy = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const result = await denoise(noisy);
 * console.log(describe(result)); // such as [ 'noise: white, σ = 25.1' ]
 * console.log(describe(result.engine)); // such as [ '8 threads, as many as there are cores' ]
 * ```
 */
export function describe(report: Describable): string[] {
  const sentences = Object.entries(describeBySubject(report)) as [Subject, string][];
  return sentences.map(([subject, text]) => (LABELLED.includes(subject) ? `${subject}: ${text}` : text));
}

/** {@link describe} by subject, without labels, for tables. Subjects that need no sentence are absent. */
export function describeBySubject(report: Describable): Partial<Record<Subject, string>> {
  const all: Partial<Record<Subject, string>> = sentencesOf(report);
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ''));
}

function sentencesOf(report: Describable): Partial<Record<Subject, string>> {
  if ('available' in report) return { engine: report.reason ?? featuresText(report) };
  if ('threads' in report) return { engine: engineText(report), fallback: fallbackText(report) };
  if ('model' in report) {
    const noise = noiseText(report.model, report);
    if (!('impulses' in report)) return { noise };
    return { impulses: impulsesText(report.impulses, 'found'), banding: bandingText(report.banding, 'found'), noise };
  }
  if ('warnings' in report) return restorationSentences(report);
  return {
    impulses: impulsesText(report.impulses, 'removed'),
    banding: bandingText(report.banding, 'removed'),
    noise: noiseText(report.noise, report),
    quality: qualityText(report),
    series: 'series' in report ? seriesText(report) : '',
  };
}

function restorationSentences(report: RestoreResult): Partial<Record<Subject, string>> {
  return {
    noise: report.noise ? removedText(report.noise) : assumedNoiseText(report),
    blur: blurText(report),
    reduction: report.reduction ? reductionText(report.reduction) : '',
    missing: missingText(report),
    warning: report.warnings.map(warningText).join('; '),
  };
}

function assumedNoiseText({ sigma, estimated, jpegQuality }: RestoreResult): string {
  if (sigma === 0) return 'none assumed';
  const steps =
    jpegQuality === undefined || !estimated
      ? ''
      : `; JPEG steps of quality about ${Math.round(jpegQuality)} counted in`;
  return `white, σ = ${inDigits(sigma)}${steps}`;
}

function blurText({ blur }: RestoreResult): string {
  if (!blur) return '';
  const kept = keptShare(blur.confidence);
  const mixed = kept > 0 ? `, so that ${Math.round(100 * kept)}% of the blurred picture is kept` : '';
  const percent = `confidence ${Math.round(100 * blur.confidence)}%${mixed}`;
  if (blur.kind === 'gaussian') return `Gaussian, σ = ${inDigits(blur.sigma)} pixels; ${percent}`;
  if (blur.kind === 'disk') return `out of focus, a disk of radius ${inDigits(blur.radius)} pixels; ${percent}`;
  return `motion over ${inDigits(blur.length)} pixels at ${Math.round(blur.angle)}°; ${percent}`;
}

/** The noise that was removed before an image was enlarged. */
function removedText(noise: NoiseEstimate): string {
  const { model, levels, jpegQuality } = noise;
  const isSteps = jpegQuality !== undefined && levels === undefined;
  const text = isSteps ? `JPEG steps of quality about ${Math.round(jpegQuality)}` : noiseText(model, noise);
  return `${text}; removed before enlarging`;
}

/** How an image was reduced. */
function reductionText({ kind, width = 0, share = 0, confidence, reason }: FoundReduction): string {
  const certainty = `, with confidence ${confidence.toFixed(2)}`;
  switch (kind) {
    case 'bicubic':
      return `found to be bicubic${certainty}`;
    case 'area':
      return `found to be area averaging${certainty}`;
    case 'gaussian':
      return `found to be a wide Gaussian, of which a deviation of ${inDigits(width)} pixels of the result is assumed${certainty}`;
    case 'points':
      return `found to be single samples${certainty}: ${Math.round(100 * share)}% of the result is cubic interpolation`;
    case 'mixed': {
      const because = {
        'too-little-detail': ', because the image has too little detail',
        'noise-removed': ', because noise was removed',
      };
      return `not certain${reason ? because[reason] : ''}: assumed between bicubic and area averaging, ${Math.round(100 * share)}% of the latter`;
    }
  }
}

function missingText({ missing }: RestoreResult): string {
  if (!missing) return '';
  const { count, share, widest } = missing;
  const pixels = `${count} pixel${count === 1 ? '' : 's'} (${shareText(share)}), the widest hole ${widest} across`;
  return widest <= WIDE ? pixels : `${pixels}: its middle is filled smoothly from its rim`;
}

/** A share in percent, with as many digits as it needs not to be 0. */
function shareText(share: number): string {
  const percent = 100 * share;
  return percent >= 0.1 ? `${percent.toFixed(1)}%` : `${percent.toPrecision(1)}%`;
}

function warningText(warning: RestorationWarning): string {
  switch (warning.reason) {
    case 'image-sharp':
      return 'the picture looks sharp: it has detail that this kernel would have removed';
    case 'kernel-misfit': {
      const { before, sigma } = warning;
      const raised = `σ = ${inDigits(sigma)} was assumed in place of ${inDigits(before)}`;
      return `the kernel does not fit the picture, or its noise is stronger, and ripples appear: ${raised}. Try a smaller kernel, or auto`;
    }
    case 'mask-inverted':
      return `the mask may be inverted: it marks ${shareText(warning.share)} as missing, where there is a picture`;
  }
}

/** Defects that `diagnose` has found, or that `denoise` has removed. */
type Done = 'found' | 'removed';

function impulsesText({ kind, count, fraction }: RemovedImpulses, done: Done): string {
  if (kind === 'none') return '';
  const percent = 100 * fraction;
  const share = percent < 0.05 ? `${count}` : `${percent.toFixed(1)}%`;
  const what = {
    'salt-and-pepper': 'impulses (salt and pepper)',
    'hot pixels': 'hot or dead pixels',
    impulses: 'impulses',
  };
  return `${share} of the samples ${done === 'found' ? `are ${what[kind]}` : `were ${what[kind]} and were replaced`}`;
}

function bandingText({ rows, columns, search }: RemovedBanding, done: Done): string {
  if (search === 'image-too-large') {
    return 'offsets of rows and columns were not searched, because the image is too large to be read as a whole';
  }
  // Two significant digits or one decimal, whichever is more.
  const deviation = (value: number) => (value >= 10 ? value.toFixed(1) : value.toPrecision(2));
  const found: string[] = [];
  if (rows > 0) found.push(`row banding of deviation ${deviation(rows)}`);
  if (columns > 0) found.push(`column banding of deviation ${deviation(columns)}`);
  return found.length === 0 ? '' : `${found.join(' and ')} ${found.length === 1 ? 'was' : 'were'} ${done}`;
}

function noiseText(model: NoiseModel, found: Omit<NoiseEstimate, 'model'>): string {
  if (found.isDrawn) return 'none: the image was drawn, such as text or a diagram';
  if (found.levels) return estimatedSpectrumText(found.levels, found);
  if (model.kind === 'white') return `white, σ = ${distinct(model.sigma.map(inDigits)).join(', ')}`;
  if (model.kind === 'coloured') return 'coloured, with the given spectrum';
  const planes = model.planes.map(({ gain, sigma, offset }) => {
    return `gain ${inDigits(gain)}, σ = ${inDigits(sigma)} without signal, offset ${inDigits(offset)}`;
  });
  return `grows with the signal; ${distinct(planes).join('; ')}`;
}

/** Coloured noise by its levels at middle and finest frequencies, and a JPEG by its quality. */
function estimatedSpectrumText(
  levels: readonly SpectrumLevel[],
  { jpegQuality, confidenceReason }: Pick<NoiseEstimate, 'jpegQuality' | 'confidenceReason'>,
): string {
  const steps = jpegQuality === undefined ? '' : `; JPEG steps of quality about ${Math.round(jpegQuality)} counted in`;
  const text = `coloured; ${levelsText(levels)}${steps}`;
  return confidenceReason === undefined
    ? text
    : `${text}. No flat area found: the estimate is uncertain, and noise is removed moderately`;
}

/** A level below this share of the largest is a rounding error, and is written as 0. */
const NEGLIGIBLE = 1e-6;

function levelsText(planes: readonly SpectrumLevel[]): string {
  const largest = Math.max(...planes.flatMap(({ middle, finest }) => [middle, finest]));
  const shown = (level: number) => (level < NEGLIGIBLE * largest ? 0 : level);
  const at = (list: readonly SpectrumLevel[]) => {
    const middle = rangeText(list.map(({ middle }) => shown(middle)));
    const finest = rangeText(list.map(({ finest }) => shown(finest)));
    return `${middle} at middle and ${finest} at finest frequencies`;
  };
  if (planes.length !== 3) return at(planes);
  const [luma, ...chromas] = planes;
  // Levels of any scale: their squares may overflow.
  const chroma = Math.hypot(...chromas.map(({ middle }) => middle)) / Math.sqrt(chromas.length);
  return `luma ${at([luma])}, chroma ${inDigits(shown(chroma))}`;
}

function qualityText({ quality, qualityFallback }: ChosenQuality): string {
  if (!qualityFallback) return '';
  const limits = {
    'noise-too-weak': `noise of at least 1/${MOST_RANGE} of the range of the samples`,
    'noise-not-white': 'white noise',
    series: 'single images',
  };
  return `${quality} in place of ${qualityFallback.requested}, which is for ${limits[qualityFallback.reason]}`;
}

/** Why a page was denoised by itself. */
const ALONE = {
  option: 'as the option series says, with the noise of all pages',
  'only-page': 'there is no other page',
  'not-alike': 'the pages next to it are not like it',
} as const;

function seriesText({ series, changed }: DenoisedPage): string {
  // Without noise, no patch is followed.
  if (!series || !changed) return '';
  if (series.aloneReason) return `denoised by itself: ${ALONE[series.aloneReason]}`;
  return `patches followed through ${series.depthMean.toFixed(1)} pages on average`;
}

/** What the engines without features of the host are. */
const PLAIN: Readonly<Record<string, string>> = {
  portable: 'plain TypeScript',
  reference: 'the mathematics as written',
  own: 'the prior was given',
};

function engineText({ name, threads, threadsReason, dictionaryFactors, ...features }: EngineInfo): string {
  const parts: string[] = [];
  if (features.instructions) parts.push(instructionsText(features.instructions));
  if (features.adapter) parts.push(adapterText(features.adapter));
  if (dictionaryFactors) {
    const sizes = dictionaryFactors.map(({ rows, cols }) => `${rows}×${cols}`);
    parts.push(`the dictionary is separable, ${sizes.join(' ⊗ ')}`);
  }
  if (threadsReason) parts.push(threadsText(threads, threadsReason));
  return parts.length > 0 ? parts.join('; ') : (PLAIN[name] ?? '');
}

function featuresText({ instructions, adapter }: EngineFeatures): string {
  if (instructions) return instructionsText(instructions);
  return adapter ? adapterText(adapter) : 'plain TypeScript';
}

function instructionsText(instructions: NonNullable<EngineFeatures['instructions']>): string {
  return instructions === 'simd-fma' ? 'SIMD with fused multiply-add' : 'SIMD';
}

function adapterText({ name, subgroupSize, bindingBytes }: GpuAdapter): string {
  const subgroups = subgroupSize === undefined ? 'no subgroups' : `subgroups of ${subgroupSize}`;
  return `${name}, ${subgroups}, bindings of up to ${Math.round(bindingBytes / 2 ** 20)} MiB`;
}

function threadsText(threads: number, reason: ThreadsReason): string {
  switch (reason.kind) {
    case 'cores':
      return `${threads} threads, as many as there are cores`;
    case 'requested':
      return `${threads} thread${threads === 1 ? '' : 's'}, as requested`;
    case 'small-problem':
      return 'one thread, because a small problem does not pay for more';
    case 'unsupported':
      return `one thread, because ${reason.message}`;
    case 'failed':
      return `one thread, because others could not be started: ${reason.message}`;
  }
}

function fallbackText({ fallbackReason }: EngineInfo): string {
  if (!fallbackReason) return '';
  const engine = fallbackReason.engine === 'webgpu' ? 'the GPU' : fallbackReason.engine;
  return `${engine} ${fallbackReason.kind === 'failed' ? 'failed' : 'is not used'}: ${obstacleText(fallbackReason)}`;
}

function obstacleText(obstacle: EngineObstacle): string {
  switch (obstacle.kind) {
    case 'unavailable':
    case 'failed':
      return obstacle.message;
    case 'solver':
      return `${solverCatalogue[obstacle.solver].title} runs on the CPU`;
    case 'effort':
      return `the swaps of effort ${obstacle.effort} run on the CPU`;
    case 'atoms':
      return `it has room for ${obstacle.most} atoms, not ${obstacle.atoms}`;
    case 'option':
      return `it does not have the option ${obstacle.option}`;
    case 'sample-range':
      return `samples of ${obstacle.reach.toPrecision(2)} times the full scale leave float32 too few digits`;
    case 'software-adapter':
      return 'it is a software adapter, which runs on the CPU';
    case 'slower': {
      const { gpuMs, cpuMs, patches } = obstacle;
      const unit = patches === undefined ? 'megapixel' : `iteration over ${patches} patches`;
      return `it was not faster in a trial (${gpuMs.toFixed(1)} ms per ${unit}, the CPU ${cpuMs.toFixed(1)} ms)`;
    }
  }
}

/** The smallest to the largest value, or one number if both have the same digits. */
function rangeText(values: readonly number[]): string {
  return distinct([Math.min(...values), Math.max(...values)].map(inDigits)).join(' to ');
}

/** One text if all are equal, and all of them otherwise. */
function distinct(texts: readonly string[]): readonly string[] {
  return texts.every((text) => text === texts[0]) ? texts.slice(0, 1) : texts;
}

/** Two or three significant digits, without an exponent from 0.000001 to 10²¹. */
function inDigits(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return String(Math.round(value));
  return value.toPrecision(value >= 9.95 ? 3 : 2);
}
