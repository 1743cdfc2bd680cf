import type { Command } from 'commander';
import type { UpscaleOptions } from 'ght';
import { OptionError, upscale } from 'ght';
import type { Context } from '../context.js';
import { numberOf } from '../flags.js';
import { loopOutcome, restoreFile, shownProgress } from './restoration.js';
import { type RestorationFlags, restorationFlags, restorationOptions } from './restoration-flags.js';

interface UpscaleFlags extends RestorationFlags {
  readonly factor: number;
  readonly blur?: UpscaleOptions['blur'];
  readonly sigma?: number;
}

/** `ght upscale`. */
export function upscaleCommand(program: Command, context: Context): void {
  const command = program
    .command('upscale')
    .summary('enlarge an image, with detail')
    .description(
      'Enlarges an image such that the result, reduced again, is the image. Edges and repeated texture come back sharp; detail ' +
        'that is smaller than a pixel is not invented.',
    )
    .argument('<IMAGE>', 'the image; - is standard input')
    .requiredOption('--factor <f>', 'how many times as wide and as high, such as 2, 3, 4 or 1.5', factorOf)
    .option(
      '--blur <kind>',
      'how the image was reduced: bicubic, as most programs do; area, as in a camera; or gaussian:s, a Gaussian of standard ' +
        'deviation s in pixels of the result (default: bicubic)',
      blurOf,
    )
    .option(
      '--sigma <x>',
      'standard deviation of white noise in the units of the image (default: 0)',
      numberOf('--sigma'),
    );
  restorationFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  ght upscale photo.png --factor 2 -o large.png
  ght upscale photo.png --factor 3 -o large.png --quality best
  ght upscale photo.png --factor 1.5 -o large.png
  ght upscale frame.png --factor 2 -o large.png --blur area --sigma 2`,
    )
    .action((path: string, flags: UpscaleFlags) => runUpscale(path, flags, context));
}

async function runUpscale(path: string, flags: UpscaleFlags, context: Context): Promise<void> {
  const { factor, blur, sigma } = flags;
  await restoreFile(path, flags, context, {
    name: 'upscale',
    inputs: [],
    factor,
    inTiles: async () => ({ task: 'upscale', factor, options: { sigma, ...(blur && { blur }) } }),
    async restore({ image }, { signal, onProgress }) {
      const options = { ...restorationOptions(flags), blur, sigma, signal, onProgress: shownProgress(onProgress) };
      const result = await upscale(image, factor, options);
      return loopOutcome(result, [['size', `${result.image.width}×${result.image.height}`]]);
    },
  });
}

function factorOf(text: string): number {
  const factor = numberOf('--factor')(text);
  if (factor >= 1) return factor;
  throw new OptionError('--factor', 'must be at least 1', factor, 'use a factor such as 2');
}

function blurOf(text: string): UpscaleOptions['blur'] {
  if (text === 'bicubic' || text === 'area') return text;
  const [, sigma] = /^gaussian:(.+)$/.exec(text) ?? [];
  if (sigma !== undefined && Number.isFinite(Number(sigma))) return { gaussian: Number(sigma) };
  throw new OptionError('--blur', 'must be bicubic, area or gaussian:SIGMA', text, 'write it like gaussian:1.6');
}
