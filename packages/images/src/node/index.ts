/**
 * Reads and writes image files in Node.
 *
 * @module ght-images/node
 */

export { checkClaim, checkSize, type Declared, type Refuse } from './decoded.js';
export {
  checkOutput,
  checkOutputs,
  destinationOf,
  type Named,
  type Output,
  readBytes,
  refuseOverwriting,
  writeFileAtomically,
  writeFileBy,
  writeTogether,
} from './files.js';
export { checkFolder, makeFolder, removeEmptyFolders } from './folders.js';
export { IncompleteInstallation, loadSharp } from './packages.js';
export { type ImagePages, intact, openImage, type ReadOptions, readArray, readImage, refusing } from './readImage.js';
export { openBySharp, type SharpFile, type SharpFormat, type SharpImage } from './sharpImage.js';
export { removeStrays, temporaryFor } from './temporaries.js';
export { describingFields, encodeDirectory, type TiffField, takeDifferences } from './tiffFields.js';
export { readTiffTags, type TiffDirectory, type TiffTags } from './tiffTags.js';
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
