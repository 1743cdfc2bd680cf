/**
 * The loop of all iterative solvers: the stopping rule, the best iterate, progress and history. A solver provides the step.
 */

/** The report of a step, or of a whole patch-wise sweep, about the codes it has made. */
export interface StepReport {
  /** The paper's RMSE, sqrt(‖DZ − Y‖²_F / P): per patch, not per pixel. */
  readonly rmse: number;
  /** The smallest magnitude that H_S kept (joint OMP: the smallest gain); null for the patch-wise solvers. */
  readonly threshold: number | null;
  /** Nonzeros used. */
  readonly kept: number;
}

/** One entry of the history: the state after iteration k. */
export interface HistoryEntry extends StepReport {
  /** The number of the iteration, from 1. */
  readonly k: number;
  /** Computing time since the start, in milliseconds. A patch-wise solver finishes patch by patch, so all its entries are equal. */
  readonly ms: number;
}

/**
 * Why a run ended. `converged`: the error changed by less than the tolerance. `max-iterations`: the limit was reached.
 * `complete`: a solver that is not iterative has finished. `diverged`: the error was no longer finite; the best iterate is
 * returned.
 */
export type StopReason = 'converged' | 'max-iterations' | 'complete' | 'diverged';

/** The limits of the loop and its callback. */
export interface LoopOptions {
  readonly maxIterations: number;
  /** The loop stops when two successive RMSE differ by less than this, in input units. With 0 it never stops for this reason. */
  readonly tolerance: number;
  /** The loop does not stop for that reason before this iteration: while ρ rises, an error that stays says nothing. @default 0 */
  readonly least?: number;
  readonly onEntry?: (entry: HistoryEntry) => void;
}

/** The outcome of a loop. */
export interface LoopOutcome {
  readonly history: readonly HistoryEntry[];
  readonly stopReason: StopReason;
  /** The RMSE of the iterate that was kept. */
  readonly rmse: number;
}

/** Steps until the stopping rule holds, calling `keep` whenever the newest iterate is the best so far. */
export function iterate(step: () => Promise<StepReport>, keep: () => void, options: LoopOptions): Promise<LoopOutcome> {
  return iterateInBatches(async () => [await step()], options, keep);
}

/**
 * The same with several steps at a time. `batch` makes the steps from number k on, at least one, at most as many as are left. It
 * ends a batch after a step that may be the last, so that none follows that one, and keeps the best iterate itself.
 */
export async function iterateInBatches(
  batch: (k: number) => Promise<readonly StepReport[]>,
  { maxIterations, tolerance, least = 0, onEntry }: LoopOptions,
  keep?: () => void,
): Promise<LoopOutcome> {
  const history: HistoryEntry[] = [];
  let best = Number.POSITIVE_INFINITY;
  let before = Number.POSITIVE_INFINITY;
  let ms = 0;
  while (history.length < maxIterations) {
    const start = performance.now();
    const reports = await batch(history.length + 1);
    const each = (performance.now() - start) / reports.length;
    for (const report of reports) {
      if (!Number.isFinite(report.rmse)) return { history, stopReason: 'diverged', rmse: best };
      if (report.rmse < best) {
        best = report.rmse;
        keep?.();
      }
      // Callbacks are not timed.
      ms += each;
      const entry = { k: history.length + 1, ...report, ms };
      history.push(entry);
      onEntry?.(entry);
      if (entry.k > least && Math.abs(before - report.rmse) < tolerance)
        return { history, stopReason: 'converged', rmse: best };
      before = report.rmse;
    }
  }
  return { history, stopReason: 'max-iterations', rmse: best };
}
