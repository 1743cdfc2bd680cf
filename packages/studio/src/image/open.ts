import { decodeBitmap } from './bitmap.js';
import { FileError, type OpenedImage, planesOf, type Raster } from './decoded.js';
import { formatOf, type Size, sizeOf } from './header.js';
import { decodePng } from './png.js';

/**
 * Opens an image file. `fit` is told the size before anything of that size is allocated; it may refuse, by throwing, or ask
 * for the image reduced n times a side.
 */
export async function openImage(bytes: Uint8Array<ArrayBuffer>, fit: (size: Size) => number): Promise<OpenedImage> {
  const format = formatOf(bytes);
  if (!format) throw new FileError('This is not a PNG, JPEG, WebP or TIFF file. Convert it to one of these.');
  const size = sizeOf(bytes, format);
  let reduce = size ? checkedFit(size, fit) : 1;
  const read = async (): Promise<Raster> => {
    if (format === 'PNG') return decodePng(bytes);
    if (format !== 'TIFF') return decodeBitmap(bytes, `image/${format.toLowerCase()}`);
    // Only a TIFF needs its reader, which is larger than the rest of the page.
    const { openTiff } = await import('./tiff.js');
    const page = await openTiff(bytes);
    reduce = checkedFit(page, fit);
    return page.decode();
  };
  const raster = await read().catch((error: unknown) => {
    if (error instanceof Error && (error.name === 'FileError' || error.name === 'TooLargeError')) throw error;
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new FileError(`This ${format} file is damaged or incomplete (${why}). Fetch or save it again.`);
  });
  return { image: planesOf(raster, reduce), format, depth: raster.depth, sample: raster.sample };
}

function checkedFit(size: Size, fit: (size: Size) => number): number {
  if (!(size.width > 0 && size.height > 0)) throw new FileError('This image has no pixels. Open another one.');
  return fit(size);
}
