/**
 * The start of inpainting: the least bent picture that goes through the known pixels,
 *
 *     minimise ‖Lx‖²   subject to   x = y where a pixel is known
 *
 * with the five-point Laplacian L, whose differences end at the frame. The missing pixels solve the biharmonic equation
 * (LᵀLx) = 0, by conjugate gradients. They begin at the interpolation along edges that also fills impulses, so few steps
 * are needed. Wide holes begin, and stay, harmonic (`wide-holes.ts`).
 */
import { filled } from '../noise/impulses/fill.js';
import type { Work } from '../work.js';
import type { Plane, Size } from './operator.js';
import { harmonic, type WideHole } from './wide-holes.js';

/** The most steps of conjugate gradients. */
const MOST_STEPS = 400;
/** The gradient, relative to that of the first picture, at which they stop. */
const SETTLED = 1e-4;

/** The plane with its missing samples replaced, those of wide holes by the harmonic picture; at least one must be known. */
export function* biharmonic(
  y: Plane,
  { width, height }: Size,
  missing: Uint8Array,
  wide: readonly WideHole[] = [],
): Work<Plane> {
  const narrow = missing.slice();
  for (const { sites } of wide) for (const i of sites) narrow[i] = 0;
  const sites = Uint32Array.from(indicesOf(narrow));
  const smooth = yield* harmonic(y, { width, height }, missing, wide);
  const x = Float64Array.from(yield* filled(smooth, width, height, sites));
  const bent = new Float64Array(x.length);
  const back = new Float64Array(x.length);
  /** LᵀLx, of which only the entries at the missing pixels are used; L is symmetric. */
  const bending = (plane: Plane) => {
    laplacian(plane, width, height, bent);
    laplacian(bent, width, height, back);
  };
  bending(x);
  const r = Float64Array.from(sites, (site) => -back[site]);
  const p = r.slice();
  const direction = new Float64Array(x.length);
  let rr = r.reduce((sum, value) => sum + value * value, 0);
  const settled = SETTLED ** 2 * rr;
  for (let k = 0; k < MOST_STEPS && rr > settled; k++) {
    sites.forEach((site, i) => {
      direction[site] = p[i];
    });
    bending(direction);
    let pq = 0;
    sites.forEach((site, i) => {
      pq += p[i] * back[site];
    });
    const alpha = rr / pq;
    const before = rr;
    rr = 0;
    sites.forEach((site, i) => {
      x[site] += alpha * p[i];
      r[i] -= alpha * back[site];
      rr += r[i] * r[i];
    });
    for (let i = 0; i < p.length; i++) p[i] = r[i] + (rr / before) * p[i];
    yield k / MOST_STEPS;
  }
  return x;
}

function* indicesOf(missing: Uint8Array): Generator<number> {
  for (let i = 0; i < missing.length; i++) if (missing[i]) yield i;
}

/** out ← Lx: the sum of the differences to the neighbours inside the frame. */
function laplacian(x: Plane, width: number, height: number, out: Plane): void {
  for (let row = 0, i = 0; row < height; row++) {
    for (let column = 0; column < width; column++, i++) {
      let sum = 0;
      if (column > 0) sum += x[i - 1] - x[i];
      if (column < width - 1) sum += x[i + 1] - x[i];
      if (row > 0) sum += x[i - width] - x[i];
      if (row < height - 1) sum += x[i + width] - x[i];
      out[i] = sum;
    }
  }
}
