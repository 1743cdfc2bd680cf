import type { Budget, Goal } from '../budget/budget.js';
import { resolveBudget } from '../budget/budget.js';
import { fewestAtoms } from '../budget/search.js';
import { checkCodes } from '../codes/check.js';
import type { Codes } from '../codes/codes.js';
import { nonzeros } from '../codes/codes.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { checkDictionary, spectralNormSquared } from '../dictionary/dictionary.js';
import type { EngineInfo, Loaded } from '../engines/engine.js';
import { onEngine, type Wanted } from '../engines/engines.js';
import { callable, InputError, OptionError, positive, ResourceError } from '../errors.js';
import { psnrOf } from '../measures/error.js';
import type { Samples } from '../signal/image.js';
import { checkSamples } from '../signal/image.js';
import { largestFinite, shifted, shiftedPositive } from '../signal/scale.js';
import type { Signals } from '../signal/signals.js';
import { signalsIn } from '../signal/signals.js';
import type { IterativeSolver, PatchwiseSolver, SolverName } from '../solvers/catalogue.js';
import { atomPrice, isIterative, isPatchwise, solverCatalogue } from '../solvers/catalogue.js';
import type { Spending } from '../solvers/joint-omp.js';
import type { HistoryEntry, StepReport, StopReason } from '../solvers/loop.js';
import { iterate, iterateInBatches } from '../solvers/loop.js';
import type { RisingPenalty } from '../solvers/penalty.js';
import { penaltyAt, risingIterations } from '../solvers/penalty.js';
import { significantAtoms } from '../solvers/significant.js';
import { spreadLimits } from '../solvers/spread.js';
import { drive, type Work } from '../work.js';
import type { Settings, SolveOptions } from './options.js';
import { budgetFor, settle } from './options.js';
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

/** The options of the general problem, besides those of every task. */
export interface SignalOptions extends SolveOptions {
  /** Full scale of the signals, above 0, for tolerance and PSNR. @default the largest magnitude in Y */
  readonly peak?: number;
  /** The error that a `psnr` or `rmse` budget limits. @default the RMSE per patch */
  readonly errorOf?: (codes: Codes) => number | Promise<number>;
}

/** A settled problem: all options are checked and filled in, in the units of the user. */
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

/**
 * The general problem: minimise ‖DZ − Y‖² with at most S nonzeros in all of Z, for any dictionary D (N×L) and any signals
 * Y (N×P, one after the other). Neither may change before the promise has settled, since they are not copied.
 *
 * @example
 * ```js
 * import { gaussianDictionary, nonzeros, solve } from 'ght';
 *
 * const D = gaussianDictionary(20, 40);
 * const Y = Float64Array.from({ length: 20 * 100 }, (_, i) => Math.sin(i * i)); // 100 signals of 20 samples
 * const { codes, rmse } = await solve(D, Y, { budget: { total: 500 } });
 * console.log(nonzeros(codes), rmse);
 * ```
 */
export async function solve(D: Dictionary, Y: Samples, options: SignalOptions = {}): Promise<Solution> {
  checkDictionary(D);
  checkSamples('signals', Y);
  if (Y.length === 0 || Y.length % D.N !== 0) {
    const rule = `must be signals of ${D.N} samples each, as the dictionary has rows`;
    throw new InputError('signals', rule, `${Y.length} samples`, 'give Y as N×P with the N of the dictionary');
  }
  const settings = settle(options, ['peak', 'errorOf']);
  if (typeof options.budget === 'object' && options.budget !== null && 'largestInteger' in options.budget) {
    const { largestInteger } = options.budget;
    const rule = 'must be left out for signals, which are not rounded';
    throw new OptionError('budget.largestInteger', rule, largestInteger, 'remove it');
  }
  const { errorOf } = options;
  callable('errorOf', errorOf, 'give a function of the codes, or leave it out');
  const where = (i: number) => `signals sample (row ${i % D.N}, signal ${Math.floor(i / D.N)})`;
  const most = await drive(largestFinite(Y, where), settings);
  // All-zero signals have no scale, and any scale will do.
  const peak = positive('peak', options.peak ?? (most || 1), 'give the full scale of the signals, such as 255');
  return solveProblem({ D, Y: signalsIn(Y, D.N), peak, most, budget: budgetFor(settings, D.L), settings, errorOf });
}

/** Solves a settled problem. */
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
  const { rho, initial, onProgress } = settings;
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
  const { solver, signal, threads } = settings;
  if ('S' in goal && goal.S >= MOST_NONZEROS) {
    const rule = 'must be below 2³¹ nonzeros in all, which is as far as the positions in codes count';
    throw new ResourceError('budget', rule, goal.S, 'use a smaller budget, or represent the signals in parts');
  }
  const rho = penalty(D, settings);
  const wanted = { reach: most / peak, solver, effort: settings.effort, work: workOf(problem, goal) };
  return onEngine(settings.engine, wanted, async ({ engine, instead }) => {
    signal?.throwIfAborted();
    const loaded = await engine.load(D, Y, { threads }, { signal });
    try {
      loaded.reset(settings.initial);
      const run = runner(loaded, problem, rho, 'rmse' in goal);
      const spend = async (spending: Spending) => ({ ...(await run(spending)), engine: { ...loaded.info, instead } });
      if ('S' in goal) return await spend(goal.S);
      if ('sigma' in goal) return await spend(await drive(standingOut(problem, rho, goal.sigma), settings));
      const { result } = await fewestAtoms(
        async (S) => {
          const solution = await spend(S);
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

/** ρ of the threshold rule for a solver without a constant one, in units of ‖D‖₂²: the value that κ was measured with. */
const THRESHOLD_RHO = 0.15;

/** The budget that noise of deviation σ justifies by the threshold rule. */
function* standingOut({ D, Y, settings }: Problem, rho: RisingPenalty | null, sigma: number): Work<Spending> {
  const { solver, spread } = settings;
  const price = atomPrice(solver, D.N, D.L) * sigma ** 2;
  // An allotment finds the number of atoms while it runs.
  if (solverCatalogue[solver].method === 'allotment') return { price };
  const first = rho && rho.from === rho.to ? rho.to : THRESHOLD_RHO * spectralNormSquared(D);
  const S = yield* significantAtoms(D, Y, first, price);
  return isPatchwise(solver) && !spread ? Math.round(S / Y.P) * Y.P : S;
}

/**
 * A function that solves at a budget S, continuing from the iterate where its last call ended. With a rising ρ it starts over: a
 * large ρ hardly changes the support, and a small one forgets it.
 */
function runner(
  loaded: Loaded,
  { D, Y, peak, settings }: Problem,
  rho: RisingPenalty | null,
  searching: boolean,
): (spending: Spending) => Promise<Omit<Solution, 'engine'>> {
  const { solver, spread, effort, refit, maxIterations, tolerance: relative, signal, onProgress } = settings;
  const stop = { maxIterations, tolerance: relative * peak };
  return async (spending) => {
    const S = typeof spending === 'number' ? spending : 0;
    let furthest = 0;
    let last: HistoryEntry | undefined;
    const tell = (fraction: number) => {
      furthest = Math.max(furthest, fraction);
      onProgress?.({ fraction: furthest, k: last?.k, rmse: last?.rmse, ...(searching ? { trying: S } : {}) });
    };
    const watch = { signal, onFraction: tell };

    const together = (iterative: IterativeSolver, penalty: RisingPenalty) => {
      const onFraction = (fraction: number) => tell(((last?.k ?? 0) + fraction) / maxIterations);
      const onEntry = (entry: HistoryEntry) => {
        last = entry;
        onFraction(0);
      };
      const rising = risingIterations(penalty, maxIterations);
      if (rising > 0) loaded.reset(settings.initial);
      const rhoAt = (k: number) => penaltyAt(penalty, k, maxIterations);
      const loop = { ...stop, least: rising, onEntry };
      const inBatches = loaded.iterations?.bind(loaded);
      if (inBatches) {
        const run = { ...loop, rho: rhoAt };
        const batch = (first: number) =>
          inBatches(iterative, S, { ...run, first, most: maxIterations - first + 1 }, { signal, onFraction });
        return iterateInBatches(batch, loop);
      }
      const step = () => {
        const k = (last?.k ?? 0) + 1;
        return loaded.iterate(iterative, S, rhoAt(k), { signal, onFraction }, rhoAt(k + 1));
      };
      return iterate(step, () => loaded.keep(), loop);
    };
    const eachByItself = async (patchwise: PatchwiseSolver) => {
      const s = Math.floor(S / Y.P);
      if (!spread || S === s * Y.P) return loaded.sweep(patchwise, s, stop, watch);
      await loaded.sweep(patchwise, s, stop, { signal, onFraction: (fraction) => tell(fraction / 2) });
      const limits = await drive(spreadLimits(D, Y, await loaded.codes(), S), { signal });
      return loaded.sweep(patchwise, limits, stop, { signal, onFraction: (fraction) => tell((1 + fraction) / 2) });
    };
    const atOnce = async (sweep: () => Promise<readonly StepReport[]>) => {
      const start = performance.now();
      const reports = await sweep();
      const ms = performance.now() - start;
      const history = reports.map((report, i) => ({ k: i + 1, ...report, ms }));
      return { history, stopReason: 'complete' as const, rmse: reports[reports.length - 1].rmse };
    };
    const { history, stopReason, rmse } = isIterative(solver)
      ? await together(solver, rho as RisingPenalty)
      : isPatchwise(solver)
        ? await atOnce(() => eachByItself(solver))
        : await atOnce(() => loaded.jointOmp(spending, watch, effort));
    const refitted = refit ? await loaded.refit({ signal }) : rmse;
    tell(1);
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
