/**
 * Whether neighbouring pages are alike. Patches of pages that are not, such as those before and after a cut, find each other by chance
 * where both are flat, and lose more than they gain. So it is decided for a page as a whole, from its patches with structure.
 */
import type { Motion } from '../../denoisers/denoiser.js';
import type { Frame } from '../../denoisers/frame.js';
import {
  MOTION,
  patchNoise,
  plainDistances,
  VolumeSearch,
  type WindowDistances,
} from '../../denoisers/groups/volumes.js';
import { grown, type Rectangle, type Size } from '../../image/rectangle.js';
import { drive, type Watch, type Work } from '../../work.js';
import type { Pair, ReadPair } from './page.js';

/** The side of a patch, and the pixels from one to the next. */
const [PATCH, STRIDE] = [8, 16];
/** A patch has structure if its samples vary by this multiple of the noise. */
const STRUCTURE = 1.5;
/** A patch is found again if its distance is at most this multiple of the noise of two patches, or leaves this share of its structure. */
const [ALIKE, DIFFERENT] = [1.4, 0.5];
/**
 * Pages are alike if this share of the patches with structure is found again. With fewer of these, all patches count, and almost all have
 * to be found: flat ones find each other by chance.
 */
const FOUND = 0.6;
const FEWEST = 8;
const FOUND_OF_ALL = 0.85;

/** How far the patches of a part, and where they are searched, reach beyond it. */
const REACH = PATCH + MOTION;

/** Patches of one kind, and how many of them are found again. */
interface Count {
  all: number;
  found: number;
}

/** Whether the second page is like the first one. */
export async function areAlike(
  read: ReadPair,
  parts: readonly Rectangle[],
  size: Size,
  frame: Frame,
  motion: Motion,
  { signal }: Watch,
): Promise<boolean> {
  if (Math.min(size.width, size.height) < PATCH) return false;
  const structured: Count = { all: 0, found: 0 };
  const flat: Count = { all: 0, found: 0 };
  for (const part of parts) {
    const at = grown(part, REACH, size);
    const planes = framedPair(await read(at), frame);
    await drive(countFound(planes, at, part, size, frame, motion, structured, flat), { signal });
  }
  if (structured.all >= FEWEST) return structured.found >= FOUND * structured.all;
  return structured.found + flat.found >= FOUND_OF_ALL * (structured.all + flat.all);
}

/** The planes of both pages in units of the noise, the pages below each other. */
function framedPair([before, after]: Pair, { centres, scales }: Frame): Float64Array<ArrayBuffer>[] {
  return before.map((plane, c) => {
    const size = plane.length;
    const data = new Float64Array(2 * size);
    for (let i = 0; i < size; i++) {
      data[i] = (plane[i] - centres[c]) / scales[c];
      data[size + i] = (after[c][i] - centres[c]) / scales[c];
    }
    return data;
  });
}

/** Counts the patches that begin in a part. */
function* countFound(
  planes: readonly Float64Array<ArrayBuffer>[],
  at: Rectangle,
  part: Rectangle,
  size: Size,
  { noise }: Frame,
  motion: Motion,
  structured: Count,
  flat: Count,
): Work<void> {
  const { width, height } = at;
  const noiseAt = planes.map((_, c) => patchNoise(PATCH, noise && { ...noise, deviations: [noise.deviations[c]] }));
  const volumes = { depth: 2, stride: STRIDE, reach: 0, members: 1, alike: 0.5, price: 0.5, tau: 0 };
  const pass = { patch: PATCH, stride: STRIDE, reach: 0, members: 1, volumes };
  const origin = [at.left, at.top] as const;
  const search = new VolumeSearch(
    { width, height, pages: 2, kept: [0, 2], motions: [undefined, motion], origin },
    pass,
    summed(planes.map((data) => plainDistances({ width, data }, PATCH))),
  );
  for (let y = part.top; y < part.top + part.height && y <= size.height - PATCH; y += STRIDE) {
    for (let x = part.left; x < part.left + part.width && x <= size.width - PATCH; x += STRIDE) {
      const [column, row] = [x - at.left, y - at.top];
      let [squares, expected] = [0, 0];
      for (const [c, data] of planes.entries()) {
        const found = momentsOf(data, row * width + column, width);
        squares += found.squares;
        expected += noiseAt[c](found.mean);
      }
      const structure = Math.max(0, squares - expected);
      const limit = Math.max(2 * ALIKE * expected, 2 * expected + DIFFERENT * structure);
      const kind = squares > STRUCTURE * expected ? structured : flat;
      kind.all++;
      if (search.find(0, column, row, limit).depth === 2) kind.found++;
    }
    yield (y - part.top) / part.height;
  }
}

/** The distances of all planes together. */
function summed(planes: readonly WindowDistances[]): WindowDistances {
  const [first, ...others] = planes;
  if (others.length === 0) return first;
  let sums: number[] = [];
  return {
    get sums() {
      return sums;
    },
    get pitch() {
      return first.pitch;
    },
    measure(...windows) {
      for (const plane of planes) plane.measure(...windows);
      sums = Array.from(first.sums, (sum, i) => others.reduce((all, plane) => all + plane.sums[i], sum));
    },
  };
}

/** The mean of a patch, and the squared norm of its samples without it. */
function momentsOf(data: Float64Array, first: number, width: number): { mean: number; squares: number } {
  let [sum, squares] = [0, 0];
  for (let y = 0; y < PATCH; y++) {
    for (let x = 0; x < PATCH; x++) {
      const value = data[first + y * width + x];
      sum += value;
      squares += value * value;
    }
  }
  const mean = sum / PATCH ** 2;
  return { mean, squares: squares - sum * mean };
}
