/** Executes tasks in tiles for the command: where the result is written on the way, who does the work, and the progress. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Image } from 'ght';
import { isGhtError, OptionError } from 'ght';
import { type RunProgress, type RunWatch, runHere } from 'ght/plans';
import { formatOfName, notKept, rangeOf } from 'ght-images';
import {
  codesStore,
  encodeData,
  filePlaces,
  folderScratch,
  type ImageNames,
  joinTiff,
  type MemorySink,
  memoryScratch,
  memorySink,
  openSource,
  type Picture,
  type Places,
  type Source,
  type TiledTask,
  zarrSink,
} from 'ght-tiles';
import type { Context } from '../context.js';
import {
  checkOutput,
  type ImageFile,
  imageExtensions,
  isStream,
  noteNotKept,
  resultOutput,
  writeResults,
} from '../io/index.js';
import { oneLine } from '../output/line.js';
import type { ProgressDisplay } from '../output/progress.js';
import { isAddress, isZarr, loadQueue, type TileFlags } from '../tile-flags.js';

/** A run over tiles, from a file to a file. */
export interface TiledRun<Request extends ImageNames, Context, Result> {
  readonly path: string;
  readonly output: string;
  readonly flags: TileFlags & { readonly jpegQuality?: number };
  readonly task: TiledTask<Request, Context, Result>;
  /** The request for images of these names; `nameOf` gives the name of a further file. */
  readonly request: (names: ImageNames, picture: Picture, nameOf: (path: string) => string) => Request;
  /** What is known about the result, of an image of which this is known. @default the same */
  readonly pictureOf?: (picture: Picture) => Picture;
  /** What is said of a run in this process that was stopped, of which the output is `zarr`. @default that it can be continued */
  readonly stoppedNote?: (zarr: string) => string;
  /** Bytes that the work of a tile needs, for workers. */
  readonly memory?: (picture: Picture) => Promise<number>;
}

/** What came of it, and what the image was. */
export interface TiledResult<Result> {
  readonly result: Result;
  readonly picture: Picture;
  /** Who did the work: `here`, or the name of the run on the queue. */
  readonly by: string;
  /** What of the metadata of the input the output does not keep, in words. */
  readonly notKept: readonly string[];
}

/** Results in other formats are encoded from memory, up to this many bytes of samples. */
const MOST_IN_MEMORY = 2 ** 31;

/** Runs a plan: into a Zarr, which is the result or becomes a TIFF; other formats are written from memory. */
export async function runTiles<Request extends ImageNames, Task, Result>(
  run: TiledRun<Request, Task, Result>,
  context: Context,
  { onProgress }: ProgressDisplay,
): Promise<TiledResult<Result>> {
  const { path, output, flags } = run;
  const { signal } = context;
  for (const [place, parameter] of [
    [path, 'IMAGE'],
    [output, '-o'],
  ] as const) {
    if (!isStream(place)) continue;
    throw new OptionError(parameter, 'must be a file for an image that is processed in tiles', place, 'name a file');
  }
  const opened = new Map<string, Promise<Source>>();
  const sourceAt = (name: string) => {
    const source = opened.get(name) ?? openSource(name, { http: isAddress(name), signal });
    opened.set(name, source);
    return source;
  };
  const source = await sourceAt(path);
  const watch = {
    signal,
    onProgress: ({ fraction, pass, done, parts }: RunProgress) => {
      const tile = Math.min(done + 1, parts);
      onProgress({ fraction, doing: parts > 1 ? `${pass}, tile ${tile} of ${parts}` : pass });
    },
  };
  try {
    const picture = run.pictureOf?.(source.picture) ?? source.picture;
    const joins = formatOfName(output) === 'tiff';
    if (!isZarr(output)) await checkOutput(output, ['.zarr', ...imageExtensions], '-o');
    if ((joins || isZarr(output)) && picture.alpha && picture.metadata?.premultiplied) {
      const rule = 'must name a format that holds premultiplied alpha, which TIFF and Zarr do not';
      throw new OptionError('-o', rule, output, 'use .exr or .npy');
    }
    if (!joins && !isZarr(output)) {
      refuseInMemory(picture, output);
      if (flags.workers !== undefined) {
        const rule = 'must end in .zarr or .tif with --workers';
        throw new OptionError('-o', rule, output, 'name a Zarr or a TIFF');
      }
      const side = chunkFor(flags.tile);
      const sink = memorySink(picture, { width: side, height: side });
      const scratch = memoryScratch();
      const places = { source: sourceAt, sink: async () => sink, scratch: async () => scratch };
      const request = run.request({ input: path, output }, source.picture, asIs);
      const result = await runHere(run.task.plan, await run.task.open(request, places, signal), watch);
      const lost = await writeFromMemory(output, sink, context.note, flags.jpegQuality);
      return { result, picture: source.picture, by: 'here', notKept: lost };
    }
    const zarr = joins ? join(dirname(output), `.${basename(output)}.zarr`) : output;
    const { result, by } =
      flags.workers === undefined
        ? await here(run, sourceAt, picture, zarr, context, watch)
        : await onQueue(run, source, picture, zarr, context, watch);
    if (joins) {
      onProgress({ fraction: 0.999, doing: 'join' });
      await joinTiff(zarr, output, { signal });
      await rm(zarr, { recursive: true, force: true });
    }
    const lost = notKept(joins ? 'tiff' : 'zarr', picture.channels, picture.metadata);
    noteNotKept(output, lost, context.note);
    return { result, picture: source.picture, by, notKept: lost };
  } finally {
    for (const each of await Promise.allSettled(opened.values())) {
      if (each.status === 'fulfilled') await each.value.close();
    }
  }
}

const asIs = (path: string) => path;
const continues = (zarr: string) => `what is done is in ${zarr}, and the same command continues it`;

async function here<Request extends ImageNames, Task, Result>(
  { path, task, request, flags, stoppedNote = continues }: TiledRun<Request, Task, Result>,
  sourceAt: (name: string) => Promise<Source>,
  picture: Picture,
  zarr: string,
  context: Context,
  watch: RunWatch,
): Promise<{ readonly result: Result; readonly by: string }> {
  const source = await sourceAt(path);
  const asked = request({ input: path, output: zarr }, source.picture, asIs);
  const identity = encodeData({
    plan: task.name,
    asked,
    source: source.version,
    version: versionOf(),
  });
  const run = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const files = filePlaces({ run, chunk: chunkFor(flags.tile) });
  const isNew = !existsSync(zarr);
  const sink = await files.sink(zarr, picture);
  let wrote = false;
  const write: typeof sink.write = (...window) => {
    wrote = true;
    return sink.write(...window);
  };
  const places: Places = { ...files, source: sourceAt, sink: async () => ({ ...sink, write }) };
  context.stopped.note = stoppedNote(zarr);
  try {
    const opened = await task.open(asked, places, context.signal);
    return { result: await runHere(task.plan, opened, watch), by: 'here' };
  } catch (error) {
    // Only a run that was stopped can be continued: what was refused would be refused again.
    const refused = isGhtError(error, 'input') || isGhtError(error, 'option') || (isGhtError(error) && !wrote);
    if (isNew && refused) await rm(zarr, { recursive: true, force: true });
    throw error;
  } finally {
    await sink.close();
  }
}

async function onQueue<Request extends ImageNames, Task, Result>(
  { path, task, request, flags, memory }: TiledRun<Request, Task, Result>,
  source: Source,
  picture: Picture,
  zarr: string,
  context: Context,
  watch: RunWatch,
): Promise<{ readonly result: Result; readonly by: string }> {
  const { nameInRoots, parseRoots, queueRunner } = await loadQueue();
  const roots = parseRoots(flags.root ?? ['data=.']);
  const nameOf = (file: string) => (isAddress(file) ? file : nameInRoots(roots, resolve(file)));
  const asked = request({ input: nameOf(path), output: nameOf(zarr) }, source.picture, nameOf);
  let name = '';
  const runner = queueRunner(flags.workers as string, {
    roots,
    http: isAddress(path) ? [new URL('.', path).href] : [],
    files: {
      source: (place) => openSource(place, { http: true, signal: context.signal }),
      sink: (place, run, picture) => zarrSink(place, { run, picture, chunk: chunkFor(flags.tile) }),
      codes: (place, run, layout) => codesStore(place, { run, layout }),
      scratch: async (place) => folderScratch(place),
    },
    ...(memory && { memory: await memory(source.picture) }),
    begin: async (run, places) => {
      name = run;
      context.stopped.note = `run ${run} was cancelled; the same command goes on where it was`;
      await places.sink(asked.output, picture);
    },
    onWarning: (warning) => process.stderr.write(`ght: ${oneLine(warning)}\n`),
  });
  return { result: await runner.run(task, asked, watch), by: `run ${name}` };
}

/** The side of a chunk: tiles consist of whole chunks, so that smaller tiles need smaller ones. */
export function chunkFor(tile = 512): number {
  return Math.min(512, Math.max(16, 16 * Math.floor(tile / 16)));
}

function versionOf(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

/** Whether a result is too large to be encoded from memory, so that it is written as a Zarr or a TIFF. */
export function isWrittenInParts({ width, height, channels, alpha, depth }: Picture): boolean {
  return (width * height * (channels + Number(alpha)) * depth) / 8 > MOST_IN_MEMORY;
}

function refuseInMemory(picture: Picture, output: string): void {
  if (!isWrittenInParts(picture)) return;
  const { width, height } = picture;
  const rule = `must end in .zarr or .tif for an image of ${width}×${height} pixels, which is written in parts`;
  throw new OptionError('-o', rule, output, 'name a Zarr or a TIFF');
}

async function writeFromMemory(
  output: string,
  { picture, planes }: MemorySink,
  note: (text: string) => void,
  jpegQuality?: number,
): Promise<readonly string[]> {
  const { width, height, channels, sample, depth, metadata } = picture;
  const peak = sample === 'uint' ? 2 ** depth - 1 : spanOf(planes);
  const image: Image = {
    width,
    height,
    planes: planes.slice(0, channels),
    peak,
    ...(picture.alpha && { alpha: planes[channels] }),
  };
  const like: ImageFile = {
    image,
    format: formatOfName(output) ?? 'tiff',
    sample,
    depth,
    ...(metadata && { metadata }),
  };
  return writeResults([await resultOutput(output, image, like, { jpegQuality })], note);
}

function spanOf(planes: MemorySink['planes']): number {
  const [least, most] = rangeOf(planes);
  return most > least ? most - least : 1;
}
