/**
 * Files of arrays: `.npy`, and the `.npz` archives that hold codes and dictionaries, as NumPy and SciPy read and write them.
 *
 * @module ght/npy
 */

export type { CodedImage } from './sparse/codes/coded-image.js';
export { loadDictionary, type StoredDictionary, saveDictionary } from './sparse/codes/dictionary-file.js';
export { type NpyArray, type NpyType, readNpy, writeNpy } from './sparse/codes/npy.js';
export { loadCodes, saveCodes } from './sparse/codes/npz.js';
export { type DecodedImage, decodeImage } from './tasks/decode.js';
