/** Codes on a GPU as pursuits write them, what they sum up to, and how they are read back. */
import type { Codes } from '../../../sparse/codes/codes.js';
import type { BufferScope } from '../gpu.js';
import { PACK_GROUP, packKernel, SUM_CHUNK, sumKernel } from '../kernels/collect.js';
import type { Ranges } from './ranges.js';

/** The codes of a range: the atoms and values of each patch in its first rows, as many as its count. */
export interface Stream {
  readonly atoms: GPUBuffer;
  readonly values: GPUBuffer;
  readonly counts: GPUBuffer;
  /** Row 0: the final error of each patch. Row k, if there is one: what its k-th atom gained. */
  readonly course: GPUBuffer;
}

/** The codes of all ranges, with this many rows each; the courses may have fewer. */
export interface Streams {
  readonly rows: number;
  readonly courseRows: number;
  readonly list: readonly Stream[];
}

/** Room for codes. */
export function makeStreams(
  { gpu, list }: Ranges,
  scope: BufferScope,
  rows: number,
  courseRows: number,
): Promise<Streams> {
  return gpu.allocated(() => ({
    rows,
    courseRows,
    list: list.map(({ paddedP: patches }) => ({
      atoms: scope.buffer(4 * rows * patches),
      values: scope.buffer(4 * rows * patches),
      counts: scope.buffer(4 * patches),
      course: scope.buffer(4 * courseRows * patches),
    })),
  }));
}

/** Sums over all patches: of the final errors and of all atoms; and of the gains of the k-th atoms and how many patches have one. */
export interface Sums {
  readonly values: Float64Array;
  readonly counts: Float64Array;
}

/** The sums of the rows of the courses. */
export async function sumsOf(
  { gpu, list }: Ranges,
  streams: Pick<Streams, 'courseRows'> & { readonly list: readonly Pick<Stream, 'counts' | 'course'>[] },
  signal?: AbortSignal,
): Promise<Sums> {
  const { courseRows: rows } = streams;
  const kernel = await gpu.kernel(sumKernel(), 'sums');
  const sums = { values: new Float64Array(rows), counts: new Float64Array(rows) };
  return gpu.inScope(async (scope) => {
    for (const [range, { P }] of list.entries()) {
      const { course, counts } = streams.list[range];
      const groups = rows * Math.ceil(P / SUM_CHUNK);
      const task = scope.bufferOf(Uint32Array.of(P, rows, 0, 0), GPUBufferUsage.UNIFORM);
      const out = scope.buffer(8 * groups);
      gpu.submit(kernel, kernel.bind({ course, counts, sums: out, task }), groups);
      const bytes = await gpu.read(out, 0, 8 * groups, signal);
      const [floats, words] = [new Float32Array(bytes), new Uint32Array(bytes)];
      for (let i = 0; i < groups; i++) {
        sums.values[i % rows] += floats[2 * i];
        sums.counts[i % rows] += words[2 * i + 1];
      }
    }
    return sums;
  });
}

/** The codes, with atoms in rising order and without zeros. */
export async function readStreams({ gpu, list, shape, P }: Ranges, streams: Streams): Promise<Codes> {
  const kernel = await gpu.kernel(packKernel(), 'pack');
  const indptr = new Int32Array(P + 1);
  const parts: { readonly atoms: Uint32Array; readonly values: Float32Array }[] = [];
  for (const [range, { first, P: patches }] of list.entries()) {
    const { atoms, values, counts } = streams.list[range];
    await gpu.inScope(async (scope) => {
      const each = new Uint32Array(await gpu.read(counts, 0, 4 * patches));
      const begins = new Uint32Array(patches + 1);
      for (let p = 0; p < patches; p++) begins[p + 1] = begins[p] + each[p];
      const total = begins[patches];
      const own = await gpu.allocated(() => ({
        begins: scope.bufferOf(begins),
        atoms: scope.buffer(4 * total),
        values: scope.buffer(4 * total),
        task: scope.bufferOf(Uint32Array.of(patches, streams.rows, 0, 0), GPUBufferUsage.UNIFORM),
      }));
      const buffers = kernel.bind({
        atoms,
        values,
        begins: own.begins,
        packedAtoms: own.atoms,
        packedValues: own.values,
        task: own.task,
      });
      gpu.submit(kernel, buffers, Math.ceil(patches / PACK_GROUP));
      const read = async (buffer: GPUBuffer) => (total ? gpu.read(buffer, 0, 4 * total) : new ArrayBuffer(0));
      parts.push({
        atoms: new Uint32Array(await read(own.atoms)),
        values: new Float32Array(await read(own.values)),
      });
      indptr.set(begins.subarray(1), first + 1);
    });
  }
  return joined(shape.L, P, indptr, list, parts);
}

/** The codes of all ranges as one; `indptr` has the places within each range. */
function joined(
  L: number,
  P: number,
  indptr: Int32Array,
  ranges: Ranges['list'],
  parts: readonly { readonly atoms: Uint32Array; readonly values: Float32Array }[],
): Codes {
  const total = parts.reduce((sum, { values }) => sum + values.length, 0);
  const [indices, values] = [new Int32Array(total), new Float64Array(total)];
  let n = 0;
  for (const [range, { first, P: patches }] of ranges.entries()) {
    const own = parts[range];
    for (let p = first, i = 0; p < first + patches; p++) {
      for (const end = indptr[p + 1]; i < end; i++) {
        if (own.values[i] === 0) continue;
        indices[n] = own.atoms[i];
        values[n++] = own.values[i];
      }
      indptr[p + 1] = n;
    }
  }
  if (n === total) return { L, P, indptr, indices, values };
  return { L, P, indptr, indices: indices.slice(0, n), values: values.slice(0, n) };
}
