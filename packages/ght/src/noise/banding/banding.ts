/**
 * Banding: an offset that all samples of a row share (or of a column), different from row to row, as scanners and sensors make it.
 * The offsets o_r are assumed to be independent from row to row. Their slow part cannot be distinguished from shading and is kept.
 *
 * Is there banding? The columns are divided into segments. In segment k, e_k,j(r) is the median over its columns of
 * y(r + j, ·) − y(r, ·): the offsets of all other rows, and steps that hold for less than half of the columns, cancel. Products of
 * different segments contain what they share, but no noise. Over all pairs k ≠ l and all rows, with e clipped at 3 times its
 * typical size,
 *
 *     V_j = mean e_k,j(r) · e_l,j(r) = 2 σ² + q_j
 *
 * for offsets of deviation σ, where q_j comes from the picture. A picture changes over two rows at least twice as much as over
 * one: q_2 ≥ 2 q_1. So
 *
 *     2 V_1 − V_2 ≤ 2 σ²        (the nugget of the variogram of the rows)
 *
 * which is not positive without banding. An image has banding if four conditions hold:
 *
 * - the nugget is significant: more than 3.5 times its standard error, from the means of stretches of 16 rows. With noise alone
 *   that happens once in 4,000 planes, and then almost never in all segments;
 * - it is a large part of the changes: at least half of V_1;
 * - every segment shares it: the regression of its own part of the nugget on that of all others has a slope above 1/2. Stairs,
 *   blinds and text lines rarely fill the whole width evenly;
 * - it is everywhere and not periodic: every quarter of the rows has a part of it, a typical offset is not much smaller than σ, and
 *   no frequency has a quarter of the power. Ruled lines and stripes fail here.
 *
 * The offsets. D_j(r), the median over all columns of y(r + j, ·) − y(r, ·) for j = 1 … 8, is P(r + j) − P(r) for the common profile
 * P = o + g of the rows, where g is the profile of the picture. P is fitted to all D_j by least squares. Then g is a random walk
 * with steps of deviation q, a few of them large (horizons), and o is white:
 *
 *     min over g of  Σ_r (P_r − g_r)² / σ² + 4 Σ_r log(1 + (g_r+1 − g_r)² / 3q²)
 *
 * (steps of Student's t with 3 degrees of freedom) by reweighted least squares, and o = P − g.
 */
import type { Samples } from '../../image/image.js';
import type { Rectangle } from '../../image/rectangle.js';
import type { Work } from '../../work.js';
import { type Axis, axesOf, nugget, offsetsOf } from './row-profile.js';

/** Offsets of a smaller variance count as none, in the usual units of an image: divisions by it would overflow. */
const LEAST_VARIANCE = 1e-200;

/** The banding of an image. */
export interface BandingReport {
  /** The deviation of the row offsets, in the units of the samples: the root mean square over the planes. 0 if there are none. */
  readonly rows: number;
  /** The same for the columns. */
  readonly columns: number;
  /** The offset of each row, per plane; undefined for a plane without row banding. */
  readonly rowOffsets: readonly (Float64Array | undefined)[];
  /** The offset of each column, per plane; undefined for a plane without column banding. */
  readonly columnOffsets: readonly (Float64Array | undefined)[];
}

/** Finds the banding of each plane. The planes are not changed. */
export function* findBanding(planes: readonly Samples[], width: number, height: number): Work<BandingReport> {
  const [rows, columns] = axesOf(width, height);
  const rowOffsets: (Float64Array | undefined)[] = [];
  const columnOffsets: (Float64Array | undefined)[] = [];
  for (const plane of planes) {
    // Row offsets cancel in differences along a row, so rows and columns can be searched one after the other.
    rowOffsets.push(yield* bandsOf(plane, rows));
    columnOffsets.push(yield* bandsOf(plane, columns));
  }
  return { rows: deviation(rowOffsets), columns: deviation(columnOffsets), rowOffsets, columnOffsets };
}

/** The offsets of all rows and columns of an image, per plane; plain data. */
export interface BandOffsets {
  readonly rowOffsets: readonly (Float64Array | null | undefined)[];
  readonly columnOffsets: readonly (Float64Array | null | undefined)[];
}

/** The planes of a part of an image without the banding of the image. A plane that has none is returned as it is. */
export function* withoutBanding(
  planes: readonly Samples[],
  { left, top, width, height }: Rectangle,
  { rowOffsets, columnOffsets }: BandOffsets,
): Work<Samples[]> {
  const without: Samples[] = [];
  for (const [c, plane] of planes.entries()) {
    const [rows, columns] = [rowOffsets[c], columnOffsets[c]];
    if (!rows && !columns) {
      without.push(plane);
      continue;
    }
    const result = plane instanceof Float64Array ? new Float64Array(plane.length) : new Float32Array(plane.length);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        result[y * width + x] = plane[y * width + x] - (rows?.[top + y] ?? 0) - (columns?.[left + x] ?? 0);
      }
      if (y % 64 === 0) yield y / height;
    }
    without.push(result);
  }
  return without;
}

/** The offsets of the rows along an axis, if there is banding. */
function* bandsOf(plane: Samples, axis: Axis): Work<Float64Array | undefined> {
  const variance = yield* nugget(plane, axis);
  return variance > LEAST_VARIANCE ? yield* offsetsOf(plane, axis, variance) : undefined;
}

/** The root mean square of all offsets, over the planes that have some. */
function deviation(offsets: readonly (Float64Array | undefined)[]): number {
  let [sum, count] = [0, 0];
  for (const some of offsets) {
    for (const value of some ?? []) sum += value * value;
    count += some?.length ?? 0;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count);
}
