import { extname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { type Image, InputError, inpaint, OptionError } from 'ght';
import { inpaintPaper } from 'ght/paper';
import type { Context } from '../context.js';
import { choiceOf, numberOf } from '../flags.js';
import { onlyPage, openChosen } from '../input-flags.js';
import { type ImageFile, readArray } from '../io/index.js';
import { count, measure } from '../output/table.js';
import { loopOutcome, restoreFile, shownProgress } from './restoration.js';
import {
  type Outcome,
  type RestorationFlags,
  restorationFlags,
  restorationOptions,
  type Task,
} from './restoration-flags.js';

interface InpaintFlags extends RestorationFlags {
  readonly mask?: string;
  readonly sigma?: number;
  readonly method: 'groups' | 'paper';
  readonly budget?: number;
}

/** `ght inpaint`. */
export function inpaintCommand(program: Command, context: Context): void {
  const command = program
    .command('inpaint')
    .summary('fill missing pixels of an image')
    .description(
      'Fills missing pixels, such as scratches, text and dead pixels, from the pixels around them. The other pixels stay as they ' +
        'are. Missing are the pixels that the mask marks or, without a mask, transparent pixels and NaN in floats. Holes ' +
        'wider than about 16 pixels stay blurred in the middle. Prints how much is missing, and whether the mask looks inverted.',
    )
    .argument('<IMAGE>', 'the image; - is standard input')
    .option('--mask <file>', 'an image or .npy of the size of the image: pixels that are not 0 are missing')
    .option(
      '--sigma <x>',
      'standard deviation of white noise on the known pixels, in the units of the image; they are then denoised too (default: 0)',
      numberOf('--sigma'),
    )
    .addOption(
      new Option('--method <name>', 'groups; or paper: code the known pixels under one budget, for comparison')
        .default('groups', 'groups')
        .argParser(choiceOf('--method', ['groups', 'paper'] as const)),
    )
    .option(
      '--budget <s>',
      'with --method paper: atoms per patch on average (default: a fifth of its known pixels)',
      numberOf('--budget'),
    );
  restorationFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  ght inpaint photo.png --mask scratches.png -o out.png
  ght inpaint photo.png --mask scratches.png -o out.png --quality best
  ght inpaint cutout.png -o filled.png                      transparent pixels are filled
  ght inpaint depth.npy -o filled.npy                       NaN are filled
  ght inpaint scan.tiff --mask dust.npy -o out.tiff --sigma 4
  ght inpaint slide.tif --mask dust.tif -o out.tif --workers redis://queue/`,
    )
    .action((path: string, flags: InpaintFlags) => runInpaint(path, flags, context));
}

async function runInpaint(path: string, flags: InpaintFlags, context: Context): Promise<void> {
  refuseFlagsOfOthers(flags);
  const { mask } = flags;
  const task: Task = {
    name: 'inpaint',
    inputs: mask === undefined ? [] : [{ path: mask, parameter: '--mask' }],
    inTiles: async () =>
      flags.method === 'paper' ? undefined : { task: 'inpaint', mask, options: { sigma: flags.sigma } },
    async restore(file, { signal, onProgress }) {
      const missing = mask === undefined ? 'auto' : await readMask(mask, file);
      if (flags.method === 'paper') {
        return paperOutcome(await inpaintPaper(file.image, missing, { budget: flags.budget, signal, onProgress }));
      }
      const options = { ...restorationOptions(flags), sigma: flags.sigma };
      return loopOutcome(
        await inpaint(file.image, missing, { ...options, signal, onProgress: shownProgress(onProgress) }),
      );
    },
  };
  await restoreFile(path, flags, context, task);
}

function paperOutcome({ image, ...summary }: Awaited<ReturnType<typeof inpaintPaper>>): Outcome {
  const { budget, nonzeros, patches } = summary;
  return {
    image,
    summary: { method: 'paper', ...summary },
    rows: [
      ['method', 'paper: joint OMP on the known pixels'],
      ['patches', count(patches)],
      ['budget', `${count(budget)} (${measure(budget / patches)} per patch)`],
      ['nonzeros', count(nonzeros)],
    ],
  };
}

/** The mask of a file: 1 for each pixel that is not 0 in some channel, and not transparent. */
async function readMask(path: string, { image }: ImageFile): Promise<Uint8Array> {
  const { width, height, marked } =
    extname(path).toLowerCase() === '.npy' ? await arrayMask(path, image) : await imageMask(path);
  if (width !== image.width || height !== image.height) {
    const rule = `must have the size of the image, ${image.width}×${image.height}`;
    throw new InputError('--mask', rule, `${width}×${height} in ${path}`, 'give a mask that was made for this image');
  }
  return Uint8Array.from({ length: width * height }, (_, i) => Number(marked(i)));
}

interface Mask {
  readonly width: number;
  readonly height: number;
  marked(i: number): boolean;
}

/** Up to this many bytes, a mask of another size is read, so that the error can name its size. */
const MOST_MASK = 2 ** 28;

async function arrayMask(path: string, { width, height }: Image): Promise<Mask> {
  const { shape, data } = await readArray(path, '--mask', MOST_MASK + 8 * width * height);
  if (shape.length !== 2) {
    const value = `${shape.join('×') || 'a single number'} in ${path}`;
    throw new InputError('--mask', 'must have two dimensions, rows and columns', value, 'reshape it');
  }
  return { width: shape[1], height: shape[0], marked: (i) => Number(data[i]) !== 0 };
}

async function imageMask(path: string): Promise<Mask> {
  const { image } = await onlyPage(await openChosen(path, {}, '--mask'));
  const { width, height, planes, alpha } = image;
  return { width, height, marked: (i) => alpha?.[i] !== 0 && planes.some((plane) => plane[i] !== 0) };
}

/** Flags that the method does not have are refused, not ignored. */
function refuseFlagsOfOthers({ method, budget, ...flags }: InpaintFlags): void {
  if (method === 'groups' && budget !== undefined) {
    throw new OptionError('--budget', 'belongs to --method paper', budget, 'add --method paper, or remove it');
  }
  if (budget !== undefined && budget < 0) {
    throw new OptionError('--budget', 'must be at least 0', budget, 'give the atoms per patch on average, such as 4');
  }
  if (method === 'groups') return;
  const { sigma, quality, engine, threads } = flags;
  const others = { '--sigma': sigma, '--quality': quality, '--engine': engine, '--threads': threads };
  for (const [flag, value] of Object.entries(others)) {
    if (value === undefined) continue;
    throw new OptionError(flag, 'must be left out with --method paper', value, 'remove one of the two');
  }
}
