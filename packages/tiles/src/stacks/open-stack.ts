import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { gridOf } from 'ght/plans';
import { type ByteSource, bytesInMemory, formatOfContent, fullScale, type ImageFile, rangeOf } from 'ght-images';
import { checkClaim, checkSize, fileOf, intact, type Refuse, readImage } from 'ght-images/node';
import type { Rectangle } from '../picture.js';
import { openFileBytes } from '../stores/file-bytes.js';
import { abortable, refusingFor, type SourceOptions } from '../stores/source-options.js';
import { npyStack } from './npy-stack.js';
import { type CheckSize, kindOf, kindText, type PageReader, type StackSource } from './stack-source.js';
import { tiffStack } from './tiff-stack.js';
import { zarrStack } from './zarr-stack.js';

/** How a stack is opened. */
export interface StackOptions extends Omit<SourceOptions, 'memory' | 'folder'> {
  /** The axes of a `.npy`, such as `tczyx`: one that is not given is no stack. */
  readonly axes?: string;
  /** The white level of all pages. @default 255 or 65535, or the range of other samples on up to 16 pages */
  readonly peak?: number;
  /** Whether pages are read in parts: then they may have any size. @default false */
  readonly parts?: boolean;
}

/** The most pages that are read for the range of samples without a full scale of their own. */
const MOST_SAMPLED = 16;
const HEAD_BYTES = 64;
/** The parts in which large pages are looked at. */
const PART = { width: 2048, height: 2048 } as const;

/** Opens a stack by its path, or its bytes: a TIFF, `.npy` or Zarr; undefined if the file is no stack. */
export async function openStack(
  source: string | Uint8Array,
  options: StackOptions = {},
): Promise<StackSource | undefined> {
  const name = typeof source === 'string' ? source : 'bytes';
  const refuse = refusingFor(name, options);
  if (typeof source !== 'string') return stackIn(bytesInMemory(source), name, refuse, options);
  const place = await stat(source).catch(() => undefined);
  if (place?.isDirectory()) {
    const pages = await zarrStack(source, options, checkOf(options));
    return pages && paged(pages, 'Zarr', refuse, options, async () => {});
  }
  // What cannot be read has its error from the reader of images.
  if (!place?.isFile() || formatOfContent(await headOf(source).catch(() => new Uint8Array(0))) === undefined)
    return undefined;
  const bytes = await openFileBytes(source, refuse);
  try {
    const stack = await stackIn(bytes, basename(source), refuse, options);
    if (!stack) await bytes.close();
    return stack && { ...stack, close: () => bytes.close() };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

async function stackIn(
  bytes: ByteSource,
  name: string,
  refuse: Refuse,
  options: StackOptions,
): Promise<StackSource | undefined> {
  const format = formatOfContent(await bytes.read(0, Math.min(HEAD_BYTES, bytes.size)));
  const nothing = async () => {};
  if (format === 'tiff') {
    const pages = await intact(tiffStack(bytes, name, refuse, checkOf(options)), 'tiff', refuse);
    return pages && paged(pages, format, refuse, options, nothing);
  }
  if (format !== 'npy' || options.axes === undefined) return undefined;
  const array = await intact(npyStack(bytes, options.axes, refuse, checkOf(options)), format, refuse);
  return paged(array, format, refuse, options, nothing);
}

function checkOf({ parts }: StackOptions): CheckSize {
  return parts ? checkClaim : checkSize;
}

/** A stack whose pages have one full scale. */
async function paged(
  { decode, ...facts }: PageReader,
  format: string,
  refuse: Refuse,
  options: StackOptions,
  close: () => Promise<void>,
): Promise<StackSource> {
  const { peak, signal } = options;
  const kind = facts.format === 'zarr' ? 'tiff' : facts.format === 'frames' ? 'png' : facts.format;
  const decoded = (page: number, reading?: AbortSignal, at?: Rectangle) =>
    abortable(() => intact(decode(page, reading, at), format, refuse), reading);
  const count = facts.stack.axes.reduce((product, { length }) => product * length, 1);
  const parts = options.parts ? gridOf(facts.picture, PART) : [undefined];
  const white =
    peak ??
    (await peakOf(facts.picture, count, async (page) => {
      const ranges = [];
      for (const at of parts) ranges.push(rangeOf((await decoded(page, signal, at)).planes));
      return [Math.min(...ranges.map(([least]) => least)), Math.max(...ranges.map(([, most]) => most))];
    }));
  return { ...facts, read: async (page, reading, at) => fileOf(await decoded(page, reading, at), kind, white), close };
}

/** The full scale of all pages: of samples without one of their own the range on some pages, spread evenly. */
async function peakOf(
  picture: Parameters<typeof fullScale>[0],
  count: number,
  rangeIn: (page: number) => Promise<readonly [least: number, most: number]>,
): Promise<number> {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  if (picture.sample !== 'uint' || picture.depth > 16) {
    const sampled = Math.min(count, MOST_SAMPLED);
    for (let i = 0; i < sampled; i++) {
      const [low, high] = await rangeIn(Math.floor((i * count) / sampled));
      [least, most] = [Math.min(least, low), Math.max(most, high)];
    }
  }
  return fullScale(picture, () => [least, most]);
}

/** Images that follow each other in time as a stack: files of one size and kind. */
export async function framesStack(paths: readonly string[], options: StackOptions = {}): Promise<StackSource> {
  const { parameter = 'file' } = options;
  const read = (frame: number, peak?: number) =>
    readImage(paths[frame], { parameter, ...(peak !== undefined && { peak }) });
  const pictureOf = ({ image, sample, depth }: ImageFile) => {
    const { width, height, planes, alpha } = image;
    const opaque = alpha !== undefined;
    return kindOf({ width, height, channels: planes.length + Number(opaque), alpha: opaque, sample, depth });
  };
  const first = await read(0);
  const picture = pictureOf(first);
  const peak =
    options.peak ?? (await peakOf(picture, paths.length, async (frame) => rangeOf((await read(frame)).image.planes)));
  return {
    stack: { axes: [{ name: 't', length: paths.length }] },
    picture: { ...picture, ...(first.metadata && { metadata: first.metadata }) },
    format: 'frames',
    kept: {},
    async read(frame, signal, at) {
      signal?.throwIfAborted();
      if (at)
        throw refusingFor(paths[frame], options)(
          'must be one file for tiles',
          'join the frames into a stack, such as a TIFF',
        );
      const file = await read(frame, peak);
      const own = pictureOf(file);
      if (kindText(own) === kindText(picture)) return file;
      const rule = `must be frames of one kind, ${kindText(picture)}, not ${kindText(own)}`;
      throw refusingFor(paths[frame], options)(rule, 'remove it, or denoise it by itself');
    },
    async close() {},
  };
}

/** The first bytes of a file. */
async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
