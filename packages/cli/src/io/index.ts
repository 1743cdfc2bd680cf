export { batchOf } from './batch.js';
export { checkOutput, writeFileAtomically } from './files.js';
export { type ImageFile, type ImageFormat, type ImageMetadata, imageExtensions } from './imageFile.js';
export { readArray, readImage } from './readImage.js';
export { checkFormat, writeImage } from './writeImage.js';
