import { overcompleteDct, solve } from 'ght';
import { count } from 'ght/format';
import { catalogue } from '../catalogue.js';
import { optionsOf, type PaperSolver, paperSolvers } from '../contenders.js';
import { naturalPatches } from '../images.js';
import { type Experiment, pacer, type Setting } from '../setting.js';

/** Figure 8: the RMSE after each iteration. */
export interface Convergence {
  readonly P: number;
  readonly iterations: number;
  readonly series: readonly {
    readonly solver: PaperSolver;
    readonly s: number;
    /** The paper's RMSE per patch after iteration 1, 2, …. */
    readonly rmse: readonly number[];
  }[];
}

const ITERATIONS = 100;

export const convergence: Experiment<Convergence> = {
  ...catalogue.convergence,
  seconds: { full: 110, quick: 3 },
  describe: ({ P, iterations }) =>
    `The RMSE of GHT-QPM and GHT-ADMM on ${count(P)} random 8×8 patches of natural images after each of ` +
    `${iterations} iterations, with no stopping rule, for S = 5P, 10P and 15P.`,
  run,
};

async function run(setting: Setting): Promise<Convergence> {
  const P = setting.quick ? 2 ** 13 : 1e6;
  const D = overcompleteDct(8, 10);
  const Y = naturalPatches(setting.collection, P, setting.seed);
  const pace = pacer(setting, 6);
  const series = [];
  for (const s of [5, 10, 15]) {
    for (const solver of paperSolvers) {
      const options = { ...optionsOf(solver, 'natural'), threads: setting.threads, budget: { perPatch: s }, peak: 255 };
      const { history } = await pace(1, (watch) =>
        solve(D, Y, { ...options, ...watch, maxIterations: ITERATIONS, tolerance: 0 }),
      );
      series.push({ solver, s, rmse: history.map(({ rmse }) => rmse) });
    }
  }
  return { P, iterations: ITERATIONS, series };
}
