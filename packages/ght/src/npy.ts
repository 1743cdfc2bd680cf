/**
 * Files: `.npy`, and the `.npz` archives that hold codes and dictionaries, as NumPy and SciPy read and write them; and noise models as JSON.
 *
 * @module ght/npy
 */

export type { CameraSettings, NoiseModelFile } from './noise/given-model.js';
export type { CodedImage } from './sparse/codes/coded-image.js';
export { loadDictionary, type StoredDictionary, saveDictionary } from './sparse/codes/dictionary-file.js';
export { type NpyArray, type NpyType, readNpy, writeNpy } from './sparse/codes/npy.js';
export { loadCodes, saveCodes } from './sparse/codes/npz.js';
export { namesInZip, unzip, type ZipEntry, zip } from './sparse/codes/zip.js';
export { type DecodedImage, decodeImage } from './tasks/decode.js';
export { saveNoiseModel } from './tasks/save-noise-model.js';
