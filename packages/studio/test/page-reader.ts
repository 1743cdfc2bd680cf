import { InputError } from 'ght';
import type { MatrixEntry, MatrixReader } from '../../images/test/tiff/matrix.js';
import { FileError } from '../src/image/decoded.js';
import { openImage } from '../src/image/open.js';

/** Reads as the page does. */
export const readAsPage: MatrixReader = async (bytes) => {
  try {
    const { image } = await openImage(Uint8Array.from(bytes), () => 1);
    return image.alpha ? [...image.planes, image.alpha] : image.planes;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new InputError('file', error.message, 'file', 'open another one');
  }
};

const notRead = /zstd|lerc|ZSTD|LERC|webp|g3|g4| x2 |^u?int(8|16|32) .*x|uint32|^int|^GDAL int/;
const unsigned = /^uint(8|16) /;

/** The files that the page reads; and the others, which it must refuse. JPEG blocks need a browser's decoder: page.slow.test.ts. */
export function entriesForPage(all: readonly MatrixEntry[]) {
  const entries = all.filter(({ name }) => !name.includes('jpeg'));
  const isRead = ({ name }: MatrixEntry) =>
    !notRead.test(name) || (unsigned.test(name) && !/zstd|lerc|webp| x2 /.test(name));
  // Of several pages the first is open, which is the picture of the other files.
  const [{ samples: picture }] = entries.filter(({ name }) => name.startsWith('uint8 x1 none'));
  const read = entries
    .filter(isRead)
    .map((entry) => (entry.name === 'several pages' ? { ...entry, samples: picture } : entry));
  const refused = entries.filter((entry) => !isRead(entry)).map((entry) => ({ ...entry, samples: null }));
  return { read, refused };
}
