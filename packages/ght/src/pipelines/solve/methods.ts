/**
 * The three methods that spend a budget of S atoms on Y ≈ DZ, for a problem that an engine has loaded:
 *
 *     iterative    Xᵏ⁺¹ = argmin ½‖DX − Y‖² + (ρₖ/2)‖X − Zᵏ‖²  (GHT-QPM; GHT-ADMM with the dual variable),
 *                  Zᵏ⁺¹ = H_S(Xᵏ⁺¹), until the error no longer changes
 *     patch-wise   z_p = argmin ‖Dz − y_p‖²  subject to ‖z‖₀ ≤ s_p, for each patch by itself; s_p = ⌊S/P⌋, or Σ s_p = S
 *     allotment    all paths of OMP at one price λ per atom, such that they have S atoms in all
 *
 * Each returns its history and the error of the codes that the engine keeps.
 */
import type { IterationTerms, Loaded } from '../../engines/engine.js';
import type { Signals } from '../../image/signals.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import type { IterativeSolver, PatchwiseSolver } from '../../sparse/solvers/catalogue.js';
import { budgetAt, growingIterations } from '../../sparse/solvers/growth.js';
import type { Spending } from '../../sparse/solvers/joint-omp.js';
import type { HistoryEntry, LoopOutcome, StepReport } from '../../sparse/solvers/loop.js';
import { iterate, iterateInBatches } from '../../sparse/solvers/loop.js';
import { penaltyAt, type RisingPenalty, risingIterations } from '../../sparse/solvers/penalty.js';
import { spreadLimits } from '../../sparse/solvers/spread.js';
import { drive, type Watch, watchOver } from '../../work.js';
import type { Progress, Settings } from './options.js';

/** A loaded problem, with the options that the methods use. */
export interface LoadedProblem {
  readonly loaded: Loaded;
  readonly D: Dictionary;
  readonly Y: Signals;
  /** The full scale of the signals, which the tolerance is relative to. */
  readonly peak: number;
  readonly settings: Settings;
}

/** The progress of one run: a fraction that never falls, with the last entry of the history. */
export class SolveProgress {
  #furthest = 0;
  #last: HistoryEntry | undefined;

  constructor(
    private readonly onProgress: Settings['onProgress'],
    /** What every report has in addition. */
    private readonly more: Pick<Progress, 'trying'>,
  ) {}

  /** The number of iterations that are done. */
  get k(): number {
    return this.#last?.k ?? 0;
  }

  /** Notes an iteration, for the next report. */
  add(entry: HistoryEntry): void {
    this.#last = entry;
  }

  report(fraction: number): void {
    this.#furthest = Math.max(this.#furthest, fraction);
    this.onProgress?.({ fraction: this.#furthest, k: this.#last?.k, rmse: this.#last?.rmse, ...this.more });
  }
}

/**
 * GHT-QPM or GHT-ADMM with S atoms. Continues from the iterate where the last run ended, except with a rising ρ or a growing budget: a
 * large ρ hardly changes the support, and a small one forgets it, as a small budget does.
 */
export function runIterative(
  { loaded, peak, settings }: LoadedProblem,
  solver: IterativeSolver,
  S: number,
  penalty: RisingPenalty,
  progress: SolveProgress,
): Promise<LoopOutcome> {
  const { initial, growth, maxIterations, signal } = settings;
  const least = Math.max(risingIterations(penalty, maxIterations), growingIterations(growth, maxIterations));
  if (least > 0) loaded.reset(initial);
  const terms = (k: number): IterationTerms => ({
    S: budgetAt(S, growth, k, maxIterations),
    rho: penaltyAt(penalty, k, maxIterations),
  });
  const onFraction = (fraction: number) => progress.report((progress.k + fraction) / maxIterations);
  const watch = { signal, onFraction };
  const onEntry = (entry: HistoryEntry) => {
    progress.add(entry);
    onFraction(0);
  };
  const loop = { ...stopOf(peak, settings), least, onEntry };
  const batch = loaded.iterations?.bind(loaded);
  if (batch) {
    return iterateInBatches(
      (first) => batch(solver, { ...loop, terms, first, most: maxIterations - first + 1 }, watch),
      loop,
    );
  }
  const step = () => {
    const k = progress.k + 1;
    const now = terms(k);
    return loaded.iterate(solver, now.S, now.rho, watch, terms(k + 1));
  };
  return iterate(step, () => loaded.keep(), loop);
}

/** A patch-wise solver with ⌊S/P⌋ atoms per patch; if all of S is to be spent, then again with the rest where it helps most. */
export function runPatchwise(
  { loaded, D, Y, peak, settings }: LoadedProblem,
  solver: PatchwiseSolver,
  S: number,
  progress: SolveProgress,
): Promise<LoopOutcome> {
  const { spread, signal } = settings;
  const stop = stopOf(peak, settings);
  const watch = watchOf(signal, progress);
  const s = Math.floor(S / Y.P);
  return atOnce(async () => {
    if (!spread || S === s * Y.P) return loaded.sweep(solver, s, stop, watch);
    await loaded.sweep(solver, s, stop, watchOver(watch, 0, 1 / 2));
    const limits = await drive(spreadLimits(D, Y, await loaded.codes(), S), { signal });
    return loaded.sweep(solver, limits, stop, watchOver(watch, 1 / 2, 1));
  });
}

/** Joint OMP with S atoms, or as many as are worth a price. */
export function runJointOmp(
  { loaded, settings: { signal, effort, expectedPrice } }: LoadedProblem,
  spending: Spending,
  progress: SolveProgress,
): Promise<LoopOutcome> {
  return atOnce(() => loaded.jointOmp(spending, watchOf(signal, progress), effort, expectedPrice));
}

/** The tolerance in the units of the signals. */
function stopOf(peak: number, { maxIterations, tolerance }: Settings) {
  return { maxIterations, tolerance: tolerance * peak };
}

function watchOf(signal: AbortSignal | undefined, progress: SolveProgress): Watch {
  return { signal, onFraction: (fraction) => progress.report(fraction) };
}

/** The outcome of a method without a loop, whose entries all have the time of the whole. */
async function atOnce(run: () => Promise<readonly StepReport[]>): Promise<LoopOutcome> {
  const start = performance.now();
  const reports = await run();
  const ms = performance.now() - start;
  const history = reports.map((report, i) => ({ k: i + 1, ...report, ms }));
  return { history, stopReason: 'complete', rmse: reports[reports.length - 1].rmse };
}
