/**
 * Files of arrays: `.npy`, and the `.npz` archives that hold codes and dictionaries, as NumPy and SciPy read and write them.
 *
 * @module ght/npy
 */

export type { CodedImage } from './sparse/codes/coded-image.js';
export type { StoredDictionary } from './sparse/codes/dictionary-file.js';
export { loadDictionary, saveDictionary } from './sparse/codes/dictionary-file.js';
export type { NpyArray, NpyType } from './sparse/codes/npy.js';
export { readNpy, writeNpy } from './sparse/codes/npy.js';
export { loadCodes, saveCodes } from './sparse/codes/npz.js';
export type { DecodedImage } from './tasks/decode.js';
export { decodeImage } from './tasks/decode.js';
