/** Where the results of a stack go: frames into a folder, everything else into one file. */
import { basename } from 'node:path';
import { OptionError } from 'ght';
import { formatOfName, notKept } from 'ght-images';
import {
  type HasPage,
  type PageParts,
  type StackSource,
  stackExtensions,
  type WritePage,
  writeStack,
  writeStackInParts,
} from 'ght-tiles';
import type { Context } from '../context.js';
import { extensionOf, renamed } from '../input-flags.js';
import { inFolder } from '../io/batch.js';
import { isStream, noteNotKept, refuseOverwritingFiles, resultOutput, writeResults } from '../io/index.js';
import { checkQuality } from '../output/picture.js';
import { asFloat, type DenoiseFlags } from './denoise-flags.js';
import { OutputFolders } from './output-folder.js';
import { chunkFor } from './tiles.js';

/** Flags that stacks do not have are refused, not ignored. */
export function refuseWithStacks(
  { tile, workers, root, sameCamera, separate, missing, output }: DenoiseFlags,
  what = 'stack',
): void {
  const others = {
    ...(what !== 'stack' && { '--tile': tile, '--missing': missing }),
    '--workers': workers,
    '--root': root,
    '--same-camera': sameCamera,
    '--separate': separate,
  };
  for (const [flag, value] of Object.entries(others)) {
    if (value !== undefined) throw new OptionError(flag, `must be left out for a ${what}`, value, 'remove it');
  }
  if (isStream(output) && what === 'stack') {
    throw new OptionError(
      '-o',
      'must be a file for a stack',
      output,
      `name one that ends in ${stackExtensions.join(', ')}`,
    );
  }
}

/** What gives the results: whole pages, or parts of them. */
export type FillStack =
  | { readonly whole: (write: WritePage, has: HasPage) => Promise<void> }
  | { readonly inParts: (parts: PageParts) => Promise<void> };

/** Writes the results of the pages that `fill` gives. */
export async function writeStackResults(
  path: string,
  { source, frames }: { readonly source: StackSource; readonly frames?: readonly string[] },
  flags: DenoiseFlags,
  fill: FillStack,
  { note, signal }: Pick<Context, 'note' | 'signal'>,
  run: string,
): Promise<readonly string[]> {
  const { output, format, jpegQuality } = flags;
  const samples = flags.float ? asFloat(source.picture) : source.picture;
  const inputs = (frames ?? [path]).map((input) => ({ path: input, parameter: 'IMAGE' }));
  if (!frames || stackExtensions.some((extension) => output.toLowerCase().endsWith(extension))) {
    if (format !== undefined)
      throw new OptionError('--format', 'must be left out for a stack', format, 'remove it: the name of -o decides');
    checkQuality(output, jpegQuality);
    await refuseOverwritingFiles(inputs, [{ path: output, parameter: '-o' }]);
    const options = { samples, parameter: '-o', run };
    if ('whole' in fill) await writeStack(output, source, fill.whole, options);
    else await writeStackInParts(output, source, fill.inParts, { ...options, chunk: chunkFor(flags.tile), signal });
    // What the description and the labels say of a stack goes to each format in its own words.
    const { description: _, imageJ: __, ome: ___, ...metadata } = source.picture.metadata ?? {};
    const lost = notKept(formatOfName(output) ?? 'zarr', source.picture.channels, metadata);
    noteNotKept(output, lost, note);
    return lost;
  }
  if (format !== undefined) checkQuality(`image${extensionOf(format)}`, jpegQuality);
  const found = frames.map((input) => ({ input, relative: basename(input) }));
  const files = inFolder(found, output, '-o', renamed(format));
  await refuseOverwritingFiles(
    inputs,
    files.map((file) => ({ path: file.output, parameter: '-o' })),
  );
  const folders = new OutputFolders();
  await folders.make(output, 'must be a folder for several images');
  const lost = new Set<string>();
  try {
    if (!('whole' in fill)) throw new OptionError('--tile', 'must be left out for frames', flags.tile, 'remove it');
    await fill.whole(async (page, image, file) => {
      const like = { ...file, ...samplesOf(samples) };
      const written = [await resultOutput(files[page].output, image, like, { jpegQuality })];
      for (const part of await writeResults(written, () => {})) lost.add(part);
    }, NONE);
  } finally {
    await folders.removeEmpty();
  }
  noteNotKept(output, [...lost], note);
  return [...lost];
}

/** No page is there before a run into a folder of frames. */
const NONE: HasPage = async () => false;

function samplesOf({ sample, depth }: ReturnType<typeof asFloat>): ReturnType<typeof asFloat> {
  return { sample, depth };
}
