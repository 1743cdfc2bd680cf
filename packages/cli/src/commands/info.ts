import { open, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { describe, estimateMemory, type Image, type MemorySize, OptionError, patchGrid, probeEngines } from 'ght';
import { formatOfContent, type ImageFile, mostUnpacked, type Resolution, rangeOf } from 'ght-images';
import { denoiseTileSize, type Picture, pictureIn } from 'ght-tiles';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { jsonFlag, patchFlags, representOptions } from '../flags.js';
import { type InputFlags, inputFlags, onlyPage, openChosen, pagesFlag } from '../input-flags.js';
import { isStream } from '../io/index.js';
import { fitsInMemory, memorySizeIn, memorySizeOf } from '../memory-limit.js';
import { imageSummary, pictureLine } from '../output/summary.js';
import { bytes, count, facts, measure } from '../output/table.js';
import { isAddress, isZarr, refuseWithTiles, tooLarge } from '../tile-flags.js';
import { infoOfFilm, infoOfStack } from './info-stack.js';
import { isFilm, stackIn } from './series-flags.js';
import { isWrittenInParts } from './tiles.js';

/** `ght info`. */
export function infoCommand(program: Command, context: Context): void {
  const command = program
    .command('info')
    .summary('size, depth and range of an image, and the memory a run would need; the engines of this machine')
    .description(
      'Prints what an image file holds and how much memory representing it would need; of a stack its axes, scales, channels and labels. Of a Zarr, an image on the web, and a file that is too ' +
        'large for memory, only the header is read; the tiles are those of ght denoise. The range of the samples is printed for images of ' +
        'up to 64 MiB. With --engines it prints which engines can run on this machine, and how to get the others.',
    )
    .argument('[IMAGE]', 'the image; - is standard input')
    .option('--engines', 'print the engines instead');
  patchFlags(pagesFlag(inputFlags(command)));
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght info photo.png
  ght info photo.png --stride 1 --json
  ght info slide.zarr
  ght info cells.ome.tif
  ght info --engines`,
    )
    .action((path: string | undefined, flags: Flags & InputFlags & { readonly engines?: true }) => {
      if (flags.engines && path !== undefined) {
        throw new OptionError('--engines', 'must stand alone', path, 'leave out the image, or --engines');
      }
      if (flags.engines) return engineInfo(flags, context);
      if (path !== undefined) return runInfo(path, flags, context);
      throw new OptionError('IMAGE', 'must be given', undefined, 'name an image, or use --engines');
    });
}

/** How to get an engine that is not there. */
const REMEDIES: Readonly<Partial<Record<string, string>>> = {
  webgpu: 'npm install webgpu next to ght-cli, a GPU and its driver; on Linux also the Vulkan loader (libvulkan1)',
  wasm: 'use Node 20.12 or later, and allow it to reserve address space (ulimit -v unlimited)',
};

/** Prints which engines can run here. */
async function engineInfo({ json }: Flags, { print }: Context): Promise<void> {
  const engines = await probeEngines();
  if (json) return print(JSON.stringify({ task: 'info', engines }));
  const lines = engines.map((state): readonly [string, string] => {
    const [remedy, text] = [REMEDIES[state.name], describe(state).join('; ')];
    return [state.name, state.available ? text : `not available: ${text}${remedy ? `; to get it: ${remedy}` : ''}`];
  });
  print(facts(lines));
}

/** The range of the samples is printed for images of at most this many bytes; of larger ones the header is enough. */
const RANGE_BYTES = 2 ** 26;

async function runInfo(path: string, flags: Flags & InputFlags, context: Context): Promise<void> {
  if (await isFilm([path])) return infoOfFilm(path, flags.json === true, context);
  const stack = await stackIn([path], flags, context);
  if (stack) {
    const printed = infoOfStack(path, stack.source, flags.json === true, context, pixelsPer);
    return printed.finally(() => stack.source.close());
  }
  const large = await largePicture(path, context.signal);
  if (large) return infoInTiles(path, large, flags, context);
  const { print } = context;
  // The first of several pages is described.
  const pages = await openChosen(path, { pages: { first: 0, last: 0 }, ...flags });
  const { image, size, alpha, resolution, range, ...info } =
    (await fromHeader(path, flags)) ?? fromSamples(await onlyPage(pages));
  const { missing, infinite, notRead } = info;
  const options = representOptions(flags);
  const patch = options.patch ?? 8;
  const grid = patchGrid(size.width, size.height, patch, options.stride ?? patch);
  const patches = grid.count * size.channels;
  const memory = Math.ceil(estimateMemory('represent', size, options));
  const { format } = pages;
  if (flags.json) {
    print(
      JSON.stringify({
        ...{ task: 'info', format, image, pages: pages.count, resolution: resolution ?? null, range, patches },
        ...{ memoryBytes: memory, fits: fitsInMemory(memory), tiles: null, missing, infinite, notRead },
      }),
    );
    return;
  }
  const rangeText = range ? range.map(sample).join(' to ') : 'not read, since the image is large';
  print(
    `${pictureLine(path, image)}\n${facts([
      ['format', pages.count > 1 ? `${format}, ${count(pages.count)} pages` : format],
      ...(resolution ? [['resolution', pixelsPer(resolution)] as const] : []),
      ['alpha', alpha ? 'yes, passed through' : 'no'],
      ['range', `${rangeText} (full scale for PSNR: ${sample(image.peak)})`],
      ...(missing ? [['missing', `${count(missing)} samples are NaN (see --missing of ght denoise)`] as const] : []),
      ...(infinite ? [['infinite', `${count(infinite)} samples`] as const] : []),
      ...(notRead.length > 0 ? [['not kept', notRead.join(', ')] as const] : []),
      ['patches', `${count(patches)} of ${patch}×${patch}`],
      [
        'memory',
        `about ${bytes(memory)} for a run, ${fitsInMemory(memory) ? 'which fits here' : 'more than there is'}`,
      ],
    ])}`,
  );
}

/** What is printed about an image that is read as a whole. */
interface ImageInfo {
  readonly image: ReturnType<typeof imageSummary>;
  readonly size: MemorySize;
  readonly alpha: boolean;
  readonly resolution?: Resolution;
  /** The least and the greatest sample; null if they were not read. */
  readonly range: readonly [number, number] | null;
  /** How many samples are NaN, and how many infinite; null if they were not read. */
  readonly missing: number | null;
  readonly infinite: number | null;
  /** What no output keeps, in words. */
  readonly notRead: readonly string[];
}

function fromSamples(file: ImageFile): ImageInfo {
  const { image, metadata } = file;
  const [missing, infinite] = notFinite(image);
  return {
    ...{ image: imageSummary(file), size: memorySizeOf(image), alpha: image.alpha !== undefined },
    ...{ resolution: metadata?.resolution, range: rangeOf(image.planes), missing, infinite },
    notRead: metadata?.notRead ?? [],
  };
}

/** How many samples are NaN, and how many infinite. */
function notFinite({ planes }: Image): [missing: number, infinite: number] {
  let [missing, infinite] = [0, 0];
  for (const plane of planes) {
    if (!(plane instanceof Float32Array || plane instanceof Float64Array)) continue;
    for (const value of plane) {
      if (Number.isNaN(value)) missing++;
      else if (!Number.isFinite(value)) infinite++;
    }
  }
  return [missing, infinite];
}

/** The same of a large image whose header says everything else; undefined for all others. */
async function fromHeader(path: string, { pages, peak }: InputFlags): Promise<ImageInfo | undefined> {
  if (isStream(path) || pages !== undefined) return undefined;
  // A file that cannot be opened has its error from the reader of whole files.
  const picture = await pictureIn(path).catch(() => undefined);
  if (picture?.sample !== 'uint' || picture.depth > 16) return undefined;
  const size = memorySizeIn(picture);
  if (size.bytes <= RANGE_BYTES) return undefined;
  const { width, height, alpha, depth, sample, metadata } = picture;
  const channels = channelsIn(picture);
  return {
    image: { width, height, channels, depth, sample, peak: peak ?? 2 ** depth - 1 },
    ...{ size, alpha, resolution: metadata?.resolution, range: null, missing: null, infinite: null },
    notRead: metadata?.notRead ?? [],
  };
}

/** What is known about an image that is processed in tiles; undefined for one that is read as a whole. */
async function largePicture(path: string, signal: AbortSignal): Promise<Picture | undefined> {
  if (isZarr(path) || isAddress(path)) return pictureIn(path, { http: true, signal });
  const large = await tooLarge(path, (size) => estimateMemory('denoise', size));
  if (large || isStream(path)) return large;
  // The reader of whole files refuses a file that unpacks to far more than its length.
  const [place, picture] = await Promise.all([stat(path), pictureIn(path)]).catch(() => []);
  return place && picture && memorySizeIn(picture).bytes > mostUnpacked(place.size, channelsIn(picture))
    ? picture
    : undefined;
}

async function infoInTiles(
  path: string,
  picture: Picture,
  { json, pages, axes, array, peak }: Flags & InputFlags,
  { print }: Context,
): Promise<void> {
  refuseWithTiles({ '--pages': pages, '--axes': axes, '--array': array, '--peak': peak });
  const { width, height, alpha, depth, sample, metadata } = picture;
  const image = { width, height, channels: channelsIn(picture), depth, sample };
  const format = await formatOf(path);
  const tiles = await denoiseTileSize(picture);
  if (json) {
    const resolution = metadata?.resolution ?? null;
    print(JSON.stringify({ task: 'info', format, image, resolution, tiles }));
    return;
  }
  const size = `${count(tiles.tiles)} of at most ${tiles.width}×${tiles.height} pixels`;
  const where = isWrittenInParts(picture) ? '; write to .zarr or .tif' : '';
  print(
    `${pictureLine(path, image)}\n${facts([
      ['format', format],
      ...(metadata?.resolution ? [['resolution', pixelsPer(metadata.resolution)] as const] : []),
      ['alpha', alpha ? 'yes, passed through' : 'no'],
      ['tiles', `${size}, about ${bytes(tiles.memoryBytes)}${where}`],
    ])}`,
  );
}

/** The channels of a picture, opacity included. */
function channelsIn({ channels, alpha }: Picture): number {
  return channels + Number(alpha);
}

/** Enough bytes to recognise a format. */
const HEAD_BYTES = 64;

/** The format of an image that is processed in tiles. */
async function formatOf(path: string): Promise<string> {
  if (isAddress(path)) return /\.zarr\/?([?#].*)?$/i.test(path) ? 'zarr' : 'tiff';
  if (isZarr(path)) return 'zarr';
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return formatOfContent(buffer.subarray(0, bytesRead)) ?? 'unknown';
  } finally {
    await file.close();
  }
}

/** `300 × 300 pixels per inch`. */
function pixelsPer({ x, y, unit }: Resolution): string {
  const number = (value: number) => String(Number(value.toPrecision(6)));
  return `${number(x)} × ${number(y)} pixels${unit === 'none' ? ', without a unit' : ` per ${unit}`}`;
}

/** Formats a sample; the samples of most files are whole numbers. */
function sample(value: number): string {
  return Number.isInteger(value) ? String(value) : measure(value);
}
