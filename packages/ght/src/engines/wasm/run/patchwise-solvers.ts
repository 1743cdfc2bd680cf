/** The patch-wise solvers, joint OMP and the refit on the kernels. */
import type { Codes } from '../../../codes/codes.js';
import type { PatchwiseSolver } from '../../../solvers/catalogue.js';
import type { Effort, Spending } from '../../../solvers/joint-omp.js';
import type { StepReport } from '../../../solvers/loop.js';
import type { AtomLimits } from '../../../solvers/patchwise.js';
import type { PatchStop } from '../../../solvers/stopping.js';
import { type Watch, watchOver } from '../../../work.js';
import { JointOmp } from './joint-omp.js';
import type { ProblemMemory, Stream } from './problem-memory.js';
import { CHUNK } from './problem-memory.js';
import type { Team } from './team.js';

/** Iterations of AIHT and CoSaMP whose errors are reported one by one; a patch that takes more is reported with its last. */
const RECORDED = 256;

/** The solvers that work on one patch at a time, on one loaded problem. */
export class PatchwiseSolvers {
  #out: Stream;
  #limits = 0;
  #gains = 0;
  #joint: JointOmp | undefined;

  constructor(
    private readonly memory: ProblemMemory,
    private readonly team: Team,
    private readonly outsideRange: number,
  ) {
    this.#out = memory.stream();
  }

  /** The codes that were made last. */
  codes(): Codes {
    return this.memory.read(this.#out);
  }

  sweep(solver: PatchwiseSolver, limits: AtomLimits, stop: PatchStop, watch?: Watch): Promise<StepReport[]> {
    const { P } = this.memory.layout;
    const each = typeof limits === 'number' ? new Uint16Array(P).fill(limits) : Uint16Array.from(limits);
    return solver === 'omp' ? this.#omp(each, watch) : this.#patchwise(solver, each, stop, watch);
  }

  async #omp(limits: Uint16Array, watch?: Watch): Promise<StepReport[]> {
    const { memory } = this;
    const { P, N, L } = memory.layout;
    const row = Math.min(N, L);
    if (this.#gains === 0) this.#gains = memory.take(4 * row * P);
    this.#limit(limits.map((s) => Math.min(s, row)));
    const job = { kind: 'omp', limits: this.#limits, out: this.#out, gains: this.#gains, gainsRow: 4 * row } as const;
    await this.team.run(job, watch);
    const final = await this.#measure('measure', this.#out, watch);
    // The error before an atom joined is the one after it and what it gained: summed from the end, nothing cancels.
    const counts = this.memory.halves(this.#out.counts, P);
    const gains = this.memory.floats(this.#gains, row * P);
    const gained = new Float64Array(Math.max(1, row));
    const joined = new Int32Array(gained.length);
    for (let p = 0; p < P; p++) {
      for (let k = 0; k < counts[p]; k++) {
        gained[k] += gains[p * row + k];
        joined[k]++;
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

  async jointOmp(S: Spending, effort: Effort, watch?: Watch): Promise<StepReport[]> {
    this.#joint ??= new JointOmp(this.memory, this.team);
    const { codes, threshold, kept, measured } = await this.#joint.run(S, effort, this.#out, watchOver(watch, 0, 0.95));
    this.#out = codes;
    const error = measured ? this.#error() : await this.#measure('measure', this.#out, watchOver(watch, 0.95, 1));
    return [{ ...this.#report(error, kept), threshold }];
  }

  /** Refits codes on their support; gives their RMSE. */
  async refit(codes: Codes, watch?: Watch): Promise<number> {
    this.memory.write(this.#out, codes);
    return this.#report(await this.#measure('refit', this.#out, watch), 0).rmse;
  }

  #report(error: number, kept: number): StepReport {
    return { rmse: Math.sqrt((error + this.outsideRange) / this.memory.layout.P), threshold: null, kept };
  }

  /** Tells the threads how many atoms each patch may use, and makes room for them. */
  #limit(limits: Uint16Array): void {
    const { memory } = this;
    const { P } = memory.layout;
    if (this.#limits === 0) this.#limits = memory.take(2 * P);
    memory.halves(this.#limits, P).set(limits);
    memory.widen(
      this.#out,
      this.#busiestShare((p) => limits[p]),
    );
  }

  async #patchwise(
    solver: 'cosamp' | 'aiht',
    limits: Uint16Array,
    stop: PatchStop,
    watch?: Watch,
  ): Promise<StepReport[]> {
    const { memory } = this;
    const { P, chunks } = memory.layout;
    const recorded = Math.min(RECORDED, stop.maxIterations);
    const size = 2 * recorded + 1;
    const curves = memory.take(8 * size * chunks);
    memory.doubles(curves, size * chunks).fill(0);
    this.#limit(limits);
    const { maxIterations, tolerance } = stop;
    await this.team.run(
      { kind: 'patchwise', solver, limits: this.#limits, maxIterations, tolerance, out: this.#out, curves, recorded },
      watch,
    );
    const sums = new Float64Array(size);
    memory.doubles(curves, size * chunks).forEach((value, i) => {
      sums[i % size] += value;
    });
    const kept = memory.halves(this.#out.counts, P).reduce((sum, count) => sum + count, 0);
    const reports: StepReport[] = [];
    let ended = 0;
    for (let k = 0; k < recorded; k++) {
      ended += sums[recorded + k];
      if (k > 0 && sums[k] === 0) break;
      reports.push(this.#report(ended + sums[k], kept));
    }
    return reports;
  }

  /** The most values that any one thread may have to write, for so many per patch. */
  #busiestShare(limit: (p: number) => number): number {
    const { P, scratches } = this.memory.layout;
    const shares = new Float64Array(scratches.length);
    for (let p = 0; p < P; p++) shares[Math.floor(p / CHUNK) % scratches.length] += limit(p);
    return Math.max(...shares) + 1;
  }

  async #measure(kind: 'measure' | 'refit', stream: Stream, watch?: Watch): Promise<number> {
    await this.team.run({ kind, stream }, watch);
    return this.#error();
  }

  /** The sum of the errors of all chunks. */
  #error(): number {
    const { errors, chunks } = this.memory.layout;
    return this.memory.doubles(errors, chunks).reduce((sum, value) => sum + value, 0);
  }
}
