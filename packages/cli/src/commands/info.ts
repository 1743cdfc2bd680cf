import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import { checkImage, describe, estimateMemory, OptionError, patchGrid, probeEngines } from 'ght';
import { formatOfContent, type Resolution, rangeOf } from 'ght-images';
import { denoiseTileSize, type Picture, pictureIn } from 'ght-tiles';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { jsonFlag, patchFlags, representOptions } from '../flags.js';
import { type InputFlags, inputFlags, onlyPage, openChosen, pagesFlag } from '../input-flags.js';
import { fitsInMemory, memorySizeOf } from '../memory-limit.js';
import { imageLine, imageSummary, pictureLine } from '../output/summary.js';
import { bytes, count, facts, measure } from '../output/table.js';
import { isAddress, isZarr, refuseWithTiles, tooLarge } from '../tile-flags.js';
import { isWrittenInParts } from './tiles.js';

/** `ght info`. */
export function infoCommand(program: Command, context: Context): void {
  const command = program
    .command('info')
    .summary('size, depth and range of an image, and the memory a run would need; the engines of this machine')
    .description(
      'Prints what an image file holds and how much memory representing it would need. Of a Zarr, an image on the web, and a file that is too ' +
        'large for memory, only the header is read; the tiles are those of ght denoise. With --engines it prints which engines can run on ' +
        'this machine, and how to get the others.',
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

async function runInfo(path: string, flags: Flags & InputFlags, context: Context): Promise<void> {
  const large = await largePicture(path, context.signal);
  if (large) return infoInTiles(path, large, flags, context);
  const { print } = context;
  // Of several pages the first tells most of what there is to know.
  const pages = await openChosen(path, { pages: { first: 0, last: 0 }, ...flags });
  const file = await onlyPage(pages);
  const { image, format, metadata } = file;
  checkImage(image);
  const options = representOptions(flags);
  const patch = options.patch ?? 8;
  const grid = patchGrid(image.width, image.height, patch, options.stride ?? patch);
  const patches = grid.count * image.planes.length;
  const memory = Math.ceil(estimateMemory('represent', memorySizeOf(image), options));
  const [least, most] = rangeOf(image.planes);
  if (flags.json) {
    const range = [least, most];
    const resolution = metadata?.resolution ?? null;
    print(
      JSON.stringify({
        ...{ task: 'info', format, image: imageSummary(file), pages: pages.count, resolution, range, patches },
        ...{ memoryBytes: memory, fits: fitsInMemory(memory), tiles: null },
      }),
    );
    return;
  }
  print(
    `${imageLine(path, file)}\n${facts([
      ['format', pages.count > 1 ? `${format}, ${count(pages.count)} pages` : format],
      ...(metadata?.resolution ? [['resolution', pixelsPer(metadata.resolution)] as const] : []),
      ['alpha', image.alpha ? 'yes, passed through' : 'no'],
      ['range', `${sample(least)} to ${sample(most)} (full scale for PSNR: ${sample(image.peak)})`],
      ['patches', `${count(patches)} of ${patch}×${patch}`],
      [
        'memory',
        `about ${bytes(memory)} for a run, ${fitsInMemory(memory) ? 'which fits here' : 'more than there is'}`,
      ],
    ])}`,
  );
}

/** What is known about an image that is processed in tiles; undefined for one that is read as a whole. */
async function largePicture(path: string, signal: AbortSignal): Promise<Picture | undefined> {
  if (isZarr(path) || isAddress(path)) return pictureIn(path, { http: true, signal });
  return tooLarge(path, (size) => estimateMemory('denoise', size));
}

async function infoInTiles(
  path: string,
  picture: Picture,
  { json, pages, axes, peak }: Flags & InputFlags,
  { print }: Context,
): Promise<void> {
  refuseWithTiles({ '--pages': pages, '--axes': axes, '--peak': peak });
  const { width, height, alpha, depth, sample, metadata } = picture;
  const image = { width, height, channels: picture.channels + Number(alpha), depth, sample };
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
