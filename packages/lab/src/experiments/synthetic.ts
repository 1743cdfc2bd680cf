import type { Codes, Dictionary, SolverName } from 'ght';
import { codesFromDense, gaussianDictionary, randomSource, reconstruct, solve } from 'ght';
import { supportMismatch } from 'ght/paper';
import { catalogue } from '../catalogue.js';
import { contenders, optionsOf, runOf } from '../contenders.js';
import { type Experiment, pacer, type Run, type Setting } from '../setting.js';

/** A run on synthetic signals, whose true support is known; all values are means over the dictionaries. */
export interface RecoveryRun extends Run {
  /** The support mismatch ratio. */
  readonly mismatch: number;
}

/** Figure 3: recovery of synthetic signals. */
export interface Synthetic {
  readonly N: number;
  readonly L: number;
  readonly P: number;
  readonly dictionaries: number;
  readonly budgets: readonly number[];
  readonly runs: readonly RecoveryRun[];
}

const [N, L, P] = [100, 200, 100];

export const synthetic: Experiment<Synthetic> = {
  ...catalogue.synthetic,
  seconds: { full: 60, quick: 6 },
  describe: (data) =>
    `${data.P} signals, each the sum of s atoms with coefficients ±1, over ${data.N}×${data.L} Gaussian dictionaries ` +
    `(standard deviation 0.1), s from ${data.budgets[0]} to ${data.budgets.at(-1)}; mean of ` +
    `${data.dictionaries === 1 ? 'one dictionary' : `${data.dictionaries} dictionaries`}. ρ = 0.1 for both GHT algorithms; one thread.`,
  run,
};

async function run(setting: Setting): Promise<Synthetic> {
  const budgets = setting.quick ? [5, 15, 20, 25, 30] : Array.from({ length: 26 }, (_, i) => 5 + i);
  const dictionaries = setting.quick ? 1 : 5;
  const pace = pacer(setting, dictionaries * budgets.length * contenders.length);
  const sums = new Map<string, RecoveryRun>();
  for (let d = 0; d < dictionaries; d++) {
    const D = gaussianDictionary(N, L, setting.seed + d);
    for (const s of budgets) {
      const problem = sparseSignals(D, P, s, setting.seed + 1000 * (d + 1) + s);
      for (const solver of contenders) {
        const result = await pace(1, (watch) => recover(D, problem, solver, s, watch));
        const before = sums.get(`${solver} ${s}`);
        sums.set(`${solver} ${s}`, before ? add(before, result, 1 / dictionaries) : scale(result, 1 / dictionaries));
      }
    }
  }
  return { N, L, P, dictionaries, budgets, runs: [...sums.values()] };
}

/** Signals that are sums of s atoms each with coefficients ±1, and their true codes. */
export function sparseSignals(D: Dictionary, P: number, s: number, seed: number): { Y: Float64Array; truth: Codes } {
  const random = randomSource(seed);
  const X = new Float64Array(D.L * P);
  for (let p = 0; p < P; p++) {
    for (let n = 0; n < s; ) {
      const i = p * D.L + random.below(D.L);
      if (X[i] !== 0) continue;
      X[i] = random.uniform() < 0.5 ? -1 : 1;
      n++;
    }
  }
  const truth = codesFromDense(X, D.L, P);
  return { Y: reconstruct(D, truth), truth };
}

async function recover(
  D: Dictionary,
  { Y, truth }: ReturnType<typeof sparseSignals>,
  solver: SolverName,
  s: number,
  watch: object,
): Promise<RecoveryRun> {
  // For so few signals one thread is faster: several would wait longer than they compute.
  const options = { ...optionsOf(solver, 'synthetic'), ...watch, threads: 1, budget: { perPatch: s }, peak: 1 };
  const solution = await solve(D, Y, options);
  return { ...runOf(solution, s), mismatch: supportMismatch(solution.codes, truth) };
}

function scale(run: RecoveryRun, by: number): RecoveryRun {
  const { rmse, iterations, seconds, mismatch } = run;
  return { ...run, rmse: by * rmse, iterations: by * iterations, seconds: by * seconds, mismatch: by * mismatch };
}

function add(sum: RecoveryRun, run: RecoveryRun, by: number): RecoveryRun {
  const part = scale(run, by);
  return {
    ...sum,
    rmse: sum.rmse + part.rmse,
    iterations: sum.iterations + part.iterations,
    seconds: sum.seconds + part.seconds,
    mismatch: sum.mismatch + part.mismatch,
  };
}
