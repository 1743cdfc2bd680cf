/**
 * Groups of volumes, for the pages of a series. A volume is a patch that is followed along its motion from page to page: on the next
 * page it is at the place (u, v) near the expected one (x, y) with the least
 *
 *     ‖b − a‖² + price · ((u − x)² + (v − y)²)
 *
 * where a is the reference patch and b the patch at (u, v). The expected place is the one on the page before plus the motion that was
 * estimated beforehand (`TilePages.motions`), between pixels; if the patch is further away than a pixel, it is expected to go on from
 * where it was found. A volume ends where ‖b − a‖² is more than noise explains. Its depth is the largest
 * power of two of the pages that are left, with the page of the reference in the middle if possible. The volumes of a group are assumed
 * to move alike, so they are displacements of the reference volume; those with the least sums of distances over all pages are taken.
 * A volume of one page is no volume: there, the groups of `matching.ts` are used.
 *
 * The pages of a stack are stored below each other as one picture, so that a patch is the index of its first sample. The patches of a
 * group are ordered by volume, then by page. So the Haar transform runs along the volumes first, then along the group.
 */
import type { Motion, TileNoise, TilePages } from '../denoiser.js';
import { distance, type Grouping, type Plane, places } from './matching.js';

/** How the pages of a stack lie in a picture. */
export interface Stack extends Pick<TilePages, 'kept' | 'alike' | 'motions' | 'origin'> {
  readonly width: number;
  /** The rows of one page. */
  readonly height: number;
  readonly pages: number;
}

/** How volumes are found and grouped. */
export interface Volumes {
  /** The most pages of a volume: 1, 2, 4 or 8. */
  readonly depth: number;
  /** Pixels from one reference to the next on every fourth page; on the others, references are as far apart as patches are wide. */
  readonly stride: number;
  /** The largest displacement of a volume from the reference, in pixels along each axis. */
  readonly reach: number;
  /** The most volumes in a group; more if they have so few pages that a group of single patches would have more patches. */
  readonly members: number;
  /** A patch belongs to a volume if its distance is at most this multiple of the one that two patches of noise have. */
  readonly alike: number;
  /** What a deviation of one pixel from the expected motion costs, in variances of the noise; without it, paths in flat areas follow the noise. */
  readonly price: number;
  /** The threshold of groups of volumes, if the filter is one. */
  readonly tau: number;
}

/** The pages between those with more references: volumes from these reach the others. */
const DENSE = 4;
/** The most pixels that a patch moves from one page to the next, along each axis. */
export const MOTION = 4;
/** How far from where it is expected a patch is searched, in pixels along each axis. */
export const SEARCH = 2;
/** A patch that is found further than this from where it is expected moves on from there. */
const ASTRAY = 1;

/** How far a group of volumes reaches from its reference, in pixels along each axis. */
export function volumeReach({ depth, reach }: Volumes): number {
  return MOTION * (depth - 1) + reach;
}

/**
 * Measures windows of patches: adds up the distances of `count` patches, each from all patches of a window of its own. Indices are those
 * of first samples. The sums are `pitch` apart from row to row, and valid until the next call.
 */
export interface WindowDistances {
  readonly sums: ArrayLike<number>;
  readonly pitch: number;
  measure(patches: ArrayLike<number>, windows: ArrayLike<number>, count: number, columns: number, rows: number): void;
}

/** Distances as they are defined: the squared norms of differences of patches. */
export function plainDistances({ width, data }: Pick<Plane, 'width' | 'data'>, patch: number): WindowDistances {
  const sums: number[] = [];
  let pitch = 0;
  return {
    sums,
    get pitch() {
      return pitch;
    },
    measure(patches, windows, count, columns, rows) {
      sums.length = 0;
      pitch = columns;
      for (let i = 0; i < columns * rows; i++) {
        const at = Math.floor(i / columns) * width + (i % columns);
        let sum = 0;
        for (let k = 0; k < count; k++) sum += distance({ width, data }, patch, patches[k], windows[k] + at);
        sums.push(sum);
      }
    },
  };
}

/** A group of volumes; `members` are valid until the next group is found. */
export interface FoundVolumes {
  /** The pages of each volume. */
  readonly depth: number;
  /** The number of patches. */
  readonly count: number;
  readonly members: Int32Array;
}

/** Finds the groups of volumes of a pass in a stack. */
export class VolumeSearch {
  readonly #patch: number;
  readonly #volumes: Volumes;
  readonly #alone: number;
  /** The place of the patch on each page of the stack that was reached. */
  readonly #x: Int32Array;
  readonly #y: Int32Array;
  /** Where it is expected, between pixels. */
  readonly #expectedX: Float64Array;
  readonly #expectedY: Float64Array;
  readonly #patches: Int32Array;
  readonly #windows: Int32Array;
  readonly #members: Int32Array;
  /** The nearest displacements so far, and their distances. */
  readonly #places: Int32Array;
  readonly #distances: Float64Array;

  constructor(
    private readonly stack: Stack,
    { patch, members, volumes }: Grouping & { readonly volumes: Volumes },
    private readonly windows: WindowDistances,
  ) {
    this.#patch = patch;
    this.#volumes = volumes;
    this.#alone = members;
    this.#x = new Int32Array(stack.pages);
    this.#y = new Int32Array(stack.pages);
    this.#expectedX = new Float64Array(stack.pages);
    this.#expectedY = new Float64Array(stack.pages);
    this.#patches = new Int32Array(volumes.depth);
    this.#windows = new Int32Array(volumes.depth);
    this.#members = new Int32Array(mostMembers({ members, volumes }));
    this.#places = new Int32Array(this.#members.length);
    this.#distances = new Float64Array(this.#members.length);
  }

  /** The group of the patch at (x, y) of a page. `noise` is the squared norm of the noise in such a patch. */
  find(page: number, x: number, y: number, noise: number): FoundVolumes {
    const { depth: most } = this.#volumes;
    const limit = 2 * noise * this.#volumes.alike;
    this.#x[page] = this.#expectedX[page] = x;
    this.#y[page] = this.#expectedY[page] = y;
    const reference = this.#index(page);
    let [first, last] = [page, page];
    const isShort = () => last - first + 1 < most;
    const before = () => this.#follow(reference, first, first - 1, limit);
    let isOpen = true;
    while (isOpen && isShort() && page - first < most / 2)
      if (before()) first--;
      else isOpen = false;
    while (isShort() && this.#follow(reference, last, last + 1, limit)) last++;
    while (isOpen && isShort())
      if (before()) first--;
      else isOpen = false;
    const depth = 2 ** Math.floor(Math.log2(last - first + 1));
    if (depth === 1) return { depth, count: 0, members: this.#members };
    const from = Math.min(Math.max(page - depth / 2, first), last - depth + 1);
    return { depth, count: this.#group(from, depth), members: this.#members };
  }

  /** The index of the first sample of the patch on a page. */
  #index(page: number): number {
    return (page * this.stack.height + this.#y[page]) * this.stack.width + this.#x[page];
  }

  /** Follows the patch from one page to the next or the one before; false if it is not there. */
  #follow(reference: number, from: number, to: number, limit: number): boolean {
    const { width, height, pages, alike, motions } = this.stack;
    if (to < 0 || to >= pages || alike?.[Math.max(from, to)] === false) return false;
    const [x, y] = [this.#x[from], this.#y[from]];
    const motion = motions?.[Math.max(from, to)];
    const block = motion ? this.#blockOf(motion, x, y) : 0;
    const way = to > from ? 1 : -1;
    const expectedX = this.#expectedX[from] + (motion ? way * motion.x[block] : 0);
    const expectedY = this.#expectedY[from] + (motion ? way * motion.y[block] : 0);
    const [left, columns] = searched(x, expectedX, width - this.#patch);
    const [top, rows] = searched(y, expectedY, height - this.#patch);
    this.#patches[0] = reference;
    this.#windows[0] = (to * height + top) * width + left;
    this.windows.measure(this.#patches, this.#windows, 1, columns, rows);
    const { sums, pitch } = this.windows;
    let [least, distance] = [Number.POSITIVE_INFINITY, 0];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const each = sums[row * pitch + column];
        const price = each + this.#volumes.price * ((left + column - expectedX) ** 2 + (top + row - expectedY) ** 2);
        if (price >= least) continue;
        [least, distance] = [price, each];
        this.#x[to] = left + column;
        this.#y[to] = top + row;
      }
    }
    const [u, v] = [this.#x[to], this.#y[to]];
    const isAstray = Math.abs(u - expectedX) > ASTRAY || Math.abs(v - expectedY) > ASTRAY;
    this.#expectedX[to] = isAstray ? u : expectedX;
    this.#expectedY[to] = isAstray ? v : expectedY;
    return distance <= limit;
  }

  /** The block of a grid in which the middle of a patch is. */
  #blockOf({ block, columns, x: { length } }: Motion, x: number, y: number): number {
    const [left, top] = this.stack.origin ?? [0, 0];
    const half = this.#patch / 2;
    const column = Math.min(columns - 1, Math.floor((x + left + half) / block));
    const row = Math.min(length / columns - 1, Math.floor((y + top + half) / block));
    return row * columns + column;
  }

  /** Fills in the members of the group of the volume that begins at page `from`, and returns their number. */
  #group(from: number, depth: number): number {
    const { width, height } = this.stack;
    const { reach, members } = this.#volumes;
    const wanted = Math.max(members, Math.floor(this.#alone / depth));
    let [left, right, up, down] = [reach, reach, reach, reach];
    for (let page = from; page < from + depth; page++) {
      left = Math.min(left, this.#x[page]);
      right = Math.min(right, width - this.#patch - this.#x[page]);
      up = Math.min(up, this.#y[page]);
      down = Math.min(down, height - this.#patch - this.#y[page]);
    }
    let count = 1;
    if (wanted > 1) count = this.#nearest(from, depth, wanted, { left, right, up, down });
    let m = 0;
    for (let k = 0; k < count; k++) {
      for (let page = from; page < from + depth; page++) this.#members[m++] = this.#index(page) + this.#places[k];
    }
    return m;
  }

  /** Fills in the displacements of the nearest volumes, as differences of indices, and returns their number. */
  #nearest(
    from: number,
    depth: number,
    wanted: number,
    { left, right, up, down }: Readonly<Record<'left' | 'right' | 'up' | 'down', number>>,
  ): number {
    const { width } = this.stack;
    for (let d = 0; d < depth; d++) {
      this.#patches[d] = this.#index(from + d);
      this.#windows[d] = this.#patches[d] - up * width - left;
    }
    const [columns, rows] = [left + right + 1, up + down + 1];
    this.windows.measure(this.#patches, this.#windows, depth, columns, rows);
    const { sums, pitch } = this.windows;
    let count = 1;
    this.#distances[0] = -1;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        if (row === up && column === left) continue;
        const distance = sums[row * pitch + column];
        if (count === wanted && distance >= this.#distances[count - 1]) continue;
        let k = count < wanted ? count++ : count - 1;
        for (; this.#distances[k - 1] > distance; k--) {
          this.#distances[k] = this.#distances[k - 1];
          this.#places[k] = this.#places[k - 1];
        }
        this.#distances[k] = distance;
        this.#places[k] = (row - up) * width + column - left;
      }
    }
    return count;
  }
}

/** The first of the places along one axis that are searched for a patch, and their number. They end at `most`. */
function searched(last: number, expected: number, most: number): readonly [first: number, count: number] {
  const [least, greatest] = [Math.max(0, last - MOTION), Math.min(most, last + MOTION)];
  const middle = Math.min(greatest, Math.max(least, Math.round(expected)));
  const first = Math.max(least, middle - SEARCH);
  return [first, Math.min(greatest, middle + SEARCH) - first + 1];
}

/** The most patches in a group of volumes. */
export function mostMembers({ members, volumes }: Pick<Grouping, 'members'> & { readonly volumes: Volumes }): number {
  return Math.max(members, volumes.members * volumes.depth);
}

/** A place of references of volumes along one axis, and the places of references of single patches to which it is the nearest. */
export interface VolumePlace {
  readonly at: number;
  readonly singles: readonly number[];
}

/**
 * The places of the references of a page along an axis of this length. Where a volume has only one page, the references of single
 * patches around it take its place. Every pixel is covered, whichever volumes have one page: strides are at most half a patch.
 */
export function volumePlaces(
  length: number,
  { patch, stride, volumes }: Grouping & { readonly volumes: Volumes },
  { kept: [from, to] }: Stack,
  page: number,
): VolumePlace[] {
  const isKept = page >= from && page < to;
  const sparse = places(length, { patch, stride: isKept && page % DENSE === 0 ? volumes.stride : patch });
  const all: { at: number; singles: number[] }[] = sparse.map((at) => ({ at, singles: [] }));
  let nearest = 0;
  // The estimates of neighbours matter less than those of the pages that are kept.
  for (const at of isKept ? places(length, { patch, stride }) : sparse) {
    while (nearest + 1 < all.length && all[nearest + 1].at - at < at - all[nearest].at) nearest++;
    all[nearest].singles.push(at);
  }
  return all;
}

/** The squared norm of the noise in a patch of each brightness: 1 per sample if the noise is white. */
export function patchNoise(patch: number, noise: TileNoise | undefined): (brightness: number) => number {
  if (!noise) return () => patch ** 2;
  const { brightness, deviations } = noise;
  const norms = deviations[0].map((row) => row.reduce((sum, deviation) => sum + deviation ** 2, 0));
  return (value) => {
    let b = 0;
    while (b < brightness.length - 2 && value > brightness[b + 1]) b++;
    const next = Math.min(b + 1, brightness.length - 1);
    const share = next > b ? Math.min(1, Math.max(0, (value - brightness[b]) / (brightness[next] - brightness[b]))) : 0;
    return norms[b] + share * (norms[next] - norms[b]);
  };
}
