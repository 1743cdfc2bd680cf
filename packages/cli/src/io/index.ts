/** The files of the command: those of images, and the folders and batches that its flags name. */
export { formatOfName, type ImageFile, type ImageFormat, type ImageMetadata, imageExtensions } from 'ght-images';
export {
  checkFormat,
  checkOutput,
  checkOutputs,
  encodeMat,
  IncompleteInstallation,
  imageOutput,
  loadSharp,
  makeFolder,
  matrixPath,
  type Output,
  readArray,
  readBytes,
  readImage,
  readMatrix,
  refuseOverwriting,
  removeEmptyFolders,
  writeFileAtomically,
  writeImage,
  writeTogether,
} from 'ght-images/node';
export { type BatchFile, batchOf, filesOf, inFolder } from './batch.js';
export { readImageFolder } from './image-folder.js';
export { prepareReportFolder, reportFolder } from './report-folder.js';
export {
  checkResult,
  FORMAT_REMEDY,
  headOf,
  isStream,
  noteNotKept,
  noteNotKeptIn,
  openInput,
  pagesResult,
  refuseOverwritingFiles,
  resultFormat,
  resultOutput,
  writeResults,
} from './streams.js';
