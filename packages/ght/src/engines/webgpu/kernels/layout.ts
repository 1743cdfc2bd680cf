/**
 * How the codes of a range lie in memory. Coefficients are stored in blocks of four atoms, each at a place of its own: block b of
 * patch p at ((set·tiles + p/32)·blocks + b)·32 + p%32. A block is written only if one of its four is a candidate, and a bit per
 * block says which are there. So little memory is touched, and nothing has to be packed.
 */
import { padded, type Shape } from '../../shape.js';

/** The blocks of a patch. */
export interface CodeLayout {
  /** Atoms of a row, and the blocks for them: a row of atoms where D = A ⊗ B is small, a single block otherwise. */
  readonly rowAtoms: number;
  readonly rowBlocks: number;
  readonly rows: number;
  readonly blocks: number;
  /** Rows whose bits share a word of the mask, the bits of a word, and the words. */
  readonly wordRows: number;
  readonly bits: number;
  readonly words: number;
}

/** Sets of codes in one buffer: those that are read, those that are written, and the best so far. */
export const SETS = 3;

/** Coordinates and atoms of a row that a thread can keep in its registers. */
const MOST_COORDINATES = 100;
const MOST_ROW_ATOMS = 16;

/** Whether a thread can keep all coordinates of a patch: a separable dictionary for small patches. */
export function fitsRegisters({ parts: [A, B] }: Shape): boolean {
  return B !== undefined && A.sigma.length * B.sigma.length <= MOST_COORDINATES && B.V.rows <= MOST_ROW_ATOMS;
}

/** The layout of the codes of a shape. */
export function codeLayout(shape: Shape): CodeLayout {
  const [A, B] = shape.parts;
  const [rowAtoms, rows] = B && fitsRegisters(shape) ? [B.V.rows, A.V.rows] : [4, shape.L4 / 4];
  const rowBlocks = padded(rowAtoms) / 4;
  const wordRows = Math.floor(32 / rowBlocks);
  const [blocks, words] = [rows * rowBlocks, Math.ceil(rows / wordRows)];
  return { rowAtoms, rowBlocks, rows, blocks, wordRows, bits: wordRows * rowBlocks, words };
}

/** WGSL: where the first block and the first mask word of a patch lie, in set `set_` of a range with so many tiles. */
export function placesInCodes({ blocks, words }: CodeLayout): string {
  return `
fn blocksAt(set_: u32, tiles: u32, tile: u32, lane: u32) -> u32 { return (set_ * tiles + tile) * ${32 * blocks}u + lane; }
fn masksAt(set_: u32, tiles: u32, tile: u32, lane: u32) -> u32 { return (set_ * tiles + tile) * ${32 * words}u + lane; }`;
}

/** WGSL: a loop over the stored blocks of a patch, in the order of its atoms; `body` sees the number `block`. */
export function forStoredBlocks({ bits, words }: CodeLayout, masks: string, body: string): string {
  return `for (var word = 0u; word < ${words}u; word++) {
    var bits = ${masks}[maskAt + 32u * word];
    while (bits != 0u) {
      let block = word * ${bits}u + countTrailingZeros(bits);
      bits &= bits - 1u;
      ${body}
    }
  }`;
}
