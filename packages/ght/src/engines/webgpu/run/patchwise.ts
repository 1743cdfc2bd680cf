/** The patch-wise solvers, joint OMP and the refit on a GPU. */
import { type Codes, emptyCodes } from '../../../sparse/codes/codes.js';
import type { PatchwiseSolver } from '../../../sparse/solvers/catalogue.js';
import type { Effort, Spending } from '../../../sparse/solvers/joint-omp.js';
import type { StepReport } from '../../../sparse/solvers/loop.js';
import type { AtomLimits } from '../../../sparse/solvers/patchwise.js';
import type { PatchStop } from '../../../sparse/solvers/stopping.js';
import { type Watch, watchOver } from '../../../work.js';
import type { PatchSolvers } from '../../loaded-problem.js';
import type { BufferScope } from '../gpu.js';
import { refitKernel } from '../kernels/fit.js';
import { ompKernel } from '../kernels/omp.js';
import { JointOmp } from './joint-omp.js';
import { type PursuitRun, Pursuits } from './pursuits.js';
import type { Ranges } from './ranges.js';
import { makeStreams, readStreams, type Streams, sumsOf } from './streams.js';

/** The codes of a range that are refitted, patch after patch. */
type Refitted = Readonly<Record<'begins' | 'atoms' | 'values' | 'course', GPUBuffer>>;

/** In place of one limit for all patches. */
const EACH_ITS_OWN = 2 ** 32 - 1;

/** The solvers that work on one patch at a time, on one loaded problem. */
export class PatchwiseSolvers implements PatchSolvers {
  readonly #pursuits: Pursuits;
  readonly #joint: JointOmp;
  /** Room for codes on the GPU, and the codes that were made last, once they have been read. */
  #made: { readonly streams: Streams; readonly scope: BufferScope } | undefined;
  #codes: Codes | undefined;

  constructor(
    private readonly ranges: Ranges,
    /** ‖Y‖² outside the range of D, which no code can reach. */
    private readonly outsideRange: number,
  ) {
    this.#pursuits = new Pursuits(ranges, ranges.scope);
    this.#joint = new JointOmp(this.#pursuits);
  }

  /** Every patch up to its limit. Only OMP runs here. */
  async sweep(
    solver: PatchwiseSolver,
    limits: AtomLimits,
    _stop: PatchStop,
    watch?: Watch,
  ): Promise<readonly StepReport[]> {
    if (solver !== 'omp') throw new Error(`the engine webgpu leaves ${solver} to others`);
    const { ranges } = this;
    const { gpu } = ranges;
    const { most } = this.#pursuits;
    const highest = typeof limits === 'number' ? limits : limits.reduce((a, b) => Math.max(a, b), 0);
    const depth = Math.max(1, Math.min(highest, most));
    const streams = await this.#newStreams(depth, depth + 1);
    await gpu.inScope(async (scope) => {
      const same = typeof limits === 'number';
      const runs = ranges.list.map(({ first, P }, range) => {
        const { atoms, values, course, counts } = streams.list[range];
        const allowed = same ? this.#pursuits.nothing : scope.bufferOf(limits.subarray(first, first + P));
        const buffers = { limits: allowed, atoms, values, course, counts };
        return { range, count: P, buffers, task: [depth, same ? limits : EACH_ITS_OWN] };
      });
      await this.#pursuits.run({ make: ompKernel, label: 'OMP', depth, given: false }, runs, watch);
    });
    return this.#course(streams, watch);
  }

  /** The errors after each atom, from the last to the first: what an atom gained is added to the error after it. */
  async #course(streams: Streams, watch?: Watch): Promise<StepReport[]> {
    const { values, counts } = await sumsOf(this.ranges, streams, watch?.signal);
    let [error, kept] = [values[0], counts[0]];
    const steps = Math.max(1, counts.subarray(1).findLastIndex((n) => n > 0) + 1);
    const reports: StepReport[] = [];
    for (let k = steps; k > 0; k--) {
      reports.unshift(this.#report(error, kept));
      error += values[k];
      kept -= counts[k];
    }
    return reports;
  }

  /** Joint OMP, with restarts for effort 2. */
  async jointOmp(S: Spending, watch?: Watch, effort: Effort = 1): Promise<readonly StepReport[]> {
    if (effort === 3) throw new Error('the engine webgpu leaves effort 3 to others');
    const streams = await this.#newStreams(this.#pursuits.most, 1);
    const threshold = await this.#joint.run(S, effort, streams, watch);
    const { values, counts } = await sumsOf(this.ranges, streams, watch?.signal);
    return [{ ...this.#report(values[0], counts[0]), threshold }];
  }

  /** Refits codes on their support; returns their RMSE. */
  async refit(codes: Codes, watch?: Watch): Promise<number> {
    const { ranges } = this;
    const { gpu } = ranges;
    const { indptr, indices } = codes;
    const values = codes.values.slice();
    return gpu.inScope(async (scope) => {
      const list = await gpu.allocated(() =>
        ranges.list.map(({ first, P }) => {
          const [from, end] = [indptr[first], indptr[first + P]];
          return {
            begins: scope.bufferOf(Uint32Array.from(indptr.subarray(first, first + P + 1), (at) => at - from)),
            atoms: scope.bufferOf(indices.subarray(from, end)),
            values: scope.bufferOf(Float32Array.from(values.subarray(from, end))),
            counts: scope.buffer(4 * P),
            course: scope.buffer(4 * 32 * Math.ceil(P / 32)),
          };
        }),
      );
      await this.#fit(codes, list, scope, watch);
      const sums = await sumsOf(ranges, { courseRows: 1, list }, watch?.signal);
      for (const [range, { first, P }] of ranges.list.entries()) {
        const [from, end] = [indptr[first], indptr[first + P]];
        if (end > from) values.set(new Float32Array(await gpu.read(list[range].values, 0, 4 * (end - from))), from);
      }
      this.#codes = { ...codes, values };
      return this.#report(sums.values[0], 0).rmse;
    });
  }

  /** Fits the codes of each range in place, those with many atoms by kernels of their own. */
  async #fit({ indptr, values }: Codes, codes: readonly Refitted[], scope: BufferScope, watch?: Watch): Promise<void> {
    const { gpu, list, P } = this.ranges;
    const { mostGiven: most } = this.#pursuits;
    const depths = this.#pursuits.depthsFor(values.length / P, most, true);
    for (const [i, depth] of depths.entries()) {
      const least = i === 0 ? 0 : depths[i - 1] + 1;
      const runs: PursuitRun[] = [];
      for (const [range, { first, P }] of list.entries()) {
        const listed = new Uint32Array(P + 1);
        for (let p = first; p < first + P; p++) {
          const n = Math.min(indptr[p + 1] - indptr[p], most);
          if (n >= least && n <= depth) listed[++listed[0]] = p - first;
        }
        const [count] = listed;
        const { begins, atoms, values, course } = codes[range];
        const patches = await gpu.allocated(() => scope.bufferOf(listed.subarray(0, count + 1)));
        runs.push({ range, count, buffers: { begins, atoms, values, errors: course, list: patches }, task: [] });
      }
      const part = watchOver(watch, i / depths.length, (i + 1) / depths.length);
      await this.#pursuits.run({ make: refitKernel, label: 'refit', depth, given: true }, runs, part);
    }
  }

  /** The codes that were made last. */
  async codes(): Promise<Codes> {
    const { ranges } = this;
    this.#codes ??= this.#made ? await readStreams(ranges, this.#made.streams) : emptyCodes(ranges.shape.L, ranges.P);
    return this.#codes;
  }

  /** Room for the codes of a new run, in place of those of the last one. */
  async #newStreams(rows: number, courseRows: number): Promise<Streams> {
    this.#codes = undefined;
    const before = this.#made?.streams;
    if (before?.rows === rows && before.courseRows === courseRows) return before;
    this.dispose();
    const scope = this.ranges.gpu.scope();
    this.#made = { streams: await makeStreams(this.ranges, scope, rows, courseRows), scope };
    return this.#made.streams;
  }

  dispose(): void {
    this.#made?.scope.dispose();
    this.#made = undefined;
  }

  #report(error: number, kept: number): StepReport {
    return { rmse: Math.sqrt((error + this.outsideRange) / this.ranges.P), threshold: null, kept };
  }
}
