import type { DenoiseOptions, NoiseModel } from 'ght';
import { denoise, OptionError } from 'ght';
import type { ImageFile } from '../io/index.js';
import { refuseTooLargeToDenoise } from '../memoryLimit.js';
import { imageSummary } from '../output/summary.js';
import { decibels, facts } from '../output/table.js';
import type { DenoiseFlags } from './denoise.js';
import { type Denoising, levelAgainst, type Outcome } from './denoised.js';

/** Denoises a file by groups of similar patches. */
export async function denoiseByGroups(file: ImageFile, flags: DenoiseFlags, given: Denoising): Promise<Outcome> {
  const { image } = file;
  const options = denoiseOptions(flags);
  refuseTooLargeToDenoise(image, flags.quality, flags.noise === 'poisson-gaussian');
  const { signal, onProgress, output, clean } = given;
  const start = performance.now();
  const result = await denoise(image, {
    ...options,
    signal,
    onProgress: ({ fraction, pass }) => onProgress({ fraction, doing: pass }),
  });
  const seconds = (performance.now() - start) / 1000;
  await given.write(result.image);

  const { quality, engine, noise, estimated, trust, words, impulses, banding, changed } = result;
  const [psnr, psnrNoisy] = [levelAgainst(clean, result.image), levelAgainst(clean, image)];
  const { name, threads } = engine;
  return {
    summary: {
      ...{ method: 'groups', quality, engine, image: imageSummary(file) },
      ...{ noise: plainNoise(noise), estimated, trust, words, impulses, banding, changed, psnr, psnrNoisy, seconds },
    },
    noise: words.join('; '),
    changed,
    facts: facts([
      ['quality', quality],
      ...words.map((sentence) => sentence.split(': ', 2) as [string, string]),
      ...(psnr === null ? [] : [['PSNR', `${decibels(psnr)}, against the reference`] as const]),
      ...(psnrNoisy === null ? [] : [['before', decibels(psnrNoisy)] as const]),
      ['time', `${seconds.toFixed(2)} s on the ${name} engine, ${threads} thread${threads === 1 ? '' : 's'}`],
      ['wrote', output],
    ]),
  };
}

/** The options that the flags ask for; flags that do not go together are refused. */
export function denoiseOptions(flags: DenoiseFlags): DenoiseOptions {
  const { sigma, quality, noise, gain, offset, engine, threads } = flags;
  const { strength, strengthChroma, keepGrain, impulses, banding } = flags;
  const common = { quality, engine, threads, strength, strengthChroma, keepGrain, impulses, banding };
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

function refuseWithout(needed: string, flags: Readonly<Record<string, number | undefined>>): void {
  for (const [flag, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    throw new OptionError(flag, `must come with ${needed}`, value, `add ${needed}, or remove it`);
  }
}

/** A noise model as JSON has it: lists instead of typed arrays. */
export function plainNoise(noise: NoiseModel): object {
  if (noise.kind !== 'coloured') return noise;
  return { ...noise, deviations: noise.deviations.map((rows) => rows.map((row) => [...row])) };
}
