/** The patch-wise solvers, joint OMP and the refit on a GPU. */
import type { Codes } from '../../../codes/codes.js';
import type { PatchwiseSolver } from '../../../solvers/catalogue.js';
import type { Effort, Spending } from '../../../solvers/joint-omp.js';
import type { StepReport } from '../../../solvers/loop.js';
import type { AtomLimits } from '../../../solvers/patchwise.js';
import type { PatchStop } from '../../../solvers/stopping.js';
import type { Watch } from '../../../work.js';
import type { Ranges } from './ranges.js';

/** The solvers that work on one patch at a time, on one loaded problem. */
export class PatchwiseSolvers {
  constructor(
    _ranges: Ranges,
    /** ‖Y‖² outside the range of D, which no code can reach. */
    _outsideRange: number,
  ) {}

  async sweep(
    _solver: PatchwiseSolver,
    _limits: AtomLimits,
    _stop: PatchStop,
    _watch?: Watch,
  ): Promise<readonly StepReport[]> {
    throw new Error('not written yet');
  }

  async jointOmp(_S: Spending, _effort: Effort, _watch?: Watch): Promise<readonly StepReport[]> {
    throw new Error('not written yet');
  }

  /** Refits codes on their support; gives their RMSE. */
  async refit(_codes: Codes, _watch?: Watch): Promise<number> {
    throw new Error('not written yet');
  }

  /** The codes that were made last. */
  async codes(): Promise<Codes> {
    throw new Error('not written yet');
  }
}
