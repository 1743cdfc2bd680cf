/** What a thread does with the chunks that are its own. The same code runs in a worker and, alone, on the main thread. */
import type { Work } from '../../../work.js';
import type { IterationName } from '../kernels/iterate.js';
import type { Kernels } from '../kernels/module.js';
import type { Layout, Stream } from './problem-memory.js';
import { CHUNK } from './problem-memory.js';

/** One iteration: reads the codes of `source`, writes candidates of at least `lo` to `out`. */
export interface IterateJob {
  readonly kind: 'iterate';
  readonly name: IterationName;
  readonly source: Stream;
  readonly out: Stream;
  readonly q: number;
  readonly threshold: number;
  readonly lo: number;
  /** Whether many candidates a patch are expected. */
  readonly many: boolean;
  /** Where to gather the bits of the candidates from `lo` up to `high`, among which the next threshold is expected. */
  readonly near: { readonly out: readonly number[]; readonly room: number; readonly high: number };
  /** Every step-th chunk only, as a sample; all of them unless told. */
  readonly step?: number;
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
export type Job = IterateJob | PursueJob | PatchwiseJob | CodesJob;

/** What a thread answers: how many values there were, and how many of them near the threshold; whether all had room. */
export interface Outcome {
  readonly written: number;
  readonly overflowed: boolean;
  readonly near: number;
  readonly nearOverflowed: boolean;
}

const NOTHING_ELSE = { overflowed: false, near: 0, nearOverflowed: false };

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
  let [values, indices] = [out.values[thread], out.indices[thread]];
  const limit = values + 4 * (out.capacity - CHUNK * L);
  const lo = new Uint32Array(Float32Array.of(job.lo).buffer)[0];
  let written = 0;
  let overflowed = false;
  const near = job.near.out[thread];
  const nearLimit = near + 4 * (job.near.room - 4);
  let nearEnd = near;
  for (const [chunk, p, n] of chunksOf(place, job.step)) {
    doubles[(at + scratch.error) / 8] = 0;
    if (values > limit) {
      // Out of room: from here on candidates are only counted, over the ones that are there. They will be made again, but
      // the errors and q of all patches, and how many candidates they have, are needed now.
      overflowed = true;
      [values, indices] = [out.values[thread], out.indices[thread]];
    }
    const end = address(
      kernels[job.name](
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
        job.many ? 1 : 0,
        job.threshold,
        job.lo,
      ),
    );
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    written += (end - values) / 4;
    // While they are still in the cache.
    nearEnd = address(kernels.collect(values, end, nearEnd, nearLimit, lo, job.near.high));
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    doubles[layout.errors / 8 + chunk] = doubles[(at + scratch.error) / 8];
    yield chunk / layout.chunks;
  }
  return { written, overflowed, near: (nearEnd - near) / 4, nearOverflowed: nearEnd >= nearLimit };
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
    end = address(end);
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    yield chunk / layout.chunks;
  }
  return { written: (values - out.values[thread]) / 4, ...NOTHING_ELSE };
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
  return { written: 0, ...NOTHING_ELSE };
}

/** An address as a kernel gives it back: WebAssembly's integers are signed in JavaScript, and memory goes beyond 2 GiB. */
function address(value: number): number {
  return value >>> 0;
}
