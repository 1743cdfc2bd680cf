/** Checks a noise model that is given, as `diagnose` returns it or as a program has made it. */
import { knownOptions, notNegative, OptionError, oneOf } from '../errors.js';
import type { NoiseEstimate } from './estimate.js';
import type { ColouredNoise, NoiseModel, SignalNoise, WhiteNoise } from './model.js';

const FREQUENCIES = 64;
const IN_UNITS = 'give the deviation of the noise in the units of the image';

/** The checked model of an estimate or a model, for an image with this many planes. */
export function givenModel(noise: NoiseModel | NoiseEstimate, planes: number): NoiseModel {
  const model = checkModel('model' in noise ? noise.model : noise, 'noise');
  const known = planesOf(model);
  if (known === planes) return model;
  const rule = `must be the noise of ${planes} ${planes === 1 ? 'plane' : 'planes'}, as many as the image has`;
  throw new OptionError('noise', rule, `that of ${known}`, 'measure it on images with the same planes: grey or colour');
}

/** The number of planes that a model is about. */
function planesOf(model: NoiseModel): number {
  if (model.kind === 'white') return model.sigma.length;
  return model.kind === 'signal-dependent' ? model.planes.length : model.deviations.length;
}

/** Refuses what is not a noise model. Lists of deviations may have any type, such as those from JSON. */
function checkModel(model: NoiseModel, name: string): NoiseModel {
  if (typeof model !== 'object' || model === null) {
    throw new OptionError(name, 'must be a noise model', model, 'give what diagnose returns');
  }
  const kind = oneOf(`${name}.kind`, model.kind, ['white', 'signal-dependent', 'coloured']);
  if (kind === 'white') return checkWhite(model as WhiteNoise, name);
  return kind === 'coloured' ? checkColoured(model as ColouredNoise, name) : checkSignal(model as SignalNoise, name);
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

function checkColoured(model: ColouredNoise, name: string): ColouredNoise {
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
      throw new OptionError(`${name}.deviations`, rule, rows?.length, 'give what diagnose returns');
    }
    return rows.map((row) => {
      if (row?.length !== FREQUENCIES) {
        const rule = `must have ${FREQUENCIES} deviations, one per frequency`;
        throw new OptionError(`${name}.deviations`, rule, row?.length, 'give what diagnose returns');
      }
      for (let f = 0; f < FREQUENCIES; f++) notNegative(`${name}.deviations`, row[f], IN_UNITS);
      return Float64Array.from(row);
    });
  });
  return { kind: 'coloured', brightness, deviations };
}

function listOf<T>(list: readonly T[] | undefined, name: string): readonly T[] {
  if (Array.isArray(list) && list.length > 0) return list;
  throw new OptionError(name, 'must be a list that is not empty', list, 'give what diagnose returns');
}

function finite(parameter: string, value: number, remedy: string): number {
  if (Number.isFinite(value)) return value;
  throw new OptionError(parameter, 'must be a finite number', value, remedy);
}
