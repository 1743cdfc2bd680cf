/**
 * Block matching: finds the patches of the guide that are most similar to a reference patch near it. The distance is
 * Σ (a − b)² over the samples. The reference comes first, then the others by increasing distance; ties are in picture
 * order.
 */

/** One plane of samples, row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float64Array;
}

/** How patches are grouped. */
export interface Grouping {
  /** The side of a patch, in pixels. */
  readonly patch: number;
  /** Pixels from one reference to the next. */
  readonly stride: number;
  /** The largest distance of a member from the reference, in pixels along each axis. */
  readonly reach: number;
  /** The most patches in a group, including the reference. */
  readonly members: number;
}

/** The positions of references along one axis: every stride-th, and the last, so that every pixel is covered. */
export function places(length: number, { patch, stride }: Pick<Grouping, 'patch' | 'stride'>): number[] {
  const last = length - patch;
  const all = Array.from({ length: Math.floor(last / stride) + 1 }, (_, i) => i * stride);
  return last % stride ? [...all, last] : all;
}

/** The members of the group of the reference patch at (x, y), each by the index of its first sample. */
export function findGroup(guide: Plane, { patch, reach, members }: Grouping, x: number, y: number): number[] {
  const { width, height } = guide;
  const found: { readonly at: number; readonly distance: number }[] = [];
  for (let v = Math.max(0, y - reach); v <= Math.min(height - patch, y + reach); v++) {
    for (let u = Math.max(0, x - reach); u <= Math.min(width - patch, x + reach); u++) {
      const itself = u === x && v === y;
      found.push({ at: v * width + u, distance: itself ? -1 : distance(guide, patch, y * width + x, v * width + u) });
    }
  }
  // The sort is stable, so ties stay in picture order.
  found.sort((a, b) => a.distance - b.distance);
  return found.slice(0, members).map(({ at }) => at);
}

/** The distance of the patches that begin at the samples a and b. */
export function distance({ width, data }: Pick<Plane, 'width' | 'data'>, patch: number, a: number, b: number): number {
  let sum = 0;
  for (let row = 0; row < patch; row++) {
    for (let i = 0; i < patch; i++) sum += (data[a + row * width + i] - data[b + row * width + i]) ** 2;
  }
  return sum;
}
