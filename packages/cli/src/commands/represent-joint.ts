/** Represents several images, or the pages of files, under one budget. */
import { dirname } from 'node:path';
import { estimateMemory, InputError, OptionError, type RepresentOptions, representJoint } from 'ght';
import { drawContactSheet, type SheetCell, sheetCell } from 'ght/draw';
import type { Context } from '../context.js';
import { silent, withChannels } from '../flags.js';
import { openChosen, renamed } from '../input-flags.js';
import { batchOf, filesOf, skippedMessage } from '../io/batch.js';
import {
  checkOutputs,
  checkResult,
  type ImageFile,
  isStream,
  loadSharp,
  noteNotKeptIn,
  pagesResult,
  refuseOverwritingFiles,
  resultFormat,
  resultOutput,
  writeResults,
} from '../io/index.js';
import { fitsInMemory, memorySizeOf } from '../memory-limit.js';
import { oneLine } from '../output/line.js';
import { progressDisplay } from '../output/progress.js';
import { engineText, imageSummary } from '../output/summary.js';
import { count, decibels, facts, table } from '../output/table.js';
import { OutputFolders } from './output-folder.js';
import type { RepresentFlags } from './represent-flags.js';
import { forWriting } from './written-target.js';

/** One image of the set: a page of a file, with where its result goes. */
interface Member {
  readonly input: string;
  readonly page: number;
  readonly output: string | undefined;
  /** What the result is added to, if it is one of several pages of a file. */
  readonly pages?: ReturnType<typeof pagesResult>;
  /** Whether the file is complete with this page. */
  readonly last: boolean;
}

/** Represents all images under one budget, and writes each as soon as it is made. */
export async function representTogether(
  inputs: readonly string[],
  flags: RepresentFlags,
  options: RepresentOptions,
  context: Context,
): Promise<void> {
  refuseForSets(flags);
  if (inputs.some(isStream)) {
    throw new OptionError(
      'IMAGE',
      'must be files with --joint',
      '-',
      'they may be read several times: save it to a file',
    );
  }
  const { output } = flags;
  const batch = output === undefined ? undefined : await batchOf(inputs, output, renamed(flags.format));
  const found = await filesOf(inputs);
  const files: readonly { input: string; output?: string }[] =
    batch?.files ?? found?.files ?? inputs.map((input) => ({ input, output }));
  const outputs = files.flatMap(({ output: path }) => (path === undefined ? [] : [{ path, parameter: '-o' }]));
  await refuseOverwritingFiles(
    files.map(({ input: path }) => ({ path, parameter: 'IMAGE' })),
    outputs,
  );
  await checkOutputs([], [{ path: flags.contact, kinds: ['.png'], parameter: '--contact' }]);
  const folders = new OutputFolders();
  if (batch && output !== undefined) await folders.make(output, 'must be a folder for several images');
  try {
    const set = await readSet(files, flags, options, batch === undefined);
    await representMembers(set, flags, withChannels(forWriting(options, set.like), set.like), context, folders);
  } finally {
    await folders.removeEmpty();
  }
  const left = skippedMessage(found?.skipped ?? []);
  if (left !== undefined && !flags.json) context.print(oneLine(left));
}

function refuseForSets({ heatmap, codes, history, tile, workers }: RepresentFlags): void {
  const flags = { '--heatmap': heatmap, '--codes': codes, '--history': history, '--tile': tile, '--workers': workers };
  for (const [flag, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    const remedy = flag === '--heatmap' ? 'use --contact for the heatmaps of a set' : 'remove it';
    throw new OptionError(flag, 'must be left out with --joint', value, remedy);
  }
}

/** A set of images that are in memory, or are read again when they are needed. */
interface ReadSet {
  readonly members: readonly Member[];
  readonly like: ImageFile;
  file(k: number): Promise<ImageFile>;
  readonly images: Parameters<typeof representJoint>[0];
}

/** Reads all images, and keeps them if their patches fit into memory. */
async function readSet(
  files: readonly { readonly input: string; readonly output?: string }[],
  flags: RepresentFlags,
  options: RepresentOptions,
  alone: boolean,
): Promise<ReadSet> {
  const members: Member[] = [];
  let held: ImageFile[] | undefined = [];
  let needed = 0;
  let like: ImageFile | undefined;
  for (const { input, output } of files) {
    const format = alone ? flags.format : undefined;
    if (output !== undefined) await checkResult(output, format);
    const { numbers, whole, format: own, read } = await openChosen(input, flags);
    const several = numbers.length > 1 && output !== undefined;
    const pages = several ? pagesResult(output, whole, format ?? own) : undefined;
    for (const [i, page] of numbers.entries()) {
      const file = await read(page);
      like ??= file;
      checkAlike(input, file, files[0].input, like, options);
      if (output !== undefined && !pages) resultFormat(output, file.image, file, format);
      members.push({ input, page, output, pages, last: i === numbers.length - 1 });
      needed += estimateMemory('represent', memorySizeOf(file.image), options);
      if (fitsInMemory(needed)) held?.push(file);
      else held = undefined;
    }
  }
  // The pages of a file follow each other: it is opened once for all of them.
  let last: { readonly input: string; readonly opened: ReturnType<typeof openChosen> } | undefined;
  const again = async (k: number) => {
    const { input, page } = members[k];
    if (last?.input !== input) last = { input, opened: openChosen(input, flags) };
    return (await last.opened).read(page);
  };
  const file = async (k: number) => held?.[k] ?? again(k);
  const images = held
    ? held.map(({ image }) => image)
    : { length: members.length, image: async (k: number) => (await again(k)).image };
  return { members, like: like as ImageFile, file, images };
}

function checkAlike(
  input: string,
  { image: { peak }, metadata }: ImageFile,
  first: string,
  { image: { peak: expected }, metadata: expectedMetadata }: ImageFile,
  { channels = 'auto' }: RepresentOptions,
): void {
  const name = oneLine(input);
  if (peak !== expected) {
    const rule = `must have the full scale of ${oneLine(first)}, ${expected}, to share a budget with it`;
    throw new InputError('IMAGE', rule, `${name} with ${peak}`, 'convert it, or give --peak for all');
  }
  if (channels === 'auto' && metadata?.bands !== expectedMetadata?.bands) {
    throw new InputError('IMAGE', 'must all be bands, or none of them', name, 'use --channels bands');
  }
}

async function representMembers(
  { members, file, images }: ReadSet,
  flags: RepresentFlags,
  options: RepresentOptions,
  { print, note, signal, stopped }: Context,
  folders: OutputFolders,
): Promise<void> {
  const display = progressDisplay(`${members.length} images`, silent(flags));
  const start = performance.now();
  const { onProgress } = display;
  const set = await representJoint(images, { ...options, signal, onProgress }).finally(display.stop);
  const { results, images: shares, dictionary, engine, history: _, ...totals } = set;
  const cells: SheetCell[] = [];
  const entries: object[] = [];
  const rows: string[][] = [];
  const lost: (readonly string[])[] = [];
  for await (const result of results()) {
    const k = entries.length;
    const { input, page, output, pages, last } = members[k];
    const like = await file(k);
    await pages?.add(result.image, like);
    if (output !== undefined && (!pages || last)) {
      await folders.make(dirname(output));
      const { format, jpegQuality } = flags;
      const written = await (pages?.finish() ?? resultOutput(output, result.image, like, { format, jpegQuality }));
      lost.push(await writeResults([written], () => {}));
      stopped.note = `${k + 1} of ${members.length} images were written to ${output}`;
    }
    if (flags.contact !== undefined) cells.push(sheetCell(result));
    const { patches, nonzeros, rmsePixel, psnr } = result;
    const perPatch = nonzeros / patches;
    const share = nonzeros / (totals.nonzeros || 1);
    const named = { input, ...(flags.pages !== undefined && { page }), ...(output !== undefined && { output }) };
    const measured = { patches, nonzeros, perPatch, share, rmsePixel, psnr: finite(psnr) };
    entries.push({ ...named, image: imageSummary(like), ...measured });
    const name = flags.pages === undefined ? input : `${input}, page ${page}`;
    rows.push([
      String(k + 1),
      name,
      count(nonzeros),
      perPatch.toFixed(2),
      `${(100 * share).toFixed(1)}%`,
      decibels(psnr),
    ]);
  }
  if (flags.contact !== undefined) {
    const { width, height, pixels } = drawContactSheet(cells);
    const bytes = await (await loadSharp())(pixels, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    await writeResults([{ path: flags.contact, bytes, parameter: '--contact' }], note);
  }
  noteNotKeptIn(flags.output ?? '', lost, note);
  const seconds = (performance.now() - start) / 1000;
  if (flags.json) {
    const { solver, ...rest } = totals;
    const report = {
      task: 'represent',
      solver,
      engine,
      atoms: dictionary.L,
      ...rest,
      psnr: finite(totals.psnr),
      seconds,
    };
    print(JSON.stringify({ ...report, images: entries, notKept: [...new Set(lost.flat())] }));
    return;
  }
  print(table(['', 'image', 'nonzeros', 'per patch', 'share', 'PSNR'], rows, 2));
  const wrote = [flags.output, flags.contact].filter((path) => path !== undefined);
  print(
    facts([
      ['images', `${members.length}, ${count(totals.patches)} patches, over ${dictionary.L} atoms`],
      [
        'nonzeros',
        `${count(totals.nonzeros)} of ${count(totals.budget)}, ${(totals.nonzeros / totals.patches).toFixed(2)} per patch`,
      ],
      ['PSNR', `${decibels(totals.psnr)}, over the samples of all images`],
      [
        'time',
        `${seconds.toFixed(2)} s${engine ? ` on ${engineText(engine)}` : ', with one image in memory at a time'}`,
      ],
      ...(wrote.length > 0 ? [['wrote', wrote.join(', ')] as const] : []),
    ]),
  );
}

/** JSON has no infinity. */
function finite(psnr: number): number | null {
  return Number.isFinite(psnr) ? psnr : null;
}
