/** Image files and pixels, wherever they are: nothing here needs Node. The readers and writers are in `ght-images/node`. */
export type { Chunk } from './chunks.js';
export { chunksOf, framesOf, orientationOf } from './chunks.js';
export { profileFits, uprightExif } from './exif.js';
export type { ImageFile, ImageFormat, ImageMetadata } from './imageFile.js';
export { formatNames, formatOfContent, formatOfName, imageExtensions } from './imageFile.js';
export { mostSamples, pixelLimit } from './limits.js';
export type { NoiseKind, Pixels } from './memory.js';
export { denoiseMemory, representMemory } from './memory.js';
export { fullScale, rangeOf } from './range.js';
export type { Raster } from './raster.js';
export { toPlanes, toRaster } from './raster.js';
export type { Planes } from './upright.js';
export { upright } from './upright.js';
