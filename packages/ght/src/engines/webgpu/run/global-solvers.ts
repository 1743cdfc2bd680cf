/** GHT-QPM and GHT-ADMM on a GPU. */
import type { Codes } from '../../../codes/codes.js';
import type { IterativeSolver } from '../../../solvers/catalogue.js';
import type { StepReport } from '../../../solvers/loop.js';
import type { Watch } from '../../../work.js';
import type { Ranges } from './ranges.js';

/** ρ of an iteration, and of the one after it, the same if left out. */
export interface Penalties {
  readonly rho: number;
  readonly next?: number;
}

/** The iterative solvers of one loaded problem. */
export class GlobalSolvers {
  constructor(
    _ranges: Ranges,
    /** ‖Y‖² outside the range of D, which no code can reach. */
    _outsideRange: number,
  ) {}

  reset(_Z0?: Codes): void {}

  async iterate(_solver: IterativeSolver, _S: number, _penalties: Penalties, _watch?: Watch): Promise<StepReport> {
    throw new Error('not written yet');
  }

  /** The newest codes are the result. */
  keep(): void {}

  /** The codes that were kept. */
  async codes(): Promise<Codes> {
    throw new Error('not written yet');
  }
}
