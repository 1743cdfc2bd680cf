import { isGhtError, readJpegInfo } from 'ght';
import { formatNames, framesOf, type ImageMetadata, orientationOf, upright } from 'ght-images';
import { decodeBitmap, decodeForeign } from './bitmap.js';
import { FileError, type OpenedImage, planesOf, type Raster } from './decoded.js';
import { checkSize, type Format, foreignFormatOf, formatOf, type Size, sizeOf } from './header.js';

/**
 * Opens an image file. `fit` is called with the size before memory of that size is allocated. It may throw to reject the
 * image, or return n to divide each side by n. Errors refer to the file by `name`, if given. `page` counts from 0.
 */
export async function openImage(
  bytes: Uint8Array<ArrayBuffer>,
  fit: (size: Size) => number,
  name?: string,
  page = 0,
): Promise<OpenedImage> {
  const format = formatOf(bytes);
  try {
    if (bytes.length === 0) throw new FileError('is empty. Fetch or save it again.');
    if (!format) return await openForeign(bytes, fit);
    const { raster, reduce, metadata, pages } = await read(bytes, format, fit, page);
    const { depth, sample, orientation = 1 } = raster;
    // Means of several pixels have neither the grid nor the steps of the file.
    const jpeg = format === 'jpeg' && reduce === 1 ? readJpegInfo(bytes, orientationOf(bytes, format)) : undefined;
    const image = upright(planesOf(raster, reduce), orientation);
    return {
      image,
      format: formatNames[format],
      depth,
      sample,
      metadata,
      ...(jpeg && { jpeg }),
      ...(pages && { pages }),
    };
  } catch (error) {
    if (error instanceof Error && error.name === 'TooLargeError') throw error;
    throw new FileError(`${name ?? `This ${format ? `${formatNames[format]} ` : ''}file`} ${reasonOf(error)}`);
  }
}

/** A file in a format that only some browsers read. */
async function openForeign(bytes: Uint8Array<ArrayBuffer>, fit: (size: Size) => number): Promise<OpenedImage> {
  const foreign = foreignFormatOf(bytes);
  if (!foreign)
    throw new FileError('is not a PNG, JPEG, WebP, TIFF, PPM, PFM, FITS or .npy file. Convert it to one of these.');
  const { title, type } = foreign;
  const raster = typeof createImageBitmap === 'function' ? await decodeForeign(bytes, type) : undefined;
  if (!raster) throw new FileError(`is damaged, or this browser does not open ${title}. Convert it to PNG or JPEG.`);
  const { width, height, channels, alpha, depth, sample } = raster;
  const reduce = fit({ width, height, channels: channels - (alpha ? 1 : 0) });
  return { image: planesOf(raster, reduce), format: title, depth, sample };
}

/** An image of a file, before it is upright. */
interface FileImage {
  readonly raster: Raster;
  readonly reduce: number;
  readonly metadata: ImageMetadata;
  readonly pages?: number;
}

async function read(
  bytes: Uint8Array<ArrayBuffer>,
  format: Format,
  fit: (size: Size) => number,
  at: number,
): Promise<FileImage> {
  const checkedFit = (size: Size) => {
    checkSize(size, bytes.length);
    return fit(size);
  };
  if (format === 'tiff') {
    // Only a TIFF needs its reader, which is larger than the rest of the page.
    const { openTiff } = await import('./tiff.js');
    const page = await openTiff(bytes, at);
    const reduce = checkedFit(page);
    return { raster: await page.decode(), reduce, metadata: page.metadata, pages: page.pages };
  }
  if (format === 'ppm' || format === 'pfm' || format === 'fits' || format === 'npy') {
    const { decodeFile } = await import('./plain.js');
    let reduce = 1;
    const file = await decodeFile(bytes, format, (size) => {
      reduce = checkedFit(size);
    });
    return { ...file, reduce };
  }
  const size = sizeOf(bytes, format);
  const reduce = size ? checkedFit(size) : 1;
  const { readMetadata } = await import('./metadata.js');
  const metadata = await readMetadata(bytes, format);
  if (format === 'jpeg') {
    if (size?.channels === 4) throw new FileError('is in CMYK. Convert it to RGB.');
    return { raster: await decodeBitmap(bytes, format), reduce, metadata };
  }
  if (framesOf(bytes, format) > 1) {
    throw new FileError('has several frames. Save the one you want as a file of its own.');
  }
  // The browser's own decoder, which the others use, does not give 16 bits.
  const raster: Raster =
    format === 'png' ? (await import('./png.js')).decodePng(bytes) : await decodeBitmap(bytes, format);
  return { raster: { ...raster, orientation: orientationOf(bytes, format) }, reduce, metadata };
}

/** Why a file was not opened, and the remedy: the text after its name. */
function reasonOf(error: unknown): string {
  if (error instanceof FileError || isGhtError(error, 'input')) return error.message;
  const message = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  // The error messages of the three browsers for a script that could not be loaded: decoders are loaded when first needed.
  if (error instanceof TypeError && /dynamically imported module|importing a module script/i.test(message)) {
    return 'needs a part of the page that could not be loaded. Reload the page when you are online.';
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof RangeError && /allocation|memory/i.test(cause.message)) {
    return "does not fit into the browser's memory. Use a smaller image, or the command ght.";
  }
  return `is damaged or incomplete (${message}). Fetch or save it again.`;
}
