import type { Signals } from '../../../image/signals.js';
import type { Dictionary } from '../../../sparse/dictionary/dictionary.js';
import { kroneckerFactors } from '../../../sparse/dictionary/kronecker.js';
import type { Watch } from '../../../work.js';
import { type EngineInfo, type Loaded, outsideOf, recognisedFactors } from '../../engine.js';
import { loadedProblem } from '../../loaded-problem.js';
import { shapeOf } from '../../shape.js';
import type { Gpu } from '../gpu.js';
import type { Counting } from '../kernels/state.js';
import { GlobalSolvers } from './global-solvers.js';
import { rotateSignals } from './load.js';
import { PatchwiseSolvers } from './patchwise.js';
import { Ranges } from './ranges.js';

/** How a problem is laid out. */
export interface ProblemOptions {
  /** What is reported about the engine. */
  readonly info: EngineInfo;
  readonly patchesPerRange?: number;
  readonly counting?: Counting;
}

/** Loads a problem. */
export async function loadProblem(
  gpu: Gpu,
  D: Dictionary,
  signals: Signals,
  { info, patchesPerRange, counting }: ProblemOptions,
  watch?: Watch,
): Promise<Loaded> {
  const factors = D.factors ?? kroneckerFactors(D.atoms);
  const ranges = await Ranges.of(gpu, shapeOf({ ...D, factors }), signals.P, patchesPerRange);
  try {
    const energies = await rotateSignals(ranges, signals, watch);
    const outside = outsideOf(energies);
    const patchwise = new PatchwiseSolvers(ranges, outside);
    const dispose = () => {
      patchwise.dispose();
      ranges.scope.dispose();
    };
    const iterative = new GlobalSolvers(ranges, outside, counting);
    return loadedProblem({ ...info, ...recognisedFactors(D, factors) }, iterative, patchwise, dispose);
  } catch (error) {
    ranges.scope.dispose();
    throw error;
  }
}
