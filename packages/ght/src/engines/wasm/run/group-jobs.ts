/**
 * The work of one thread on the bands of a picture. A band has enough rows of references that its groups and those of the band
 * after the next never overlap. Even bands add to one set of sums, odd ones to another, and the two are added at the end. So no
 * thread waits for another, and the result is the same bit for bit, whichever thread takes which band, in any order.
 */
import type { Pass, Slot, Step } from '../../../groups/recipes.js';
import { isPass } from '../../../groups/recipes.js';
import type { Work } from '../../../work.js';
import { RUN } from '../kernels/groups/target.js';
import { type SharedWords, taken } from './taken.js';

/** The addresses of all arrays, as plain data that can be sent to threads. */
export interface GroupLayout extends SharedWords {
  readonly recipe: readonly Step[];
  /** The bytes of a plane: a whole number of vectors. */
  readonly bytes: number;
  /** The planes of each picture. */
  readonly slots: Readonly<Record<Slot, readonly number[]>>;
  /** Per plane: the sums of weighted patches and of weights, of the even bands and of the odd ones. */
  readonly sums: readonly (readonly [even: number, odd: number])[];
  readonly weights: readonly (readonly [even: number, odd: number])[];
  /** The table of deviations of each plane, if the noise is not white. */
  readonly deviations?: readonly number[];
  /** The references of every step that is a pass. */
  readonly references: readonly (References | undefined)[];
  /** The scratch of each thread. */
  readonly scratches: readonly number[];
}

/** The references of a pass: their rows by band, and a table of their places along a row. */
export interface References {
  readonly bands: readonly (readonly number[])[];
  readonly columns: number;
  readonly count: number;
  /** The number of references in all. */
  readonly total: number;
}

/** A step of the recipe, or the combination of the sums of a pass. */
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
 * The functions of the module of a recipe: `match` and `filter` with the number of their step, `brightness` if the noise depends on
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

/** What a thread needs for its work. */
export interface GroupWorkplace {
  readonly layout: GroupLayout;
  readonly memory: WebAssembly.Memory;
  readonly kernels: GroupKernels;
  readonly thread: number;
}

/** The bytes of a plane that are combined at once. */
const SPAN = 1 << 18;

/** Does the share of this thread in a job; yields how much of the job all threads have done. */
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
