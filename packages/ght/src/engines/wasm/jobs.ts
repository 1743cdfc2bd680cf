/** What a thread does with the chunks that are its own. The same code runs in a worker and, alone, on the main thread. */
import type { Work } from '../../solvers/work.js';
import type { Layout, Stream } from './memory.js';
import { CHUNK } from './memory.js';
import type { IterationName, Kernels } from './module.js';
import { BINS } from './tables.js';

/** One iteration: reads the codes of `source`, writes candidates of at least `lo` to `out`. */
export interface IterateJob {
  readonly kind: 'iterate';
  readonly name: IterationName;
  readonly source: Stream;
  readonly out: Stream;
  readonly q: number;
  readonly threshold: number;
  readonly lo: number;
  /** Every step-th chunk only, as a sample; all of them unless told. */
  readonly step?: number;
}

/** Gathers the bits of the values from `low` up to `high`, each thread those of its region, at `out`. */
export interface CollectJob {
  readonly kind: 'collect';
  readonly stream: Stream;
  readonly out: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** All that can be asked of a thread. */
export type Job = IterateJob | CollectJob;

/** What a thread answers: how many values it wrote, and whether it ran out of room for more. */
export interface Outcome {
  readonly written: number;
  readonly overflowed: boolean;
}

/** Everything a thread knows about the problem it is working on. */
export interface Workplace {
  readonly layout: Layout;
  readonly memory: WebAssembly.Memory;
  readonly kernels: Kernels;
  readonly thread: number;
}

/** Does this thread's share of a job. */
export function* share(job: Job, place: Workplace): Work<Outcome> {
  return job.kind === 'iterate' ? yield* iterate(job, place) : collect(job, place);
}

function* iterate(job: IterateJob, { layout, memory, kernels, thread }: Workplace): Work<Outcome> {
  const { P, L, R4, chunks, indexBytes, scratch } = layout;
  const { source, out } = job;
  const at = layout.scratches[thread];
  const words = new Uint32Array(memory.buffer);
  const doubles = new Float64Array(memory.buffer);
  words.fill(0, (at + scratch.histogram) / 4, (at + scratch.histogram) / 4 + BINS);
  let [values, indices] = [out.values[thread], out.indices[thread]];
  const limit = values + 4 * (out.capacity - CHUNK * L);
  let lo = job.lo;
  const step = job.step ?? 1;
  for (let chunk = thread * step; chunk < chunks; chunk += layout.scratches.length * step) {
    if (Atomics.load(words, layout.stop / 4) === 1) break;
    const p = chunk * CHUNK;
    doubles[(at + scratch.error) / 8] = 0;
    // Out of room, the iteration goes on without candidates: the errors and q of all patches are needed.
    if (values > limit) lo = Number.POSITIVE_INFINITY;
    const end = kernels[job.name](
      Math.min(CHUNK, P - p),
      source.counts + 2 * p,
      words[source.places / 4 + 2 * chunk],
      words[source.places / 4 + 2 * chunk + 1],
      out.counts + 2 * p,
      values,
      indices,
      layout.c + 4 * R4 * p,
      job.q + 4 * R4 * p,
      at,
      job.threshold,
      lo,
    );
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    doubles[layout.errors / 8 + chunk] = doubles[(at + scratch.error) / 8];
    yield chunk / chunks;
  }
  return { written: (values - out.values[thread]) / 4, overflowed: lo !== job.lo };
}

function collect({ stream, out, low, high }: CollectJob, { kernels, thread }: Workplace): Outcome {
  const from = stream.values[thread];
  const end = kernels.collect(from, from + 4 * stream.used[thread], out[thread], low, high);
  return { written: (end - out[thread]) / 4, overflowed: false };
}
