/** The work of one thread on the blocks of a tile. A block belongs to one thread, so the result does not depend on the number of threads. */
import { gatherBlock, HALO, surrounded } from '../../../denoisers/learned/blocks.js';
import { STRIDE } from '../../../denoisers/learned/model.js';
import type { Rectangle, Size } from '../../../image/rectangle.js';
import type { Work } from '../../../work.js';
import { paddedSites, SITE } from '../kernels/learned.js';
import type { LearnedKernels } from '../kernels/signatures.js';
import { claimIndices, type SharedWords } from './claim-indices.js';

/** Sites around a picture: a patch begins one site above and to the left of its own, and ends two sites below and to the right. */
export const RIM = { before: 1, after: 2 } as const;

/** The addresses of all arrays, as plain data that can be sent to threads. */
export interface LearnedLayout extends SharedWords {
  readonly atoms: number;
  readonly size: Size;
  readonly blocks: readonly Rectangle[];
  /** The planes of the tile, and those of the result. */
  readonly planes: readonly number[];
  readonly results: readonly number[];
  /** The tables of each step. */
  readonly steps: readonly { readonly A: number; readonly kappa: number; readonly B: number }[];
  /** The sites that a row of codes has room for. */
  readonly sites: number;
  /** Bytes of a row of sites of a picture with its rim, and of the picture. */
  readonly row: number;
  readonly picture: number;
  /** Each thread has y, two pictures r, the codes of a block, and the lists of a row of sites. */
  readonly scratches: readonly number[];
  readonly codes: number;
  readonly lists: number;
}

/** What a thread needs for its work. */
export interface LearnedWorkplace {
  readonly layout: LearnedLayout;
  readonly memory: WebAssembly.Memory;
  readonly kernels: LearnedKernels;
  readonly thread: number;
}

/** Denoises blocks until none is left; yields how much all threads have done. */
export function* shareOfBlocks(place: LearnedWorkplace): Work<void> {
  const { layout, memory } = place;
  const { blocks, planes } = layout;
  const words = new Int32Array(memory.buffer);
  const total = blocks.length * planes.length * layout.steps.length;
  for (const n of claimIndices(place, blocks.length * planes.length)) {
    const [block, c] = [blocks[n % blocks.length], Math.floor(n / blocks.length)];
    const size = surrounded(block);
    const [y, ...pictures] = readBlock(place, block, planes[c]);
    const sites = { columns: size.width / STRIDE, rows: size.height / STRIDE };
    for (const k of layout.steps.keys()) {
      const [r, next] = [pictures[k % 2], pictures[(k + 1) % 2]];
      // The last step begins with zeros: its picture is the result.
      if (k < layout.steps.length - 1) next.set(y);
      else next.fill(0);
      for (let row = 0; row < sites.rows; row++) {
        if (Atomics.load(words, layout.stop / 4) === 1) return;
        stepRow(place, k, row, sites.columns, r.byteOffset, next.byteOffset);
        yield Atomics.load(words, layout.done / 4) / total;
      }
      clearRim(next, sites, layout.row / 4);
      Atomics.add(words, layout.done / 4, 1);
    }
    writeBlock(pictures[layout.steps.length % 2], place, block, layout.results[c]);
  }
}

/** One row of sites of step k: its codes from r, and their patches added to the next r. */
function stepRow(
  { layout, kernels, thread }: LearnedWorkplace,
  k: number,
  row: number,
  columns: number,
  r: number,
  next: number,
): void {
  const { A, kappa, B } = layout.steps[k];
  const scratch = layout.scratches[thread];
  const padded = paddedSites(columns);
  const codes = scratch + layout.codes + 4 * layout.atoms * layout.sites * row;
  kernels.analyse({ r: r + row * layout.row, codes, table: A, sites: padded });
  const lists = scratch + layout.lists;
  kernels.shrink({ codes, kappa, lists, sites: columns });
  kernels.synthesise({ r: next + row * layout.row, lists, table: B, sites: columns });
}

/** Reads a block with its surroundings: y, which is also the first r, and the next r. All codes become zero. */
function readBlock({ layout, memory, thread }: LearnedWorkplace, block: Rectangle, plane: number): Float32Array[] {
  const scratch = layout.scratches[thread];
  const { size, picture, row } = layout;
  const [y, r, next] = [0, 1, 2].map((i) => new Float32Array(memory.buffer, scratch + i * picture, picture / 4));
  const samples = new Float32Array(memory.buffer, plane, size.width * size.height);
  y.fill(0);
  gatherBlock(block, size, (px, py, from) => {
    y[sampleAt(px, py, row / 4)] = samples[from];
  });
  r.set(y);
  const codes = layout.atoms * layout.sites * (surrounded(block).height / STRIDE);
  new Float32Array(memory.buffer, scratch + layout.codes, codes).fill(0);
  return [y, r, next];
}

/** Writes a block without its surroundings to its place in the result. */
function writeBlock(
  picture: Float32Array,
  { layout, memory }: LearnedWorkplace,
  block: Rectangle,
  result: number,
): void {
  const { size, row } = layout;
  const out = new Float32Array(memory.buffer, result, size.width * size.height);
  for (let y = 0; y < block.height; y++) {
    const to = (block.top + y) * size.width + block.left;
    for (let x = 0; x < block.width; x++) out[to + x] = picture[sampleAt(x + HALO, y + HALO, row / 4)];
  }
}

/** Where the sample of a pixel lies in a picture of sites. */
function sampleAt(x: number, y: number, row: number): number {
  const site = (RIM.before + (y >> 1)) * row + (SITE / 4) * (RIM.before + (x >> 1));
  return site + 2 * (y & 1) + (x & 1);
}

/** Outside the picture are zeros, whatever patches were added there. */
function clearRim(picture: Float32Array, { columns, rows }: { columns: number; rows: number }, row: number): void {
  picture.fill(0, 0, RIM.before * row);
  const site = SITE / 4;
  for (let y = RIM.before; y < RIM.before + rows; y++) {
    picture.fill(0, y * row, y * row + site * RIM.before);
    picture.fill(0, y * row + site * (RIM.before + columns), (y + 1) * row);
  }
  picture.fill(0, (RIM.before + rows) * row);
}
