import { extname } from 'node:path';
import type { Command } from 'commander';
import type { BlurKernel } from 'ght';
import { deblur, diskKernel, gaussianKernel, InputError, isGhtError, motionKernel, OptionError } from 'ght';
import type { Context } from '../context.js';
import { numberOf } from '../flags.js';
import { onlyPage, openChosen } from '../input-flags.js';
import { readArray } from '../io/index.js';
import { jpegOf } from './denoise-tiles.js';
import { loopOutcome, restoreFile, shownProgress } from './restoration.js';
import { type RestorationFlags, restorationFlags, restorationOptions } from './restoration-flags.js';

interface DeblurFlags extends RestorationFlags {
  readonly kernel: string;
  readonly sigma?: number | 'auto';
}

/** `ght deblur`. */
export function deblurCommand(program: Command, context: Context): void {
  const command = program
    .command('deblur')
    .summary('remove a blur from an image, known or found')
    .description(
      'Removes a blur. Its kernel is the picture of a single point of light; with --kernel auto it is found in the image, if it is ' +
        'a Gaussian, a disk (out of focus) or a straight motion. Nothing is assumed about what lies outside the frame. A kernel ' +
        'that does not fit is pointed out.',
    )
    .argument('<IMAGE>', 'the blurred image; - is standard input')
    .requiredOption(
      '--kernel <k>',
      'an image or .npy of the kernel; or gaussian:1.6 (standard deviation), motion:15,30 (length and angle in degrees), ' +
        'disk:4 (radius), in pixels; or auto: find it in the image',
    )
    .option(
      '--sigma <x>',
      'standard deviation of white noise in the units of the image; or auto, which counts the steps of a JPEG too (default: auto)',
      (text: string) => (text === 'auto' ? text : numberOf('--sigma')(text)),
    );
  restorationFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  ght deblur photo.jpg --kernel auto -o sharp.png
  ght deblur photo.png --kernel gaussian:1.6 -o sharp.png
  ght deblur photo.png --kernel motion:15,30 -o sharp.png --quality best
  ght deblur photo.png --kernel disk:4 -o sharp.png --sigma 2.5
  ght deblur photo.png --kernel kernel.npy -o sharp.png`,
    )
    .action((path: string, flags: DeblurFlags) => runDeblur(path, flags, context));
}

async function runDeblur(path: string, flags: DeblurFlags, context: Context): Promise<void> {
  const { kernel: text, sigma } = flags;
  const named = namedKernel(text);
  await restoreFile(path, flags, context, {
    name: 'deblur',
    inputs: named ? [] : [{ path: text, parameter: '--kernel' }],
    inTiles: async () => {
      const kernel = named ?? (await readKernel(text));
      return { task: 'deblur', kernel, options: { sigma, jpeg: await jpegOf(path) } };
    },
    async restore({ image, jpeg }, { signal, onProgress }) {
      const kernel = named ?? (await readKernel(text));
      const options = { ...restorationOptions(flags), sigma, jpeg, signal, onProgress: shownProgress(onProgress) };
      const result = await deblur(image, kernel, options);
      return loopOutcome(result, kernel === 'auto' ? [] : [['kernel', `${text}, ${kernel.width}×${kernel.height}`]]);
    },
  });
}

const shapes = {
  gaussian: { values: 1, make: ([sigma]: readonly number[]) => gaussianKernel(sigma) },
  motion: { values: 2, make: ([length, angle]: readonly number[]) => motionKernel(length, angle) },
  disk: { values: 1, make: ([radius]: readonly number[]) => diskKernel(radius) },
} as const;

/** The kernel that a text such as `gaussian:1.6` describes, or `auto`; undefined if it is the name of a file. */
function namedKernel(text: string): BlurKernel | 'auto' | undefined {
  if (text === 'auto') return text;
  const [name, rest] = text.split(/:(.*)/s);
  if (!(name in shapes) || rest === undefined) return undefined;
  const { values, make } = shapes[name as keyof typeof shapes];
  const numbers = rest.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length !== values || !numbers.every(Number.isFinite)) {
    const rule = 'must be auto, gaussian:SIGMA, motion:LENGTH,ANGLE, disk:RADIUS or a file';
    throw new OptionError('--kernel', rule, text, 'write it like gaussian:1.6, motion:15,30 or disk:4');
  }
  try {
    return make(numbers);
  } catch (error) {
    if (!isGhtError(error)) throw error;
    const { parameter, rule, remedy } = error;
    throw new OptionError('--kernel', `must have a valid ${parameter}: it ${rule}`, text, remedy, { cause: error });
  }
}

/** The most bytes of the file of a kernel: 2896×2896 weights. */
const MOST_KERNEL = 2 ** 26;

/** The kernel in an image, whose channels are added, or in a .npy. */
async function readKernel(path: string): Promise<BlurKernel> {
  if (extname(path).toLowerCase() === '.npy') {
    const { shape, data } = await readArray(path, '--kernel', MOST_KERNEL);
    if (shape.length !== 2) {
      const value = `${shape.join('×') || 'a single number'} in ${path}`;
      throw new InputError('--kernel', 'must have two dimensions, rows and columns', value, 'reshape it');
    }
    return { width: shape[1], height: shape[0], data: Float64Array.from(data, Number) };
  }
  const { image } = await onlyPage(await openChosen(path, {}, '--kernel'));
  const { width, height, planes } = image;
  const data = Float64Array.from({ length: width * height }, (_, i) =>
    planes.reduce((sum, plane) => sum + plane[i], 0),
  );
  return { width, height, data };
}
