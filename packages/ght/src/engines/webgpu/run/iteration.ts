/** The kernels of one solver's iterations with their buffers: what can be put into a batch, one call per step of the algorithm. */
import type { IterativeSolver } from '../../../sparse/solvers/catalogue.js';
import { paddedRows, rightVectors, type Shape, singularValues } from '../../shape.js';
import type { Batch, Buffers, Kernel } from '../gpu.js';
import { codeLayout, fitsRegisters, SAVED, SETS, setOf } from '../kernels/layout.js';
import type { Dual } from '../kernels/middle.js';
import { analysePass, synthesisePass, synthesisGroups } from '../kernels/products.js';
import { registerPass } from '../kernels/registers.js';
import { countTies, cutTies, judgeLast, refine, scanGroups, selectFirst, selectLast } from '../kernels/selection.js';
import { type Counting, HISTORY, histogramWords, STATE_BYTES } from '../kernels/state.js';
import { TILE } from '../layout.js';
import type { CodeSets } from './code-sets.js';
import type { Range, Ranges } from './ranges.js';

/** Buffers that all ranges and both solvers share. */
export type Common = Awaited<ReturnType<typeof commonBuffers>>;

/** A kernel that runs over the pairs of tiles of a range: how many workgroups, and its buffers for Zᵏ and the tables of a slot. */
interface Step {
  readonly kernel: Kernel;
  readonly groups: (pairs: number) => number;
  readonly buffers: BuffersAt;
}

type BuffersAt = (range: number, k: number, slot: number) => GPUBindGroup;

/** A kernel of the selection, which sees all ranges at once. */
interface Selecting {
  readonly kernel: Kernel;
  readonly buffers: GPUBindGroup;
}

/** Pairs of tiles of a range. */
export function pairsOf({ paddedP }: Range): number {
  return paddedP / (2 * TILE);
}

/** Allocates the common buffers. */
export function commonBuffers(ranges: Ranges, counting: Counting) {
  const { gpu, scope, list, shape } = ranges;
  const pairs = list.reduce((sum, range) => sum + pairsOf(range), 0);
  return gpu.allocated(() => ({
    state: scope.buffer(STATE_BYTES, GPUBufferUsage.STORAGE | GPUBufferUsage.UNIFORM),
    histograms: [scope.buffer(4 * histogramWords(counting)), scope.buffer(4 * histogramWords(counting))] as const,
    /**
     * Per pair of tiles: the error, and a bit for each ending of a magnitude (its last five bits) among the candidates in the window.
     * `countTies` puts the number of values that equal the threshold in place of these bits. An even number, because `cutTies` reads
     * two at a time.
     */
    reports: scope.buffer(16 * Math.ceil(pairs / 2)),
    sums: scope.buffer(4 * counting.clearers),
    /** The tables of the iterations of a batch, one after the other. */
    tables: scope.buffer((HISTORY + 1) * tableStride(shape), GPUBufferUsage.UNIFORM),
    /** First patch and pairs of tiles of each range. */
    places: list.map((range) =>
      scope.bufferOf(Uint32Array.of(range.first, pairsOf(range), 0, 0), GPUBufferUsage.UNIFORM),
    ),
  }));
}

/** The fixed part of the tables: V_A where it is read row by row. */
function fixedTable(shape: Shape): Float32Array {
  return fitsRegisters(shape) ? paddedRows(shape.parts[0].V) : new Float32Array(4);
}

/** Bytes from one iteration's tables to the next. */
function tableStride(shape: Shape): number {
  return 256 * Math.ceil((4 * (fixedTable(shape).length + 3 * shape.R4)) / 256);
}

/** Tables for iterations with these ρ. The first starts without a dual variable; later ones rescale it from the ρ before. */
export function tablesFor(shape: Shape, rhos: readonly number[]): Float32Array {
  const [fixed, sigma, stride] = [fixedTable(shape), singularValues(shape), tableStride(shape) / 4];
  const tables = new Float32Array(stride * rhos.length);
  for (const [i, rho] of rhos.entries()) {
    const rescaling = i === 0 ? 0 : rhos[i - 1] / rho;
    tables.set(fixed, i * stride);
    for (const [k, s] of sigma.entries()) {
      const at = i * stride + fixed.length + k;
      tables[at] = s;
      tables[at + sigma.length] = s / (s * s + rho);
      tables[at + 2 * sigma.length] = s * rescaling;
    }
  }
  return tables;
}

/** The steps of one solver on one problem. */
export class Iteration {
  private constructor(
    readonly solver: IterativeSolver,
    private readonly ranges: Ranges,
    private readonly common: Common,
    private readonly counting: Counting,
    /** Coordinates of the dual variable, for GHT-ADMM. */
    private readonly dual: readonly GPUBuffer[],
    private readonly passes: { readonly next: readonly Step[]; readonly again: readonly Step[] },
    private readonly scans: Readonly<Record<'refine' | 'count' | 'cut', Step>>,
    private readonly selects: Readonly<Record<'first' | 'last' | 'judge', Selecting>>,
  ) {}

  static async of(
    solver: IterativeSolver,
    ranges: Ranges,
    sets: CodeSets,
    common: Common,
    counting: Counting,
  ): Promise<Iteration> {
    const { gpu, shape } = ranges;
    const { state, histograms, reports, sums, places } = common;
    const dual = solver === 'admm' ? await ranges.buffers(({ paddedP }) => 4 * shape.R4 * paddedP) : [];
    const makePass = fitsRegisters(shape) ? inRegisters : await byProducts(ranges);
    const pass = (kind: Dual) => makePass(ranges, sets, common, counting, kind, dual);
    const layout = codeLayout(shape);
    const scan = async (
      code: string,
      label: string,
      more: (range: number, set: number) => Buffers,
      groups = scanGroups,
    ): Promise<Step> => {
      const kernel = await gpu.kernel(code, label);
      const buffers = remembered((range, set) =>
        kernel.bind({
          s: state,
          place: places[range],
          ...codesIn(sets, range, set),
          ...more(range, set),
        }),
      );
      return { kernel, groups, buffers };
    };
    const { blocks, masks } = sets;
    const saving = (range: number, set: number) => {
      const old = setOf(set + 1);
      return {
        old: blocks[old][range],
        oldMasks: masks[old][range],
        saved: blocks[SAVED][range],
        savedMasks: masks[SAVED][range],
      };
    };
    const select = async (code: string, label: string, buffers: Buffers): Promise<Selecting> => {
      const kernel = await gpu.kernel(code, label);
      return { kernel, buffers: kernel.bind({ s: state, ...buffers }) };
    };
    // A host may compile several kernels at once.
    const [next, again, refined, counted, cut, first, last, verdict] = await Promise.all([
      pass(solver === 'admm' ? 'step' : 'none'),
      pass(solver === 'admm' ? 'again' : 'none'),
      scan(refine(layout, counting), 'refine', () => ({ histogram: histograms[1] })),
      scan(countTies(layout), 'count ties', (range, set) => ({ reports, ...saving(range, set) })),
      scan(
        cutTies(layout),
        'cut ties',
        () => ({ reports }),
        () => 1,
      ),
      select(selectFirst(counting), 'select first', { histogram: histograms[0], other: histograms[1], reports, sums }),
      select(selectLast(counting), 'select last', { histogram: histograms[1], other: histograms[0], sums }),
      select(judgeLast(counting), 'judge', { sums }),
    ]);
    const scans = { refine: refined, count: counted, cut };
    return new Iteration(solver, ranges, common, counting, dual, { next, again }, scans, {
      first,
      last,
      judge: verdict,
    });
  }

  /** Empties the histograms, after a selection that was not completed. */
  clear(batch: Batch): void {
    for (const histogram of this.common.histograms) batch.clear(histogram);
  }

  /** Sets Λ to 0, where there is one. */
  clearDual(batch: Batch): void {
    for (const buffer of this.dual) batch.clear(buffer);
  }

  /** The pass over Zᵏ with the tables of a slot: the next, or the same again; over all pairs of tiles, or one of `step`. */
  pass(batch: Batch, k: number, slot: number, which: 'next' | 'again' = 'next', step = 1): void {
    for (const part of this.passes[which]) this.#overRanges(batch, part, k, slot, step);
  }

  /** Finds the bin of the threshold; adds up the errors of the last pass. */
  selectFirst(batch: Batch): void {
    batch.run(this.selects.first.kernel, this.selects.first.buffers, 1 + this.counting.clearers);
  }

  /** Judges the codes that the last pass has measured. Finds the threshold itself; the candidates become Zᵏ. */
  selectLast(batch: Batch, k: number, step = 1): void {
    this.#overRanges(batch, this.scans.refine, k, 0, step);
    batch.run(this.selects.last.kernel, this.selects.last.buffers, 1 + this.counting.clearers);
  }

  /** Drops what equals the threshold and is too many; saves the codes that are overwritten next, if they are the best. */
  cutTies(batch: Batch, k: number): void {
    this.#overRanges(batch, this.scans.count, k);
    this.#overRanges(batch, this.scans.cut, k);
  }

  /** Judges Zᵏ at the end of a batch, where no selection follows. The scan saves Zᵏ⁻¹, if that is the best. */
  judge(batch: Batch, k: number): void {
    batch.run(this.selects.judge.kernel, this.selects.judge.buffers, 1);
    this.#overRanges(batch, this.scans.count, k + 1);
  }

  #overRanges(batch: Batch, { kernel, buffers, groups }: Step, k: number, slot = 0, step = 1): void {
    for (const [i, range] of this.ranges.list.entries()) {
      batch.run(kernel, buffers(i, k, slot), groups(Math.ceil(pairsOf(range) / step)));
    }
  }
}

type MakePass = (
  ranges: Ranges,
  sets: CodeSets,
  common: Common,
  counting: Counting,
  kind: Dual,
  dual: readonly GPUBuffer[],
) => Promise<readonly Step[]>;

const inRegisters: MakePass = async ({ gpu, shape, list }, sets, common, counting, kind, dual) => {
  const kernel = await gpu.kernel(registerPass(shape, counting, kind), `pass, dual ${kind}`);
  const buffers = remembered((range, set, slot) =>
    kernel.bind({
      ...commonBindings(common, shape, range, slot),
      ...codesIn(sets, range, set),
      ...candidatesOut(sets, range, set),
      C: list[range].c,
      reports: common.reports,
      histogram: common.histograms[0],
      ...dualBinding(kind, dual, range),
    }),
  );
  return [{ kernel, groups: (pairs) => pairs, buffers }];
};

/** The pass in two kernels, with M between them in memory. */
async function byProducts({ gpu, shape, scope, list }: Ranges): Promise<MakePass> {
  const { words } = codeLayout(shape);
  const [rows, between] = await gpu.allocated(() => [
    [scope.bufferOf(rightVectors(shape)), scope.bufferOf(byCoordinates(shape, 128 * words))],
    list.map((range) => scope.buffer(4 * shape.R4 * range.paddedP)),
  ]);
  return async (_, sets, common, counting, kind, dual) => {
    const analyse = await gpu.kernel(analysePass(shape, kind), `analyse, dual ${kind}`);
    const synthesise = await gpu.kernel(synthesisePass(shape, counting), 'synthesise');
    const inAnalysis = remembered((range, set, slot) =>
      analyse.bind({
        ...commonBindings(common, shape, range, slot),
        ...codesIn(sets, range, set),
        C: list[range].c,
        reports: common.reports,
        V: rows[0],
        ...dualBinding(kind, dual, range),
        M: between[range],
      }),
    );
    const inSynthesis = remembered((range, set) =>
      synthesise.bind({
        place: common.places[range],
        s: common.state,
        ...codesIn(sets, range, set),
        ...candidatesOut(sets, range, set),
        reports: common.reports,
        histogram: common.histograms[0],
        V: rows[1],
        M: between[range],
      }),
    );
    return [
      { kernel: analyse, groups: (pairs) => pairs, buffers: inAnalysis },
      { kernel: synthesise, groups: (pairs) => synthesisGroups(shape, pairs), buffers: inSynthesis },
    ];
  };
}

function commonBindings({ tables, places, state }: Common, shape: Shape, range: number, slot: number) {
  const stride = tableStride(shape);
  return { u: { buffer: tables, offset: slot * stride, size: stride }, place: places[range], s: state };
}

/** The codes that a pass reads, and the candidates for those after them. */
function codesIn({ blocks, masks }: CodeSets, range: number, set: number) {
  return { codes: blocks[set][range], masks: masks[set][range] };
}
function candidatesOut({ blocks, masks }: CodeSets, range: number, set: number) {
  const next = setOf(set + 1);
  return { candidates: blocks[next][range], candidateMasks: masks[next][range] };
}

function dualBinding(kind: Dual, dual: readonly GPUBuffer[], range: number): Buffers {
  return kind === 'none' ? {} : { Q: dual[range] };
}

/** V with a row of atoms per coordinate, padded to a width. */
function byCoordinates(shape: Shape, width: number): Float32Array {
  const V = rightVectors(shape);
  const out = new Float32Array(shape.R4 * width);
  for (let l = 0; l < shape.L; l++) for (let k = 0; k < shape.R4; k++) out[k * width + l] = V[l * shape.R4 + k];
  return out;
}

/** Bind groups are made once per range, set of codes and slot. */
function remembered(make: (range: number, set: number, slot: number) => GPUBindGroup): BuffersAt {
  const made = new Map<number, GPUBindGroup>();
  return (range, k, slot) => {
    const key = (range * SETS + setOf(k)) * (HISTORY + 1) + slot;
    const known = made.get(key) ?? make(range, setOf(k), slot);
    made.set(key, known);
    return known;
  };
}

/** The counts that suit a problem: few coefficients need few bins, which are cleared in every iteration. */
export function countingFor({ shape, P }: Ranges): Counting {
  const coefficients = shape.L * P;
  if (coefficients < 2 ** 18) return { logBins: 16, clearers: 2 };
  return coefficients < 2 ** 22 ? { logBins: 16, clearers: 16 } : { logBins: 19, clearers: 128 };
}
