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

/** Pursues every patch up to its limit; `gains` takes what each atom gained, a row a patch. */
export interface PursueJob {
  readonly kind: 'pursue';
  readonly rule: 'omp' | 'ols';
  /** Two bytes a patch. */
  readonly limits: number;
  readonly out: Stream;
  readonly gains: number;
  readonly gainsRow: number;
}

/** Solves every patch by itself, with s atoms; `curves` takes the errors after each iteration, a curve a chunk. */
export interface PatchwiseJob {
  readonly kind: 'patchwise';
  readonly solver: 'cosamp' | 'aiht';
  readonly s: number;
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly out: Stream;
  readonly curves: number;
  readonly recorded: number;
}

/** Measures the error of codes, or refits them first. */
export interface CodesJob {
  readonly kind: 'measure' | 'refit';
  readonly stream: Stream;
}

/** All that can be asked of a thread. */
export type Job = IterateJob | CollectJob | PursueJob | PatchwiseJob | CodesJob;

/** What a thread answers: how many values it wrote, and whether it ran out of room, so that these are not all. */
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
  switch (job.kind) {
    case 'iterate':
      return yield* iterate(job, place);
    case 'collect':
      return collect(job, place);
    case 'pursue':
    case 'patchwise':
      return yield* makeCodes(job, place);
    default:
      return yield* onCodes(job, place);
  }
}

/** The chunks of a thread: their number, first patch and how many patches they have. Ends early when told to stop. */
function* chunksOf({ layout, memory, thread }: Workplace, step = 1): Generator<[chunk: number, p: number, n: number]> {
  const words = new Int32Array(memory.buffer);
  for (let chunk = thread * step; chunk < layout.chunks; chunk += layout.scratches.length * step) {
    if (Atomics.load(words, layout.stop / 4) === 1) return;
    const p = chunk * CHUNK;
    yield [chunk, p, Math.min(CHUNK, layout.P - p)];
  }
}

function* iterate(job: IterateJob, place: Workplace): Work<Outcome> {
  const { layout, memory, kernels, thread } = place;
  const { L, R4, indexBytes, scratch } = layout;
  const { source, out } = job;
  const at = layout.scratches[thread];
  const words = new Uint32Array(memory.buffer);
  const doubles = new Float64Array(memory.buffer);
  words.fill(0, (at + scratch.histogram) / 4, (at + scratch.histogram) / 4 + BINS);
  let [values, indices] = [out.values[thread], out.indices[thread]];
  const limit = values + 4 * (out.capacity - CHUNK * L);
  let overflowed = false;
  for (const [chunk, p, n] of chunksOf(place, job.step)) {
    doubles[(at + scratch.error) / 8] = 0;
    if (values > limit) {
      // Out of room: from here on candidates are only counted, over the ones that are there. They will be made again, but
      // errors, q and the histogram of all patches are needed now.
      overflowed = true;
      [values, indices] = [out.values[thread], out.indices[thread]];
    }
    const end = kernels[job.name](
      n,
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
      job.lo,
    );
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    doubles[layout.errors / 8 + chunk] = doubles[(at + scratch.error) / 8];
    yield chunk / layout.chunks;
  }
  return { written: (values - out.values[thread]) / 4, overflowed };
}

function collect({ stream, out, low, high }: CollectJob, { kernels, thread }: Workplace): Outcome {
  const from = stream.values[thread];
  const end = kernels.collect(from, from + 4 * stream.used[thread], out[thread], low, high);
  return { written: (end - out[thread]) / 4, overflowed: false };
}

function* makeCodes(job: PursueJob | PatchwiseJob, place: Workplace): Work<Outcome> {
  const { layout, memory, kernels, thread } = place;
  const { R4, indexBytes } = layout;
  const { out } = job;
  const at = layout.scratches[thread];
  const words = new Uint32Array(memory.buffer);
  let [values, indices] = [out.values[thread], out.indices[thread]];
  for (const [chunk, p, n] of chunksOf(place)) {
    const [c, counts] = [layout.c + 4 * R4 * p, out.counts + 2 * p];
    let end: number;
    if (job.kind === 'pursue') {
      const gains = job.gains + job.gainsRow * p;
      end = kernels[job.rule](n, c, job.limits + 2 * p, counts, values, indices, at, gains, job.gainsRow);
    } else {
      const { s, maxIterations, recorded, tolerance } = job;
      const curve = job.curves + 8 * (2 * recorded + 1) * chunk;
      end = kernels[job.solver](n, c, counts, values, indices, at, s, maxIterations, curve, recorded, tolerance);
    }
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    yield chunk / layout.chunks;
  }
  return { written: (values - out.values[thread]) / 4, overflowed: false };
}

function* onCodes({ kind, stream }: CodesJob, place: Workplace): Work<Outcome> {
  const { layout, memory, kernels, thread } = place;
  const { R4, scratch } = layout;
  const at = layout.scratches[thread];
  const words = new Uint32Array(memory.buffer);
  const doubles = new Float64Array(memory.buffer);
  for (const [chunk, p, n] of chunksOf(place)) {
    const counts = stream.counts + 2 * p;
    const [values, indices] = [words[stream.places / 4 + 2 * chunk], words[stream.places / 4 + 2 * chunk + 1]];
    const c = layout.c + 4 * R4 * p;
    doubles[(at + scratch.error) / 8] = 0;
    if (kind === 'refit') kernels.refit(n, counts, values, indices, c, at);
    kernels.measure(n, counts, values, indices, c, at);
    doubles[layout.errors / 8 + chunk] = doubles[(at + scratch.error) / 8];
    yield chunk / layout.chunks;
  }
  return { written: 0, overflowed: false };
}
