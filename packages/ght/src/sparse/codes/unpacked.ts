/** A limit on what a small file may ask for: sizes in it are only numbers, and an image or a matrix of that size fills the memory. */

import { ResourceError } from '../../errors.js';
import type { Matrix } from '../../math/matrix.js';

/** Results of no more bytes than this need no more of a file. */
const HARMLESS = 2 ** 28;
/** How many bytes a byte of a file may become. */
const STEEPEST = 250;

/** Refuses a file of `packed` bytes whose content needs `bytes` bytes in float64. */
export function checkUnpacked(name: string, what: string, bytes: number, packed: number): void {
  if (bytes <= Math.max(HARMLESS, STEEPEST * packed)) return;
  const rule = `must not unpack to more than ${STEEPEST} times its ${packed} bytes`;
  throw new ResourceError(name, rule, what, 'make the file again, or use a smaller one');
}

/** {@link checkUnpacked} for the dictionary A ⊗ B. */
export function checkProduct(name: string, A: Matrix, B: Matrix, packed: number): void {
  const [N, L] = [A.rows * B.rows, A.cols * B.cols];
  checkUnpacked(name, `a dictionary of ${N}×${L} entries`, 8 * N * L, packed);
}
