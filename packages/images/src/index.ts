/**
 * Image files and pixels, wherever they are: nothing here needs Node. The readers and writers are in `ght-images/node`.
 *
 * @module ght-images
 */

export { decodeArray } from './arrays.js';
export type { Axes } from './axes.js';
export { axesNames } from './axes.js';
export type { Bmp, BmpHeader } from './bmp.js';
export { decodeBmp, encodeBmp, readBmpHeader } from './bmp.js';
export { type Bytes, piped } from './bytes.js';
export { type Camera, cameraIn } from './camera.js';
export type { Chunk, Segment } from './chunks.js';
export { chunksOf, framesOf, orientationOf, resolutionOf, segmentsOf } from './chunks.js';
export type { Declared, Decoded } from './decoded.js';
export { profileFits, uprightExif } from './exif.js';
export type { ImageFile, ImageFormat, ImageMetadata, SampleDepth, SampleKind } from './image-file.js';
export { formatNames, formatOfContent, formatOfName, imageExtensions, readExtensions } from './image-file.js';
export { mostSamples, mostUnpacked, pixelLimit } from './limits.js';
export { describeFile } from './metadata/describe.js';
export { notKept } from './metadata/not-kept.js';
export { readMetadata } from './metadata/read.js';
export { decodePlain, type PlainFormat } from './plain.js';
export { fullScale, rangeOf } from './range.js';
export type { LazyRaster, Raster, RasterSamples } from './raster.js';
export { asSamples, toPlanes, toRaster } from './raster.js';
export type { Refuse } from './refuse.js';
export { perCentimetre, type Resolution } from './resolution.js';
export { fitsImageJ, type ImageJMetadata, imageJOf, imageJOrder, imageJStack, isImageJ } from './stack/imagej.js';
export { isOme, type OmePage, type OmeStack, omeOf, omeOfResult, omeStack } from './stack/ome-xml.js';
export {
  lengthOf,
  type PageAxis,
  type PagePlace,
  pageAt,
  pageAxes,
  pagesOf,
  placeOf,
  reordered,
  type Stack,
  type StackAxis,
  type StackChannel,
  unitNamed,
  unitSymbol,
} from './stack/stack.js';
export {
  frameBytes,
  isY4m,
  readY4m,
  readY4mHeader,
  writeY4mFrame,
  type Y4mFrame,
  type Y4mHeader,
} from './stack/y4m.js';
export type { ByteSource } from './tiff/byte-source.js';
export { bytesInMemory } from './tiff/byte-source.js';
export type { TiffCodec, TiffCodecs } from './tiff/codecs.js';
export { basicCodecs } from './tiff/codecs.js';
export { describingFields } from './tiff/describing-fields.js';
export { openStructure, type TiffDirectory, type TiffStructure } from './tiff/directory.js';
export { encodeDirectory, type TiffField, takeDifferences } from './tiff/fields.js';
export { jpegFile } from './tiff/jpeg-block.js';
export { type Announced, readTiffPage, type TiffPage } from './tiff/page.js';
export { type WindowReader, windowReader } from './tiff/read.js';
export { tag } from './tiff/tags.js';
export type { Planes } from './upright.js';
export { upright } from './upright.js';
