/** Denoises one file, whichever the method, and writes the result. */
import type { DenoiseOptions, Image } from 'ght';
import { InputError } from 'ght';
import type { ImagePages } from 'ght-images/node';
import type { Context } from '../context.js';
import { openChosen, readOptions } from '../input-flags.js';
import {
  checkResult,
  type ImageFile,
  isStream,
  openInput,
  resultFormat,
  resultOutput,
  writeResults,
} from '../io/index.js';
import type { ProgressDisplay } from '../output/progress.js';
import { asFloat, type DenoiseFlags } from './denoise-flags.js';
import { denoiseByGroups } from './denoise-groups.js';
import { denoisePages, type Write } from './denoise-pages.js';
import { denoiseAsPaper } from './denoise-paper.js';
import { checkReference, type Outcome } from './denoised.js';
import { checkModelFits } from './noise-model.js';
import type { SharedNoise } from './shared-noise.js';

/** The task, which is the same for every file. */
export interface Task {
  readonly flags: DenoiseFlags;
  /** The options of the method `groups`; undefined for the method `paper`. */
  readonly options: DenoiseOptions | undefined;
  readonly context: Context;
  /** The noise that several files share; undefined if the file has its own. */
  readonly shared?: SharedNoise;
}

/** Denoises a file and writes the result. */
export async function denoiseFile(
  path: string,
  output: string,
  { flags, options, context, shared }: Task,
  { onProgress }: ProgressDisplay,
): Promise<{ file: ImageFile; outcome: Outcome }> {
  // In a folder the name of the output has the format already.
  const format = isStream(output) ? flags.format : undefined;
  await checkResult(output, format);
  const input = await openChosen(path, flags);
  const reference =
    flags.reference === undefined ? undefined : await openInput(flags.reference, '--reference', readOptions(flags));
  const denoisePage = async (number: number, write: Write, progress = onProgress) => {
    const file = await input.read(number);
    const like = flags.float ? { ...file, ...asFloat(file) } : file;
    resultFormat(output, file.image, like, format);
    const clean = await referenceOf(reference, number, file, flags.reference ?? '');
    const given = {
      ...{ clean: clean?.image, output, signal: context.signal, onProgress: progress, shared },
      write: (image: Image) => write(image, like),
    };
    if (options) checkModelFits(options, file.image.planes.length, file, flags.peak);
    const outcome = options ? denoiseByGroups(file, options, given) : denoiseAsPaper(file, flags, given);
    return { file, outcome: await outcome };
  };
  if (input.numbers.length > 1) return denoisePages(input, output, format, denoisePage, onProgress, context.note);
  let notKept: readonly string[] = [];
  const { file, outcome } = await denoisePage(input.numbers[0], async (image, file) => {
    const how = { format, jpegQuality: flags.jpegQuality };
    notKept = await writeResults([await resultOutput(output, image, file, how)], context.note);
  });
  return { file, outcome: { ...outcome, summary: { ...outcome.summary, notKept }, notKept } };
}

/** The clean version of a page: the page of the same number, or the only one there is. */
async function referenceOf(
  reference: ImagePages | undefined,
  number: number,
  noisy: ImageFile,
  path: string,
): Promise<ImageFile | undefined> {
  if (!reference) return undefined;
  if (reference.count > 1 && number >= reference.count) {
    throw new InputError('--reference', `must have a page ${number}`, path, 'give the clean version of the same pages');
  }
  const clean = await reference.page(reference.count === 1 ? 0 : number);
  checkReference(clean, noisy, path);
  return clean;
}
