import { availableParallelism, cpus, loadavg, release, type as systemName, totalmem } from 'node:os';
import type { Report } from './report.js';

/** How many programs wanted a core, on average over the last minute; 0 on Windows, which does not tell. */
export function loadAverage(): number {
  return loadavg()[0];
}

/** The load of a machine and what it means for times. */
export function loadText({ load: { before, after }, cores }: Report['machine']): string {
  const text = `load average ${before.toFixed(2)} before the run and ${after.toFixed(2)} after it, on ${cores} core${cores === 1 ? '' : 's'}`;
  // A quarter of a core is what an idle desktop takes.
  return before > 0.25 ? `${text}: other programs were running, which makes times unreliable` : text;
}

/** The machine that this process runs on, as the report states it, with its load before the run. */
export function thisMachine(before: number): Report['machine'] {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${systemName()} ${release()}`,
    node: process.version,
    load: { before, after: loadAverage() },
  };
}
