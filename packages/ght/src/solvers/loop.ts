/**
 * The one loop under the iterative solvers: it knows when to stop, which iterate was best, what to tell and what to
 * remember. A solver gives it a step; how the step is computed is none of its business.
 */

/** What a step, or a whole patch-wise sweep, tells about the codes it has made. */
export interface StepReport {
  /** The paper's RMSE, sqrt(‖DZ − Y‖²_F / P): a patch, not a pixel. */
  readonly rmse: number;
  /** The smallest magnitude H_S kept (joint OMP: the smallest gain); null for the patch-wise solvers, which have none. */
  readonly threshold: number | null;
  /** Nonzeros in use. */
  readonly kept: number;
}

/** One line of the history: iteration k and what was true after it. */
export interface HistoryEntry extends StepReport {
  /** The number of the iteration, from 1. */
  readonly k: number;
  /** Milliseconds of computing since the start. A patch-wise solver ends patch by patch, so all its lines say the same. */
  readonly ms: number;
}

/**
 * Why a run ended: `converged`, its error changed by less than the tolerance; `max-iterations`; `complete`, a solver
 * that is not iterative has done its work; `diverged`, the error was no longer finite (the best iterate is returned).
 */
export type StopReason = 'converged' | 'max-iterations' | 'complete' | 'diverged';

/** How long the loop goes on and whom it tells. */
export interface LoopOptions {
  readonly maxIterations: number;
  /** Stops when two successive RMSE differ by less than this, in input units; 0 never does. */
  readonly tolerance: number;
  readonly onEntry?: (entry: HistoryEntry) => void;
}

/** How a loop went. */
export interface LoopOutcome {
  readonly history: readonly HistoryEntry[];
  readonly stopReason: StopReason;
  /** The RMSE of the iterate that was kept. */
  readonly rmse: number;
}

/** Steps until the stopping rule holds, calling `keep` whenever the newest iterate is the best so far. */
export async function iterate(
  step: () => Promise<StepReport>,
  keep: () => void,
  { maxIterations, tolerance, onEntry }: LoopOptions,
): Promise<LoopOutcome> {
  const history: HistoryEntry[] = [];
  let best = Number.POSITIVE_INFINITY;
  let before = Number.POSITIVE_INFINITY;
  let ms = 0;
  let stopReason: StopReason = 'max-iterations';
  while (history.length < maxIterations) {
    const start = performance.now();
    const report = await step();
    if (!Number.isFinite(report.rmse)) {
      stopReason = 'diverged';
      break;
    }
    if (report.rmse < best) {
      best = report.rmse;
      keep();
    }
    // The clock stands still while others are told.
    ms += performance.now() - start;
    const entry = { k: history.length + 1, ...report, ms };
    history.push(entry);
    onEntry?.(entry);
    if (Math.abs(before - report.rmse) < tolerance) {
      stopReason = 'converged';
      break;
    }
    before = report.rmse;
  }
  return { history, stopReason, rmse: best };
}
