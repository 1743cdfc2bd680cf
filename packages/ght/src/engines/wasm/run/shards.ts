/**
 * A problem in one or more WebAssembly memories, none of which can hold more than 4 GiB. A shard is a run of whole chunks with
 * a memory of its own. All threads work on one shard after the other, and what is summed or selected over threads goes over
 * shards as well: in the order of the patches wherever that order matters. So no result depends on the number of shards.
 */
import type { Codes } from '../../../sparse/codes/codes.js';
import type { Watch } from '../../../work.js';
import type { ProblemSize } from '../../engine.js';
import type { Shape } from '../../shape.js';
import type { ProblemKernels } from '../kernels/signatures.js';
import type { Job, Outcome } from './patch-jobs.js';
import { CHUNK, type Layout, type ProblemMemory, type Stream } from './problem-memory.js';
import type { Team } from './team.js';

/** The codes of all patches: one stream per shard. */
export type Streams = readonly Stream[];

/** What each thread answered, shard by shard. */
export type Outcomes = readonly (readonly Outcome[])[];

/** Threads that do a job in each shard. */
export type ShardTeam = Team<readonly Job[], readonly Outcome[]>;

/**
 * The bytes that a shard is laid out for. One whose patches need more atoms than others, and streams that were replaced by
 * larger ones, then still fit in the 4 GiB of its memory.
 */
const SHARD_BYTES = 2.5 * 2 ** 30;

/**
 * Approximate bytes of a problem, over all shards: c and q, or the gains of a pursuit; three streams of candidates, and one of
 * codes; counts; tables.
 */
export function problemBytes({ N, L, P, S }: ProblemSize): number {
  return 8 * N * P + (3 * 1.15 + 1) * (L <= 256 ? 5 : 6) * S + 8 * P + 4 * 1.2 * L * L;
}

/** The most patches of a shard, with half as many atoms as samples. */
export function patchesPerShard(N: number, L: number): number {
  const tables = problemBytes({ N, L, P: 0, S: 0 });
  const patch = problemBytes({ N, L, P: 1, S: Math.min(N, L) / 2 }) - tables;
  return Math.floor((SHARD_BYTES - tables) / patch);
}

/** The shards of P patches, of at most this many each: the number of the first chunk, and how many patches there are. */
export function shardsOf(P: number, most: number): { readonly firstChunk: number; readonly P: number }[] {
  const chunks = Math.ceil(P / CHUNK);
  const count = Math.ceil(chunks / Math.max(1, Math.floor(most / CHUNK)));
  const each = Math.ceil(chunks / count);
  return Array.from({ length: Math.ceil(chunks / each) }, (_, i) => {
    const firstChunk = i * each;
    return { firstChunk, P: Math.min(each * CHUNK, P - firstChunk * CHUNK) };
  });
}

/** The shards of one problem, and the team that works on them. */
export class Shards {
  readonly shape: Shape;
  /** Patches and chunks of all shards. */
  readonly P: number;
  readonly chunks: number;
  readonly threads: number;

  constructor(
    /** One memory per shard, in the order of the patches. */
    readonly memories: readonly ProblemMemory[],
    private readonly team: ShardTeam,
    private readonly kernels: readonly ProblemKernels[],
  ) {
    this.shape = memories[0].shape;
    this.P = memories.reduce((sum, { layout }) => sum + layout.P, 0);
    this.chunks = memories.reduce((sum, { layout }) => sum + layout.chunks, 0);
    this.threads = memories[0].layout.scratches.length;
  }

  /** The memory in use. */
  get bytes(): number {
    return sum(this.memories.map(({ memory }) => memory.buffer.byteLength));
  }

  /** Runs a job on all shards; `job` makes that of each. */
  async run(job: (shard: number) => Job, watch?: Watch): Promise<Outcomes> {
    const jobs = this.memories.map((_, shard) => job(shard));
    const answers = await this.team.run(jobs, watch);
    return jobs.map((_, shard) => answers.map((outcomes) => outcomes[shard]));
  }

  /** Allocates an array in each shard, whose size depends on the shard's, and returns the addresses. */
  take(bytes: (layout: Layout) => number): readonly number[] {
    return this.memories.map((memory) => memory.take(bytes(memory.layout)));
  }

  /** Streams without room for values. */
  streams(): Streams {
    return this.memories.map((memory) => memory.stream());
  }

  /** Writes codes into streams. */
  write(streams: Streams, codes: Codes): void {
    for (const [shard, memory] of this.memories.entries()) memory.write(streams[shard], codes);
  }

  /** The codes in streams, with atoms in increasing order and without zeros. */
  read(streams: Streams): Codes {
    const { P, memories } = this;
    const total = sum(memories.map((memory, shard) => memory.sizeOf(streams[shard])));
    const [indices, values] = [new Int32Array(total), new Float64Array(total)];
    const codes = { L: this.shape.L, P, indptr: new Int32Array(P + 1), indices, values };
    for (const [shard, memory] of memories.entries()) memory.read(streams[shard], codes, this.kernels[shard]);
    const n = codes.indptr[P];
    return n === total ? codes : { ...codes, indices: indices.slice(0, n), values: values.slice(0, n) };
  }

  /** The sum of the errors of all chunks, in their order. */
  error(): number {
    let total = 0;
    for (const { layout, doubles } of this.memories) {
      for (const error of doubles(layout.errors, layout.chunks)) total += error;
    }
    return total;
  }
}

/** The sum of what all threads answered, over all shards. */
export function total(outcomes: Outcomes, of: 'written' | 'near' | 'sure'): number {
  return sum(outcomes.flat().map((outcome) => outcome[of]));
}

/** The sum of many numbers. */
export function sum(counts: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i];
  return total;
}
