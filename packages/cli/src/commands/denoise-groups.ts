import type { Denoised, DenoiseOptions } from 'ght';
import { denoise, OptionError } from 'ght';
import type { ImageFile } from '../io/index.js';
import { refuseTooLargeToDenoise } from '../memoryLimit.js';
import { channelNames, imageSummary } from '../output/summary.js';
import { decibels, facts, measure } from '../output/table.js';
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

  const { quality, engine, noise, estimated } = result;
  const [psnr, psnrNoisy] = [levelAgainst(clean, result.image), levelAgainst(clean, image)];
  const { name, threads } = engine;
  const levels = noiseLevels(result);
  return {
    summary: {
      ...{ method: 'groups', quality, engine, image: imageSummary(file) },
      ...{ noise, estimated, psnr, psnrNoisy, seconds },
    },
    noise: levels.map(({ channel, level }) => (channel ? `${channel} ${level}` : level)).join('; '),
    facts: facts([
      ['quality', quality],
      ...levels.map(({ channel, level }) => [channel ? `noise, ${channel}` : 'noise', level] as const),
      ...(psnr === null ? [] : [['PSNR', `${decibels(psnr)}, against the reference`] as const]),
      ...(psnrNoisy === null ? [] : [['before', decibels(psnrNoisy)] as const]),
      ['time', `${seconds.toFixed(2)} s on the ${name} engine, ${threads} thread${threads === 1 ? '' : 's'}`],
      ['wrote', output],
    ]),
  };
}

/** The options that the flags ask for; flags that do not go together are refused. */
export function denoiseOptions({ sigma, quality, noise, gain, offset, engine, threads }: DenoiseFlags): DenoiseOptions {
  const common = { quality, engine, threads };
  if (noise !== 'poisson-gaussian') {
    refuseWithout('--noise poisson-gaussian', { '--gain': gain, '--offset': offset });
    return { ...common, sigma };
  }
  if (gain !== undefined) {
    if (typeof sigma === 'number') return { ...common, noise: { gain, sigma, offset } };
    const remedy = 'add the deviation without signal, 0 if there is none, or remove --gain to have both estimated';
    throw new OptionError('--gain', 'must come with --sigma as a number', gain, remedy);
  }
  refuseWithout('--gain', { '--offset': offset, '--sigma': sigma === 'auto' ? undefined : sigma });
  return { ...common, noise: 'poisson-gaussian' };
}

function refuseWithout(needed: string, flags: Readonly<Record<string, number | undefined>>): void {
  for (const [flag, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    throw new OptionError(flag, `must come with ${needed}`, value, `add ${needed}, or remove it`);
  }
}

/** The noise of each channel, or of all together where it is the same. */
function noiseLevels({ noise, estimated }: Denoised): { readonly channel?: string; readonly level: string }[] {
  const told = estimated ? 'estimated' : 'as told';
  const levels = noise.map(({ gain, sigma, offset }) =>
    gain > 0
      ? `gain ${measure(gain)}, σ = ${measure(sigma)} without signal, offset ${measure(offset)}, ${told}`
      : `σ = ${measure(sigma)}, ${told}`,
  );
  if (levels.every((level) => level === levels[0])) return [{ level: levels[0] }];
  const names = channelNames(levels.length);
  return levels.map((level, c) => ({ channel: names[c], level }));
}
