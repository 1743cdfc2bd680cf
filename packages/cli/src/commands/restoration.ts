/** The way of `ght inpaint`, `ght deblur` and `ght upscale` from a file to a restored one. */
import type { Image, MemorySize, RestorationOptions, Restored } from 'ght';
import { estimateMemory } from 'ght';
import type { ImageFormat } from 'ght-images';
import type { Context } from '../context.js';
import { silent } from '../flags.js';
import { contextFor, onlyPage, openChosen, readChosen, renamed } from '../input-flags.js';
import {
  checkResult,
  type ImageFile,
  isStream,
  refuseOverwritingFiles,
  resultFormat,
  resultOutput,
  writeResults,
} from '../io/index.js';
import { memorySizeOf, refuseTooLargeToRestore } from '../memory-limit.js';
import { checkQuality } from '../output/picture.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { engineText, imageLine, imageSummary } from '../output/summary.js';
import { decibels, facts } from '../output/table.js';
import { goesInTiles } from '../tile-flags.js';
import { checkReference, levelAgainst } from './denoised.js';
import { inMadeFolder, placeOf } from './output-folder.js';
import { finer, loopRows, loopSummary, type Outcome, type RestorationFlags, type Task } from './restoration-flags.js';
import { restoreInTiles } from './restore-tiles.js';

/** Restores a file. Everything is checked before the work, and nothing is written before it is done. */
export async function restoreFile(path: string, flags: RestorationFlags, given: Context, task: Task): Promise<void> {
  const context = contextFor(given, flags.output, flags.json === true);
  const { quality } = flags;
  const memory = (size: MemorySize) => estimateMemory('restore', size, { quality, factor: task.factor });
  if (await goesInTiles([path], flags.output, flags, memory)) return restoreInTiles(path, flags, context, task);
  const { output = flags.output, folder } = await placeOf(flags.output, path, renamed(flags.format));
  const format = folder === undefined ? flags.format : undefined;
  await inMadeFolder(folder, () => restoreTo(output, format, path, flags, context, task));
}

async function restoreTo(
  output: string,
  format: ImageFormat | undefined,
  path: string,
  flags: RestorationFlags,
  context: Context,
  task: Task,
): Promise<void> {
  if (flags.jpegQuality !== undefined && !isStream(output)) checkQuality(output, flags.jpegQuality);
  const inputs = [{ path, parameter: 'IMAGE' }, ...task.inputs];
  if (flags.reference !== undefined) inputs.push({ path: flags.reference, parameter: '--reference' });
  await refuseOverwritingFiles(inputs, [{ path: output, parameter: '-o' }]);
  await checkResult(output, format);
  const file = await onlyPage(await openChosen(path, flags));
  resultFormat(output, file.image, file, format);
  refuseTooLargeToRestore(memorySizeOf(file.image), { quality: flags.quality, factor: task.factor });
  const clean = flags.reference === undefined ? undefined : await readChosen(flags.reference, flags, '--reference');
  if (clean)
    checkReference(clean, { ...file, image: sized(file.image, task.factor ?? 1) }, flags.reference ?? '', 'result');
  const display = progressDisplay(task.name, silent(flags));
  const start = performance.now();
  const { signal } = context;
  const outcome = await task.restore(file, { signal, onProgress: display.onProgress }).finally(display.stop);
  const seconds = (performance.now() - start) / 1000;
  const { image, summary, rows } = outcome;
  const like = enlarged(file, task.factor ?? 1);
  const how = { format, jpegQuality: flags.jpegQuality };
  const notKept = await writeResults([await resultOutput(output, image, like, how)], context.note);
  const psnr = levelAgainst(clean?.image, image);
  if (flags.json) {
    const { width, height } = image;
    const result = { task: task.name, image: imageSummary(file), width, height, ...summary, psnr, seconds, notKept };
    context.print(JSON.stringify(result));
    return;
  }
  const measured = psnr === null ? [] : [['PSNR', `${decibels(psnr)}, against the reference`] as const];
  const time = ['time', `${seconds.toFixed(2)} s`] as const;
  context.print(`${imageLine(path, file)}\n${facts([...rows, ...measured, time, ['wrote', output]])}`);
}

/** The outcome of the loop. */
export function loopOutcome(
  { image, ...result }: Restored,
  more: readonly (readonly [string, string])[] = [],
): Outcome {
  return {
    image,
    summary: loopSummary(result),
    rows: [...more, ...loopRows(result), ['engine', engineText(result.engine)]],
  };
}

/** Progress of the loop, as it is shown. */
export function shownProgress(onProgress: ProgressDisplay['onProgress']): RestorationOptions['onProgress'] {
  return ({ fraction, step, steps }) =>
    onProgress({ fraction, doing: step === 0 ? 'start' : `step ${step} of ${steps}` });
}

/** The image with the size of its result, for the comparison with a reference. */
function sized(image: Image, factor: number): Image {
  return { ...image, width: Math.round(factor * image.width), height: Math.round(factor * image.height) };
}

/** The file as which a result is written: of an enlarged image, more pixels lie on the same length. */
function enlarged(file: ImageFile, factor: number): ImageFile {
  return { ...file, ...(file.metadata && { metadata: finer(file.metadata, factor) }) };
}
