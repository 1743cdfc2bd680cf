import type { Decoded } from '../decoded.js';
import { asSamples } from '../raster.js';
import type { Refuse } from '../refuse.js';
import { bytesInMemory } from '../tiff/byte-source.js';
import { openStructure, type TiffDirectory } from '../tiff/directory.js';
import { type Announced, readTiffPage } from '../tiff/page.js';
import { windowReader } from '../tiff/read.js';
import { checkSize } from './decoded.js';
import { nodeCodecs } from './tiff-codecs.js';

/** Opens a TIFF in memory: the number of its pages, and a decoder of each. */
export async function openTiff(bytes: Uint8Array, refuse: Refuse) {
  const source = bytesInMemory(bytes);
  const { littleEndian, directories } = await openStructure(source);
  const pages: TiffDirectory[] = [];
  for await (const directory of directories()) pages.push(directory);
  const facts = { bytes: bytes.length, pages: pages.length, littleEndian };
  const check = (announced: Announced) => checkSize({ ...announced, bytes: bytes.length }, refuse);
  const decode = async (index: number): Promise<Decoded> => {
    const page = await readTiffPage(pages[index], facts, refuse, check);
    const { width, height, alpha, sample, depth, orientation, metadata } = page;
    const planes = await windowReader(source, page, nodeCodecs, refuse)({ left: 0, top: 0, width, height });
    return { width, height, alpha, sample, depth, orientation, metadata, planes: planes.map(asSamples) };
  };
  return { count: pages.length, decode };
}
