/**
 * What an image needs to be rebuilt in addition to its codes, as further arrays of their .npz file. SciPy ignores them.
 *
 *     grid                         width and height of the image, side and stride of its patches
 *     peak                         full scale of the samples
 *     dictionary                   D, N×L; or, where D = A ⊗ B, its factors dictionary_a and dictionary_b
 *     alpha                        height×width, where the image has it
 *     channels                     bands, where three planes are not red, green and blue
 *     sample_type                  NumPy's name of the type its samples had in their file, such as uint8, where that is known
 */

import { InputError, positive } from '../../errors.js';
import { checkSamples, type Samples } from '../../image/image.js';
import { type PatchGrid, patchGrid } from '../../image/patches.js';
import type { Matrix } from '../../math/matrix.js';
import { checkDictionary, type Dictionary, denseDictionary, separableDictionary } from '../dictionary/dictionary.js';
import type { Codes } from './codes.js';
import { type NpyType, readNpy, readNpyText, writeNpy, writeNpyText } from './npy.js';
import { checkProduct, checkUnpacked } from './unpacked.js';

/** What codes need to become an image again. A {@link Representation} has the first two. */
export interface CodedImage {
  /** Where the patches of each plane lie; the codes hold plane after plane. */
  readonly grid: PatchGrid;
  /** The dictionary that the codes belong to. */
  readonly dictionary: Dictionary;
  /** Full scale of the samples, such as 255. */
  readonly peak: number;
  /** The alpha plane of the image, which is not coded but kept as it is. */
  readonly alpha?: Samples;
  /** Whether three planes are bands, and not red, green and blue: those of `represent` with `channels: 'bands'`. @default false */
  readonly bands?: boolean;
  /** NumPy's name of the type that the samples had in their file, such as `uint8`, so that the image is written like it. */
  readonly sampleType?: string;
}

interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The arrays of an image for the file of its codes; refuses what does not belong to the codes. */
export function codedImageEntries(codes: Codes, image: CodedImage): Entry[] {
  const { grid, dictionary, peak, alpha, bands, sampleType } = image;
  checkDictionary(dictionary);
  checkBelongs(codes, image);
  positive('image.peak', peak, 'give the full scale of the samples, such as 255', InputError);
  const { width, height, patch, stride } = grid;
  const entry = (name: string, type: NpyType, shape: number[], data: Samples) => ({
    name: `${name}.npy`,
    bytes: writeNpy({ type, shape, data }),
  });
  const matrix = (name: string, A: Matrix) => entry(name, 'f8', [A.rows, A.cols], rowByRow(A));
  const entries = [
    entry('grid', 'i8', [4], Float64Array.of(width, height, patch, stride)),
    entry('peak', 'f8', [1], Float64Array.of(peak)),
    ...(dictionary.factors
      ? [matrix('dictionary_a', dictionary.factors[0]), matrix('dictionary_b', dictionary.factors[1])]
      : [matrix('dictionary', dictionary.atoms)]),
  ];
  if (alpha) entries.push(entry('alpha', typeOf(alpha), [height, width], alpha));
  if (bands) entries.push({ name: 'channels.npy', bytes: writeNpyText('bands') });
  if (sampleType !== undefined) entries.push({ name: 'sample_type.npy', bytes: writeNpyText(sampleType) });
  return entries;
}

/** The arrays that describe an image, as {@link codedImageEntries} names them. */
export const codedImageArrays: readonly string[] = [
  ...['grid', 'peak', 'dictionary', 'dictionary_a', 'dictionary_b', 'alpha', 'channels', 'sample_type'],
];

/** The image that the arrays in the file of some codes describe, which has `packed` bytes. */
export function codedImageIn(files: Map<string, Uint8Array>, codes: Codes, packed: number): CodedImage {
  const array = (name: string) => {
    const bytes = files.get(`${name}.npy`);
    return bytes && readNpy(bytes, `codes.${name}`);
  };
  const needed = (name: string) => {
    const found = array(name);
    if (found) return found;
    const rule = `must hold the array ${name}, from which the image is rebuilt`;
    const remedy = 'make the codes again with ght represent --codes, or saveCodes with its second argument';
    throw new InputError('codes', rule, 'codes alone, as version 0.1 and scipy.sparse.save_npz write them', remedy);
  };
  const matrix = (name: string): Matrix => {
    const { shape, data } = needed(name);
    if (shape.length !== 2) {
      throw new InputError(`codes.${name}`, 'must be a matrix', `shape (${shape.join(', ')})`, 'make the codes again');
    }
    return columnByColumn(shape[0], shape[1], data);
  };
  const dense = () => {
    const { rows, cols, data } = matrix('dictionary');
    return denseDictionary(rows, cols, data);
  };
  const separable = () => {
    const [A, B] = [matrix('dictionary_a'), matrix('dictionary_b')];
    checkProduct('codes', A, B, packed);
    return separableDictionary(A, B);
  };
  const grid = gridOf(needed('grid').data);
  const { width, height, count } = grid;
  const planes = Math.max(1, codes.P / count);
  checkUnpacked('codes', `an image of ${width}×${height} pixels`, 8 * planes * width * height, packed);
  const type = files.get('sample_type.npy');
  const channels = files.get('channels.npy');
  const image = {
    grid,
    peak: positive('codes.peak', needed('peak').data[0], 'make the codes again', InputError),
    dictionary: files.has('dictionary_a.npy') ? separable() : dense(),
    // Checked below: a file may hold other types.
    alpha: array('alpha')?.data as Samples | undefined,
    ...(channels && { bands: readNpyText(channels, 'codes.channels') === 'bands' }),
    sampleType: type && readNpyText(type, 'codes.sample_type'),
  };
  checkBelongs(codes, image);
  return image;
}

function gridOf(numbers: ArrayLike<number>): PatchGrid {
  // Without a stride a grid would take that of its patches.
  const [width, height, patch, stride = Number.NaN] = Array.from(numbers);
  try {
    return patchGrid(width, height, patch, stride);
  } catch (cause) {
    const rule = 'must be the width and height of an image and the side and stride of its patches';
    throw new InputError('codes.grid', rule, Array.from(numbers), 'make the codes again', { cause });
  }
}

/** Refuses codes that are not those of all patches of some planes over the dictionary. */
function checkBelongs({ L, P }: Codes, { grid, dictionary, alpha }: CodedImage): void {
  const { N } = dictionary;
  const { patch, count, width, height } = grid;
  const remedy = 'use the codes, the grid and the dictionary of one representation';
  if (N !== patch ** 2 || dictionary.L !== L) {
    const rule = `must be ${patch ** 2}×${L}, as the patches and the codes are`;
    throw new InputError('dictionary', rule, `${N}×${dictionary.L}`, remedy);
  }
  if (P === 0 || P % count !== 0) {
    throw new InputError('codes', `must be of whole planes, each of ${count} patches`, `${P} patches`, remedy);
  }
  if (alpha === undefined) return;
  checkSamples('alpha', alpha);
  if (alpha.length === width * height) return;
  throw new InputError('alpha', `must hold width × height = ${width * height} samples`, alpha.length, remedy);
}

/** The type of samples by NumPy's letters. */
function typeOf(samples: Samples): NpyType {
  const kind = samples instanceof Float32Array || samples instanceof Float64Array ? 'f' : 'u';
  return `${kind}${samples.BYTES_PER_ELEMENT}` as NpyType;
}

/** The entries of a matrix as NumPy stores them: its columns lie one after the other here, its rows there. */
function rowByRow({ rows, cols, data }: Matrix): Float64Array {
  return columnByColumn(cols, rows, data).data;
}

function columnByColumn(rows: number, cols: number, stored: ArrayLike<number>): Matrix {
  const data = new Float64Array(rows * cols);
  for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) data[j * rows + i] = stored[i * cols + j];
  return { rows, cols, data };
}
