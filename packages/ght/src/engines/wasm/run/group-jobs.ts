/**
 * The work of one thread on the bands of a picture. A band has enough rows of references that its groups and those of the band
 * after the next never overlap. Even bands add to one set of sums, odd ones to another, and the two are added at the end. So no
 * thread waits for another, and the result is the same bit for bit, whichever thread takes which band, in any order.
 */
import { isPass, type Pass } from '../../../denoisers/groups/recipes.js';
import type { Work } from '../../../work.js';
import { RUN } from '../kernels/groups/target.js';
import { callOf, callsOf, passKernels, planeKernels } from '../kernels/signatures.js';
import { claimIndices } from './claim-indices.js';
import type { GroupJob, GroupWorkplace, References } from './group-layout.js';
import { filterVolumes } from './volume-jobs.js';

/** The bytes of a plane that are combined at once. */
const SPAN = 1 << 18;

/** Does the share of this thread in a job; yields how much of the job all threads have done. */
export function* shareOfGroups({ kind, step }: GroupJob, place: GroupWorkplace): Work<void> {
  const { layout } = place;
  const { recipe, bytes, slots, sums, weights } = layout;
  const current = recipe[step];
  if (kind === 'pass') {
    if (!isPass(current)) return;
    const { volumes } = current;
    yield* volumes ? filterVolumes({ ...current, volumes }, step, place) : filterBands(current, step, place);
    return;
  }
  const { combine, blend } = callsOf(place.kernels, planeKernels);
  const spans = Math.ceil(bytes / SPAN);
  const out = slots[current.to];
  for (const n of claimIndices(place, spans * out.length)) {
    const [c, from] = [Math.floor(n / spans), (n % spans) * SPAN];
    const length = Math.min(SPAN, bytes - from);
    if (isPass(current)) {
      const [even, odd] = sums[c];
      const [evenWeights, oddWeights] = weights[c];
      combine({
        sums: even + from,
        others: odd + from,
        weights: evenWeights + from,
        otherWeights: oddWeights + from,
        out: out[c] + from,
        bytes: length,
      });
    } else {
      const { a, b, share } = current;
      blend({ a: slots[a][c] + from, b: slots[b][c] + from, out: out[c] + from, bytes: length, share });
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
  const kernel = <Name extends keyof typeof passKernels>(name: Name) =>
    callOf(kernels, `${name}${step}`, passKernels[name]);
  const [match, filter] = [kernel('match'), kernel('filter')];
  const brightness = deviations && kernel('brightness');
  for (const band of claimIndices(place, bands.length)) {
    const parity = band % 2;
    for (const y of bands[band]) {
      for (let x = 0; x < count; x += RUN) {
        if (Atomics.load(words, layout.stop / 4) === 1) return;
        const run = Math.min(RUN, count - x);
        const [guide] = slots[pass.guide];
        match({ guide, y, columns: columns + 4 * x, count: run, scratch });
        brightness?.({ guide, count: run, scratch });
        for (let c = 0; c < sums.length; c++) {
          filter({
            from: slots[pass.from][c],
            pilot: slots[pass.guide][c],
            count: run,
            sums: sums[c][parity],
            weights: weights[c][parity],
            scratch,
            noise: deviations?.[c] ?? 0,
          });
        }
        yield (Atomics.add(words, layout.done / 4, run) + run) / total;
      }
    }
  }
}
