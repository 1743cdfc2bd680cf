/** Formats that are not read here, by their first bytes, and how to get an image out of them. */
import { latin1 } from './bytes.js';

/** A format that is known by name only. */
export interface Foreign {
  /** What it is called. */
  readonly name: string;
  /** What to do instead. */
  readonly remedy: string;
}

const develop = 'develop it to a 16-bit TIFF, for example with RawTherapee, darktable, or dcraw -6 -T';
const raw = (name: string): Foreign => ({ name: `a raw camera file (${name})`, remedy: develop });
const signatures: readonly (readonly [start: number, text: string, Foreign])[] = [
  [0, '8BPS', { name: 'a Photoshop document', remedy: 'export it from Photoshop, Krita or GIMP as TIFF or PNG' }],
  [0, 'FUJIFILMCCD-RAW', raw('RAF')],
  [0, 'IIRO', raw('ORF')],
  [0, 'IIRS', raw('ORF')],
  [0, 'MMOR', raw('ORF')],
  [0, 'IIU\0', raw('RW2')],
  [4, 'ftypcrx ', raw('CR3')],
  [8, 'CR\x02\0', raw('CR2')],
  [0, '\0\0\0\x0cJXL ', { name: 'JPEG XL', remedy: 'convert it to PNG or TIFF, for example with djxl' }],
  [0, '\xff\x0a', { name: 'JPEG XL', remedy: 'convert it to PNG or TIFF, for example with djxl' }],
  [0, '\0\0\0\x0cjP  ', { name: 'JPEG 2000', remedy: 'convert it to PNG or TIFF, for example with opj_decompress' }],
  [0, '%PDF', { name: 'a PDF', remedy: 'save its page as PNG or TIFF, for example with pdftoppm -png' }],
  [0, 'MATLAB 7.3', { name: 'a MAT-file of v7.3 (HDF5)', remedy: 'save it with save -v7 in MATLAB' }],
  [0, '\x89HDF', { name: 'HDF5', remedy: 'save the array as .npy or TIFF' }],
];

/** Which of these a file is; undefined for all others. */
export function foreignOf(bytes: Uint8Array): Foreign | undefined {
  return signatures.find(([start, text]) => latin1(bytes.subarray(start, start + text.length)) === text)?.[2];
}
