import type { Pass } from '../../../../groups/recipes.js';
import type { Fused } from '../maps.js';
import { padded } from '../shape.js';

/** References that are matched before their groups are filtered: few enough that their lists stay in the cache. */
export const RUN = 32;

/** What the kernels of a pass are emitted for. The side of its patches must be a multiple of four: rows are whole vectors. */
export interface GroupTarget extends Fused {
  readonly pass: Pass;
  /** The size of a plane: rows follow each other without a gap. */
  readonly width: number;
  readonly height: number;
  readonly scratch: GroupScratch;
  /** Where the constants of the pass are. */
  readonly tables: PassTables;
  /** Where the noise is given by frequency: its brightnesses. Patches are then whitened. */
  readonly noise?: NoiseTable;
}

/** Where noise that is given by brightness and frequency lies in memory. */
export interface NoiseTable {
  /** How many brightnesses there are, and where: a float each. */
  readonly count: number;
  readonly brightness: number;
  /** Of each plane the deviations, a row of frequencies per brightness, and the last row twice. */
  readonly deviations: readonly number[];
}

/** Where the constants of a pass lie in memory, in bytes. */
export interface PassTables {
  /** The analysis of a patch A and its synthesis B, row by row, and their transposes. */
  readonly A: number;
  readonly AT: number;
  readonly B: number;
  readonly BT: number;
  /** The window, row by row. */
  readonly window: number;
  /** Numbers without a pattern, that inverse iterations begin with. */
  readonly start: number;
  /** Where references lie along a row, a word each, in bytes. */
  readonly columns: number;
}

/** Where a thread keeps what it needs for a run of references, in bytes from the start of its scratch. */
export interface GroupScratch {
  /** The groups of a run; see {@link listBytes}. */
  readonly lists: number;
  /** Of each reference of a run the members found so far, nearest first: distance and place in 64 bits each. */
  readonly keys: number;
  /** How many there are, and the distance of the worst once there are enough: a word each. */
  readonly states: number;
  /** Distances at all shifts of the strips that a reference is made of, twice, and of the whole reference. */
  readonly strips: number;
  readonly distances: number;
  /** The patches of a group, and of its pilot. */
  readonly group: number;
  readonly pilot: number;
  /** The half-way product of a transform. */
  readonly half: number;
  /** The window times the weight of the group. */
  readonly weights: number;
  /** The deviations of the noise in a group, and their inverses. */
  readonly deviations: number;
  readonly inverses: number;
  /** What the eigenproblem needs; see tridiagonal.ts, eigenvalues.ts and eigenvectors.ts. */
  readonly mean: number;
  readonly matrix: number;
  readonly diagonal: number;
  readonly off: number;
  readonly beta: number;
  readonly values: number;
  readonly v: number;
  readonly w: number;
  readonly pivots: number;
  readonly solutions: number;
  readonly vectors: number;
  readonly coordinates: number;
  readonly bytes: number;
}

/**
 * Bytes of one group in a list: how many members there are; where noise is given, how far the group is from one brightness to
 * the next, and the distance of the first of the two in a table of deviations; from byte 16 on where each member begins. All in
 * bytes.
 */
export function listBytes({ members }: Pick<Pass, 'members'>): number {
  return 16 + 4 * padded(members);
}

/**
 * The strips of columns that the patch of a reference is made of, so wide that neighbouring references share them, and the
 * vectors that hold the distances at all shifts of one.
 */
export function stripsOf({ patch, stride, reach }: Pass): { wide: number; strips: number; vectors: number } {
  let wide = Math.min(patch, stride);
  while (patch % wide || stride % wide) wide--;
  return { wide, strips: patch / wide, vectors: Math.ceil((2 * reach + 1) / 4) };
}

/** The scratch that all passes of a recipe can work in. */
export function groupScratch(passes: readonly Pass[]): GroupScratch {
  const most = (bytes: (pass: Pass) => number) => Math.max(0, ...passes.map(bytes));
  const rank = (bytes: (N: number) => number) =>
    most((pass) => (pass.filter.kind === 'rank' ? bytes(pass.patch ** 2) : 0));
  const transformed = (bytes: (pass: Pass) => number) =>
    most((pass) => (pass.filter.kind === 'rank' ? 0 : bytes(pass)));
  let end = 0;
  const take = (bytes: number) => {
    const at = end;
    // A vector may be read past the end.
    end += 64 * Math.ceil((bytes + 16) / 64);
    return at;
  };
  return {
    lists: take(RUN * most(listBytes)),
    keys: take(8 * RUN * most(({ members }) => members)),
    states: take(8 * RUN),
    strips: take(2 * 16 * most((pass) => stripsOf(pass).strips * stripsOf(pass).vectors)),
    distances: take(16 * most((pass) => stripsOf(pass).vectors)),
    group: take(4 * most(({ patch, members }) => members * patch ** 2)),
    pilot: take(4 * transformed(({ patch, members }) => members * patch ** 2)),
    half: take(4 * most(({ patch }) => patch ** 2)),
    weights: take(4 * most(({ patch }) => patch ** 2)),
    deviations: take(4 * most(({ patch }) => patch ** 2)),
    inverses: take(4 * most(({ patch }) => patch ** 2)),
    mean: take(rank((N) => 4 * N)),
    matrix: take(rank((N) => 4 * N * N)),
    diagonal: take(rank((N) => 4 * N)),
    off: take(rank((N) => 4 * N)),
    beta: take(rank((N) => 4 * N)),
    values: take(rank((N) => 4 * N)),
    v: take(rank((N) => 4 * N)),
    w: take(rank((N) => 4 * N)),
    // Four lanes of multiplier, diagonal, two upper diagonals and exchange a row.
    pivots: take(rank((N) => 5 * 16 * (N + 2))),
    solutions: take(rank((N) => 16 * (N + 2))),
    vectors: take(rank((N) => 4 * N * N)),
    coordinates: take(rank((N) => 4 * N)),
    get bytes() {
      return end;
    },
  };
}
