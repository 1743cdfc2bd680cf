/**
 * Interpolates missing samples of a plane from the samples around them, along edges rather than across them.
 *
 * Along each of four directions d (row, column, two diagonals) a missing sample has two opposite neighbours. Their mean is the
 * estimate x_d. The mean absolute difference D_d of samples one step apart along d, within 5×5 samples, measures how much the
 * picture changes in that direction. The result is
 *
 *     x = Σ_d w_d x_d / Σ_d w_d,        w_d = 1 / (ℓ_d² (D_d + ε)²)
 *
 * with the squared length ℓ_d² = 1 or 2 of a step, and a small ε that keeps the weights finite. This is repeated: the first time
 * with the good samples alone, then also with the samples that are filled in already. Each round uses only the values of the
 * round before, so a sample depends on no others than those within {@link FILL_REACH}. A hole deeper than that stays as it is inside.
 */
import type { Samples } from '../../image/image.js';
import type { Work } from '../../work.js';

/** Steps along a row, a column and the diagonals, with their squared lengths. */
const DIRECTIONS = [
  { dx: 1, dy: 0, length: 1 },
  { dx: 0, dy: 1, length: 1 },
  { dx: 1, dy: 1, length: 2 },
  { dx: 1, dy: -1, length: 2 },
] as const;
/** Half the side of the square in which differences are taken. */
const REACH = 2;
/** The most rounds in which a hole is filled, from its outside to its inside: 17 samples wide. */
const ROUNDS = 8;
/** How many times the filled samples are refined. */
const REFINEMENTS = 2;
/** How far a filled sample depends on others: those of the square, and the next one along a direction, in each round. */
export const FILL_REACH = (ROUNDS + REFINEMENTS) * (REACH + 1);
/** A smaller mean difference counts as none, in the usual units of an image. */
const LEAST_CHANGE = 1e-100;
/** Samples between two yields. */
const SAMPLES_PER_YIELD = 2 ** 11;

/** A copy of the plane with the samples at `sites` interpolated. */
export function* filled(plane: Samples, width: number, height: number, sites: Uint32Array): Work<Samples> {
  const result = plane instanceof Float64Array ? new Float64Array(plane) : new Float32Array(plane);
  const missing = new Uint8Array(plane.length);
  for (const i of sites) missing[i] = 1;
  const estimates = function* (some: Uint32Array): Work<Float64Array> {
    const values = new Float64Array(some.length);
    for (let k = 0; k < some.length; k++) {
      const known = missing[some[k]];
      missing[some[k]] = 1;
      values[k] = estimate(result, missing, width, height, some[k]);
      missing[some[k]] = known;
      if (k % SAMPLES_PER_YIELD === 0) yield k / some.length;
    }
    return values;
  };
  // From the outside of a hole to its inside: each round fills the samples that have a known neighbour.
  let rest = sites;
  for (let round = 0; round < ROUNDS && rest.length > 0; round++) {
    const values = yield* estimates(rest);
    rest.forEach((i, k) => {
      if (Number.isNaN(values[k])) return;
      result[i] = values[k];
      missing[i] = 0;
    });
    rest = rest.filter((_, k) => Number.isNaN(values[k]));
  }
  const full = rest.length === 0 ? sites : sites.filter((i) => missing[i] === 0);
  for (let round = 0; round < REFINEMENTS; round++) {
    const values = yield* estimates(full);
    full.forEach((i, k) => {
      result[i] = values[k];
    });
  }
  return result;
}

/** The value at sample i interpolated from its known neighbours; NaN if it has none. */
function estimate(plane: Samples, missing: Uint8Array, width: number, height: number, i: number): number {
  const [x, y] = [i % width, Math.floor(i / width)];
  const known = (column: number, row: number) =>
    column >= 0 && column < width && row >= 0 && row < height && missing[row * width + column] === 0;
  let [total, weights, allChange] = [0, 0, 0];
  const changes: number[] = [];
  for (const { dx, dy } of DIRECTIONS) {
    let [sum, count] = [0, 0];
    for (let row = y - REACH; row <= y + REACH; row++) {
      for (let column = x - REACH; column <= x + REACH; column++) {
        if (!known(column, row) || !known(column + dx, row + dy)) continue;
        sum += Math.abs(plane[(row + dy) * width + column + dx] - plane[row * width + column]);
        count++;
      }
    }
    const change = count === 0 ? Number.NaN : sum / count;
    changes.push(change);
    if (count > 0) allChange += change;
  }
  // Where nothing changes, all directions have the same weight; squares of changes below LEAST_CHANGE would vanish.
  const epsilon = allChange < LEAST_CHANGE ? 1 : 0.05 * allChange;
  for (const [d, { dx, dy, length }] of DIRECTIONS.entries()) {
    const before = known(x - dx, y - dy);
    const after = known(x + dx, y + dy);
    if (!before && !after) continue;
    const a = plane[(y - dy) * width + x - dx];
    const b = plane[(y + dy) * width + x + dx];
    const change = Number.isNaN(changes[d]) ? allChange : changes[d];
    // One neighbour alone is less reliable than two.
    const weight = (before && after ? 1 : 0.2) / (length * (change + epsilon) ** 2);
    total += weight * (before && after ? (a + b) / 2 : before ? a : b);
    weights += weight;
  }
  return total / weights;
}
