/** Writes stacks page by page into one file: TIFF, `.npy` or Zarr. The file takes its name when all pages are there. */
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Image, OptionError } from 'ght';
import {
  fitsImageJ,
  formatOfName,
  type ImageFile,
  type ImageMetadata,
  imageJOf,
  imageJOrder,
  imageJStack,
  isImageJ,
  isOme,
  type LazyRaster,
  omeOf,
  omeOfResult,
  omeStack,
  type PageAxis,
  pageAt,
  pagesOf,
  placeOf,
  reordered,
  type Stack,
  toRaster,
} from 'ght-images';
import { metadataFor, TiffPages, type WriteBytes, writeFileBy } from 'ght-images/node';
import type { Picture } from '../picture.js';
import { refusingFor } from '../stores/source-options.js';
import { bytesOf } from '../stores/zarr-chunks.js';
import { pixelSize } from '../stores/zarr-layout.js';
import { npyAxes, npyHead } from './npy-stack.js';
import type { StackFacts } from './stack-source.js';
import { writeZarrStack, type ZarrPages } from './zarr-stack-sink.js';

/** Takes the results of pages, in any order, each with the file of its page. */
export type WritePage = (page: number, image: Image, like: ImageFile) => Promise<void>;

/** Whether the result of a page is there from a run that was stopped. */
export type HasPage = (page: number) => Promise<boolean>;

/** How a stack is written. */
export interface WriteStackOptions {
  /** Samples of the result. @default those of the stack */
  readonly samples?: Pick<Picture, 'sample' | 'depth'>;
  /** What errors call the file. @default 'output' */
  readonly parameter?: string;
  /**
   * The name of the run, which says all that the result depends on. If a run into a Zarr is stopped, the next one of this name continues it:
   * pages that are there need not be written again. @default a run that is stopped leaves nothing
   */
  readonly run?: string;
}

/** The extensions of files of stacks. */
export const stackExtensions = ['.tif', '.tiff', '.npy', '.zarr'] as const;

/** Writes a stack like another one, with the pages that `fill` gives: every page once, in any order. */
export async function writeStack(
  path: string,
  like: StackFacts,
  fill: (write: WritePage, has: HasPage) => Promise<void>,
  { samples = like.picture, parameter = 'output', run }: WriteStackOptions = {},
): Promise<void> {
  if (/\.zarr[/\\]*$/i.test(path)) {
    const placed = (page: number) => placeOf(like.stack, page);
    const byPlace = ({ write, has }: ZarrPages) =>
      fill(
        (page, image) => write(placed(page), image),
        (page) => has(placed(page)),
      );
    return writeZarrStack(path, like, samples, byPlace, { parameter, run });
  }
  checkStackFile(path, parameter);
  await writeStackFile(path, like, samples, parameter, (page) => fill(page, async () => false));
}

/** Refuses names that are not those of stacks. */
export function checkStackFile(path: string, parameter: string): void {
  const format = formatOfName(path);
  if (format === 'tiff' || format === 'npy') return;
  const rule = `must end in ${stackExtensions.join(', ')} for a stack`;
  throw new OptionError(parameter, rule, path, 'choose one of these, or one page with --pages');
}

/** Writes a TIFF or a `.npy` with the pages that `fill` gives. */
export async function writeStackFile(
  path: string,
  like: StackFacts,
  samples: Pick<Picture, 'sample' | 'depth'>,
  parameter: string,
  fill: (write: WriteRaster) => Promise<void>,
): Promise<void> {
  const write = formatOfName(path) === 'npy' ? fillNpy : fillTiff;
  await writeFileBy(path, (file) => write(into(file), path, like, samples, fill), parameter);
}

/** Takes the results of pages, also those that are read row by row. */
type WriteRaster = (page: number, image: Image | LazyRaster, like: ImageFile) => Promise<void>;

function rasterOf(image: Image | LazyRaster, { sample, depth }: Pick<Picture, 'sample' | 'depth'>): LazyRaster {
  return 'rows' in image ? image : toRaster(image, sample, depth);
}

type Fill = (
  write: WriteBytes,
  path: string,
  like: StackFacts,
  samples: Pick<Picture, 'sample' | 'depth'>,
  fill: (write: WriteRaster) => Promise<void>,
) => Promise<void>;

/** One call may write less than it was given, such as when the disk is nearly full. */
function into(file: FileHandle): WriteBytes {
  return async (bytes, position) => {
    for (let done = 0; done < bytes.length; ) {
      done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
    }
  };
}

const fillTiff: Fill = async (write, path, like, samples, fill) => {
  const tiff = new TiffPages(write);
  const { stack, kept } = like;
  const { order, directories, first } = tiffDescription(path, like, samples);
  const names = kept.tiff && { from: kept.tiff.name, to: basename(path) };
  await fill(async (page, image, file) => {
    const place = pageAt(order, placeOf(stack, page));
    const directory = directories?.[place] ?? place;
    const { description: own, imageJ: _, ...metadata } = metadataFor('tiff', like.picture.channels, file);
    // Pages after the first keep descriptions of their own only where the first does.
    const described =
      directory === 0 ? first : first.description === like.picture.metadata?.description ? { description: own } : {};
    const text = described.description;
    const description = text !== undefined && isOme(text) ? omeOfResult(text, samples, names) : text;
    await tiff.write(directory, rasterOf(image, samples), {
      ...metadata,
      ...described,
      ...(description !== undefined && { description }),
    });
  });
  await tiff.finish();
};

/** What the first page of a TIFF says about all, and the order of pages that it means. */
interface Description {
  readonly first: Pick<ImageMetadata, 'description' | 'imageJ'>;
  /** The axes of the file, the slowest first. */
  readonly order: Pick<Stack, 'axes'>;
  readonly directories?: readonly number[];
}

/** The description that the stack came with if it means the same pages, or a new one: OME-XML for `.ome.tif` and for samples that ImageJ does not have. */
function tiffDescription(
  path: string,
  { stack, picture, format, kept }: StackFacts,
  samples: Pick<Picture, 'sample' | 'depth'>,
): Description {
  const { description, imageJ } = picture.metadata ?? {};
  const ome = /\.ome\.tiff?$/i.test(path);
  if (format === 'tiff' && (!ome || isOme(description ?? ''))) {
    return { first: { description, imageJ }, order: stack, directories: kept.tiff?.directories };
  }
  const described = description === undefined ? undefined : stackOfDescription(description, pagesOf(stack));
  if (described && sameAxes(described, stack) && (!ome || isOme(description ?? ''))) {
    return { first: { description, imageJ }, order: described, directories: described.directories };
  }
  // Pages of which nothing else is known follow each other in time, as in any TIFF.
  const plain = !stack.channels && !stack.labels && stack.axes.every((axis) => axis.name === 't' && !axis.step);
  if (plain && !ome) return { first: {}, order: stack };
  const axes = imageJOrder.flatMap((name) => stack.axes.filter((axis) => axis.name === name));
  const ordered = { ...stack, axes, ...(stack.labels && { labels: reordered(stack.labels, stack, { axes }) }) };
  const { width, height, channels, alpha } = picture;
  const count = channels + Number(alpha);
  const pixel = pixelSize(picture.metadata);
  const asImageJ =
    fitsImageJ(samples) && (count === 1 || (count === 3 && samples.depth === 8 && !picture.metadata?.bands));
  if (!ome && asImageJ) return { first: imageJOf(ordered, pixel.unit), order: ordered };
  const page = { width, height, samples: count, ...samples, ...(pixel.unit && { pixel }) };
  return { first: { description: omeOf(ordered, page) }, order: ordered };
}

function stackOfDescription(
  description: string,
  pages: number,
): (Stack & Pick<Description, 'directories'>) | undefined {
  if (isImageJ(description)) return imageJStack(description, pages);
  if (!isOme(description)) return undefined;
  try {
    return omeStack(description, pages, refusingFor('', {}));
  } catch {
    return undefined;
  }
}

function sameAxes(one: Pick<Stack, 'axes'>, other: Pick<Stack, 'axes'>): boolean {
  const text = ({ axes }: Pick<Stack, 'axes'>) =>
    axes
      .flatMap(({ name, length }) => (length > 1 ? `${name}${length}` : []))
      .sort()
      .join();
  return text(one) === text(other);
}

const codes = {
  uint: { 8: '|u1', 16: '<u2', 32: '<u4', 64: '<u4' },
  int: { 8: '|i1', 16: '<i2', 32: '<i4', 64: '<i4' },
  float: { 8: '<f4', 16: '<f4', 32: '<f4', 64: '<f8' },
} as const;

/** The rows that are written at once. */
const ROWS = 512;

/** An array in the order of the stack: that of the input if it is one. */
const fillNpy: Fill = async (write, _path, { stack, picture, kept }, { sample, depth }, fill) => {
  const channels = picture.channels + Number(picture.alpha);
  const letters = kept.axes ?? npyAxes(stack, channels);
  const lengths = new Map<string, number>(stack.axes.map(({ name, length }) => [name as PageAxis, length]));
  const { width, height } = picture;
  const inPixel = letters.endsWith('c');
  const shape = [...letters].map((letter, i) => {
    if (inPixel && i === letters.length - 1) return channels;
    return letter === 'y' ? height : letter === 'x' ? width : (lengths.get(letter) ?? 1);
  });
  const head = npyHead(
    `{'descr': '${codes[sample][depth]}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`,
  );
  await write(head, 0);
  const length = width * channels * Number(codes[sample][depth][2]);
  await fill(async (page, image) => {
    const raster = rasterOf(image, { sample, depth });
    for (let y = 0; y < height; y += ROWS) {
      const bytes = bytesOf(await raster.rows(y, Math.min(y + ROWS, height)));
      await write(bytes, head.length + (page * height + y) * length);
    }
  });
};
