export { batchOf } from './batch.js';
export { checkOutput, type Output, writeFileAtomically, writeTogether } from './files.js';
export { type ImageFile, type ImageFormat, type ImageMetadata, imageExtensions } from './imageFile.js';
export { IncompleteInstallation, loadSharp } from './packages.js';
export { readArray, readImage } from './readImage.js';
export { checkFormat, imageOutput, writeImage } from './writeImage.js';
