import { ResourceError } from '../../../errors.js';

const PAGE = 65536;
/** The largest size of one WebAssembly memory, in bytes. */
const MOST_MEMORY = 65536 * PAGE;
/** The least part of its size that a memory grows by. Pages that nothing is written to cost nothing. */
const GROWTH = 1 / 4;

/** A WebAssembly memory from which arrays are allocated one after the other. */
export class Arena {
  readonly memory: WebAssembly.Memory;
  #end: number;
  /** Up to here the memory has what an earlier computation left. */
  readonly #used: number;

  /** Allocates from address `start` on; `remedy` is what the error for too little memory recommends. */
  constructor(
    start: number,
    shared: boolean,
    private readonly remedy: string,
    /** A memory that is no longer in use, to allocate from instead of a new one. */
    used?: WebAssembly.Memory,
  ) {
    this.#end = start;
    this.memory = used ?? newMemory(shared);
    this.#used = used?.buffer.byteLength ?? 0;
    new Uint8Array(this.memory.buffer, 0, Math.min(start, this.#used)).fill(0);
  }

  /** Allocates bytes and grows the memory if necessary. They are zero, or `anything` for an array that is written before it is read. */
  take(bytes: number, contents: 'zeros' | 'anything' = 'zeros'): number {
    const address = this.#end;
    // 64 bytes more than requested: a vector may be read past the end of an array.
    this.#end += 64 * Math.ceil((bytes + 64) / 64);
    const missing = Math.ceil(this.#end / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (missing > 0) this.#grow(missing);
    // What is read past the end of an array is zero in any case.
    const from = contents === 'zeros' ? address : address + bytes;
    if (from < this.#used) new Uint8Array(this.memory.buffer).fill(0, from, Math.min(this.#end, this.#used));
    return address;
  }

  #grow(pages: number): void {
    // Every step makes the host count the whole memory again, and collect garbage after a few: so there are few steps.
    const more = Math.max(pages, Math.ceil((GROWTH * this.memory.buffer.byteLength) / PAGE));
    try {
      this.memory.grow(Math.min(more, (MOST_MEMORY - this.memory.buffer.byteLength) / PAGE));
      return;
    } catch {
      // Perhaps there is room for what is needed.
    }
    try {
      this.memory.grow(pages);
    } catch (cause) {
      const rule = 'must fit in what this machine has free, and each part of it in the 4 GiB of a WebAssembly memory';
      const value = `${(this.#end / 2 ** 30).toFixed(1)} GiB`;
      throw new ResourceError('the problem', rule, value, this.remedy, { cause });
    }
  }

  floats = (at: number, length: number) => new Float32Array(this.memory.buffer, at, length);
  doubles = (at: number, length: number) => new Float64Array(this.memory.buffer, at, length);
  words = (at: number, length: number) => new Uint32Array(this.memory.buffer, at, length);
  halves = (at: number, length: number) => new Uint16Array(this.memory.buffer, at, length);
}

/** The maximum sizes of a shared memory, in the order in which they are tried: small devices cannot reserve four gibibytes. */
const MAXIMA = [MOST_MEMORY, 2 ** 31, 2 ** 30, 2 ** 29];

function newMemory(shared: boolean): WebAssembly.Memory {
  const kinds = shared ? MAXIMA.map((most) => ({ maximum: most / PAGE, shared })) : [{}];
  let cause: unknown;
  for (const kind of kinds) {
    try {
      return new WebAssembly.Memory({ initial: 16, ...kind });
    } catch (error) {
      cause = error;
    }
  }
  const rule = 'must get a WebAssembly memory, for which hosts reserve up to 10 GiB of addresses';
  const remedy = 'raise the limit on virtual memory, or use the engine portable or reference';
  throw new ResourceError('the problem', rule, (cause as Error).message, remedy, { cause });
}
