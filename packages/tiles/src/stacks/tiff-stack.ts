/** TIFF files of several pages as stacks: with the axes of ImageJ or OME-XML, or else along time. */
import {
  asSamples,
  type ByteSource,
  imageJStack,
  isImageJ,
  isOme,
  type OmeStack,
  omeStack,
  openStructure,
  type Refuse,
  readTiffPage,
  type TiffDirectory,
  type TiffPage,
  tag,
  windowReader,
} from 'ght-images';
import { type Decoded, nodeCodecs } from 'ght-images/node';
import { type CheckSize, kindOf, kindText, type PageReader, refuseTurned } from './stack-source.js';

/** Small reads are served from blocks of this length: directories consist of many. */
const BLOCK_BYTES = 2 ** 16;

/**
 * The pages of a TIFF as a stack; undefined for a file of one image, and for pages of different sizes, as those of a slide with overviews.
 * ImageJ leaves out all directories but the first in files above 4 GiB, whose pages follow each other without compression.
 */
export async function tiffStack(
  source: ByteSource,
  name: string,
  refuse: Refuse,
  checkSize: CheckSize,
): Promise<PageReader | undefined> {
  const bytes = inBlocks(source);
  const { littleEndian, directories } = await openStructure(bytes);
  const pages: TiffDirectory[] = [];
  let size = '';
  for await (const directory of directories()) {
    const sides = await Promise.all([tag.width, tag.height].map((side) => directory.number(side, 0)));
    if (pages.length > 0 && sides.join() !== size) return undefined;
    size = sides.join();
    pages.push(directory);
  }
  const [first] = pages;
  const description = (await first.text(tag.description).catch(() => undefined)) ?? '';
  const images = isImageJ(description) ? Number(/^images=(\d+)/m.exec(description)?.[1] ?? 1) : 1;
  if (pages.length === 1 && images === 1) return undefined;
  const facts = { bytes: source.size, littleEndian, pages: Math.max(pages.length, images) };
  const check = (announced: Pick<TiffPage, 'width' | 'height' | 'channels' | 'depth'>) =>
    checkSize({ ...announced, bytes: source.size }, refuse);
  const pageOf = (directory: TiffDirectory) => readTiffPage(directory, facts, refuse, check);
  const start = await pageOf(first);
  const count = pages.length === 1 ? images : pages.length;
  const apart = pages.length === 1 ? distanceIn(start, images, source.size, refuse) : 0;
  const { metadata } = start;
  const stack: OmeStack = (isOme(description) ? omeStack(description, count, refuse) : undefined) ??
    imageJStack(description, count, metadata.imageJ) ?? { axes: [{ name: 't', length: count }] };
  const kind = kindOf(start);
  return {
    stack,
    picture: { ...kind, metadata },
    format: 'tiff',
    kept: { tiff: { name, ...(stack.directories && { directories: stack.directories }) } },
    async decode(number, signal, at): Promise<Decoded> {
      const place = stack.directories?.[number] ?? number;
      const page = place === 0 ? start : apart > 0 ? moved(start, place * apart) : await pageOf(pages[place]);
      const own = kindOf(page);
      if (kindText(own) !== kindText(kind)) {
        const rule = `must have pages of one kind, ${kindText(kind)}, but page ${place} is ${kindText(own)}`;
        throw refuse(rule, 'use --pages all for a file of different images');
      }
      const { alpha, sample, depth, orientation, metadata } = page;
      if (at) refuseTurned(page, refuse);
      const window = at ?? { left: 0, top: 0, width: page.width, height: page.height };
      const { width, height } = window;
      const planes = await windowReader(source, page, nodeCodecs, refuse)(window, signal);
      return { width, height, alpha, sample, depth, orientation, metadata, planes: planes.map(asSamples) };
    },
  };
}

/** The bytes from one image of ImageJ to the next in a file that lists only the first. */
function distanceIn(page: TiffPage, images: number, size: number, refuse: Refuse): number {
  const { offsets, counts, compression } = page;
  const whole = counts.reduce((sum, count) => sum + count, 0);
  const together = offsets.every((offset, i) => i === 0 || offset === offsets[i - 1] + counts[i - 1]);
  const wanted = (page.width * page.height * page.stored * page.bits) / 8;
  if (compression === 'none' && together && whole === wanted && offsets[0] + images * whole <= size) return whole;
  const rule = `must list its ${images} images as pages, or hold all of them one after the other`;
  throw refuse(rule, 'fetch it again, or save it as BigTIFF');
}

function moved(page: TiffPage, by: number): TiffPage {
  const { description: _, imageJ: __, ...metadata } = page.metadata;
  return { ...page, metadata, offsets: page.offsets.map((offset) => offset + by) };
}

function inBlocks(source: ByteSource): ByteSource {
  let [start, block] = [0, new Uint8Array(0)];
  return {
    size: source.size,
    async read(offset, length, signal) {
      if (length >= BLOCK_BYTES || !(offset >= 0 && offset + length <= source.size)) {
        return source.read(offset, length, signal);
      }
      if (offset < start || offset + length > start + block.length) {
        block = new Uint8Array(await source.read(offset, Math.min(BLOCK_BYTES, source.size - offset), signal));
        start = offset;
      }
      return block.slice(offset - start, offset - start + length);
    },
  };
}
