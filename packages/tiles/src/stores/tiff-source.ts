/** TIFF, BigTIFF and COG, read window by window, with the samples of the reader of whole files. Striped files are read by rows. */
import {
  type Announced,
  asSamples,
  type ByteSource,
  openStructure,
  readTiffPage,
  type TiffPage,
  tag,
  windowReader,
} from 'ght-images';
import { checkClaim, intact, nodeCodecs, type Refuse } from 'ght-images/node';
import type { Picture } from '../picture.js';
import type { Source } from '../source.js';
import { openFileBytes } from './file-bytes.js';
import { openHttpBytes } from './http-bytes.js';
import { abortable, checkAddress, isAddress, refusingFor, type SourceOptions } from './source-options.js';
import { checkWindow } from './windows.js';

/** A TIFF that is a source once it is known to be tiled and upright. */
export interface OpenTiff extends Source {
  /** Whether windows are read as quickly as they should be: it consists of tiles. */
  readonly tiled: boolean;
  /** Which way is up, as in EXIF; a source must be upright, which is 1. */
  readonly orientation: number;
}

/** Opens a tiled TIFF; a striped or turned one is refused. */
export async function tiffSource(name: string, options: SourceOptions = {}): Promise<Source> {
  const tiff = await openTiff(name, options);
  if (tiff.tiled && tiff.orientation === 1) return tiff;
  await tiff.close();
  const rule = tiff.tiled ? 'must be upright' : 'must be tiled';
  throw refusingFor(name, options)(
    rule,
    'save it again as a tiled TIFF, for example with vips copy in.tif out.tif[tile]',
  );
}

/** Opens a TIFF of any kind. Several pages are refused, but not smaller ones after the first: overviews, thumbnails and labels. */
export async function openTiff(name: string, options: SourceOptions = {}): Promise<OpenTiff> {
  checkAddress(name, options);
  const refuse = refusingFor(name, options);
  const { signal } = options;
  return abortable(async () => {
    const bytes = isAddress(name) ? await openHttpBytes(name, options) : await openFileBytes(name, refuse);
    try {
      const page = await intact(firstPage(bytes, refuse), 'tiff', refuse);
      const { width, height, channels, alpha, sample, depth, metadata, tiled, orientation, block } = page;
      const picture: Picture = { width, height, channels: channels - (alpha ? 1 : 0), alpha, sample, depth, metadata };
      const readPage = windowReader(bytes, page, nodeCodecs, refuse);
      const read: Source['read'] = async (window, reading) => {
        checkWindow(window, picture);
        const work = async () => (await readPage(window, reading)).map(asSamples);
        return abortable(() => intact(work(), 'tiff', refuse), reading);
      };
      return { picture, chunk: block, version: bytes.version, tiled, orientation, read, close: () => bytes.close() };
    } catch (error) {
      await bytes.close();
      throw error;
    }
  }, signal);
}

/** The first page. Further ones of its size or larger are refused. */
async function firstPage(bytes: ByteSource, refuse: Refuse): Promise<TiffPage> {
  const { littleEndian, directories } = await openStructure(bytes);
  let page: TiffPage | undefined;
  for await (const directory of directories()) {
    if (page) {
      const [width, height] = [await directory.number(tag.width, 0), await directory.number(tag.height, 0)];
      if (width < page.width || height < page.height) continue;
      throw refuse('must hold exactly one page', 'save the page you want as a file of its own');
    }
    const check = (announced: Announced) => checkClaim({ ...announced, bytes: bytes.size }, refuse);
    page = await readTiffPage(directory, { bytes: bytes.size, pages: 1, littleEndian }, refuse, check);
  }
  if (!page) throw new Error('it has no page');
  return page;
}
