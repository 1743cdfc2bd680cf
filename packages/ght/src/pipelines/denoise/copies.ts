/**
 * The noise of an image whose channels are copies of each other, of which only the first is denoised. White noise and noise that grows
 * with the signal have a list of channels. Coloured noise of three channels is that of luma and two chromas: the luma of equal channels is
 * √3 times a channel, and their chromas are 0.
 */
import type { NoiseEstimate, SpectrumLevel } from '../../noise/estimate.js';
import type { ColouredNoise, NoiseModel } from '../../noise/model.js';

/** Luma of three equal channels, in units of a channel. */
const LUMA = Math.sqrt(3);

/** The noise of one channel as that of all channels, which are copies of it. */
export function ofCopies(estimate: NoiseEstimate, channels: number): NoiseEstimate {
  const repeated = <T>([first]: readonly T[]): T[] => Array.from({ length: channels }, () => first);
  const { model, levels, coarse } = estimate;
  if (model.kind !== 'coloured') return { ...estimate, model: ofChannels(model, repeated) };
  const converted = (noise: ColouredNoise) =>
    channels === 3 ? lumaOf(noise) : { ...noise, deviations: repeated(noise.deviations) };
  const spectra = { model: converted(model), ...(coarse && { coarse: converted(coarse) }) };
  if (channels !== 3) return { ...estimate, ...spectra, levels: levels && repeated(levels) };
  return {
    ...estimate,
    ...spectra,
    levels:
      levels &&
      [LUMA, 0, 0].map((factor) => {
        const { middle, finest, coarsest, confidence } = levels[0];
        return { middle: factor * middle, finest: factor * finest, coarsest: factor * coarsest, confidence };
      }),
  };
}

/** Coloured noise of one channel as that of luma and two chromas. */
function lumaOf({ kind, brightness, deviations }: ColouredNoise): ColouredNoise {
  return {
    kind,
    brightness: brightness.map((each) => LUMA * each),
    deviations: [LUMA, 0, 0].map((factor) => deviations[0].map((row) => row.map((deviation) => factor * deviation))),
  };
}

/** The given noise of the planes that are denoised: of all, or of one of several channels that are copies. */
export function ofDenoised(estimate: NoiseEstimate, planes: number): NoiseEstimate {
  const { model, levels, coarse } = estimate;
  if (model.kind !== 'coloured') return { ...estimate, model: ofChannels(model, (list) => list.slice(0, planes)) };
  if (planes !== 1 || model.deviations.length === 1) return estimate;
  const spectra = { model: ofOneChannel(model), ...(coarse && { coarse: ofOneChannel(coarse) }) };
  return { ...estimate, ...spectra, levels: levels && [levelOfOne(levels)] };
}

function levelOfOne(levels: readonly SpectrumLevel[]): SpectrumLevel {
  const mean = (values: readonly number[]) => Math.hypot(...values) / Math.sqrt(values.length);
  return {
    middle: mean(levels.map(({ middle }) => middle)),
    finest: mean(levels.map(({ finest }) => finest)),
    coarsest: mean(levels.map(({ coarsest }) => coarsest)),
    confidence: levels[0].confidence,
  };
}

/** The noise of a channel, of which the others are copies: its variance is the mean of those of the planes. */
function ofOneChannel({ kind, brightness, deviations }: ColouredNoise): ColouredNoise {
  const [first, ...others] = deviations;
  const rows = first.map((row, b) =>
    row.map((deviation, f) => {
      if (others.every((rows) => rows[b][f] === deviation)) return deviation;
      return Math.hypot(...deviations.map((rows) => rows[b][f])) / Math.sqrt(deviations.length);
    }),
  );
  const unit = deviations.length === 3 ? LUMA : 1;
  return { kind, brightness: brightness.map((each) => each / unit), deviations: [rows] };
}

/** Changes the list of channels of white noise and of noise that grows with the signal. */
function ofChannels(
  model: Exclude<NoiseModel, ColouredNoise>,
  change: <T>(list: readonly T[]) => T[],
): Exclude<NoiseModel, ColouredNoise> {
  if (model.kind === 'white') return { ...model, sigma: change(model.sigma) };
  return { ...model, planes: change(model.planes) };
}
