import { InputError } from '../errors.js';
import { aggregation, type PatchGrid } from '../image/patches.js';
import { finish } from '../work.js';

/** The number of atoms of the patch at each position of a grid: a representation, or a part of one. */
export interface AtomCounts {
  /** Where the patches lie. */
  readonly grid: PatchGrid;
  /** Atoms used at each position of the grid. */
  readonly atomsPerPatch: Int32Array;
}

/** The heatmap of the paper's Figure 2: at every pixel, the number of atoms of its patch (the mean, where patches overlap). */
export function heatmap({ grid, atomsPerPatch: counts }: AtomCounts): Float64Array {
  if (counts.length !== grid.count) {
    const rule = `must have a count for each of the ${grid.count} patches`;
    throw new InputError('atomsPerPatch', rule, counts.length, 'give those of the same grid');
  }
  const N = grid.patch ** 2;
  const read = (from: number, into: Float64Array) => {
    for (let i = 0; i < into.length; i += N) into.fill(counts[from + i / N], i, i + N);
  };
  return finish(aggregation(grid, { N, P: grid.count, read }));
}
