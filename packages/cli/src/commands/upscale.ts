import type { Command } from 'commander';
import type { UpscaleOptions } from 'ght';
import { OptionError, upscale } from 'ght';
import type { Context } from '../context.js';
import { numberOf } from '../flags.js';
import { jpegOf } from './denoise-tiles.js';
import { loopOutcome, restoreFile, shownProgress } from './restoration.js';
import { type RestorationFlags, restorationFlags, restorationOptions } from './restoration-flags.js';

interface UpscaleFlags extends RestorationFlags {
  readonly factor: number;
  readonly blur?: UpscaleOptions['blur'];
  readonly sigma?: number | 'auto';
}

/** `ght upscale`. */
export function upscaleCommand(program: Command, context: Context): void {
  const command = program
    .command('upscale')
    .summary('enlarge an image, with detail')
    .description(
      'Enlarges an image such that the result, reduced again, is the image. Edges and repeated texture come back sharp; detail ' +
        'that is smaller than a pixel is not invented. How the image was reduced is found in its spectrum; noise and JPEG steps are ' +
        'removed first if they are certain.',
    )
    .argument('<IMAGE>', 'the image; - is standard input')
    .requiredOption('--factor <f>', 'how many times as wide and as high, such as 2, 3, 4 or 1.5', factorOf)
    .option(
      '--blur <kind>',
      'how the image was reduced: auto finds it; bicubic, as most programs do; area, as in a camera; or gaussian:s, a Gaussian ' +
        'of standard deviation s in pixels of the result (default: auto)',
      blurOf,
    )
    .option(
      '--sigma <x>',
      'standard deviation of white noise in the units of the image; 0 for none; auto removes noise and JPEG steps first, if they are ' +
        'certain (default: auto)',
      sigmaOf,
    );
  restorationFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  ght upscale photo.png --factor 2 -o large.png
  ght upscale photo.jpg --factor 3 -o large.png --quality best
  ght upscale photo.png --factor 1.5 -o large.png
  ght upscale drawing.png --factor 2 -o large.png --blur bicubic --sigma 0
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
    async inTiles() {
      const jpeg = await jpegOf(path);
      return { task: 'upscale', factor, options: { sigma, ...(blur && { blur }), ...(jpeg && { jpeg }) } };
    },
    async restore({ image, jpeg }, { signal, onProgress }) {
      const options = {
        ...restorationOptions(flags),
        blur,
        sigma,
        jpeg,
        signal,
        onProgress: shownProgress(onProgress),
      };
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

function sigmaOf(text: string): number | 'auto' {
  return text === 'auto' ? text : numberOf('--sigma')(text);
}

function blurOf(text: string): UpscaleOptions['blur'] {
  if (text === 'auto' || text === 'bicubic' || text === 'area') return text;
  const [, sigma] = /^gaussian:(.+)$/.exec(text) ?? [];
  if (sigma !== undefined && Number.isFinite(Number(sigma))) return { gaussian: Number(sigma) };
  throw new OptionError('--blur', 'must be auto, bicubic, area or gaussian:SIGMA', text, 'write it like gaussian:1.6');
}
