import type { Codes } from '../../../codes/codes.js';
import type { Dictionary } from '../../../dictionary/dictionary.js';
import type { Signals } from '../../../signal/signals.js';
import type { Watch } from '../../../work.js';
import type { Loaded, ProblemSize } from '../../engine.js';
import type { Gpu } from '../gpu.js';

/** How a problem is laid out. */
export interface ProblemOptions {
  /** Why this engine, in words. */
  readonly why: string;
  readonly patchesPerRange?: number;
}

/** Approximate bytes that a problem needs in the memory of the host. */
export function problemBytes({ S }: ProblemSize): number {
  return 2 * 12 * S;
}

/** Loads a problem. */
export async function loadProblem(
  _gpu: Gpu,
  _D: Dictionary,
  _signals: Signals,
  _options: ProblemOptions,
  _watch?: Watch,
): Promise<Loaded> {
  throw new Error('not written yet');
}

export type { Codes };
