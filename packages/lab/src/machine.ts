import { availableParallelism, cpus, release, type as systemName, totalmem } from 'node:os';
import type { Report } from './report.js';

/** The machine that this process runs on, for the report. */
export function thisMachine(): Report['machine'] {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${systemName()} ${release()}`,
    node: process.version,
  };
}
