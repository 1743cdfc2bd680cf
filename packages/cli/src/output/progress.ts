import { SingleBar } from 'cli-progress';
import type { Progress } from 'ght';
import { oneLine } from './line.js';

/** The progress of a task, and the current part of a task with several parts. */
type Shown = Progress & { readonly doing?: string };

/** Shows the progress of a task on standard error. A fraction that is not known is NaN. */
export interface ProgressDisplay {
  readonly onProgress: (progress: Shown) => void;
  /** Removes the bar; call it before printing anything else. */
  stop(): void;
}

/** Milliseconds before a bar, and before the first plain line: a shorter run needs no progress. */
const PATIENCE_MS = { bar: 400, line: 1000 } as const;
/** Milliseconds between two plain lines. */
const PAUSE_MS = 2000;

/** Who is sent the progress of the tasks of this thread, in place of standard error. */
let listener: ProgressDisplay['onProgress'] | undefined;

/** Sends the progress of all further tasks of this thread to a function: in the threads of `ght serve`, which have no terminal. */
export function listenToProgress(onProgress: ProgressDisplay['onProgress']): void {
  listener = onProgress;
}

/** A bar on a terminal, a plain line every two seconds if piped, and nothing if quiet. */
export function progressDisplay(label: string, quiet: boolean): ProgressDisplay {
  if (listener) return { onProgress: listener, stop: () => {} };
  if (quiet) return { onProgress: () => {}, stop: () => {} };
  return process.stderr.isTTY ? bar(label) : lines(label);
}

function bar(label: string): ProgressDisplay {
  const start = performance.now();
  let shown: SingleBar | undefined;
  return {
    onProgress(progress) {
      if (!shown && performance.now() - start < PATIENCE_MS.bar) return;
      if (!shown) {
        const format = `${label} [{bar}] {percentage}%  {state}  ETA {eta_formatted}`;
        shown = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true, barsize: 28 });
        shown.start(1000, 0, { state: '' });
      }
      shown.update(Math.round(1000 * progress.fraction) || 0, { state: state(progress) });
    },
    stop() {
      shown?.stop();
      shown = undefined;
    },
  };
}

function lines(label: string): ProgressDisplay {
  let start = performance.now();
  let last = start - PAUSE_MS + PATIENCE_MS.line;
  let before = 0;
  return {
    onProgress(progress) {
      // What is done needs no waiting for.
      if (progress.fraction >= 1) return;
      const now = performance.now();
      // The search for a target starts again at every budget that it tries.
      if (progress.fraction < before) start = now;
      before = progress.fraction;
      // Less often as time goes on, so that a run of an hour does not fill a log.
      if (now - last < Math.max(PAUSE_MS, (now - start) / 20)) return;
      last = now;
      const parts = [
        Number.isNaN(progress.fraction) ? '' : `${Math.round(100 * progress.fraction)}%`,
        state(progress),
        timeLeft(now - start, progress.fraction),
      ];
      process.stderr.write(`${label}: ${parts.filter((part) => part !== '').join('  ')}\n`);
    },
    stop() {},
  };
}

/** The remaining time; empty in the first percent, which is too short for an estimate. */
function timeLeft(elapsed: number, fraction: number): string {
  return !(fraction >= 0.01) ? '' : `ETA ${Math.ceil((elapsed / 1000) * (1 / fraction - 1))} s`;
}

function state({ doing, k, rmse }: Shown): string {
  if (doing !== undefined) return oneLine(doing);
  return k === undefined || rmse === undefined ? '' : `iteration ${k}, RMSE ${rmse.toPrecision(4)}`;
}
