/** What `ght inpaint`, `ght deblur` and `ght upscale` share: their flags, and the way from a file to a restored one. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { EngineName, Image, Quality, RestorationOptions, Restored } from 'ght';
import type { ImageFormat } from 'ght-images';
import type { Context } from '../context.js';
import { choiceOf, engineFlags, jsonFlag, quietFlag, silent } from '../flags.js';
import {
  contextFor,
  formatFlag,
  type InputFlags,
  inputFlags,
  onlyPage,
  openChosen,
  pagesFlag,
  readChosen,
  renamed,
} from '../input-flags.js';
import {
  checkResult,
  type ImageFile,
  isStream,
  refuseOverwritingFiles,
  resultFormat,
  resultOutput,
  writeResults,
} from '../io/index.js';
import { refuseTooLargeToRestore } from '../memory-limit.js';
import { checkQuality, jpegQuality } from '../output/picture.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { engineText, imageLine, imageSummary } from '../output/summary.js';
import { decibels, facts, measure } from '../output/table.js';
import { checkReference, levelAgainst } from './denoised.js';
import { inMadeFolder, placeOf } from './output-folder.js';

/** The qualities of a restoration: those of `ght denoise` without the learned model. */
const restorationQualities = ['fast', 'balanced', 'best'] as const satisfies readonly Quality[];

/** The flags that all restorations have. */
export interface RestorationFlags extends InputFlags {
  readonly output: string;
  readonly quality?: (typeof restorationQualities)[number];
  readonly jpegQuality?: number;
  readonly reference?: string;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly json?: true;
  readonly quiet?: true;
}

/** Adds the flags that all restorations have. */
export function restorationFlags(command: Command): Command {
  command
    .requiredOption(
      '-o, --output <file>',
      'write the restored image (.png .jpg .tiff .webp .bmp .npy); - is standard output; or a folder, for the name of the image',
    )
    .addOption(
      new Option('--quality <name>', `${restorationQualities.join(', ')} (default: balanced)`).argParser(
        choiceOf('--quality', restorationQualities),
      ),
    )
    .option('--jpeg-quality <q>', 'quality of a .jpg output, from 1 to 100 (default: 95)', jpegQuality)
    .option('--reference <image>', 'the image as it should be, to measure the PSNR against');
  return jsonFlag(quietFlag(engineFlags(formatFlag(pagesFlag(inputFlags(command))))));
}

/** The options that the flags ask for. */
export function restorationOptions({ quality, engine, threads }: RestorationFlags): RestorationOptions {
  return { quality, engine, threads };
}

/** A restoration, as far as the command shows it. */
export interface Outcome {
  readonly image: Image;
  /** For programs. */
  readonly summary: object;
  /** For people. */
  readonly rows: readonly (readonly [string, string])[];
}

/** A command's own part. */
export interface Task {
  readonly name: 'inpaint' | 'deblur' | 'upscale';
  /** Files that are read besides the image, which the output must not overwrite. */
  readonly inputs: readonly { readonly path: string; readonly parameter: string }[];
  /** The size of the result by that of the image. @default 1 */
  readonly factor?: number;
  /** Reads what it needs besides the image, and restores it. */
  restore(
    file: ImageFile,
    watch: { readonly signal: AbortSignal } & Pick<ProgressDisplay, 'onProgress'>,
  ): Promise<Outcome>;
}

/** Restores a file. Everything is checked before the work, and nothing is written before it is done. */
export async function restoreFile(path: string, flags: RestorationFlags, given: Context, task: Task): Promise<void> {
  const context = contextFor(given, flags.output, flags.json === true);
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
  refuseTooLargeToRestore(file.image, flags.quality, task.factor);
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
  await writeResults([await resultOutput(output, image, like, { format, jpegQuality: flags.jpegQuality })]);
  const psnr = levelAgainst(clean?.image, image);
  if (flags.json) {
    const { width, height } = image;
    const result = { task: task.name, image: imageSummary(file), width, height, ...summary, psnr, seconds };
    context.print(JSON.stringify(result));
    return;
  }
  const measured = psnr === null ? [] : [['PSNR', `${decibels(psnr)}, against the reference`] as const];
  const time = ['time', `${seconds.toFixed(2)} s`] as const;
  context.print(`${imageLine(path, file)}\n${facts([...rows, ...measured, time, ['wrote', output]])}`);
}

/** The outcome of the loop. */
export function loopOutcome(
  { image, sigma, estimated, quality, history, engine }: Restored,
  more: readonly (readonly [string, string])[] = [],
): Outcome {
  const noise = sigma === 0 ? 'none assumed' : `${estimated ? 'estimated' : 'given'}: σ = ${measure(sigma)}`;
  return {
    image,
    summary: { quality, sigma, estimated, engine, history },
    rows: [
      ...more,
      ['quality', `${quality}, ${history.length} steps`],
      ['noise', noise],
      ['engine', engineText(engine)],
    ],
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
  const resolution = file.metadata?.resolution;
  if (factor === 1 || !resolution || resolution.unit === 'none') return file;
  const finer = { ...resolution, x: factor * resolution.x, y: factor * resolution.y };
  return { ...file, metadata: { ...file.metadata, resolution: finer } };
}
