/**
 * The work of one thread on the bands of a stack of pages. A band has the same rows of all pages. Volumes are found by
 * denoisers/groups/volumes.ts from distances that a kernel measures, and where there are none, groups of single patches are filtered as
 * those of a picture, with the page as that picture.
 */
import { type Pass, volumePass } from '../../../denoisers/groups/recipes.js';
import {
  patchNoise,
  SEARCH,
  type VolumePlace,
  VolumeSearch,
  type Volumes,
  type WindowDistances,
} from '../../../denoisers/groups/volumes.js';
import type { Work } from '../../../work.js';
import { listBytes, RUN } from '../kernels/groups/target.js';
import { windowVectors } from '../kernels/groups/volumes.js';
import { callOf, passKernels } from '../kernels/signatures.js';
import { claimIndices } from './claim-indices.js';
import type { GroupWorkplace, VolumeLayout } from './group-layout.js';

/** A pass that follows patches. */
type VolumePass = Pass & { readonly volumes: Volumes };

/** Filters the groups of the references in the bands that this thread gets. */
export function* filterVolumes(pass: VolumePass, step: number, place: GroupWorkplace): Work<void> {
  const { layout, memory, kernels, thread } = place;
  const { slots, sums, weights, deviations } = layout;
  const { stack, passes, noise, columns: spare, lists, depths } = layout.volumes as VolumeLayout;
  const isLast = step === layout.recipe.length - 1;
  const { bands, columns, rows } = passes[step] as NonNullable<VolumeLayout['passes'][number]>;
  const [words, floats] = [new Int32Array(memory.buffer), new Float32Array(memory.buffer)];
  const scratch = layout.scratches[thread];
  const [guide] = slots[pass.guide];
  const match = callOf(kernels, `match${step}`, passKernels.match);
  const search = new VolumeSearch(stack, pass, measuredBy(pass, step, place, guide));
  const noiseAt = patchNoise(pass.patch, noise);
  const pageBytes = 4 * stack.width * stack.height;

  /** Filters the groups in the lists, whose members are in pages from `page` on. */
  const filterWith = (name: string) => {
    const filter = callOf(kernels, `filter${name}`, passKernels.filter);
    const brightness = deviations && callOf(kernels, `brightness${name}`, passKernels.brightness);
    return (count: number, page: number, parity: number) => {
      const from = page * pageBytes;
      brightness?.({ guide: guide + from, count, scratch });
      for (let c = 0; c < sums.length; c++) {
        filter({
          from: slots[pass.from][c] + from,
          pilot: slots[pass.guide][c] + from,
          sums: sums[c][parity] + from,
          weights: weights[c][parity] + from,
          noise: deviations?.[c] ?? 0,
          ...{ count, scratch },
        });
      }
    };
  };
  const [filterVolumeGroups, filterSingles] = [filterWith(`${step}Volumes`), filterWith(`${step}`)];
  const bytes = listBytes(volumePass(pass));

  /** Filters the groups of the volumes of one row of references; returns the columns that have no volume. */
  const filterRow = (page: number, y: number, parity: number): VolumePlace[] => {
    const alone: VolumePlace[] = [];
    let [count, pages] = [0, 0];
    const flush = () => {
      if (count > 0) filterVolumeGroups(count, 0, parity);
      count = 0;
    };
    for (const column of columns[page]) {
      const first = guide / 4 + (page * stack.height + y) * stack.width + column.at;
      const found = search.find(
        page,
        column.at,
        y,
        noiseAt(noise ? meanOf(floats, first, stack.width, pass.patch) : 0),
      );
      pages += found.depth;
      if (found.depth === 1) {
        alone.push(column);
        continue;
      }
      const list = (scratch + lists + count * bytes) / 4;
      words[list] = found.count;
      for (let m = 0; m < found.count; m++) words[list + 4 + m] = 4 * found.members[m];
      count++;
      if (count === RUN) flush();
    }
    flush();
    if (isLast) {
      Atomics.add(words, depths / 4 + 2 * page, pages);
      Atomics.add(words, depths / 4 + 2 * page + 1, columns[page].length);
    }
    return alone;
  };

  for (const band of claimIndices(place, bands.length)) {
    for (const { page, row } of bands[band]) {
      if (Atomics.load(words, layout.stop / 4) === 1) return;
      const singles = filterRow(page, row.at, band % 2).flatMap((column) => column.singles);
      const at = spare[thread];
      for (const [i, x] of singles.entries()) words[at / 4 + i] = 4 * x;
      for (const y of row.singles) {
        for (let x = 0; x < singles.length; x += RUN) {
          const count = Math.min(RUN, singles.length - x);
          match({ guide: guide + page * pageBytes, y, columns: at + 4 * x, count, scratch });
          filterSingles(count, page, band % 2);
        }
      }
      yield (Atomics.add(words, layout.done / 4, 1) + 1) / rows;
    }
  }
}

/** The mean of a patch. */
function meanOf(data: Float32Array, first: number, width: number, patch: number): number {
  let sum = 0;
  for (let y = 0; y < patch; y++) for (let x = 0; x < patch; x++) sum += data[first + y * width + x];
  return sum / patch ** 2;
}

/** Distances by the kernels of a pass, in the plane at `guide`. */
function measuredBy(
  { volumes }: VolumePass,
  step: number,
  { kernels, layout, memory, thread }: GroupWorkplace,
  guide: number,
): WindowDistances {
  const out = (layout.volumes as VolumeLayout).windows[thread];
  const ways = [
    { name: `follow${step}`, columns: 2 * SEARCH + 1 },
    { name: `compare${step}`, columns: 2 * volumes.reach + 1 },
  ].map(({ name, columns }) => ({
    measure: callOf(kernels, name, passKernels.distances),
    pitch: 4 * windowVectors(columns),
  }));
  let pitch = 0;
  const most = 2 * Math.max(SEARCH, volumes.reach) + 1;
  const sums = new Float32Array(memory.buffer, out, most * 4 * windowVectors(most));
  return {
    sums,
    get pitch() {
      return pitch;
    },
    measure(patches, windows, count, columns, rows) {
      const way = columns <= 2 * SEARCH + 1 ? ways[0] : ways[1];
      pitch = way.pitch;
      for (let k = 0; k < count; k++) {
        const [patch, window] = [guide + 4 * patches[k], guide + 4 * windows[k]];
        way.measure({ patch, window, rows, out, more: k > 0 ? -1 : 0 });
      }
    },
  };
}
