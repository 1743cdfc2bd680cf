import { diagnose, type Image, OptionError, solverDefaults } from 'ght';
import { denoisePaper } from 'ght/paper';
import { representOptions, withChannels } from '../flags.js';
import type { ImageFile } from '../io/index.js';
import { refuseTooLarge } from '../memory-limit.js';
import { imageSummary, runFacts, summarise } from '../output/summary.js';
import { count, decibels } from '../output/table.js';
import type { DenoiseFlags } from './denoise-flags.js';
import { type Denoising, levelAgainst, type Outcome } from './denoised.js';

/** Denoises a file as in the paper: it is represented under one budget, and the rest is noise. */
export async function denoiseAsPaper(file: ImageFile, flags: DenoiseFlags, given: Denoising): Promise<Outcome> {
  const { image } = file;
  const options = withChannels(representOptions({ ...flags, sigma: await oneLevel(flags.sigma, file) }), file);
  refuseTooLarge(image, { solver: solverDefaults.solver, ...options });
  const { signal, onProgress, clean } = given;
  const start = performance.now();
  const result = await denoisePaper(image, { ...options, signal, onProgress });
  const seconds = (performance.now() - start) / 1000;
  await given.write(result.image);

  const [psnr, psnrNoisy] = [levelAgainst(clean, result.image), levelAgainst(clean, image)];
  const { task: _, ...summary } = summarise('denoise', result, { ...result, psnr, seconds, spread: flags.spread });
  const before: [string, string][] = psnrNoisy === null ? [] : [['before', decibels(psnrNoisy)]];
  return {
    summary: { method: 'paper', ...summary, image: imageSummary(file), psnrNoisy },
    changed: true,
    noise: `all but ${count(result.nonzeros)} atoms`,
    facts: runFacts({ task: 'denoise', ...summary }, [...before, ['wrote', given.output]]),
  };
}

/** One level for all channels, because they share one budget: the root mean square, which the colour transform preserves. */
async function oneLevel(sigma: DenoiseFlags['sigma'], { image }: ImageFile): Promise<number | undefined> {
  if (sigma === undefined || typeof sigma === 'number') return sigma;
  const levels = sigma === 'auto' ? await whiteLevels(image) : sigma;
  if (levels.length !== image.planes.length) {
    const rule = `must be a number, one for each of the ${image.planes.length} planes, or auto`;
    throw new OptionError('--sigma', rule, levels, 'give the deviation of the noise in the units of the image');
  }
  return Math.sqrt(levels.reduce((sum, level) => sum + level ** 2, 0) / levels.length);
}

async function whiteLevels(image: Image): Promise<readonly number[]> {
  const { model } = await diagnose(image, { kind: 'white' });
  return model.kind === 'white' ? model.sigma : [];
}
