import type { Codes } from '../sparse/codes/codes.js';
import type { Watch } from '../work.js';
import type { EngineInfo, Loaded } from './engine.js';

/** GHT-QPM and GHT-ADMM on a loaded problem. `codes` are those that were kept. */
export interface IterativeSolvers extends Pick<Loaded, 'reset' | 'iterate' | 'iterations' | 'keep'> {
  codes(): Codes | Promise<Codes>;
}

/** The patch-wise solvers, joint OMP and the refit on a loaded problem. `codes` are those that were made last; empty at first. */
export interface PatchSolvers extends Pick<Loaded, 'sweep' | 'jointOmp'> {
  refit(codes: Codes, watch?: Watch): Promise<number>;
  codes(): Codes | Promise<Codes>;
}

/** A loaded problem with both kinds of solvers, which knows which of them made the result. */
export function loadedProblem(
  info: EngineInfo,
  iterative: IterativeSolvers,
  patchwise: PatchSolvers,
  dispose: () => void,
): Loaded {
  let latest: IterativeSolvers | PatchSolvers = patchwise;
  const pursued = async <T>(run: Promise<T>): Promise<T> => {
    const outcome = await run;
    latest = patchwise;
    return outcome;
  };
  return {
    info,
    reset: (Z0) => iterative.reset(Z0),
    iterate: (...step) => iterative.iterate(...step),
    iterations:
      iterative.iterations &&
      ((...batch) => {
        latest = iterative;
        return (iterative as Required<IterativeSolvers>).iterations(...batch);
      }),
    keep() {
      iterative.keep();
      latest = iterative;
    },
    sweep: (...sweep) => pursued(patchwise.sweep(...sweep)),
    jointOmp: (...pursuit) => pursued(patchwise.jointOmp(...pursuit)),
    refit: async (watch) => pursued(patchwise.refit(await latest.codes(), watch)),
    codes: async () => latest.codes(),
    dispose,
  };
}
