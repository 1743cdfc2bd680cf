import type { EngineInfo } from '../../engines/engine.js';
import { onEngine, type Wanted } from '../../engines/engines.js';
import { ResourceError } from '../../errors.js';
import { shifted, shiftedPositive } from '../../image/scale.js';
import type { Signals } from '../../image/signals.js';
import { psnrOf } from '../../measures/error.js';
import { type Budget, type Goal, resolveBudget } from '../../sparse/budget/budget.js';
import { fewestAtoms } from '../../sparse/budget/search.js';
import { checkCodes } from '../../sparse/codes/check.js';
import { type Codes, nonzeros } from '../../sparse/codes/codes.js';
import { type Dictionary, spectralNormSquared } from '../../sparse/dictionary/dictionary.js';
import type { SolverName } from '../../sparse/solvers/catalogue.js';
import { atomPrice, isIterative, isPatchwise, solverCatalogue } from '../../sparse/solvers/catalogue.js';
import type { Spending } from '../../sparse/solvers/joint-omp.js';
import type { HistoryEntry, StopReason } from '../../sparse/solvers/loop.js';
import type { RisingPenalty } from '../../sparse/solvers/penalty.js';
import { significantAtoms } from '../../sparse/solvers/significant.js';
import { drive, type Work } from '../../work.js';
import { type LoadedProblem, runIterative, runJointOmp, runPatchwise, SolveProgress } from './methods.js';
import type { Settings } from './options.js';
import { shiftedCodes, shiftedDictionary, shiftedEntry, shiftedSignals, type Units, unitsOf } from './units.js';

/** The result of a solve: the codes, and plain data about the run. */
export interface Solution {
  /** Z: the sparse coefficients of every signal. */
  readonly codes: Codes;
  /** The solver that made them. */
  readonly solver: SolverName;
  /** The engine that computed them, and why it was chosen. */
  readonly engine: EngineInfo;
  /** S: the number of nonzeros allowed. */
  readonly budget: number;
  /** The number of nonzeros used. */
  readonly nonzeros: number;
  /** The paper's RMSE per patch: sqrt(‖DZ − Y‖²_F / P). */
  readonly rmse: number;
  /** The penalty ρ as in the formulas; null for a solver without one. */
  readonly rho: number | RisingPenalty | null;
  /** The number of iterations; for a patch-wise solver, the most that any patch took. */
  readonly iterations: number;
  /** Why the run ended. */
  readonly stopReason: StopReason;
  /** One entry per iteration, in order. */
  readonly history: readonly HistoryEntry[];
}

/** A complete problem: all options are checked and filled in, in the units of the user. */
export interface Problem {
  readonly D: Dictionary;
  readonly Y: Signals;
  /** The full scale of the signals. */
  readonly peak: number;
  /** The largest magnitude among their samples. */
  readonly most: number;
  readonly budget: Budget;
  readonly settings: Settings;
  /** The error that a target limits. @default the RMSE per patch */
  readonly errorOf?: (codes: Codes) => number | Promise<number>;
}

/** Solves a problem. */
export async function solveProblem(problem: Problem): Promise<Solution> {
  const { D, Y, peak, most, budget, settings } = problem;
  if (settings.initial !== undefined) checkCodes('initial', settings.initial, D.L, Y.P);
  const goal = resolveBudget(budget, D.N, D.L, Y.P, peak);
  const units = unitsOf(D, most);
  if (!units) return solveInUnits(problem, goal);
  return outOfUnits(await solveInUnits(inUnitsOf(units, problem), goalInUnits(goal, units)), units);
}

/** The same problem in other units: converts everything that has the units of the dictionary, the signals or ρ. */
function inUnitsOf({ d, y }: Units, problem: Problem): Problem {
  const { D, Y, peak, most, settings, errorOf } = problem;
  const { rho, initial, expectedPrice, onProgress } = settings;
  return {
    ...problem,
    D: shiftedDictionary(D, d),
    Y: shiftedSignals(Y, -y),
    // A peak far from the samples could underflow or overflow.
    peak: shiftedPositive(peak, -y),
    most: shifted(most, -y),
    settings: {
      ...settings,
      rho:
        typeof rho === 'object' && rho !== null && 'absolute' in rho
          ? { absolute: shiftedPositive(rho.absolute, -2 * d) }
          : rho,
      initial: initial && shiftedCodes(initial, d - y),
      expectedPrice: expectedPrice && shifted(expectedPrice, -2 * y),
      onProgress:
        onProgress &&
        ((progress) =>
          onProgress(progress.rmse === undefined ? progress : { ...progress, rmse: shifted(progress.rmse, y) })),
    },
    errorOf: errorOf && (async (codes) => shifted(await errorOf(shiftedCodes(codes, y - d)), -y)),
  };
}

function goalInUnits(goal: Goal, { y }: Units): Goal {
  if ('rmse' in goal) return { rmse: shifted(goal.rmse, -y) };
  return 'sigma' in goal ? { sigma: shifted(goal.sigma, -y) } : goal;
}

function outOfUnits(solution: Solution, units: Units): Solution {
  const { d, y } = units;
  const codes = shiftedCodes(solution.codes, y - d);
  // The threshold of an allotment is a gain, which has the units of a squared error.
  const gains = solverCatalogue[solution.solver].method === 'allotment';
  return {
    ...solution,
    codes,
    nonzeros: nonzeros(codes),
    rmse: shifted(solution.rmse, y),
    rho: shiftedPenalty(solution.rho, 2 * d),
    history: solution.history.map((entry) => shiftedEntry(entry, units, gains)),
  };
}

/** Codes count their entries in 32 bits. */
const MOST_NONZEROS = 2 ** 31;

function shiftedPenalty(rho: Solution['rho'], e: number): Solution['rho'] {
  if (rho === null || typeof rho === 'number') return rho && shifted(rho, e);
  return { from: shifted(rho.from, e), to: shifted(rho.to, e) };
}

/** Solves a problem without changing its units: chooses an engine, loads the problem, and uses the budget of the goal. */
async function solveInUnits(problem: Problem, goal: Goal): Promise<Solution> {
  const { D, Y, peak, most, budget, settings, errorOf } = problem;
  const { N, L } = D;
  const { P } = Y;
  const { solver, signal } = settings;
  if ('S' in goal && goal.S >= MOST_NONZEROS) {
    const rule = 'must be below 2³¹ nonzeros in all, which is as far as the positions in codes count';
    throw new ResourceError('budget', rule, goal.S, 'use a smaller budget, or represent the signals in parts');
  }
  const rho = penalty(D, settings);
  const { effort, precision, constraints = {} } = settings;
  const option = precision && ('precision' as const);
  const constraint = (['groups', 'weights', 'nonnegative'] as const).find((name) => constraints[name]);
  const wanted = {
    reach: most / peak,
    solver,
    effort,
    option: constraint ?? option,
    atoms: L,
    work: workOf(problem, goal),
  };
  return onEngine(settings.engine, wanted, async ({ engine, fallbackReason }) => {
    signal?.throwIfAborted();
    const loaded = await engine.load(D, Y, settings, { signal });
    try {
      loaded.reset(settings.initial);
      const solve = async (spending: Spending) => {
        const solution = await spend({ loaded, D, Y, peak, settings }, spending, rho, 'rmse' in goal);
        return { ...solution, engine: { ...loaded.info, fallbackReason } };
      };
      if ('S' in goal) return await solve(goal.S);
      if ('sigma' in goal) return await solve(await drive(standingOut(problem, rho, goal.sigma), settings));
      const { result } = await fewestAtoms(
        async (S) => {
          const solution = await solve(S);
          return { solution, error: (await errorOf?.(solution.codes)) ?? solution.rmse };
        },
        goal.rmse,
        {
          unit: isPatchwise(solver) && !settings.spread ? P : 1,
          first: 5 * P,
          most: Math.min(N, L) * P,
          show: showError(budget, N, peak),
        },
      );
      return result.solution;
    } finally {
      loaded.dispose();
    }
  });
}

/** About how long the CPU takes for a problem; a search for a target tries several budgets. */
function workOf({ D, Y, settings: { solver, maxIterations, effort } }: Problem, goal: Goal): Wanted['work'] {
  const { base, perAtom } = solverCatalogue[solver].effort;
  const atoms = 'S' in goal ? goal.S / Y.P : 5;
  // The catalogue speaks of 64×100 and 100 iterations. A separable dictionary costs about a third of a dense one of its size.
  const size = Math.max(1, ((D.N * D.L) / 6400) * (D.factors ? 1 / 3 : 1));
  const rounds = isIterative(solver) ? maxIterations / 100 : effort > 1 ? 3 : 1;
  return { kind: 'solve', seconds: ('S' in goal ? 1 : 4) * 1e-6 * Y.P * (base + perAtom * atoms) * size * rounds };
}

/** ρ of the threshold rule if no constant one is given, in units of ‖D‖₂²: the values that κ was measured with. */
const THRESHOLD_RHO = { qpm: 0.05, others: 0.15 };

/** The budget that noise of deviation σ justifies by the threshold rule. */
function* standingOut({ D, Y, settings }: Problem, rho: RisingPenalty | null, sigma: number): Work<Spending> {
  const { solver, spread } = settings;
  const price = atomPrice(solver, D.N, D.L) * sigma ** 2;
  // An allotment finds the number of atoms while it runs.
  if (solverCatalogue[solver].method === 'allotment') return { price };
  const measured = solver === 'qpm' ? THRESHOLD_RHO.qpm : THRESHOLD_RHO.others;
  const first = rho && rho.from === rho.to ? rho.to : measured * spectralNormSquared(D);
  const S = yield* significantAtoms(D, Y, first, price);
  return isPatchwise(solver) && !spread ? Math.round(S / Y.P) * Y.P : S;
}

/** Solves a loaded problem at one budget, by the method of its solver. `searching` adds the budget that is tried to the progress. */
async function spend(
  problem: LoadedProblem,
  spending: Spending,
  rho: RisingPenalty | null,
  searching: boolean,
): Promise<Omit<Solution, 'engine'>> {
  const { loaded, settings } = problem;
  const { solver, refit, signal } = settings;
  const S = typeof spending === 'number' ? spending : 0;
  const progress = new SolveProgress(settings.onProgress, searching ? { trying: S } : {});
  const { history, stopReason, rmse } = isIterative(solver)
    ? await runIterative(problem, solver, S, rho as RisingPenalty, progress)
    : isPatchwise(solver)
      ? await runPatchwise(problem, solver, S, progress)
      : await runJointOmp(problem, spending, progress);
  const refitted = refit ? await loaded.refit({ signal }) : rmse;
  progress.report(1);
  const codes = await loaded.codes();
  return {
    codes,
    solver,
    budget: typeof spending === 'number' ? S : nonzeros(codes),
    nonzeros: nonzeros(codes),
    rmse: refitted,
    rho: rho && rho.from === rho.to ? rho.to : rho,
    iterations: history.length,
    stopReason,
    history,
  };
}

/** ρ as in the formulas, a constant one as rising from itself to itself; null for a solver without one. */
function penalty(D: Dictionary, { rho }: Settings): RisingPenalty | null {
  if (rho === null) return null;
  if (typeof rho === 'object' && 'absolute' in rho) return { from: rho.absolute, to: rho.absolute };
  const { from, to } = typeof rho === 'number' ? { from: rho, to: rho } : rho;
  const norm = spectralNormSquared(D);
  return { from: from * norm, to: to * norm };
}

/** Formats an error per patch in the terms of the budget. */
function showError(budget: Budget, N: number, peak: number): (error: number) => string {
  const sample = (error: number) => error / Math.sqrt(N);
  if ('psnr' in budget) return (error) => `${psnrOf(sample(error), peak).toFixed(2)} dB`;
  if ('sigma' in budget) return (error) => `σ = ${sample(error).toPrecision(4)}`;
  return (error) => `an RMSE of ${error.toPrecision(4)} per patch`;
}
