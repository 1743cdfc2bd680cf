import type { Command } from 'commander';
import { estimateSigma } from 'ght';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { jsonFlag } from '../flags.js';
import { readImage } from '../io/index.js';
import { channelNames, imageLine, imageSummary } from '../output/summary.js';
import { facts, measure } from '../output/table.js';

/** `ght noise`. */
export function noiseCommand(program: Command, context: Context): void {
  const command = program
    .command('noise')
    .summary('the noise level of an image, a channel')
    .description(
      'Estimates the standard deviation of the white Gaussian noise in each channel of an image, in the units of ' +
        'the image: what denoise wants as --sigma.',
    )
    .argument('<IMAGE>', 'the noisy image');
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght noise noisy.png
  ght noise noisy.tiff --json`,
    )
    .action((path: string, flags: Flags) => runNoise(path, flags, context));
}

async function runNoise(path: string, flags: Flags, { print }: Context): Promise<void> {
  const file = await readImage(path);
  const { image, format } = file;
  const sigma = estimateSigma(image);
  const share = sigma.map((level) => level / image.peak);
  if (flags.json) {
    print(JSON.stringify({ task: 'noise', format, image: imageSummary(file), sigma, share }));
    return;
  }
  const names = channelNames(sigma.length);
  print(
    `${imageLine(path, file)}\n${facts(
      sigma.map((level, c) => [names[c], `σ = ${measure(level)} (${(100 * share[c]).toFixed(2)}% of full scale)`]),
    )}`,
  );
}
