export { type BatchFile, batchOf, filesOf, inFolder } from './batch.js';
export {
  checkOutput,
  checkOutputs,
  type Output,
  readBytes,
  refuseOverwriting,
  writeFileAtomically,
  writeTogether,
} from './files.js';
export { makeFolder, removeEmptyFolders } from './folders.js';
export { formatOfName, type ImageFile, type ImageFormat, type ImageMetadata, imageExtensions } from './imageFile.js';
export { readImageFolder } from './imageFolder.js';
export { IncompleteInstallation, loadSharp } from './packages.js';
export { readArray, readImage } from './readImage.js';
export { prepareReportFolder, reportFolder } from './reportFolder.js';
export { checkFormat, imageOutput, writeImage } from './writeImage.js';
