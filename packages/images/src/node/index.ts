/**
 * Reads and writes image files in Node.
 *
 * @module ght-images/node
 */

export type { Declared, Decoded } from '../decoded.js';
export type { Refuse } from '../refuse.js';
export { describingFields } from '../tiff/describing-fields.js';
export { encodeDirectory, type TiffField, takeDifferences } from '../tiff/fields.js';
export { checkClaim, checkSize } from './decoded.js';
export { memoryFile, TiffPages, type WriteBytes } from './encode-tiff.js';
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
  writingErrorOf,
} from './files.js';
export { checkFolder, makeFolder, removeEmptyFolders } from './folders.js';
export type { DenseMatrix } from './matrices/matrix.js';
export { type MatrixPath, matrixPath, readMatrix } from './matrices/read-matrix.js';
export { encodeMat } from './matrices/write-mat.js';
export { IncompleteInstallation, loadPackage, loadSharp } from './packages.js';
export { type ImageHeader, readHeader } from './read-header.js';
export {
  fileOf,
  type ImagePages,
  intact,
  openImage,
  type ReadOptions,
  readArray,
  readImage,
  refusing,
} from './read-image.js';
export { openBySharp, type SharpFile, type SharpFormat, type SharpImage } from './sharp-image.js';
export { removeStrays, temporaryFor } from './temporaries.js';
export { nodeCodecs, unpackZstd } from './tiff-codecs.js';
export {
  checkFormat,
  checkHolds,
  type EncodeOptions,
  encodeImage,
  imageOutput,
  metadataFor,
  type PagesOutput,
  pagesOutput,
  writeImage,
} from './write-image.js';
