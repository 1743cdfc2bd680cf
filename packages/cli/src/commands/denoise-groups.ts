import type { Denoised, DenoiseOptions, NoiseModel, NoiseSpectrum } from 'ght';
import { denoise, describe, describeBySubject, InputError, OptionError } from 'ght';
import type { NoiseModelFile } from 'ght/npy';
import { withChannels } from '../flags.js';
import { type ImageFile, readArray } from '../io/index.js';
import { refuseTooLargeToDenoise } from '../memory-limit.js';
import { engineText, imageSummary } from '../output/summary.js';
import { decibels, facts } from '../output/table.js';
import type { DenoiseFlags } from './denoise-flags.js';
import { type Denoising, levelAgainst, type Outcome } from './denoised.js';
import { plainNoise, readNoiseModel } from './noise-model.js';
import { cameraName, type SharedNoise, sharedText } from './shared-noise.js';

/** Denoises a file by groups of similar patches. */
export async function denoiseByGroups(file: ImageFile, options: DenoiseOptions, given: Denoising): Promise<Outcome> {
  const { image, jpeg } = file;
  refuseTooLargeToDenoise(image, options.quality, kindOf(options));
  const { signal, onProgress, output, clean, shared } = given;
  const start = performance.now();
  const result = await denoise(image, {
    ...withChannels(options, file),
    ...(shared && { noise: shared.diagnosis }),
    jpeg,
    signal,
    onProgress: ({ fraction, pass }) => onProgress({ fraction, doing: pass }),
  });
  const seconds = (performance.now() - start) / 1000;
  await given.write(result.image);

  const { engine, changed } = result;
  const [psnr, psnrNoisy] = [levelAgainst(clean, result.image), levelAgainst(clean, image)];
  return {
    summary: {
      ...{ method: 'groups', engine, image: imageSummary(file) },
      ...{ ...denoiseSummary(result, shared), psnr, psnrNoisy, seconds },
    },
    noise: [...describe(result), ...(shared ? [sharedText(shared)] : [])].join('; '),
    changed,
    advice: adviceOn(result, shared !== undefined),
    facts: facts([
      ...foundRows(result, options),
      ...(psnr === null ? [] : [['PSNR', `${decibels(psnr)}, against the reference`] as const]),
      ...(psnrNoisy === null ? [] : [['before', decibels(psnrNoisy)] as const]),
      ['time', `${seconds.toFixed(2)} s on ${engineText(engine)}`],
      ['wrote', output],
    ]),
  };
}

/** Advice for a result where nothing was removed, or perhaps not enough. Noise that was measured on several files counts as estimated. */
export function adviceOn(
  { changed, estimated, confidence }: Pick<Denoised, 'changed' | 'estimated' | 'confidence'>,
  isShared = false,
): string | undefined {
  const isEstimated = estimated || isShared;
  if (!changed) {
    return isEstimated
      ? 'nothing was found to remove: use --sigma if you know the noise'
      : 'nothing was removed, because the given noise is too weak: leave it out to have it estimated';
  }
  if (!isEstimated || confidence === 1) return undefined;
  return 'the estimate is uncertain: use --strength 1.4 if noise is left, --strength 0.5 if detail is lost, or --sigma if you know it';
}

/** The quality and what was found, as rows of a name and a sentence. */
export function foundRows(result: Omit<Denoised, 'image'>, { noise: asked }: DenoiseOptions = {}): [string, string][] {
  const { impulses, banding, noise, quality } = describeBySubject(result);
  const given = typeof asked === 'object' && 'format' in asked ? `given, ${originText(asked)}` : 'given';
  const rows: [string, string | undefined][] = [
    // A sentence if another quality took the place of the requested one.
    ['quality', quality ?? result.quality],
    ['impulses', impulses],
    ['banding', banding],
    ['noise', noise && `${result.estimated ? 'estimated' : given}: ${noise}`],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined);
}

/** `measured on 12 images of NIKON D750, ISO 3200`. */
function originText({ images, camera }: NoiseModelFile): string {
  const count = images === 1 ? 'one image' : `${images} images`;
  return `measured on ${count}${camera ? ` of ${cameraName(camera)}` : ''}`;
}

/** What was found and used, for JSON. */
export function denoiseSummary(result: Omit<Denoised, 'image'>, shared?: SharedNoise): object {
  const { quality, qualityFallback, noise, estimated, confidence, confidenceReason } = result;
  const { levels, jpegQuality, impulses, banding, changed } = result;
  return {
    ...{ quality, qualityFallback, noise: plainNoise(noise), estimated, confidence, confidenceReason },
    ...{ levels, jpegQuality, impulses, banding, changed, messages: describe(result) },
    ...(shared && { shared: { files: shared.files, camera: shared.camera } }),
  };
}

/** The options for the flags. Flags that exclude each other are refused. */
export async function denoiseOptions(flags: DenoiseFlags): Promise<DenoiseOptions> {
  const { sigma, quality, noise, gain, offset, engine, threads, noiseSpectrum, noiseModel } = flags;
  const { strength, strengthChroma, keepGrain, impulses, banding, channels, missing } = flags;
  const common = {
    quality,
    engine,
    threads,
    strength,
    strengthChroma,
    keepGrain,
    impulses,
    banding,
    channels,
    missing,
  };
  for (const [given, path] of Object.entries({ '--noise-model': noiseModel, '--noise-spectrum': noiseSpectrum })) {
    if (path === undefined) continue;
    const others = { '--sigma': sigma, '--noise': noise, '--gain': gain, '--offset': offset };
    const files = given === '--noise-model' ? { '--noise-spectrum': noiseSpectrum } : {};
    for (const [flag, value] of Object.entries({ ...others, ...files })) {
      if (value === undefined) continue;
      throw new OptionError(flag, `must be left out with ${given}`, value, 'remove one of the two');
    }
  }
  if (noiseModel !== undefined) return { ...common, noise: await readNoiseModel(noiseModel) };
  if (noiseSpectrum !== undefined) return { ...common, noise: { spectrum: await readSpectrum(noiseSpectrum) } };
  if (noise !== 'poisson-gaussian') {
    refuseWithout('--noise poisson-gaussian', { '--gain': gain, '--offset': offset });
    return { ...common, noise, sigma };
  }
  if (gain !== undefined) {
    if (typeof sigma === 'number') return { ...common, noise: { gain, sigma, offset } };
    const remedy = 'add the deviation without signal, 0 if there is none, or remove --gain to have both estimated';
    throw new OptionError('--gain', 'must come with --sigma as a number', gain, remedy);
  }
  refuseWithout('--gain', { '--sigma': sigma === 'auto' ? undefined : sigma });
  return { ...common, noise: offset === undefined ? 'poisson-gaussian' : { offset } };
}

function refuseWithout(needed: string, flags: Readonly<Record<string, number | readonly number[] | undefined>>): void {
  for (const [flag, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    throw new OptionError(flag, `must come with ${needed}`, value, `add ${needed}, or remove it`);
  }
}

/** The most bytes of the file of a spectrum: 2896×2896 frequencies. */
const MOST_SPECTRUM = 2 ** 26;

/** The spectrum of a `.npy` file. */
async function readSpectrum(path: string): Promise<NoiseSpectrum> {
  const { shape, data } = await readArray(path, '--noise-spectrum', MOST_SPECTRUM);
  if (shape.length !== 2) {
    const rule = 'must have two dimensions: 8×8 deviations, or a power spectral density of any other size';
    throw new InputError('--noise-spectrum', rule, `${shape.join('×') || 'a single number'} in ${path}`, 'reshape it');
  }
  const [height, width] = shape;
  return { width, height, data: Float64Array.from(data, Number) };
}

/** The kind of noise with the largest memory that these options allow. */
export function kindOf({ noise = 'auto', sigma }: DenoiseOptions): NoiseModel['kind'] {
  if (typeof noise === 'object') {
    if ('model' in noise) return noise.model?.kind ?? 'coloured';
    return 'spectrum' in noise ? 'coloured' : 'signal-dependent';
  }
  if (noise === 'poisson-gaussian') return 'signal-dependent';
  return noise === 'auto' && (sigma === undefined || sigma === 'auto') ? 'coloured' : 'white';
}
