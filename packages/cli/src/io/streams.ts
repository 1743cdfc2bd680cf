/** `-` as the name of a file: standard input where images are read, standard output where they are written. */
import { once } from 'node:events';
import { open, stat } from 'node:fs/promises';
import { EnvironmentError, type Image, InputError, OptionError, ResourceError } from 'ght';
import {
  formatNames,
  formatOfContent,
  formatOfName,
  type ImageFile,
  type ImageFormat,
  imageExtensions,
  notKept,
} from 'ght-images';
import {
  checkFormat,
  checkHolds,
  checkOutput,
  type EncodeOptions,
  encodeImage,
  type ImagePages,
  imageOutput,
  type Named,
  type Output,
  openImage,
  type PagesOutput,
  pagesOutput,
  type ReadOptions,
  refuseOverwriting,
  writeTogether,
} from 'ght-images/node';
import { oneLine } from '../output/line.js';
import { writeStandardOutput } from './standard-output.js';

/** The name that stands for a stream. */
const STREAM = '-';
const [input, output] = ['standard input', 'standard output'];

/** Whether a path stands for standard input or output. */
export function isStream(path: string | undefined): boolean {
  return path === STREAM;
}

/** Opens an image file, or what comes on standard input. */
export async function openInput(path: string, parameter: string, options: ReadOptions): Promise<ImagePages> {
  if (!isStream(path)) return openImage(path, { ...options, parameter });
  if (process.stdin.isTTY) {
    throw new InputError(parameter, 'must come through a pipe', input, 'write ght … - < image.png');
  }
  const bytes = await readStream(process.stdin, parameter);
  if (bytes.length === 0) throw new InputError(parameter, 'must not be empty', input, 'send an image to it');
  return openImage(bytes, { ...options, parameter, name: input });
}

/** The first bytes of a file, or of standard input, which still comes from its beginning; none if there is nothing to read. */
export async function headOf(path: string, length = HEAD_BYTES): Promise<Uint8Array> {
  if (isStream(path)) {
    if (process.stdin.isTTY) return new Uint8Array(0);
    if (!process.stdin.readableLength)
      await Promise.race([once(process.stdin, 'readable'), once(process.stdin, 'end')]);
    const piece: Buffer | null = process.stdin.read();
    if (piece) process.stdin.unshift(piece);
    return (piece ?? Buffer.alloc(0)).subarray(0, length);
  }
  // Opening a pipe may wait forever.
  const isFile = await stat(path).then(
    (there) => there.isFile(),
    () => false,
  );
  const file = isFile ? await open(path).catch(() => undefined) : undefined;
  if (!file) return new Uint8Array(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The most bytes of standard input, which may never end; files may be larger. */
const MOST_STREAMED = 2 ** 29;
/** This many bytes show whether they are an image. */
const HEAD_BYTES = 64;

/** Reads a whole stream. One that is no image, or does not end, is refused as soon as that is clear. */
export async function readStream(
  stream: AsyncIterable<Buffer>,
  parameter: string,
  most = MOST_STREAMED,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  let known = false;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) {
      const remedy = 'save it to a file, and name the file';
      throw new ResourceError(parameter, `must have at most ${most} bytes on standard input`, 'more', remedy);
    }
    if (known || length < HEAD_BYTES) continue;
    known = true;
    // The error about bytes of no known format comes with all others, from the reader.
    if (formatOfContent(Buffer.concat(chunks)) === undefined) break;
  }
  return Buffer.concat(chunks);
}

/** What to do instead of giving a format for a file that has a name. */
export const FORMAT_REMEDY = 'remove it, and give -o a name with that extension';

/** Refuses, before any work, a place or a format that a result could not be written to; what comes later knows the image. */
export async function checkResult(path: string, format: ImageFormat | undefined): Promise<void> {
  if (!isStream(path)) {
    await checkOutput(path, imageExtensions, '-o');
    if (format !== undefined) {
      throw new OptionError('--format', 'must come with -o - or a folder as -o', format, FORMAT_REMEDY);
    }
  } else if (process.stdout.isTTY) {
    throw new EnvironmentError('-o', 'must lead to a file or a program', output, 'write ght … -o - > image.png');
  }
}

/** The format of a result: of its name, or of standard output that of `--format` or of the input. */
export function resultFormat(path: string, image: Image, like: ImageFile, format = like.format): ImageFormat {
  if (!isStream(path)) return checkFormat(path, image, like, '-o');
  checkHolds(format, image, like, '--format', formatNames[format]);
  return format;
}

/** A result, not yet written. */
export async function resultOutput(
  path: string,
  image: Image,
  like: ImageFile,
  { format, ...how }: EncodeOptions & { readonly format?: ImageFormat } = {},
): Promise<Output> {
  if (!isStream(path)) return imageOutput(path, image, like, '-o', how);
  const kind = resultFormat(path, image, like, format);
  const lost = notKept(kind, image.planes.length, like.metadata);
  return { path, bytes: await encodeImage(image, kind, like, how), parameter: '-o', notKept: lost };
}

/** A TIFF or array of several pages, to which results are added; other formats are refused. */
export function pagesResult(path: string, whole: boolean, format: ImageFormat): PagesOutput {
  const kind = isStream(path) ? format : formatOfName(path);
  if (kind === 'tiff' || kind === 'npy') return pagesOutput(path, whole, '-o', kind);
  const [parameter, value] = isStream(path) ? ['--format', format] : ['-o', path];
  const remedy = 'use .tiff or .npy, or choose one page with --pages';
  throw new OptionError(parameter, 'must be TIFF or .npy for several pages', value, remedy);
}

/**
 * Writes results: files together, then what goes to standard output. What of the metadata of the input they do not keep is noted, and
 * returned in words.
 */
export async function writeResults(
  results: readonly Output[],
  note: (text: string) => void,
): Promise<readonly string[]> {
  await writeTogether(results.filter(({ path }) => !isStream(path)));
  for (const { path, bytes } of results) {
    if (isStream(path)) await writeStandardOutput(bytes);
  }
  for (const { path, notKept } of results) noteNotKept(path, notKept, note);
  return [...new Set(results.flatMap(({ notKept }) => notKept ?? []))];
}

/** Says in one line what of the metadata of its input a file does not keep. */
export function noteNotKept(path: string, lost: readonly string[] | undefined, note: (text: string) => void): void {
  if (lost && lost.length > 0)
    note(`not kept in ${isStream(path) ? output : oneLine(path)}: ${oneLine(lost.join(', '))}`);
}

/** The same of several files in a folder: one line for all that lack the same. */
export function noteNotKeptIn(
  folder: string,
  lists: readonly (readonly string[])[],
  note: (text: string) => void,
): void {
  const files = new Map<string, number>();
  for (const lost of lists) {
    if (lost.length > 0) files.set(lost.join(', '), (files.get(lost.join(', ')) ?? 0) + 1);
  }
  for (const [lost, count] of files) noteNotKept(`${count} of ${lists.length} images in ${folder}`, [lost], note);
}

/** `refuseOverwriting` for those that are files. */
export function refuseOverwritingFiles(inputs: readonly Named[], outputs: readonly Named[]): Promise<void> {
  const files = (named: readonly Named[]) => named.filter(({ path }) => !isStream(path));
  return refuseOverwriting(files(inputs), files(outputs));
}
