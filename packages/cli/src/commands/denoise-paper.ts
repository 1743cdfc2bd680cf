import { denoisePaper, estimateSigma } from 'ght';
import { representOptions } from '../flags.js';
import type { ImageFile } from '../io/index.js';
import { refuseTooLarge } from '../memoryLimit.js';
import { imageSummary, runFacts, summarise } from '../output/summary.js';
import { count, decibels } from '../output/table.js';
import type { DenoiseFlags } from './denoise.js';
import { type Denoising, levelAgainst, type Outcome } from './denoised.js';

/** Denoises a file as the paper does: represented under one budget, and the rest is noise. */
export async function denoiseAsPaper(file: ImageFile, flags: DenoiseFlags, given: Denoising): Promise<Outcome> {
  const { image } = file;
  const options = representOptions({ ...flags, sigma: flags.sigma === 'auto' ? meanNoise(file) : flags.sigma });
  refuseTooLarge(image, options);
  const { signal, onProgress, clean } = given;
  const start = performance.now();
  const result = await denoisePaper(image, { ...options, signal, onProgress });
  const seconds = (performance.now() - start) / 1000;
  await given.write(result.image);

  const [psnr, psnrNoisy] = [levelAgainst(clean, result.image), levelAgainst(clean, image)];
  const { task: _, ...summary } = summarise('denoise', result, { ...result, psnr, seconds });
  const before: [string, string][] = psnrNoisy === null ? [] : [['before', decibels(psnrNoisy)]];
  return {
    summary: { method: 'paper', ...summary, image: imageSummary(file), psnrNoisy },
    changed: true,
    noise: `all but ${count(result.nonzeros)} atoms`,
    facts: runFacts({ task: 'denoise', ...summary }, [...before, ['wrote', given.output]]),
  };
}

/** One level for all channels, as the budget is one for all. */
function meanNoise({ image }: ImageFile): number {
  const levels = estimateSigma(image);
  return Math.sqrt(levels.reduce((sum, level) => sum + level ** 2, 0) / levels.length);
}
