/**
 * How the codes of a range lie in memory. Coefficients are stored in blocks of four atoms, each at a place of its own: block b of
 * patch p at ((p/32)·blocks + b)·32 + p%32. A block is written only if one of its four is a candidate, and a bit per
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

/**
 * Sets of codes, each in a buffer of its own, so that a pass reads one and writes another. Zᵏ lies in set k mod 3; a pass reads Zᵏ and
 * writes the candidates for Zᵏ⁺¹, and Zᵏ⁻¹ is still there until it is known whether Zᵏ is better.
 */
export const setOf = (k: number): number => k % 3;
/** The set in which the best codes are saved, where better ones do not follow. */
export const SAVED = 3;
export const SETS = 4;

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

/** WGSL: where the first block and the first mask word of a patch lie. */
export function placesInCodes({ blocks, words }: CodeLayout): string {
  return `
fn blocksAt(tile: u32, lane: u32) -> u32 { return tile * ${32 * blocks}u + lane; }
fn masksAt(tile: u32, lane: u32) -> u32 { return tile * ${32 * words}u + lane; }`;
}

/** WGSL: what every kernel of a pass reads: its range, the state, and the codes. */
export const passReads = `@group(0) @binding(1) var<uniform> place: vec4u; // first patch, pairs of tiles
@group(0) @binding(2) var<uniform> s: State;
@group(0) @binding(4) var<storage, read> codes: array<vec4f>;
@group(0) @binding(5) var<storage, read> masks: array<u32>;`;
/** WGSL: where a pass writes the candidates for the next codes. */
export const passWrites = `@group(0) @binding(6) var<storage, read_write> candidates: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> candidateMasks: array<u32>;`;

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

/**
 * WGSL: the same in an order that does not matter, four blocks at a time, so that their loads wait together. `body` sees the
 * magnitudes of a block as the bits `e`; those of blocks that are not there are 0.
 */
export function forStoredMagnitudes({ bits, words }: CodeLayout, body: string): string {
  const next = (i: number) =>
    `let there${i} = bits != 0u; let block${i} = select(block0, word * ${bits}u + countTrailingZeros(bits), there${i}); bits &= bits - 1u;`;
  const four = [0, 1, 2, 3];
  return `for (var word = 0u; word < ${words}u; word++) {
    var bits = masks[maskAt + 32u * word];
    while (bits != 0u) {
      let block0 = word * ${bits}u + countTrailingZeros(bits); bits &= bits - 1u;
      ${four.slice(1).map(next).join('\n      ')}
      ${four.map((i) => `let x${i} = codes[blockAt + 32u * block${i}];`).join(' ')}
      ${four
        .map((i) => {
          const e = `bitcast<vec4u>(x${i}) & vec4u(0x7fffffffu)`;
          return `{ let e = ${i === 0 ? e : `select(vec4u(0u), ${e}, there${i})`}; ${body} }`;
        })
        .join('\n      ')}
    }
  }`;
}
