/** The sets of codes of the iterations in the memory of a GPU, and codes in and out of them. */
import type { Codes } from '../../../sparse/codes/codes.js';
import type { Kernel } from '../gpu.js';
import { CODES_GROUP, countEntries, readEntries, writeEntries } from '../kernels/codes.js';
import { codeLayout, SETS } from '../kernels/layout.js';
import type { Range, Ranges } from './ranges.js';

/** Entries that pass between host and GPU at a time, of 8 bytes each. */
const MOST_ENTRIES = 2 ** 21;

/** What a set keeps: the bits of its threshold, and the last patch in which values equal to it survive. */
export interface Kept {
  readonly set: number;
  readonly T: number;
  readonly tie: number;
}

/** The sets of codes of all ranges. */
export class CodeSets {
  private constructor(
    private readonly ranges: Ranges,
    /** Of each set the buffers of the ranges. */
    readonly blocks: readonly (readonly GPUBuffer[])[],
    readonly masks: readonly (readonly GPUBuffer[])[],
  ) {}

  static async of(ranges: Ranges): Promise<CodeSets> {
    const { blocks, words } = codeLayout(ranges.shape);
    const ofAll = (bytes: number) =>
      Promise.all(Array.from({ length: SETS }, () => ranges.buffers(({ paddedP }) => bytes * paddedP)));
    return new CodeSets(ranges, await ofAll(16 * blocks), await ofAll(4 * words));
  }

  /** Empties a set. */
  clear(set: number): void {
    const batch = this.ranges.gpu.batch();
    for (const masks of this.masks[set]) batch.clear(masks);
    batch.submit();
  }

  /** Writes codes into a set. */
  async write(set: number, { indptr, indices, values }: Codes, signal?: AbortSignal): Promise<void> {
    const { gpu, shape } = this.ranges;
    // Patches that fill up a tile have no codes.
    this.clear(set);
    const kernel = await gpu.kernel(readEntries(codeLayout(shape)), 'codes in');
    await this.#inRuns(kernel, { set, T: 0, tie: 0 }, indptr, async (run, first, end, entries) => {
      const from = indptr[first];
      const words = new Uint32Array(2 * (indptr[end] - from));
      const floats = new Float32Array(words.buffer);
      for (let n = 0; n < words.length / 2; n++) {
        words[2 * n] = indices[from + n];
        floats[2 * n + 1] = values[from + n];
      }
      gpu.device.queue.writeBuffer(entries, 0, words);
      run();
      await gpu.done(signal);
    });
  }

  /** The codes that a set keeps. */
  async read(kept: Kept): Promise<Codes> {
    const { gpu, shape, P } = this.ranges;
    const indptr = await this.#positions(kept);
    const [indices, values] = [new Int32Array(indptr[P]), new Float64Array(indptr[P])];
    const kernel = await gpu.kernel(writeEntries(codeLayout(shape)), 'codes out');
    await this.#inRuns(kernel, kept, indptr, async (run, first, end, entries) => {
      if (indptr[end] === indptr[first]) return;
      run();
      const words = new Uint32Array(await gpu.read(entries, 0, 8 * (indptr[end] - indptr[first])));
      const floats = new Float32Array(words.buffer);
      for (let n = indptr[first], at = 0; n < indptr[end]; n++, at += 2) {
        indices[n] = words[at];
        values[n] = floats[at + 1];
      }
    });
    return { L: shape.L, P, indptr, indices, values };
  }

  /** The codes of a set in a range, as kernels name them. */
  #codesOf(set: number, range: number) {
    return { codes: this.blocks[set][range], masks: this.masks[set][range] };
  }

  /** Where the entries of each patch begin, by counting them on the GPU. */
  async #positions(kept: Kept): Promise<Int32Array> {
    const { gpu, shape, P, list } = this.ranges;
    const indptr = new Int32Array(P + 1);
    const kernel = await gpu.kernel(countEntries(codeLayout(shape)), 'count codes');
    await gpu.inScope(async (scope) => {
      for (const [i, range] of list.entries()) {
        const counts = await gpu.allocated(() => scope.buffer(4 * range.P));
        const chosen = scope.bufferOf(chosenOf(kept, range, 0, range.P), GPUBufferUsage.UNIFORM);
        const buffers = kernel.bind({ chosen, ...this.#codesOf(kept.set, i), counts });
        gpu.submit(kernel, buffers, Math.ceil(range.P / CODES_GROUP));
        const each = new Uint32Array(await gpu.read(counts, 0, 4 * range.P));
        for (let p = 0; p < range.P; p++) indptr[range.first + p + 1] = indptr[range.first + p] + each[p];
      }
    });
    return indptr;
  }

  /** Runs over patches of one range each, with a limited number of entries: `each` gets a function that runs the kernel on them. */
  async #inRuns(
    kernel: Kernel,
    kept: Kept,
    indptr: Int32Array,
    each: (run: () => void, first: number, end: number, entries: GPUBuffer) => Promise<void>,
  ): Promise<void> {
    const { gpu, list, shape, P } = this.ranges;
    await gpu.inScope(async (scope) => {
      const most = Math.max(shape.L, Math.min(MOST_ENTRIES, indptr[P]));
      const { entries, offsets, chosen } = await gpu.allocated(() => ({
        entries: scope.buffer(8 * most),
        offsets: scope.buffer(4 * (Math.max(...list.map((range) => range.P)) + 1)),
        chosen: scope.buffer(32, GPUBufferUsage.UNIFORM),
      }));
      for (const [i, range] of list.entries()) {
        const buffers = kernel.bind({ chosen, ...this.#codesOf(kept.set, i), offsets, entries });
        for (let first = range.first; first < range.first + range.P; ) {
          let end = first + 1;
          while (end < range.first + range.P && indptr[end + 1] - indptr[first] <= most) end++;
          const [from, to] = [first, end];
          const run = () => {
            scope.write(
              offsets,
              Uint32Array.from(indptr.subarray(from, to + 1), (n) => n - indptr[from]),
            );
            scope.write(chosen, chosenOf(kept, range, from - range.first, to - range.first));
            gpu.submit(kernel, buffers, Math.ceil((to - from) / CODES_GROUP));
          };
          await each(run, first, end, entries);
          first = end;
        }
      }
    });
  }
}

/** The words of `Chosen` in `kernels/codes.ts`. */
function chosenOf({ T, tie }: Kept, { first }: Range, from: number, end: number): Uint32Array {
  return Uint32Array.of(T, tie, first, from, end, 0, 0, 0);
}
