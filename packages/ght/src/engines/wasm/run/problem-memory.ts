/** The memory of a shard: its layout, and reading and writing of codes. */
import type { Codes } from '../../../sparse/codes/codes.js';
import { CHUNK } from '../../../sparse/solvers/bracket.js';
import type { Shape } from '../../shape.js';
import type { ProblemKernels } from '../kernels/signatures.js';
import { type Scratch, scratchOf, type Tables, tablesOf } from '../kernels/tables.js';
import { Arena } from './arena.js';

export { CHUNK };

/** The addresses of all arrays, as plain data that can be sent to threads. */
export interface Layout {
  readonly N: number;
  readonly L: number;
  readonly R4: number;
  readonly indexBytes: 1 | 2;
  /** Patches and chunks of the shard, and the number that its first chunk has in the whole problem. */
  readonly P: number;
  readonly chunks: number;
  readonly firstChunk: number;
  readonly scratch: Scratch;
  /** The scratch of each thread. */
  readonly scratches: readonly number[];
  /** The coordinates c of all patches. */
  readonly c: number;
  /** Float64 errors, one per chunk. */
  readonly errors: number;
  /** A word that is set to 1 to stop all threads. */
  readonly stop: number;
}

/**
 * A set of codes as a stream: the values and indices of its patches, chunk by chunk. Each thread has its own region for its
 * chunks. Chunk n belongs to thread n modulo the number of threads.
 */
export interface Stream {
  /** Two bytes per patch: the number of its values. */
  readonly counts: number;
  /** Two words per chunk: where its values and its indices begin. */
  readonly places: number;
  /** Where the regions of the threads begin, and the number of values that each can hold. */
  values: readonly number[];
  indices: readonly number[];
  capacity: number;
}

/** Codes as a stream has them: values and indices of patch after patch, in the order of the pursuit. */
export interface PackedCodes {
  readonly counts: Uint16Array;
  readonly values: Float32Array;
  readonly indices: Uint8Array | Uint16Array;
}

/** The memory of a shard. */
export class ProblemMemory extends Arena {
  readonly tables: Tables;
  readonly layout: Layout;
  /** Where codes of a chunk are put in order. */
  #staging = { countsOut: 0, valuesOut: 0, indicesOut: 0, capacity: -1 };

  constructor(
    readonly shape: Shape,
    P: number,
    threads: number,
    firstChunk: number,
    used?: WebAssembly.Memory,
  ) {
    const { tables, contents } = tablesOf(shape, 1024);
    super(tables.end, threads > 1, 'use fewer patches or a smaller budget', used);
    this.tables = tables;
    const { N, L, R4, indexBytes } = shape;
    const chunks = Math.ceil(P / CHUNK);
    const scratch = scratchOf(shape);
    const scratches = Array.from({ length: threads }, () => this.take(scratch.bytes));
    const stop = this.take(64);
    const errors = this.take(8 * chunks);
    const c = this.take(4 * R4 * P, 'anything');
    this.layout = { N, L, R4, indexBytes, P, chunks, firstChunk, scratch, scratches, c, errors, stop };
    for (const [at, values] of contents) this.floats(at, values.length).set(values);
  }

  /** A stream that has no room for values yet. */
  stream(): Stream {
    const { P, chunks } = this.layout;
    return { counts: this.take(2 * P), places: this.take(8 * chunks), values: [], indices: [], capacity: 0 };
  }

  /** Gives each region of a stream room for `capacity` values. The previous contents are lost. */
  widen(stream: Stream, capacity: number): void {
    if (stream.capacity >= capacity) return;
    const { scratches, indexBytes } = this.layout;
    stream.capacity = capacity;
    stream.values = scratches.map(() => this.take(4 * capacity, 'anything'));
    stream.indices = scratches.map(() => this.take(indexBytes * capacity, 'anything'));
  }

  #indices(at: number, length: number): Uint8Array | Uint16Array {
    return this.layout.indexBytes === 1 ? new Uint8Array(this.memory.buffer, at, length) : this.halves(at, length);
  }

  /** Number of the shard's first patch in the whole problem. */
  get first(): number {
    return CHUNK * this.layout.firstChunk;
  }

  /** Writes this shard's part of the codes of all patches into a stream, in the region of the first thread. */
  write(stream: Stream, { indptr, indices, values }: Codes): void {
    const { first } = this;
    const { P, chunks, indexBytes } = this.layout;
    const [from, end] = [indptr[first], indptr[first + P]];
    this.widen(stream, end - from);
    const counts = this.halves(stream.counts, P);
    for (let p = 0; p < P; p++) counts[p] = indptr[first + p + 1] - indptr[first + p];
    const places = this.words(stream.places, 2 * chunks);
    for (let chunk = 0; chunk < chunks; chunk++) {
      const before = indptr[first + chunk * CHUNK] - from;
      places[2 * chunk] = stream.values[0] + 4 * before;
      places[2 * chunk + 1] = stream.indices[0] + indexBytes * before;
    }
    this.floats(stream.values[0], end - from).set(values.subarray(from, end));
    this.#indices(stream.indices[0], end - from).set(indices.subarray(from, end));
  }

  /** The codes in a stream as they are, chunk after chunk. */
  pack(stream: Stream): PackedCodes {
    const counts = this.halves(stream.counts, this.layout.P).slice();
    const places = this.words(stream.places, 2 * this.layout.chunks);
    const total = this.sizeOf(stream);
    const values = new Float32Array(total);
    const indices = this.layout.indexBytes === 1 ? new Uint8Array(total) : new Uint16Array(total);
    let end = 0;
    for (let chunk = 0; chunk < this.layout.chunks; chunk++) {
      const size = this.#sizeOf(counts, chunk);
      values.set(this.floats(places[2 * chunk], size), end);
      indices.set(this.#indices(places[2 * chunk + 1], size), end);
      end += size;
    }
    return { counts, values, indices };
  }

  /** Writes packed codes into a stream, in the region of the first thread. */
  unpack(stream: Stream, { counts, values, indices }: PackedCodes): void {
    this.widen(stream, values.length);
    this.halves(stream.counts, counts.length).set(counts);
    this.floats(stream.values[0], values.length).set(values);
    this.#indices(stream.indices[0], indices.length).set(indices);
    const places = this.words(stream.places, 2 * this.layout.chunks);
    for (let p = 0, before = 0; p < counts.length; p++) {
      if (p % CHUNK === 0) {
        places[(2 * p) / CHUNK] = stream.values[0] + 4 * before;
        places[(2 * p) / CHUNK + 1] = stream.indices[0] + this.layout.indexBytes * before;
      }
      before += counts[p];
    }
  }

  /** The number of values in a stream. */
  sizeOf(stream: Stream): number {
    return this.halves(stream.counts, this.layout.P).reduce((sum, count) => sum + count, 0);
  }

  /**
   * Reads a stream into this shard's part of the codes of all patches, which follows that of the shards before it. Atoms are
   * in increasing order, and there are no zeros.
   */
  read(stream: Stream, { indptr, indices, values }: Codes, { inOrder }: ProblemKernels): void {
    const { P, chunks, scratches } = this.layout;
    const counts = this.halves(stream.counts, P);
    const sizes = Array.from({ length: chunks }, (_, chunk) => this.#sizeOf(counts, chunk));
    const most = sizes.reduce((largest, size) => Math.max(largest, size), 0);
    if (most > this.#staging.capacity) {
      const [valuesOut, indicesOut] = [this.take(8 * most, 'anything'), this.take(4 * most, 'anything')];
      this.#staging = { countsOut: this.take(2 * CHUNK), valuesOut, indicesOut, capacity: most };
    }
    const { countsOut, valuesOut, indicesOut } = this.#staging;
    const places = this.words(stream.places, 2 * chunks);
    const kept = this.halves(countsOut, CHUNK);
    let n = indptr[this.first];
    for (let chunk = 0; chunk < chunks; chunk++) {
      const first = chunk * CHUNK;
      const patches = Math.min(CHUNK, P - first);
      const end = inOrder({
        ...{ patches, counts: stream.counts + 2 * first, scratch: scratches[0] },
        ...{ values: places[2 * chunk], indices: places[2 * chunk + 1], countsOut, valuesOut, indicesOut },
      });
      const size = (end - valuesOut) / 8;
      values.set(this.doubles(valuesOut, size), n);
      indices.set(new Int32Array(this.memory.buffer, indicesOut, size), n);
      for (let p = 0; p < patches; p++) {
        n += kept[p];
        indptr[this.first + first + p + 1] = n;
      }
    }
  }

  /** The number of values of a chunk. */
  #sizeOf(counts: Uint16Array, chunk: number): number {
    let size = 0;
    for (let p = chunk * CHUNK, end = Math.min(counts.length, p + CHUNK); p < end; p++) size += counts[p];
    return size;
  }
}
