/** The memory of one problem: its layout, and reading and writing of codes. */
import type { Codes } from '../../../codes/codes.js';
import type { Shape } from '../kernels/shape.js';
import type { Scratch, Tables } from '../kernels/tables.js';
import { scratchOf, tablesOf } from '../kernels/tables.js';
import { Arena } from './arena.js';

/** Patches per chunk: the work of a thread between two checks of the clock, and small enough for the cache. */
export const CHUNK = 256;

/** The addresses of all arrays, as plain data that can be sent to threads. */
export interface Layout {
  readonly N: number;
  readonly L: number;
  readonly R4: number;
  readonly indexBytes: 1 | 2;
  readonly P: number;
  readonly chunks: number;
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

/** The memory of one problem. */
export class ProblemMemory extends Arena {
  readonly tables: Tables;
  readonly layout: Layout;

  constructor(
    readonly shape: Shape,
    P: number,
    threads: number,
  ) {
    const { tables, contents } = tablesOf(shape, 1024);
    super(tables.end, threads > 1, 'use the portable engine, fewer patches or a smaller budget');
    this.tables = tables;
    const { N, L, R4, indexBytes } = shape;
    const chunks = Math.ceil(P / CHUNK);
    const scratch = scratchOf(shape);
    const scratches = Array.from({ length: threads }, () => this.take(scratch.bytes));
    const stop = this.take(64);
    const errors = this.take(8 * chunks);
    const c = this.take(4 * R4 * P);
    this.layout = { N, L, R4, indexBytes, P, chunks, scratch, scratches, c, errors, stop };
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
    stream.values = scratches.map(() => this.take(4 * capacity));
    stream.indices = scratches.map(() => this.take(indexBytes * capacity));
  }

  #indices(at: number, length: number): Uint8Array | Uint16Array {
    return this.layout.indexBytes === 1 ? new Uint8Array(this.memory.buffer, at, length) : this.halves(at, length);
  }

  /** Writes codes into a stream, in the region of the first thread. */
  write(stream: Stream, codes: Codes): void {
    const { P, chunks, indexBytes } = this.layout;
    this.widen(stream, codes.values.length);
    const counts = this.halves(stream.counts, P);
    for (let p = 0; p < P; p++) counts[p] = codes.indptr[p + 1] - codes.indptr[p];
    const places = this.words(stream.places, 2 * chunks);
    for (let chunk = 0; chunk < chunks; chunk++) {
      const first = codes.indptr[chunk * CHUNK];
      places[2 * chunk] = stream.values[0] + 4 * first;
      places[2 * chunk + 1] = stream.indices[0] + indexBytes * first;
    }
    this.floats(stream.values[0], codes.values.length).set(codes.values);
    this.#indices(stream.indices[0], codes.indices.length).set(codes.indices);
  }

  /** The codes in a stream, with atoms in increasing order and without zeros. */
  read(stream: Stream): Codes {
    const { P, L, chunks } = this.layout;
    const counts = this.halves(stream.counts, P);
    const places = this.words(stream.places, 2 * chunks);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const indptr = new Int32Array(P + 1);
    const indices = new Int32Array(total);
    const values = new Float64Array(total);
    // A pursuit stores its atoms in the order of choice. They are laid out in a row, with a bit for each that is there.
    const row = new Float64Array(L);
    const present = new Int32Array(Math.ceil(L / 32));
    let n = 0;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const [first, end] = [chunk * CHUNK, Math.min(P, (chunk + 1) * CHUNK)];
      let size = 0;
      for (let p = first; p < end; p++) size += counts[p];
      const value = this.floats(places[2 * chunk], size);
      const index = this.#indices(places[2 * chunk + 1], size);
      for (let p = first, i = 0; p < end; p++) {
        for (const last = i + counts[p]; i < last; i++) {
          if (value[i] === 0) continue;
          row[index[i]] = value[i];
          present[index[i] >> 5] |= 1 << (index[i] & 31);
        }
        for (let word = 0; word < present.length; word++) {
          for (let left = present[word]; left !== 0; left &= left - 1, n++) {
            indices[n] = 32 * word + 31 - Math.clz32(left & -left);
            values[n] = row[indices[n]];
          }
          present[word] = 0;
        }
        indptr[p + 1] = n;
      }
    }
    if (n === total) return { L, P, indptr, indices, values };
    return { L, P, indptr, indices: indices.slice(0, n), values: values.slice(0, n) };
  }
}
