/** The patch-wise solvers, joint OMP and the refit on the kernels. */
import type { Codes } from '../../../sparse/codes/codes.js';
import type { PatchwiseSolver } from '../../../sparse/solvers/catalogue.js';
import type { Effort, Spending } from '../../../sparse/solvers/joint-omp.js';
import type { StepReport } from '../../../sparse/solvers/loop.js';
import type { AtomLimits } from '../../../sparse/solvers/patchwise.js';
import type { PatchStop } from '../../../sparse/solvers/stopping.js';
import { type Watch, watchOver } from '../../../work.js';
import type { PatchSolvers } from '../../loaded-problem.js';
import { JointOmp } from './joint-omp.js';
import { CHUNK } from './problem-memory.js';
import { type Shards, type Streams, sum } from './shards.js';

/** Iterations of AIHT and CoSaMP whose errors are reported one by one; a patch that takes more is reported with its last. */
const RECORDED = 256;

/** The solvers that work on one patch at a time, on one loaded problem. */
export class PatchwiseSolvers implements PatchSolvers {
  #out: Streams;
  #limits: readonly number[] | undefined;
  #gains: readonly number[] | undefined;
  #joint: JointOmp | undefined;

  constructor(
    private readonly shards: Shards,
    private readonly outsideRange: number,
  ) {
    this.#out = shards.streams();
  }

  /** The codes that were made last. */
  codes(): Codes {
    return this.shards.read(this.#out);
  }

  sweep(solver: PatchwiseSolver, limits: AtomLimits, stop: PatchStop, watch?: Watch): Promise<StepReport[]> {
    const { P } = this.shards;
    const each = typeof limits === 'number' ? new Uint16Array(P).fill(limits) : Uint16Array.from(limits);
    return solver === 'omp' ? this.#omp(each, watch) : this.#patchwise(solver, each, stop, watch);
  }

  async #omp(limits: Uint16Array, watch?: Watch): Promise<StepReport[]> {
    const { memories, shape } = this.shards;
    const row = Math.min(shape.N, shape.L);
    this.#gains ??= this.shards.take(({ P }) => 4 * row * P);
    const gains = this.#gains;
    const allowed = this.#limit(limits.map((s) => Math.min(s, row)));
    await this.shards.run((shard) => {
      const [out, own] = [this.#out[shard], gains[shard]];
      return { kind: 'omp', limits: allowed[shard], out, gains: own, gainsRow: 4 * row };
    }, watch);
    const final = await this.#measure('measure', watch);
    // The error before an atom joined is the one after it and what it gained: summed from the end, nothing cancels.
    const gained = new Float64Array(Math.max(1, row));
    const joined = new Float64Array(gained.length);
    for (const [shard, { layout, halves, floats }] of memories.entries()) {
      const counts = halves(this.#out[shard].counts, layout.P);
      const own = floats(gains[shard], row * layout.P);
      for (let p = 0; p < counts.length; p++) {
        for (let k = 0; k < counts[p]; k++) {
          gained[k] += own[p * row + k];
          joined[k]++;
        }
      }
    }
    const reports: StepReport[] = [];
    let error = final;
    let kept = joined.reduce((sum, n) => sum + n, 0);
    const steps = Math.max(1, joined.findLastIndex((n) => n > 0) + 1);
    for (let k = steps - 1; k >= 0; k--) {
      reports.unshift(this.#report(error, kept));
      error += gained[k];
      kept -= joined[k];
    }
    return reports;
  }

  async jointOmp(S: Spending, watch?: Watch, effort: Effort = 1, expected?: number): Promise<StepReport[]> {
    this.#joint ??= new JointOmp(this.shards);
    const { codes, threshold, kept, measured } = await this.#joint.run(
      S,
      effort,
      this.#out,
      watchOver(watch, 0, 0.95),
      expected,
    );
    this.#out = codes;
    const error = measured ? this.shards.error() : await this.#measure('measure', watchOver(watch, 0.95, 1));
    return [{ ...this.#report(error, kept), threshold }];
  }

  /** Refits codes on their support; returns their RMSE. */
  async refit(codes: Codes, watch?: Watch): Promise<number> {
    this.shards.write(this.#out, codes);
    return this.#report(await this.#measure('refit', watch), 0).rmse;
  }

  #report(error: number, kept: number): StepReport {
    return { rmse: Math.sqrt((error + this.outsideRange) / this.shards.P), threshold: null, kept };
  }

  /** Tells the threads how many atoms each patch may use, and makes room for them; returns where the limits are. */
  #limit(limits: Uint16Array): readonly number[] {
    const { memories, threads } = this.shards;
    this.#limits ??= this.shards.take(({ P }) => 2 * P);
    for (const [shard, memory] of memories.entries()) {
      const own = limits.subarray(memory.first, memory.first + memory.layout.P);
      memory.halves(this.#limits[shard], own.length).set(own);
      memory.widen(this.#out[shard], busiestShare(own, threads));
    }
    return this.#limits;
  }

  async #patchwise(
    solver: 'cosamp' | 'aiht',
    limits: Uint16Array,
    stop: PatchStop,
    watch?: Watch,
  ): Promise<StepReport[]> {
    const { memories } = this.shards;
    const recorded = Math.min(RECORDED, stop.maxIterations);
    const size = 2 * recorded + 1;
    const places = this.shards.take(({ chunks }) => 8 * size * chunks);
    const curves = () => memories.map(({ layout, doubles }, i) => doubles(places[i], size * layout.chunks));
    for (const curve of curves()) curve.fill(0);
    const allowed = this.#limit(limits);
    await this.shards.run((shard) => {
      const [own, out] = [{ limits: allowed[shard], curves: places[shard] }, this.#out[shard]];
      return { kind: 'patchwise', solver, ...own, ...stop, out, recorded };
    }, watch);
    const sums = new Float64Array(size);
    for (const values of curves()) {
      for (let i = 0; i < values.length; i++) sums[i % size] += values[i];
    }
    const kept = sum(memories.map((memory, shard) => memory.sizeOf(this.#out[shard])));
    const reports: StepReport[] = [];
    let ended = 0;
    for (let k = 0; k < recorded; k++) {
      ended += sums[recorded + k];
      if (k > 0 && sums[k] === 0) break;
      reports.push(this.#report(ended + sums[k], kept));
    }
    return reports;
  }

  async #measure(kind: 'measure' | 'refit', watch?: Watch): Promise<number> {
    await this.shards.run((shard) => ({ kind, stream: this.#out[shard] }), watch);
    return this.shards.error();
  }
}

/** The most values that any one thread may have to write in a shard, for this many per patch. */
function busiestShare(limits: Uint16Array, threads: number): number {
  const shares = new Float64Array(threads);
  for (let p = 0; p < limits.length; p++) shares[Math.floor(p / CHUNK) % threads] += limits[p];
  return Math.max(...shares) + 1;
}
