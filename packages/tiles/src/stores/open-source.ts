import { open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from 'ght';
import { formatOfContent, type ImageFile, mostUnpacked, type Refuse } from 'ght-images';
import {
  checkClaim,
  intact,
  openBySharp,
  readImage,
  removeStrays,
  type SharpImage,
  temporaryFor,
} from 'ght-images/node';
import type { Picture } from '../picture.js';
import type { Source } from '../source.js';
import { changed } from './file-bytes.js';
import { checkAddress, isAddress, refusingFor, type SourceOptions } from './source-options.js';
import { openTiff, tiffSource } from './tiff-source.js';
import { copiesExactly, copyBySharp, copyTiled } from './tiled-copy.js';
import { checkWindow, copyRows, planesOf } from './windows.js';
import { zarrSource } from './zarr-source.js';

const DEFAULT_MEMORY = 2 ** 28;
/** Profiles and EXIF lie before the samples, and are shorter than this. */
const HEAD_BYTES = 2 ** 22;

/**
 * Opens an image of any kind and size: a Zarr, a TIFF, or any file that `readImage` reads. Tiled files are read window by window. Others
 * are read into memory if they are small, or else copied into a temporary tiled file, which `close` removes. Samples are exactly those
 * that `readImage` gives, and what it refuses is refused with the same errors.
 */
export async function openSource(name: string, options: SourceOptions = {}): Promise<Source> {
  checkAddress(name, options);
  if (isAddress(name)) {
    return /\.zarr\/?([?#].*)?$/i.test(name) ? zarrSource(name, options) : tiffSource(name, options);
  }
  const place = await stat(name).catch(() => undefined);
  if (place?.isDirectory()) return zarrSource(name, options);
  if (!place?.isFile()) return wholeFile(name, options);
  // What cannot be opened has its error from the reader of whole files.
  const head = await headOf(name, HEAD_BYTES).catch(() => new Uint8Array(0));
  const format = formatOfContent(head);
  if (format === 'tiff') return openTiffFile(name, place.size, options);
  // The others have no size that does not fit in memory, or no decoder that goes row by row.
  if (format !== 'png' && format !== 'jpeg') return wholeFile(name, options);
  const refuse = refusingFor(name, options);
  const file = { source: name, format, head, bytes: place.size };
  const image = await intact(openBySharp(file, refuse, checkClaim), format, refuse);
  const whole = fitsInMemory(pictureOf(image), place.size, options);
  return whole ? wholeFile(name, options) : copyOf(name, image, options);
}

/**
 * What is known about an image before its samples are read; undefined for formats that are always read whole (WebP, BMP and .npy), and
 * for files that cannot be opened.
 */
export async function pictureIn(name: string, options: SourceOptions = {}): Promise<Picture | undefined> {
  if (isAddress(name)) return closed(await openSource(name, options));
  const place = await stat(name).catch(() => undefined);
  if (place?.isDirectory()) return closed(await zarrSource(name, options));
  if (!place?.isFile()) return undefined;
  const head = await headOf(name, HEAD_BYTES).catch(() => new Uint8Array(0));
  const format = formatOfContent(head);
  if (format === 'tiff') {
    const tiff = await openTiff(name, options);
    return uprightPicture(await closed(tiff), tiff.orientation);
  }
  if (format !== 'png' && format !== 'jpeg') return undefined;
  const refuse = refusingFor(name, options);
  const file = { source: name, format, head, bytes: place.size };
  const image = await intact(openBySharp(file, refuse, checkClaim), format, refuse);
  return uprightPicture(pictureOf(image), image.orientation);
}

/** The picture as `readImage` turns it. */
function uprightPicture(picture: Picture, orientation: number): Picture {
  const { width, height } = picture;
  return orientation >= 5 && orientation <= 8 ? { ...picture, width: height, height: width } : picture;
}

async function closed(source: Pick<Source, 'picture' | 'close'>): Promise<Picture> {
  await source.close();
  return source.picture;
}

async function openTiffFile(name: string, bytes: number, options: SourceOptions): Promise<Source> {
  const tiff = await openTiff(name, options);
  if (tiff.tiled && tiff.orientation === 1) return tiff;
  try {
    const whole = tiff.orientation !== 1 || fitsInMemory(tiff.picture, bytes, options);
    if (whole) return await wholeFile(name, options);
    return await fromCopy(tiff, (target) => copyTiled(tiff, target, options.signal), options);
  } finally {
    await tiff.close();
  }
}

/** Whether an image is read into memory from a file of this many bytes. */
function fitsInMemory(picture: Picture, bytes: number, { memory = DEFAULT_MEMORY }: SourceOptions): boolean {
  const unpacked = (picture.width * picture.height * planesOf(picture) * picture.depth) / 8;
  return unpacked <= Math.min(memory, mostUnpacked(bytes, planesOf(picture)));
}

/** A source that sharp copies, if it does so exactly; the others are read whole, up to the limit of the reader. */
async function copyOf(name: string, image: SharpImage, options: SourceOptions): Promise<Source> {
  if (!copiesExactly(image)) return wholeFile(name, options);
  const refuse = refusingFor(name, options);
  const version = await versionOf(name, refuse);
  const make = (target: string) =>
    whileUnchanged(name, version, refuse, () => copyBySharp(name, image, target, refuse, options.signal));
  return fromCopy({ picture: pictureOf(image), version }, make, options);
}

/** A source that reads from a temporary tiled copy. What a killed run has left of its own is removed first. */
async function fromCopy(
  { picture, version }: Pick<Source, 'picture' | 'version'>,
  make: (target: string) => Promise<void>,
  { folder = tmpdir(), ...options }: SourceOptions,
): Promise<Source> {
  await removeStrays(folder);
  const target = temporaryFor(join(folder, 'tiled.tif'));
  const remove = () => rm(target, { force: true });
  try {
    // A private image may be copied: no other user may read the copy, not even while it is being written.
    await writeFile(target, '', { mode: 0o600, flag: 'wx' });
    await make(target);
    const copy = await tiffSource(target, options);
    const close = async () => {
      await copy.close();
      await remove();
    };
    return { ...copy, picture, version, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function wholeFile(name: string, { parameter, signal }: SourceOptions): Promise<Source> {
  signal?.throwIfAborted();
  // What is no ordinary file has its error from the reader.
  const version = await versionOf(name, refusingFor(name, { parameter })).catch(() => '');
  const read = () => readImage(name, { parameter });
  const file = await whileUnchanged(name, version, refusingFor(name, { parameter }), read);
  signal?.throwIfAborted();
  return memorySource(file, version);
}

/** Reads a file from its beginning to its end. If another program writes to it meanwhile, what was read may be of both contents. */
async function whileUnchanged<T>(path: string, version: string, refuse: Refuse, read: () => Promise<T>): Promise<T> {
  const result = await read();
  if ((await versionOf(path, refuse)) !== version) throw changed(refuse);
  return result;
}

/** An image that is in memory as a source, such as one that `readImage` gave. */
export function memorySource(file: Omit<ImageFile, 'format'>, version: string): Source {
  const { image, sample, depth, metadata } = file;
  const { width, height, planes, alpha } = image;
  const all = alpha ? [...planes, alpha] : planes;
  const picture: Picture = {
    ...{ width, height, channels: planes.length, alpha: alpha !== undefined, sample, depth },
    ...(metadata && { metadata }),
  };
  return {
    picture,
    chunk: { width, height },
    version,
    async read(window, signal) {
      signal?.throwIfAborted();
      checkWindow(window, picture);
      return all.map((plane) => {
        const part = plane.slice(0, window.width * window.height);
        const from = { data: plane, at: window.top * width + window.left, stride: width };
        copyRows(from, { data: part, at: 0, stride: window.width }, window.width, window.height);
        return part;
      });
    },
    async close() {},
  };
}

/** What is known about a picture that sharp reads. */
function pictureOf({ width, height, channels, alpha, sample, depth, metadata }: SharpImage): Picture {
  return { width, height, channels: channels - (alpha ? 1 : 0), alpha, sample, depth, metadata };
}

/** Tells the content of a file from another one. */
async function versionOf(path: string, refuse: Refuse): Promise<string> {
  const { size, mtimeNs } = await stat(path, { bigint: true }).catch((cause: unknown) => {
    throw refuse('must be an existing file', 'check the path', InputError, { cause });
  });
  return `${size}-${mtimeNs}`;
}

/** The first bytes of a file. */
async function headOf(path: string, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(length);
    const { bytesRead } = await file.read(head, 0, length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
