/**
 * What a thread does with the bands of a picture that it takes. A band is so many rows of references that its groups and
 * those of the band after the next never touch the same pixel: even bands add to one set of sums, odd ones to another, and
 * the two are added at the end. So no thread waits, and the same bits come out whoever does what, and in which order.
 */
import type { Pass, Slot, Step } from '../../../groups/recipes.js';
import { isPass } from '../../../groups/recipes.js';
import type { Work } from '../../../work.js';
import { RUN } from '../kernels/groups/target.js';

/** Where everything is, as plain data that threads can be told. */
export interface GroupLayout {
  readonly recipe: readonly Step[];
  /** Bytes of a plane, a whole number of vectors. */
  readonly bytes: number;
  /** The planes of each picture. */
  readonly slots: Readonly<Record<Slot, readonly number[]>>;
  /** Per plane the weighted patches and their weights, of the even bands and of the odd ones. */
  readonly sums: readonly (readonly [even: number, odd: number])[];
  readonly weights: readonly (readonly [even: number, odd: number])[];
  /** The table of deviations of each plane, where the noise is not white. */
  readonly deviations?: readonly number[];
  /** The references of every step that is a pass. */
  readonly references: readonly (References | undefined)[];
  /** Where each thread's scratch begins; there are as many as threads. */
  readonly scratches: readonly number[];
  /** Words: 1 when all threads are to stop; the next band that nobody has taken; how much is done. */
  readonly stop: number;
  readonly next: number;
  readonly done: number;
}

/** The references of a pass: band by band the rows where they lie, and a table of their places along a row. */
export interface References {
  readonly bands: readonly (readonly number[])[];
  readonly columns: number;
  readonly count: number;
  /** How many there are in all. */
  readonly total: number;
}

/** A step of the recipe, or putting together what a pass has made. */
export interface GroupJob {
  readonly kind: 'pass' | 'combine' | 'blend';
  readonly step: number;
}

/** Filters the groups of a run of references; see filters.ts. */
type FilterKernel = (
  from: number,
  pilot: number,
  count: number,
  sums: number,
  weights: number,
  scratch: number,
  noise: number,
) => void;

/**
 * The functions of a recipe's module: `match` and `filter` with the number of their step, `brightness` where the noise depends on
 * it, and two for whole planes.
 */
export interface GroupKernels {
  readonly [match: `match${number}`]: (
    guide: number,
    y: number,
    columns: number,
    count: number,
    scratch: number,
  ) => void;
  readonly [brightness: `brightness${number}`]: (guide: number, count: number, scratch: number) => void;
  readonly [filter: `filter${number}`]: FilterKernel;
  combine(sums: number, others: number, weights: number, otherWeights: number, out: number, bytes: number): void;
  blend(a: number, b: number, out: number, bytes: number, share: number): void;
}

/** Everything a thread knows. */
export interface GroupWorkplace {
  readonly layout: GroupLayout;
  readonly memory: WebAssembly.Memory;
  readonly kernels: GroupKernels;
  readonly thread: number;
}

/** Bytes of a plane that are put together at once. */
const SPAN = 1 << 18;

/** Does this thread's share of a job; yields how much of it all threads have done. */
export function* shareOfGroups({ kind, step }: GroupJob, place: GroupWorkplace): Work<void> {
  const { layout } = place;
  const { recipe, bytes, slots, sums, weights } = layout;
  const current = recipe[step];
  if (kind === 'pass') {
    if (isPass(current)) yield* filterBands(current, step, place);
    return;
  }
  const spans = Math.ceil(bytes / SPAN);
  const out = slots[current.to];
  for (const n of taken(place, spans * out.length)) {
    const [c, from] = [Math.floor(n / spans), (n % spans) * SPAN];
    const length = Math.min(SPAN, bytes - from);
    if (isPass(current)) {
      const [even, odd] = sums[c];
      const [evenWeights, oddWeights] = weights[c];
      place.kernels.combine(even + from, odd + from, evenWeights + from, oddWeights + from, out[c] + from, length);
    } else {
      const { a, b, share } = current;
      place.kernels.blend(slots[a][c] + from, slots[b][c] + from, out[c] + from, length, share);
    }
    yield (n + 1) / (spans * out.length);
  }
}

/** Takes one number after the other that no other thread has, up to `count`; ends early when told to stop. */
function* taken({ layout, memory }: GroupWorkplace, count: number): Generator<number> {
  const words = new Int32Array(memory.buffer);
  for (;;) {
    const n = Atomics.add(words, layout.next / 4, 1);
    if (n >= count || Atomics.load(words, layout.stop / 4) === 1) return;
    yield n;
  }
}

function* filterBands(pass: Pass, step: number, place: GroupWorkplace): Work<void> {
  const { layout, memory, kernels, thread } = place;
  const { slots, sums, weights, deviations } = layout;
  const { bands, columns, count, total } = layout.references[step] as References;
  const words = new Int32Array(memory.buffer);
  const scratch = layout.scratches[thread];
  const [match, filter] = [kernels[`match${step}`], kernels[`filter${step}`]];
  for (const band of taken(place, bands.length)) {
    const parity = band % 2;
    for (const y of bands[band]) {
      for (let x = 0; x < count; x += RUN) {
        if (Atomics.load(words, layout.stop / 4) === 1) return;
        const run = Math.min(RUN, count - x);
        match(slots[pass.guide][0], y, columns + 4 * x, run, scratch);
        if (deviations) kernels[`brightness${step}`](slots[pass.guide][0], run, scratch);
        for (let c = 0; c < sums.length; c++) {
          const noise = deviations?.[c] ?? 0;
          filter(slots[pass.from][c], slots[pass.guide][c], run, sums[c][parity], weights[c][parity], scratch, noise);
        }
        yield (Atomics.add(words, layout.done / 4, run) + run) / total;
      }
    }
  }
}
