/**
 * Wide holes of an image. The least bent picture through the known pixels (`biharmonic.ts`) continues the slopes at the rim of a hole,
 * and in a wide one leaves the range of all pixels around. A wide hole therefore begins as the harmonic picture,
 *
 *     Lx = 0 inside the hole   subject to   x = y where a pixel is known
 *
 * which has its extremes on the rim. It is found from coarse to fine: each level has half the size of the one before, a pixel of it is the
 * mean of the known ones among four, and the level below is the start of a few rounds of relaxation.
 */
import type { Samples } from '../image/image.js';
import type { Work } from '../work.js';
import type { Plane, Size } from './operator.js';

/** A hole in which a square of more than this side fits is wide. */
export const WIDE = 16;
/** The rounds of relaxation on each level. */
const ROUNDS = 60;
/** Over-relaxation, which speeds up the rounds. */
const RELAXATION = 1.7;

/** A wide hole: missing pixels that touch each other, and the known pixels that touch them. */
export interface WideHole {
  readonly sites: Uint32Array;
  readonly rim: Uint32Array;
}

/** For each pixel, the side of the largest square of marked pixels that ends there with its lower right corner. */
export function* squaresOf({ width, height }: Size, isMarked: (i: number) => boolean): Work<Uint32Array> {
  const sides = new Uint32Array(width * height);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (!isMarked(i)) continue;
      sides[i] = x === 0 || y === 0 ? 1 : 1 + Math.min(sides[i - 1], sides[i - width], sides[i - width - 1]);
    }
    yield y / height;
  }
  return sides;
}

/** The wide holes among the missing pixels. */
export function* wideHoles(size: Size, missing: Uint8Array): Work<WideHole[]> {
  const sides = yield* squaresOf(size, (i) => missing[i] !== 0);
  const seen = new Uint8Array(missing.length);
  const holes: WideHole[] = [];
  for (let i = 0; i < sides.length; i++) {
    if (sides[i] <= WIDE || seen[i] === 1) continue;
    holes.push(holeAround(i, size, missing, seen));
    yield i / sides.length;
  }
  return holes;
}

/** All missing pixels that are connected to one. `seen` marks them. */
function holeAround(first: number, { width, height }: Size, missing: Uint8Array, seen: Uint8Array): WideHole {
  const sites = [first];
  const rim = new Set<number>();
  seen[first] = 1;
  for (let n = 0; n < sites.length; n++) {
    const [x, y] = [sites[n] % width, Math.floor(sites[n] / width)];
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++) {
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
        const i = row * width + column;
        if (missing[i] === 0) rim.add(i);
        else if (seen[i] === 0) {
          seen[i] = 1;
          sites.push(i);
        }
      }
    }
  }
  return { sites: Uint32Array.from(sites), rim: Uint32Array.from(rim) };
}

/** Bounds the samples of a hole by those of its rim, in place. */
export function boundByRim(plane: Samples, { sites, rim }: WideHole, known: Samples = plane): void {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const i of rim) {
    least = Math.min(least, known[i]);
    most = Math.max(most, known[i]);
  }
  for (const i of sites) plane[i] = Math.min(most, Math.max(least, plane[i]));
}

/** A copy of the plane with these holes filled. Other missing pixels are left as they are, and are not used. */
export function* harmonic(y: Plane, size: Size, missing: Uint8Array, holes: readonly WideHole[]): Work<Plane> {
  const x = y.slice();
  if (holes.length === 0) return x;
  const wide = new Uint8Array(missing.length);
  for (const { sites } of holes) for (const i of sites) wide[i] = 1;
  yield* relaxed(x, size, missing, wide);
  for (const hole of holes) boundByRim(x, hole);
  return x;
}

/** Fills the pixels of `wide` in place: from the level of half the size, then by relaxation. */
function* relaxed(x: Plane, { width, height }: Size, missing: Uint8Array, wide: Uint8Array): Work<void> {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  const parent = (i: number) => Math.floor(Math.floor(i / width) / 2) * half.width + Math.floor((i % width) / 2);
  const [sums, counts] = [new Float64Array(half.width * half.height), new Float64Array(half.width * half.height)];
  for (let i = 0; i < x.length; i++) {
    if (missing[i]) continue;
    sums[parent(i)] += x[i];
    counts[parent(i)]++;
  }
  const coarse = sums.map((sum, i) => (counts[i] > 0 ? sum / counts[i] : 0));
  const gone = Uint8Array.from(counts, (count) => (count > 0 ? 0 : 1));
  yield 0;
  if (gone.includes(1) && half.width * half.height < x.length) yield* relaxed(coarse, half, gone, gone);
  const sites: number[] = [];
  for (let i = 0; i < x.length; i++) {
    if (wide[i] === 0) continue;
    x[i] = coarse[parent(i)];
    sites.push(i);
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Like a chessboard, so that the order of the pixels does not matter.
    for (const colour of [0, 1]) {
      for (const i of sites) {
        const [column, row] = [i % width, Math.floor(i / width)];
        if ((column + row) % 2 !== colour) continue;
        let [sum, count] = [0, 0];
        const add = (j: number) => {
          if (missing[j] && !wide[j]) return;
          sum += x[j];
          count++;
        };
        if (column > 0) add(i - 1);
        if (column < width - 1) add(i + 1);
        if (row > 0) add(i - width);
        if (row < height - 1) add(i + width);
        if (count > 0) x[i] += RELAXATION * (sum / count - x[i]);
      }
    }
    yield round / ROUNDS;
  }
}
