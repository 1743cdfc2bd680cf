/** What a thread does with the chunks that are its own. The same code runs in a worker and, alone, on the main thread. */
import { bitsOf } from '../../../math/float-bits.js';
import { part, type Work } from '../../../work.js';
import type { IterationName } from '../kernels/iterate.js';
import { BOUNDS } from '../kernels/paths.js';
import type { ProblemKernels } from '../kernels/signatures.js';
import { CHUNK, type Layout, type Stream } from './problem-memory.js';

/** One iteration: reads the codes of `source`, writes candidates of at least `lo` to `out`. */
export interface IterateJob {
  readonly kind: 'iterate';
  readonly name: IterationName;
  readonly source: Stream;
  readonly out: Stream;
  readonly q: number;
  readonly threshold: number;
  readonly lo: number;
  /** Whether many candidates per patch are expected. */
  readonly many: boolean;
  /** Where to gather the bits of the candidates from `lo` up to `high`, among which the next threshold is expected. */
  readonly near: { readonly out: readonly number[]; readonly capacity: number; readonly high: number };
  /** Every step-th chunk only, as a sample. @default 1, all of them */
  readonly step?: number;
}

/** OMP: pursues every patch up to its limit; `gains` takes what each atom gained, one row per patch. */
export interface OmpJob {
  readonly kind: 'omp';
  /** Two bytes per patch. */
  readonly limits: number;
  readonly out: Stream;
  readonly gains: number;
  readonly gainsRow: number;
}

/** Joint OMP, first: follows paths at the price `low` and writes codes for the price `mid`. */
export interface PathsJob {
  readonly kind: 'paths';
  /** The number of leading patches of every step-th chunk. */
  readonly step: number;
  readonly each: number;
  /** Atoms of a path at most. */
  readonly atMost: number;
  readonly low: number;
  readonly mid: number;
  readonly high: number;
  /** How often each patch is pursued again without one of its atoms, and the price at which its paths are compared. */
  readonly restarts: number;
  readonly lambda: number;
  /** Four half-words per patch: its atoms at the prices `high` and `low`, and the atom that was left out. */
  readonly bounds: number;
  readonly out: Stream;
  /** The prices of the atoms between those, float64, a region of this many per thread; two words per chunk: where its own are. */
  readonly offers: { readonly places: number; readonly out: readonly number[]; readonly capacity: number };
}

/** Joint OMP, then: the codes at the threshold. Of the atoms that are offered at it a chunk keeps as many as its word at `ties`. */
export interface CommitJob extends Pick<PathsJob, 'bounds' | 'offers' | 'out'> {
  readonly kind: 'commit';
  readonly threshold: number;
  readonly ties: number;
  readonly source: Stream;
}

/** Joint OMP, last: a local search from the codes of `source`; see kernels/swaps.ts. */
export interface SwapJob {
  readonly kind: 'swap';
  readonly source: Stream;
  readonly out: Stream;
  /** Two float32 per patch: what its error would rise by without its least atom, and fall by with the best other one. */
  readonly prices: number;
  readonly moves: number;
  readonly lambda: number;
  /** What a move must gain. */
  readonly least: number;
}

/** Solves every patch by itself up to its limit; `curves` takes the errors after each iteration, a curve per chunk. */
export interface PatchwiseJob {
  readonly kind: 'patchwise';
  readonly solver: 'cosamp' | 'aiht';
  /** Two bytes per patch. */
  readonly limits: number;
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
export type Job = IterateJob | OmpJob | PathsJob | CommitJob | SwapJob | PatchwiseJob | CodesJob;

/** What a thread answers: how many values there were, and how many of them near the threshold; whether all fitted. */
export interface Outcome {
  readonly written: number;
  readonly overflowed: boolean;
  readonly near: number;
  readonly nearOverflowed: boolean;
  /** Atoms above the bracket in which joint OMP looks for its threshold. */
  readonly sure: number;
}

const NOTHING_ELSE = { overflowed: false, near: 0, nearOverflowed: false, sure: 0 };

/** Everything a thread knows about a shard of the problem it is working on. */
export interface Workplace {
  readonly layout: Layout;
  readonly memory: WebAssembly.Memory;
  readonly kernels: ProblemKernels;
  readonly thread: number;
}

/** Does this thread's share of the jobs, of which each shard has one, shard after shard. */
export function* share(jobs: readonly Job[], places: readonly Workplace[]): Work<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [shard, place] of places.entries()) {
    const work = shareIn(place, jobs[shard]);
    outcomes.push(yield* part(work, shard / places.length, (shard + 1) / places.length));
  }
  return outcomes;
}

function* shareIn(place: Workplace, job: Job): Work<Outcome> {
  switch (job.kind) {
    case 'iterate':
      return yield* iterate(job, place);
    case 'paths':
      return yield* followPaths(job, place);
    case 'omp':
    case 'commit':
    case 'swap':
    case 'patchwise':
      return yield* makeCodes(job, place);
    default:
      return yield* onCodes(job, place);
  }
}

/**
 * The chunks of a thread: their number, first patch and how many patches they have. Of a sample, only those whose number in
 * the whole problem is a multiple of `step`. Ends early if the job is stopped.
 */
function* chunksOf({ layout, memory, thread }: Workplace, step = 1): Generator<[chunk: number, p: number, n: number]> {
  const words = new Int32Array(memory.buffer);
  const first = (step - (layout.firstChunk % step)) % step;
  for (let chunk = first + thread * step; chunk < layout.chunks; chunk += layout.scratches.length * step) {
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
  const lo = bitsOf(job.lo);
  let written = 0;
  let overflowed = false;
  const near = job.near.out[thread];
  const nearLimit = near + 4 * (job.near.capacity - 4);
  let nearEnd = near;
  for (const [chunk, p, n] of chunksOf(place, job.step)) {
    doubles[(at + scratch.error) / 8] = 0;
    if (values > limit) {
      // The buffer is full: from here on candidates are only counted, over the ones that are there. They will be made again, but
      // the errors and q of all patches, and how many candidates they have, are needed now.
      overflowed = true;
      [values, indices] = [out.values[thread], out.indices[thread]];
    }
    const end = kernels[job.name]({
      patches: n,
      ...codesOf(source, words, chunk, p),
      countsOut: out.counts + 2 * p,
      valuesOut: values,
      indicesOut: indices,
      c: layout.c + 4 * R4 * p,
      q: job.q + 4 * R4 * p,
      scratch: at,
      many: job.many ? 1 : 0,
      threshold: job.threshold,
      lo: job.lo,
    });
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    written += (end - values) / 4;
    // While they are still in the cache.
    nearEnd = kernels.collect({ from: values, end, out: nearEnd, limit: nearLimit, low: lo, high: job.near.high });
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    doubles[layout.errors / 8 + chunk] = doubles[(at + scratch.error) / 8];
    yield chunk / layout.chunks;
  }
  return { written, overflowed, near: (nearEnd - near) / 4, nearOverflowed: nearEnd >= nearLimit, sure: 0 };
}

function* followPaths(job: PathsJob, place: Workplace): Work<Outcome> {
  const { layout, memory, kernels, thread } = place;
  const { N, L, R4, indexBytes, scratch } = layout;
  const { out, atMost, restarts, low, mid, high, lambda } = job;
  const at = layout.scratches[thread];
  const words = new Uint32Array(memory.buffer);
  const aChunk = CHUNK * Math.min(N, L);
  let [values, indices, offers] = [out.values[thread], out.indices[thread], job.offers.out[thread]];
  const [lastValues, lastOffers] = [values + 4 * (out.capacity - aChunk), offers + 8 * (job.offers.capacity - aChunk)];
  let sure = 0;
  for (const [chunk, p, n] of chunksOf(place, job.step)) {
    if (values > lastValues || offers > lastOffers) return { ...NOTHING_ELSE, written: 0, overflowed: true };
    const end = kernels.paths({
      patches: Math.min(n, job.each),
      c: layout.c + 4 * R4 * p,
      ...{ atMost, restarts, bounds: job.bounds + BOUNDS.bytes * p },
      ...{ countsOut: out.counts + 2 * p, valuesOut: values, indicesOut: indices },
      ...{ scratch: at, offers, low, mid, high, lambda },
    });
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    words[job.offers.places / 4 + 2 * chunk] = offers;
    offers = words[(at + scratch.tally) / 4];
    words[job.offers.places / 4 + 2 * chunk + 1] = offers;
    sure += words[(at + scratch.tally) / 4 + 1];
    yield chunk / layout.chunks;
  }
  const [written, near] = [(values - out.values[thread]) / 4, (offers - job.offers.out[thread]) / 8];
  return { ...NOTHING_ELSE, written, near, sure };
}

function* makeCodes(job: OmpJob | CommitJob | SwapJob | PatchwiseJob, place: Workplace): Work<Outcome> {
  const { layout, memory, kernels, thread } = place;
  const { N, L, R4, indexBytes, scratch } = layout;
  const { out } = job;
  const at = layout.scratches[thread];
  const words = new Uint32Array(memory.buffer);
  const doubles = new Float64Array(memory.buffer);
  let [values, indices] = [out.values[thread], out.indices[thread]];
  // Only a local search does not know beforehand how many values it will write.
  const last = job.kind === 'swap' ? values + 4 * (out.capacity - CHUNK * Math.min(N, L)) : Number.POSITIVE_INFINITY;
  for (const [chunk, p, n] of chunksOf(place)) {
    if (values > last) return { ...NOTHING_ELSE, written: 0, overflowed: true };
    const common = {
      ...{ patches: n, c: layout.c + 4 * R4 * p, scratch: at },
      ...{ countsOut: out.counts + 2 * p, valuesOut: values, indicesOut: indices },
    };
    let end: number;
    if (job.kind === 'omp') {
      const { gainsRow } = job;
      end = kernels.omp({ ...common, limits: job.limits + 2 * p, gains: job.gains + gainsRow * p, gainsRow });
    } else if (job.kind === 'commit') {
      end = kernels.commit({
        ...common,
        ...codesOf(job.source, words, chunk, p),
        bounds: job.bounds + BOUNDS.bytes * p,
        offers: words[job.offers.places / 4 + 2 * chunk],
        ties: words[job.ties / 4 + chunk],
        threshold: job.threshold,
      });
      doubles[layout.errors / 8 + chunk] = doubles[(at + scratch.error) / 8];
    } else if (job.kind === 'swap') {
      const { source, moves, lambda, least } = job;
      const prices = job.prices + 8 * p;
      end = kernels.swap({ ...common, ...codesOf(source, words, chunk, p), prices, moves, lambda, least });
    } else {
      end = patchwise(job, place, chunk, p, n, values, indices);
    }
    words[out.places / 4 + 2 * chunk] = values;
    words[out.places / 4 + 2 * chunk + 1] = indices;
    indices += (indexBytes * (end - values)) / 4;
    values = end;
    yield chunk / layout.chunks;
  }
  return { written: (values - out.values[thread]) / 4, ...NOTHING_ELSE };
}

/** One chunk of AIHT or CoSaMP. A kernel has one limit for all its patches, so it is called per run of equal limits. */
function patchwise(
  { solver, limits: at, maxIterations, tolerance, out, curves, recorded }: PatchwiseJob,
  { layout, memory, kernels, thread }: Workplace,
  chunk: number,
  first: number,
  n: number,
  values: number,
  indices: number,
): number {
  const { R4, indexBytes } = layout;
  const limits = new Uint16Array(memory.buffer, at + 2 * first, n);
  const curve = curves + 8 * (2 * recorded + 1) * chunk;
  const scratch = layout.scratches[thread];
  let end = values;
  for (let from = 0, to = 1; from < n; from = to++) {
    while (to < n && limits[to] === limits[from]) to++;
    const p = first + from;
    end = kernels[solver]({
      patches: to - from,
      c: layout.c + 4 * R4 * p,
      countsOut: out.counts + 2 * p,
      valuesOut: end,
      indicesOut: indices + (indexBytes * (end - values)) / 4,
      s: limits[from],
      ...{ scratch, maxIterations, curve, recorded, tolerance },
    });
  }
  return end;
}

function* onCodes({ kind, stream }: CodesJob, place: Workplace): Work<Outcome> {
  const { layout, memory, kernels, thread } = place;
  const { R4, scratch } = layout;
  const at = layout.scratches[thread];
  const words = new Uint32Array(memory.buffer);
  const doubles = new Float64Array(memory.buffer);
  for (const [chunk, p, n] of chunksOf(place)) {
    const run = { patches: n, ...codesOf(stream, words, chunk, p), c: layout.c + 4 * R4 * p, scratch: at };
    doubles[(at + scratch.error) / 8] = 0;
    if (kind === 'refit') kernels.refit(run);
    kernels.measure(run);
    doubles[layout.errors / 8 + chunk] = doubles[(at + scratch.error) / 8];
    yield chunk / layout.chunks;
  }
  return { written: 0, ...NOTHING_ELSE };
}

/** Where the codes of a chunk are, whose first patch is p. */
function codesOf({ counts, places }: Stream, words: Uint32Array, chunk: number, p: number) {
  const [values, indices] = [words[places / 4 + 2 * chunk], words[places / 4 + 2 * chunk + 1]];
  return { counts: counts + 2 * p, values, indices };
}
