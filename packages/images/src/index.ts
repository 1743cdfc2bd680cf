/**
 * Image files and pixels, wherever they are: nothing here needs Node. The readers and writers are in `ght-images/node`.
 *
 * @module ght-images
 */

export type { Axes } from './axes.js';
export { axesNames } from './axes.js';
export type { Bmp, BmpHeader } from './bmp.js';
export { decodeBmp, encodeBmp, readBmpHeader } from './bmp.js';
export type { Chunk } from './chunks.js';
export { chunksOf, framesOf, orientationOf, resolutionOf } from './chunks.js';
export { profileFits, uprightExif } from './exif.js';
export type { ImageFile, ImageFormat, ImageMetadata, SampleDepth, SampleKind } from './imageFile.js';
export { formatNames, formatOfContent, formatOfName, imageExtensions } from './imageFile.js';
export { mostSamples, pixelLimit } from './limits.js';
export type { NoiseKind, Pixels } from './memory.js';
export { denoiseMemory, representMemory } from './memory.js';
export { fullScale, rangeOf } from './range.js';
export type { Raster, RasterSamples } from './raster.js';
export { asSamples, toPlanes, toRaster } from './raster.js';
export type { Resolution } from './resolution.js';
export type { Planes } from './upright.js';
export { upright } from './upright.js';
