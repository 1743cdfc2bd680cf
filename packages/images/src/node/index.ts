/** Reads and writes image files in Node. */
export {
  checkOutput,
  checkOutputs,
  destinationOf,
  type Named,
  type Output,
  readBytes,
  refuseOverwriting,
  writeFileAtomically,
  writeTogether,
} from './files.js';
export { checkFolder, makeFolder, removeEmptyFolders } from './folders.js';
export { IncompleteInstallation, loadSharp } from './packages.js';
export { type ImagePages, openImage, type ReadOptions, readArray, readImage } from './readImage.js';
export {
  checkFormat,
  checkHolds,
  type EncodeOptions,
  encodeImage,
  imageOutput,
  type PagesOutput,
  pagesOutput,
  writeImage,
} from './writeImage.js';
