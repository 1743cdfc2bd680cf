/** The flags about what a file does not say itself, and about which of its pages are meant. */
import { extname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { InputError, OptionError } from 'ght';
import { axesNames, formatOfName, type ImageFile, type ImageFormat } from 'ght-images';
import type { ImagePages, ReadOptions } from 'ght-images/node';
import { isStackAxes } from 'ght-tiles';
import type { Context } from './context.js';
import { choiceOf, numberOf } from './flags.js';
import { isStream, openInput } from './io/index.js';

/** The axes of a stack in an array, such as `tczyx`. */
type StackAxes = string & { readonly stack: true };

/** What the flags leave in a command's options. */
export interface InputFlags {
  readonly axes?: (typeof axesNames)[number] | StackAxes;
  readonly array?: string;
  readonly peak?: number;
  readonly pages?: Pages;
  readonly format?: ImageFormat;
}

/** The pages of a file that are meant: all, or from the first to the last, counted from 0. */
export type Pages = 'all' | { readonly first: number; readonly last: number };

/** The formats that a name is given to on the command line. */
const formats = ['png', 'jpg', 'tiff', 'webp', 'avif', 'bmp', 'ppm', 'pfm', 'fits', 'exr', 'npy'] as const;

/** `--axes`, `--array` and `--peak`. */
export function inputFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--axes <order>',
        'order of a .npy of three dimensions: HWC (rows, columns, channels), CHW, or NHW, a stack of grey pages; or of a stack of up to ' +
          'five: letters such as tyx, zyxc or tczyx (default: HWC where only that makes sense)',
      ).argParser(axesOf),
    )
    .option('--array <name>', 'the array of an .npz or .mat that holds several')
    .option(
      '--peak <value>',
      'the white level, for PSNR and shares of full scale, such as 4095 for 12 bits in 16 ' +
        '(default: 255 or 65535, or the range of floats)',
      peakOf,
    );
}

function axesOf(text: string): NonNullable<InputFlags['axes']> {
  if (isStackAxes(text)) return text as StackAxes;
  const named = axesNames.find((name) => name === text);
  if (named) return named;
  const rule = `must be ${axesNames.join(', ')}, or letters such as tyx, zyxc or tczyx`;
  throw new OptionError(
    '--axes',
    rule,
    text,
    'name the dimensions from the slowest to the fastest, y and x after t, c and z',
  );
}

/** The letters of the axes of a stack in an array; undefined if the flag is that of a picture. */
export function stackAxesOf({ axes }: InputFlags): string | undefined {
  if (axes === 'NHW') return 'tyx';
  return axes !== undefined && isStackAxes(axes) ? axes : undefined;
}

/** `--pages`. */
export function pagesFlag(command: Command): Command {
  return command.option(
    '--pages <which>',
    'pages of a TIFF or stack as images of their own, counted from 0: all, one such as 0, or some such as 2-5; several are written to .tiff or .npy',
    pagesOf,
  );
}

/** `--format`. */
export function formatFlag(command: Command): Command {
  return command.option(
    '--format <name>',
    `format of an image on standard output (-o -) or in a folder: ${formats.join(', ')} (default: that of the input)`,
    (text) => formatOfName(`image.${choiceOf('--format', formats)(text)}`) as ImageFormat,
  );
}

/** The extension of the files of a format, with its dot. */
export function extensionOf(format: ImageFormat): string {
  return format === 'jpeg' ? '.jpg' : `.${format}`;
}

/** Names with the extension of a format; undefined if there is none, and names stay as they are. */
export function renamed(format: ImageFormat | undefined): ((name: string) => string) | undefined {
  return format && ((name) => `${name.slice(0, name.length - extname(name).length)}${extensionOf(format)}`);
}

function peakOf(text: string): number {
  const value = numberOf('--peak')(text);
  if (value > 0) return value;
  throw new OptionError('--peak', 'must be above 0', value, 'give the white level, such as 4095');
}

function pagesOf(text: string): Pages {
  if (text === 'all') return text;
  const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  if (first !== undefined && Number(first) <= Number(last)) return { first: Number(first), last: Number(last) };
  const rule = 'must be all, a page such as 0, or pages such as 2-5';
  throw new OptionError('--pages', rule, text, 'count the pages from 0');
}

/** What the flags say about a file, for its reader. */
export function readOptions({ axes, array, peak }: InputFlags): ReadOptions {
  const picture = axesNames.find((name) => name === axes);
  return {
    ...(picture && { axes: picture }),
    ...(array !== undefined && { array }),
    ...(peak !== undefined && { peak }),
  };
}

/** The pages of a file that a command works on. */
export interface ChosenPages {
  /** Their numbers, in order. */
  readonly numbers: readonly number[];
  /** The format of the file. */
  readonly format: ImageFormat;
  /** How many pages the file has. */
  readonly count: number;
  /** Whether these are all pages of the file. */
  readonly whole: boolean;
  /** Reads the page of that number. */
  read(number: number): Promise<ImageFile>;
}

/** Opens the pages that `--pages` names; without it, the only page of the file. */
export async function openChosen(path: string, flags: InputFlags, parameter = 'IMAGE'): Promise<ChosenPages> {
  const file = await openInput(path, parameter, readOptions(flags));
  const numbers = chosenOf(file, flags.pages, path, parameter);
  const { count, format } = file;
  return { numbers, count, format, whole: numbers.length === count, read: (number) => file.page(number) };
}

function chosenOf({ count }: ImagePages, pages: Pages | undefined, path: string, parameter: string): number[] {
  if (pages === undefined && count > 1) {
    const remedy = 'use --pages all, or --pages 0 for the first';
    throw new InputError(parameter, 'must hold exactly one page', path, remedy);
  }
  // A damaged chain of pages has no end.
  if (!Number.isFinite(count)) {
    throw new InputError(parameter, 'must have pages that come to an end', path, 'save it again');
  }
  const { first, last } = typeof pages === 'object' ? pages : { first: 0, last: count - 1 };
  if (last >= count) {
    const range = count === 1 ? 'must be 0 for a file of one page' : `must be from 0 to ${count - 1}`;
    throw new OptionError('--pages', range, last, 'count the pages from 0');
  }
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The only page that is meant, for what takes one image. */
export async function readChosen(path: string, flags: InputFlags, parameter = 'IMAGE'): Promise<ImageFile> {
  return onlyPage(await openChosen(path, flags, parameter));
}

/** The only page of those that are meant; several are refused. */
export async function onlyPage({ numbers, read }: ChosenPages): Promise<ImageFile> {
  if (numbers.length === 1) return read(numbers[0]);
  throw new OptionError('--pages', 'must be one page here', numbers.length, 'use --pages 0 for the first');
}

/** Where a command prints: not on standard output where the image goes there. */
export function contextFor(context: Context, output: string | undefined, json: boolean): Context {
  if (!isStream(output)) return context;
  if (json) {
    throw new OptionError('--json', 'must be left out with -o -', true, 'both are standard output; write to a file');
  }
  return { ...context, print: context.note };
}
