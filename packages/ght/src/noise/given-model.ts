/** Checks a noise model that is given: as `diagnose` returns it, as a file holds it, or as a program has made it. */
import { knownOptions, notNegative, OptionError, oneOf, positive } from '../errors.js';
import { mappedEstimate, type NoiseEstimate } from './estimate.js';
import { type ColouredNoise, checkJpeg, type NoiseModel, type SignalNoise, type WhiteNoise } from './model.js';

const FREQUENCIES = 64;
const IN_UNITS = 'give the deviation of the noise in the units of the image';
const REMEDY = 'give what diagnose returns';

/** The name of the format of noise models as files, and its version. */
export const MODEL_FORMAT = 'ght-noise-model';
export const MODEL_VERSION = 1;

/** The camera that took the images a noise model was measured on. */
export interface CameraSettings {
  /** The maker. */
  readonly make?: string;
  /** The name of the camera. */
  readonly model?: string;
  /** The sensitivity, such as 3200. */
  readonly iso?: number;
  /** The program that wrote the files. */
  readonly software?: string;
}

/** A noise model as a file, in JSON: the fields of a diagnosis, and the units they are in. Files may have further fields. */
export interface NoiseModelFile extends Omit<NoiseEstimate, 'model' | 'coarse'> {
  /** The name of the format. */
  readonly format: typeof MODEL_FORMAT;
  /** The version of the format. */
  readonly version: typeof MODEL_VERSION;
  /** The units of the numbers: those of the samples that were measured. */
  readonly units: 'samples';
  /**
   * The full scale of the images that were measured: 255 for 8 bits. The noise is scaled for images with another one. It is left out for
   * floats, whose full scale is not known: their noise is not scaled.
   */
  readonly peak?: number;
  /** The number of planes of the images: 1 for grey, 3 for colour. */
  readonly planes: number;
  /** The number of images that were measured. */
  readonly images: number;
  /** The camera and its settings, if all images have the same. */
  readonly camera?: CameraSettings;
  /** The noise, with lists instead of typed arrays. */
  readonly model: NoiseModel | PlainColouredNoise;
  /** The noise at half the size, likewise. */
  readonly coarse?: PlainColouredNoise;
}

/** Coloured noise with lists of any type. */
interface PlainColouredNoise extends Omit<ColouredNoise, 'deviations'> {
  readonly deviations: readonly (readonly ArrayLike<number>[])[];
}

/** Noise that was measured: the parts of an estimate apart from its model, and the peak of the images if it is from a file. */
export interface MeasuredNoise extends Omit<NoiseEstimate, 'model'> {
  readonly peak?: number;
}

/** Noise that is given for an image: a model, and what else is known if it was measured. */
export interface GivenNoise {
  readonly model: NoiseModel;
  readonly measured?: MeasuredNoise;
}

/** The checked noise of a model, an estimate or a file, for an image with this many planes. */
export function givenNoise(noise: NoiseModel | NoiseEstimate | NoiseModelFile, planes: number): GivenNoise {
  if ('format' in noise) checkFile(noise);
  const model = checkModel('model' in noise ? noise.model : noise, 'noise');
  const known = planesOf(model);
  if ('format' in noise && noise.planes !== known) {
    throw new OptionError('noise.planes', `must be those of its model, ${known}`, noise.planes, REMEDY);
  }
  if (known !== planes) {
    const rule = `must be the noise of ${planes} ${planes === 1 ? 'plane' : 'planes'}, as many as the image has`;
    const remedy = 'measure it on images with the same planes: grey or colour';
    throw new OptionError('noise', rule, `that of ${known}`, remedy);
  }
  return 'model' in noise ? { model, measured: measuredOf(noise) } : { model };
}

/** Refuses a file of another format, version or unit. */
function checkFile({ format, version, units, peak }: NoiseModelFile): void {
  oneOf('noise.format', format, [MODEL_FORMAT]);
  if (version !== MODEL_VERSION) {
    const remedy = 'measure it again with this version, or use the version that wrote it';
    throw new OptionError('noise.version', `must be ${MODEL_VERSION}`, version, remedy);
  }
  oneOf('noise.units', units, ['samples']);
  if (peak !== undefined)
    positive('noise.peak', peak, 'give the full scale of the images that were measured, such as 255');
}

function measuredOf(noise: NoiseEstimate | NoiseModelFile): MeasuredNoise {
  const { confidence, confidenceReason, levels, coarse, jpeg, jpegQuality } = noise;
  if (!(typeof confidence === 'number' && confidence >= 0 && confidence <= 1)) {
    throw new OptionError('noise.confidence', 'must be a number from 0 to 1', confidence, REMEDY);
  }
  for (const level of listOrNothing(levels, 'noise.levels')) {
    for (const name of ['middle', 'finest', 'coarsest', 'confidence'] as const) {
      notNegative(`noise.levels.${name}`, level?.[name], IN_UNITS);
    }
  }
  if (jpeg !== undefined) checkJpeg(jpeg);
  if (confidenceReason !== undefined) oneOf('noise.confidenceReason', confidenceReason, ['no-flat-area']);
  const measured = {
    ...{ confidence, confidenceReason, levels, jpeg, jpegQuality },
    ...(coarse && { coarse: checkCoarse(coarse, noise.model) }),
  };
  return 'format' in noise ? { ...measured, peak: noise.peak } : measured;
}

/** Given noise in the units of an image with this peak: that of a file is scaled from the peak that it was measured at. */
export function inUnits(given: GivenNoise, peak: number): GivenNoise {
  const measured = given.measured?.peak;
  if (measured === undefined || measured === peak) return given;
  const estimate = { confidence: 1, ...given.measured, model: given.model };
  const { model, ...rest } = mappedEstimate(estimate, (value) => (peak / measured) * value);
  return { model, measured: rest };
}

/** The number of planes that a model is about. */
export function planesOf(model: NoiseModel): number {
  if (model.kind === 'white') return model.sigma.length;
  return model.kind === 'signal-dependent' ? model.planes.length : model.deviations.length;
}

/** Refuses what is not a noise model. Lists of deviations may have any type, such as those from JSON. */
function checkModel(model: NoiseModel | PlainColouredNoise, name: string): NoiseModel {
  if (typeof model !== 'object' || model === null) {
    throw new OptionError(name, 'must be a noise model', model, REMEDY);
  }
  oneOf(`${name}.kind`, model.kind, ['white', 'signal-dependent', 'coloured']);
  if (model.kind === 'white') return checkWhite(model, name);
  return model.kind === 'coloured' ? checkColoured(model, name) : checkSignal(model, name);
}

function checkWhite(model: WhiteNoise, name: string): WhiteNoise {
  knownOptions(model, ['kind', 'sigma']);
  const sigma = listOf(model.sigma, `${name}.sigma`);
  for (const each of sigma) notNegative(`${name}.sigma`, each, IN_UNITS);
  return { kind: 'white', sigma };
}

function checkSignal(model: SignalNoise, name: string): SignalNoise {
  knownOptions(model, ['kind', 'planes']);
  const planes = listOf(model.planes, `${name}.planes`).map(({ gain, sigma, offset }) => {
    notNegative(`${name}.gain`, gain, 'give what one count adds to a sample');
    notNegative(`${name}.sigma`, sigma, 'give the deviation of the noise without signal, or 0');
    return { gain, sigma, offset: finite(`${name}.offset`, offset, 'give the value of no signal, such as 0') };
  });
  return { kind: 'signal-dependent', planes };
}

/** The noise at half the size has the planes of the noise itself. */
function checkCoarse(coarse: PlainColouredNoise, model: NoiseModel | PlainColouredNoise): ColouredNoise {
  const checked = checkColoured(coarse, 'noise.coarse');
  const planes = model.kind === 'coloured' ? model.deviations.length : 0;
  if (checked.deviations.length === planes) return checked;
  throw new OptionError('noise.coarse', `must be the noise of ${planes} planes`, checked.deviations.length, REMEDY);
}

function checkColoured(model: PlainColouredNoise, name: string): ColouredNoise {
  knownOptions(model, ['kind', 'brightness', 'deviations']);
  const brightness = listOf(model.brightness, `${name}.brightness`);
  for (const [b, each] of brightness.entries()) {
    finite(`${name}.brightness`, each, 'give the brightnesses at which the deviations are known');
    if (b === 0 || each >= brightness[b - 1]) continue;
    throw new OptionError(`${name}.brightness`, 'must increase', brightness, 'sort it, together with the deviations');
  }
  const deviations = listOf(model.deviations, `${name}.deviations`).map((rows) => {
    if (rows?.length !== brightness.length) {
      const rule = `must have a list of ${FREQUENCIES} deviations for each of the ${brightness.length} brightnesses`;
      throw new OptionError(`${name}.deviations`, rule, rows?.length, REMEDY);
    }
    return rows.map((row) => {
      if (row?.length !== FREQUENCIES) {
        const rule = `must have ${FREQUENCIES} deviations, one per frequency`;
        throw new OptionError(`${name}.deviations`, rule, row?.length, REMEDY);
      }
      for (let f = 0; f < FREQUENCIES; f++) notNegative(`${name}.deviations`, row[f], IN_UNITS);
      return Float64Array.from(row);
    });
  });
  return { kind: 'coloured', brightness, deviations };
}

function listOf<T>(list: readonly T[] | undefined, name: string): readonly T[] {
  if (Array.isArray(list) && list.length > 0) return list;
  throw new OptionError(name, 'must be a list that is not empty', list, REMEDY);
}

function listOrNothing<T>(list: readonly T[] | undefined, name: string): readonly T[] {
  return list === undefined ? [] : listOf(list, name);
}

function finite(parameter: string, value: number, remedy: string): number {
  if (Number.isFinite(value)) return value;
  throw new OptionError(parameter, 'must be a finite number', value, remedy);
}
