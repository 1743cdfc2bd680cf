/** The flags of stacks and films, and what decides that an input is one. */
import type { Command } from 'commander';
import { OptionError } from 'ght';
import { isY4m } from 'ght-images';
import { framesStack, openStack, type StackSource } from 'ght-tiles';
import type { Context } from '../context.js';
import { choiceOf } from '../flags.js';
import { type InputFlags, stackAxesOf } from '../input-flags.js';
import { filesOf } from '../io/batch.js';
import { headOf, isStream } from '../io/index.js';
import { isAddress, isZarr } from '../tile-flags.js';

/** What the flags leave in a command's options. */
export interface SeriesFlags {
  readonly series?: 'auto' | 'off' | number;
  readonly seriesAxis?: 't' | 'z';
}

/** `--series` and `--series-axis`. */
export function seriesFlags(command: Command): Command {
  return command
    .option(
      '--series <n>',
      'the pages of a stack or film that are denoised together: auto, off (each page by itself), or at most n, from 1 to 8; of a folder ' +
        'or several images: they are frames, in the order of their names (default: auto for stacks and films)',
      seriesOf,
    )
    .option(
      '--series-axis <axis>',
      'the axis along which the pages of a stack are a series: t or z (default: t if there are several times, else z)',
      choiceOf('--series-axis', ['t', 'z'] as const),
    );
}

/** The most pages of a volume. */
const MOST_PAGES = 8;

function seriesOf(text: string): NonNullable<SeriesFlags['series']> {
  if (text === 'auto' || text === 'off') return text;
  const pages = Number(text);
  if (Number.isInteger(pages) && pages >= 1 && pages <= MOST_PAGES) return pages;
  throw new OptionError(
    '--series',
    `must be auto, off, or a number from 1 to ${MOST_PAGES}`,
    text,
    'leave it out for auto',
  );
}

/** A stack, with the paths of its frames if it is a list of images. */
export interface FoundStack {
  readonly source: StackSource;
  readonly frames?: readonly string[];
}

/** The inputs as a stack; undefined if they are images of their own. `--pages` chooses pages, which are no series. */
export async function stackIn(
  paths: readonly string[],
  flags: InputFlags & SeriesFlags,
  { signal }: Pick<Context, 'signal'>,
): Promise<FoundStack | undefined> {
  const { pages, series, seriesAxis, peak } = flags;
  if (pages !== undefined) {
    if (series === undefined) return undefined;
    throw new OptionError('--series', 'must be left out with --pages', series, 'remove one of the two');
  }
  // What does not fit in memory is denoised in parts.
  const options = { axes: stackAxesOf(flags), peak, parameter: 'IMAGE', parts: true, signal };
  const [path] = paths;
  // A Zarr is a folder, but not one of images.
  const found = paths.length === 1 && isZarr(path) ? undefined : await filesOf(paths);
  if (found && series !== undefined) {
    const inputs = found.files.map(({ input }) => input);
    // The order of several names is that of the command line.
    const frames = paths.length > 1 ? inputs : inputs.toSorted(byNumbers);
    if (frames.length === 0)
      throw new OptionError('IMAGE', 'must have images for a series', path, 'name another folder');
    return { source: await framesStack(frames, options), frames };
  }
  const source = found || isStream(path) || isAddress(path) ? undefined : await openStack(path, options);
  if (source) return { source };
  for (const [flag, value] of Object.entries({ '--series': series, '--series-axis': seriesAxis })) {
    if (value === undefined) continue;
    throw new OptionError(flag, 'must come with a stack, a film or several images', path, 'remove it');
  }
  return undefined;
}

/** Names in their natural order: 2 comes before 10. */
function byNumbers(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true }) || (one < other ? -1 : 1);
}

/** Whether the input is a Y4M film, by its first bytes. */
export async function isFilm(paths: readonly string[]): Promise<boolean> {
  return paths.length === 1 && isY4m(await headOf(paths[0]));
}
