/**
 * Block matching: around a reference patch, the patches of the guide that look most like it. Their distance is Σ (a − b)²
 * over the samples; the reference comes first, then the others from near to far, and among equals the one that is first
 * in the picture.
 */

/** One plane of samples, row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float64Array;
}

/** Which patches are put together. */
export interface Grouping {
  /** The side of a patch. */
  readonly patch: number;
  /** Pixels from one reference to the next. */
  readonly stride: number;
  /** How far from the reference a member may lie, in pixels along each side. */
  readonly reach: number;
  /** The most patches of a group, the reference included. */
  readonly members: number;
}

/** Where references lie along a side: every stride-th place, and the last, so that every pixel is covered. */
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
  // Sorting is stable, and they were found in the order of the picture.
  found.sort((a, b) => a.distance - b.distance);
  return found.slice(0, members).map(({ at }) => at);
}

function distance({ width, data }: Plane, patch: number, a: number, b: number): number {
  let sum = 0;
  for (let row = 0; row < patch; row++) {
    for (let i = 0; i < patch; i++) sum += (data[a + row * width + i] - data[b + row * width + i]) ** 2;
  }
  return sum;
}
