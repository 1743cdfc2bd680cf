/** What a stack or a film is, for `ght info`. */
import { type ImageFormat, pagesOf, type Resolution, rangeOf, readY4mHeader } from 'ght-images';
import type { StackSource } from 'ght-tiles';
import type { Context } from '../context.js';
import { headOf } from '../io/index.js';
import { imageSummary, pictureLine } from '../output/summary.js';
import { count, facts, measure } from '../output/table.js';
import { stackRows, stackSummary } from './stack-text.js';

/** Prints what a stack is, and the range of its first page. */
export async function infoOfStack(
  path: string,
  source: StackSource,
  json: boolean,
  { print, signal }: Context,
  pixelsPer: (resolution: Resolution) => string,
): Promise<void> {
  const { stack, format, picture } = source;
  const first = await source.read(0, signal);
  const image = imageSummary(first);
  const range = rangeOf(first.image.planes);
  const resolution = picture.metadata?.resolution;
  if (json) {
    const file = { format: format satisfies ImageFormat | 'zarr' | 'frames', image, pages: pagesOf(stack) };
    print(JSON.stringify({ task: 'info', ...file, stack: stackSummary(stack), resolution: resolution ?? null, range }));
    return;
  }
  print(
    `${pictureLine(path, image)}\n${facts([
      ['format', `${format}, ${count(pagesOf(stack))} pages`],
      ...stackRows(stack),
      ...(resolution ? [['resolution', pixelsPer(resolution)] as const] : []),
      ['alpha', first.image.alpha ? 'yes, passed through' : 'no'],
      ['range', `${range.map(sample).join(' to ')} on the first page (full scale for PSNR: ${sample(image.peak)})`],
    ])}`,
  );
}

/** The first line of a film is shorter than this. */
const LINE_BYTES = 4096;

/** Prints what the first line of a film says. */
export async function infoOfFilm(path: string, json: boolean, { print }: Context): Promise<void> {
  const head = Buffer.from(await headOf(path, LINE_BYTES)).toString('latin1');
  const header = readY4mHeader(head.split('\n', 1)[0], path, 'IMAGE');
  const { width, height, depth, sampling, alpha, planes, rate } = header;
  if (json) {
    print(
      JSON.stringify({
        task: 'info',
        format: 'y4m',
        film: { width, height, depth, sampling, alpha, rate: rate ?? null },
      }),
    );
    return;
  }
  const kind = { width, height, channels: planes.length, depth: depth as 8, sample: 'uint' } as const;
  print(
    `${pictureLine(path, kind)}\n${facts([
      ['format', `y4m, ${sampling}`],
      ...(rate === undefined ? [] : [['frames', `${measure(rate)} per second`] as const]),
      ['alpha', alpha ? 'yes, passed through' : 'no'],
    ])}`,
  );
}

function sample(value: number): string {
  return Number.isInteger(value) ? String(value) : measure(value);
}
