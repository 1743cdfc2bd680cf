import type { Pass } from '../../../../denoisers/groups/recipes.js';
import { padded } from '../../../shape.js';
import type { Fn } from '../assembler.js';
import type { Fused } from '../maps.js';

/** The number of references that are matched before their groups are filtered: few enough that their lists stay in the cache. */
export const RUN = 32;

/** What the kernels of a pass depend on. The side of its patches must be a multiple of four, so that rows are whole vectors. */
export interface GroupTarget extends Fused {
  readonly pass: Pass;
  /** The size of a plane, which is stored without gaps between rows. */
  readonly width: number;
  readonly height: number;
  readonly scratch: GroupScratch;
  /** The addresses of the constants of the pass. */
  readonly tables: PassTables;
  /** The noise, if it is given by brightness and frequency. Patches are then whitened. */
  readonly noise?: NoiseTable;
}

/** The addresses of noise that is given by brightness and frequency. */
export interface NoiseTable {
  /** The number of brightnesses and their address: one float each. */
  readonly count: number;
  readonly brightness: number;
  /** The deviations of each plane: one row of frequencies per brightness, with the last row twice. */
  readonly deviations: readonly number[];
}

/** The addresses of the constants of a pass, in bytes. */
export interface PassTables {
  /** The analysis of a patch A and its synthesis B, row by row, and their transposes. */
  readonly A: number;
  readonly AT: number;
  readonly B: number;
  readonly BT: number;
  /** The window, row by row. */
  readonly window: number;
  /** Pseudo-random numbers with which inverse iterations start. */
  readonly start: number;
  /** The places of references along a row in bytes, one word each. */
  readonly columns: number;
}

/** The scratch of a thread for a run of references: offsets in bytes from its start. */
export type GroupScratch = Readonly<ReturnType<typeof groupScratch>>;

/**
 * The bytes of one group in a list. First the number of members. Then, if the noise is given, the position of the group between
 * two brightnesses, from 0 to 1, and the offset of the first of the two in a table of deviations. From byte 16 on, the offset of
 * each member in a plane. Offsets are in bytes.
 */
export function listBytes({ members }: Pick<Pass, 'members'>): number {
  return 16 + 4 * padded(members);
}

/**
 * The width and number of the strips of columns that the patch of a reference consists of, so that neighbouring references share
 * them, and the number of vectors that hold the distances of a strip at all shifts.
 */
export function stripsOf({ patch, stride, reach }: Pass): { wide: number; strips: number; vectors: number } {
  let wide = Math.min(patch, stride);
  while (patch % wide || stride % wide) wide--;
  return { wide, strips: patch / wide, vectors: Math.ceil((2 * reach + 1) / 4) };
}

/** The scratch that all passes of a recipe can work in. */
export function groupScratch(passes: readonly Pass[]) {
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
    /** The groups of a run; see {@link listBytes}. */
    lists: take(RUN * most(listBytes)),
    /** The members found so far for each reference of a run, nearest first: distance and place in 64 bits each. */
    keys: take(8 * RUN * most(({ members }) => members)),
    /** The number of members, and the largest distance once there are enough: one word each. */
    states: take(8 * RUN),
    /** Distances at all shifts: of the strips that a reference consists of, stored twice, and of the whole reference. */
    strips: take(2 * 16 * most((pass) => stripsOf(pass).strips * stripsOf(pass).vectors)),
    distances: take(16 * most((pass) => stripsOf(pass).vectors)),
    /** The patches of a group, and of its pilot. */
    group: take(4 * most(({ patch, members }) => members * patch ** 2)),
    pilot: take(4 * transformed(({ patch, members }) => members * patch ** 2)),
    /** The intermediate product of a transform. */
    half: take(4 * most(({ patch }) => patch ** 2)),
    /** The window times the weight of the group. */
    weights: take(4 * most(({ patch }) => patch ** 2)),
    /** The deviations of the noise in a group, and their inverses. */
    deviations: take(4 * most(({ patch }) => patch ** 2)),
    inverses: take(4 * most(({ patch }) => patch ** 2)),
    /** The arrays of the eigenproblem; see tridiagonal.ts, eigenvalues.ts and eigenvectors.ts. */
    mean: take(rank((N) => 4 * N)),
    matrix: take(rank((N) => 4 * N * N)),
    diagonal: take(rank((N) => 4 * N)),
    off: take(rank((N) => 4 * N)),
    beta: take(rank((N) => 4 * N)),
    values: take(rank((N) => 4 * N)),
    v: take(rank((N) => 4 * N)),
    w: take(rank((N) => 4 * N)),
    // Per row, four lanes each of the multiplier, the diagonal, two upper diagonals and the exchange.
    pivots: take(rank((N) => 5 * 16 * (N + 2))),
    solutions: take(rank((N) => 16 * (N + 2))),
    vectors: take(rank((N) => 4 * N * N)),
    coordinates: take(rank((N) => 4 * N)),
    get bytes() {
      return end;
    },
  };
}

/** The transform of a patch, with whitening if the noise is given. */
export interface PatchFunctions {
  /** (from, out, scratch): A X Aᵀ for the patch X that begins at `from` in a plane. */
  readonly analysis: Fn;
  /** (patch, scratch): B C Bᵀ for the coefficients C of a patch, in place. */
  readonly synthesis: Fn;
}
