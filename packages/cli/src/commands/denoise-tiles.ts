import { open } from 'node:fs/promises';
import { type DenoiseOptions, readJpegInfo } from 'ght';
import { formatOfContent, orientationOf } from 'ght-images';
import { type DenoiseRequest, denoiseTask, denoiseTileSize, type Picture, pictureIn } from 'ght-tiles';
import type { Context } from '../context.js';
import { silent } from '../flags.js';
import { refuseTooLargeToFill } from '../memory-limit.js';
import { progressDisplay } from '../output/progress.js';
import { pictureLine } from '../output/summary.js';
import { facts } from '../output/table.js';
import { isAddress, isZarr, refuseWithTiles } from '../tile-flags.js';
import { asFloat, type DenoiseFlags } from './denoise-flags.js';
import { adviceOn, denoiseSummary, foundRows } from './denoise-groups.js';
import { checkModelFits } from './noise-model.js';
import { runTiles } from './tiles.js';

/** Denoises an image of any size in tiles, with the bits of the untiled run. */
export async function denoiseInTiles(
  path: string,
  flags: DenoiseFlags,
  options: DenoiseOptions,
  context: Context,
): Promise<void> {
  const { pages, axes, array, peak, reference } = flags;
  refuseWithTiles({
    '--pages': pages,
    '--axes': axes,
    '--array': array,
    '--peak': peak,
    '--reference': reference,
    '--format': flags.format,
  });
  if (flags.noiseModel !== undefined) {
    const picture = await pictureIn(path, { http: true, signal: context.signal });
    if (picture) checkModelFits(options, picture.channels, picture, peak);
  }
  const given = { ...options, jpeg: await jpegOf(path) };
  const request = ({ input, output }: { input: string; output: string }): DenoiseRequest => ({
    ...{ input, output, tile: flags.tile },
    options: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  });
  const start = performance.now();
  const display = progressDisplay('denoise', silent(flags));
  const memory = async (picture: Picture) => (await denoiseTileSize(picture, options)).memoryBytes;
  // There is no estimate for tiles of a given side.
  const known = flags.tile === undefined && { memory };
  const pictureOf = (picture: Picture) => {
    refuseTooLargeToFill(picture, flags.missing);
    return flags.float ? { ...picture, ...asFloat(picture) } : picture;
  };
  const run = { path, output: flags.output, flags, task: denoiseTask(), request, pictureOf, ...known };
  const { result, picture, by, notKept } = await runTiles(run, context, display).finally(display.stop);
  const seconds = (performance.now() - start) / 1000;
  const { engine } = result;
  if (flags.json) {
    const { metadata: _metadata, ...image } = picture;
    const found = denoiseSummary(result);
    context.print(JSON.stringify({ task: 'denoise', method: 'groups', engine, image, ...found, by, seconds, notKept }));
    return;
  }
  context.print(
    `${pictureLine(path, { ...picture, channels: picture.channels + Number(picture.alpha) })}\n${facts([
      ...foundRows(result, options),
      [
        'time',
        `${seconds.toFixed(2)} s in tiles, ${by === 'here' ? `on the ${engine.name} engine` : `by workers, ${by}`}`,
      ],
      ['wrote', flags.output],
    ])}`,
  );
  const advice = adviceOn(result);
  if (advice !== undefined) context.print(advice);
}

/** Tables and quality lie before the samples. */
const HEAD_BYTES = 2 ** 20;

/** What the header of a JPEG says, as for an image that is read whole. */
export async function jpegOf(path: string): Promise<DenoiseOptions['jpeg']> {
  if (isAddress(path) || isZarr(path)) return undefined;
  // What cannot be opened or read has its error from the reader of the image.
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const read = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0).catch(() => undefined);
    if (!read) return undefined;
    const head = read.buffer.subarray(0, read.bytesRead);
    return formatOfContent(head) === 'jpeg' ? readJpegInfo(head, orientationOf(head, 'jpeg')) : undefined;
  } finally {
    await file.close();
  }
}
