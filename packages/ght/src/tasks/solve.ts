import { type Budget, expectedAtoms, resolveBudget } from '../budget/budget.js';
import { fewestAtoms } from '../budget/search.js';
import { checkCodes } from '../codes/check.js';
import type { Codes } from '../codes/codes.js';
import { nonzeros } from '../codes/codes.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { checkDictionary, spectralNormSquared } from '../dictionary/dictionary.js';
import { chooseEngine } from '../engines/choose.js';
import type { Engine, EngineInfo, Loaded } from '../engines/engine.js';
import { callable, ParameterError, positive } from '../errors.js';
import { psnrOf } from '../measures/error.js';
import type { Samples } from '../signal/image.js';
import { checkSamples, refuseBadNumber } from '../signal/image.js';
import { largest, shifted, shiftedPositive } from '../signal/scale.js';
import { runsOf, type Signals, signalsIn } from '../signal/signals.js';
import type { Spending } from '../solvers/joint-omp.js';
import type { HistoryEntry, StepReport, StopReason } from '../solvers/loop.js';
import { iterate } from '../solvers/loop.js';
import { significantAtoms } from '../solvers/significant.js';
import { drive, finish, PATCHES_A_YIELD, type Work } from '../work.js';
import type { Progress, Settings, SolveOptions, SolverName } from './options.js';
import { atomPrice, hasPenalty, settle, solverDefaults } from './options.js';
import { shiftedCodes, shiftedDictionary, shiftedEntry, shiftedSignals, type Units, unitsOf } from './units.js';

/** What a solve gives back: the codes, and plain data about how they came to be. */
export interface Solution {
  readonly codes: Codes;
  readonly solver: SolverName;
  readonly engine: EngineInfo;
  /** S: the nonzeros that might be spent. */
  readonly budget: number;
  /** The nonzeros that were. */
  readonly nonzeros: number;
  /** The paper's RMSE: sqrt(‖DZ − Y‖²_F / P), a patch. */
  readonly rmse: number;
  /** The penalty as the formulas have it; null for a solver without one. */
  readonly rho: number | null;
  readonly iterations: number;
  readonly stopReason: StopReason;
  readonly history: readonly HistoryEntry[];
}

/** What the general problem takes besides what every task does. */
export interface SignalOptions extends SolveOptions {
  /** Full scale of the signals, for tolerance and PSNR; the largest magnitude in Y unless told. */
  readonly peak?: number;
  /** The error that a `psnr` or `rmse` budget is about; the RMSE a patch unless a task measures something else. */
  readonly errorOf?: (codes: Codes) => number | Promise<number>;
}

/** A problem to be solved: signals Y over D, their full scale, and what may be spent on them. */
interface Problem {
  readonly D: Dictionary;
  readonly Y: Signals;
  readonly peak: number;
  readonly budget: Budget;
  /** How many times the full scale the largest sample is. */
  readonly reach: number;
}

/**
 * The general problem: minimise ‖DZ − Y‖² with at most S nonzeros in all of Z, for any dictionary D (N×L) and any signals
 * Y (N×P, one after the other). Neither may change before the promise has settled: nothing is copied first.
 */
export async function solve(D: Dictionary, Y: Samples, options: SignalOptions = {}): Promise<Solution> {
  checkDictionary(D);
  checkSamples('signals', Y);
  if (Y.length === 0 || Y.length % D.N !== 0) {
    const rule = `must be signals of ${D.N} samples each, as the dictionary has rows`;
    throw new ParameterError('signals', rule, `${Y.length} samples`, 'give Y as N×P with the N of the dictionary');
  }
  return solveSignals(D, signalsIn(Y, D.N), options);
}

/** The same for signals that need not lie in an array. */
export async function solveSignals(D: Dictionary, Y: Signals, options: SignalOptions = {}): Promise<Solution> {
  const settings = settle(options, ['peak', 'errorOf']);
  callable('errorOf', options.errorOf, 'give a function of the codes, or leave it out');
  if (options.initial !== undefined) checkCodes('initial', options.initial, D.L, Y.P);
  const most = await drive(largestSample(Y), { signal: options.signal });
  // All-zero signals have no scale, and none matters.
  const peak = positive('peak', options.peak ?? (most || 1), 'give the full scale of the signals, such as 255');
  const budget = settings.budget ?? { perPatch: Math.min(solverDefaults.budget.perPatch, D.L) };
  // Checked in the units of the user, who is told about them.
  resolveBudget(budget, D.N, D.L, Y.P, peak);
  const units = unitsOf(D, most);
  const problem = { D, Y, peak, budget, reach: most / peak };
  if (!units) return solveAsGiven(problem, settings, options);
  return outOfUnits(await solveAsGiven(...inUnitsOf(units, problem, settings, options)), units);
}

/** The same problem in other units: all that has the units of the dictionary, the signals or ρ. */
function inUnitsOf({ d, y }: Units, problem: Problem, settings: Settings, options: SignalOptions) {
  const { D, Y, peak, budget } = problem;
  const level = (value: number) => shifted(value, -y);
  const { initial, errorOf, onProgress } = options;
  const { rho } = settings;
  return [
    {
      ...problem,
      D: shiftedDictionary(D, d),
      Y: shiftedSignals(Y, -y),
      // A peak far from the samples would otherwise vanish or overflow.
      peak: shiftedPositive(peak, -y),
      budget:
        'rmse' in budget
          ? { rmse: level(budget.rmse) }
          : 'sigma' in budget
            ? { ...budget, sigma: level(budget.sigma) }
            : budget,
    },
    typeof rho === 'object' ? { ...settings, rho: { absolute: shiftedPositive(rho.absolute, -2 * d) } } : settings,
    {
      ...options,
      initial: initial && shiftedCodes(initial, d - y),
      errorOf: errorOf && (async (codes: Codes) => level(await errorOf(shiftedCodes(codes, y - d)))),
      onProgress:
        onProgress &&
        ((progress: Progress) =>
          onProgress(progress.rmse === undefined ? progress : { ...progress, rmse: shifted(progress.rmse, y) })),
    },
  ] as const;
}

function outOfUnits(solution: Solution, units: Units): Solution {
  const { d, y } = units;
  const codes = shiftedCodes(solution.codes, y - d);
  return {
    ...solution,
    codes,
    nonzeros: nonzeros(codes),
    rmse: shifted(solution.rmse, y),
    rho: solution.rho && shifted(solution.rho, 2 * d),
    history: solution.history.map((entry) => shiftedEntry(entry, units, solution.solver === 'joint-omp')),
  };
}

/** The problem in the units it comes in. */
async function solveAsGiven(problem: Problem, settings: Settings, options: SignalOptions): Promise<Solution> {
  const { D, Y, peak, budget, reach } = problem;
  const { P } = Y;
  const goal = resolveBudget(budget, D.N, D.L, P, peak);
  const rho = penalty(D, settings);
  const bytes = (each: Engine) => each.memory(D.N, D.L, P, expectedAtoms(goal, D.N, P));
  const engine = chooseEngine(options.engine ?? 'auto', options.threads, bytes, reach);
  options.signal?.throwIfAborted();
  const loaded = await engine.load(D, Y, { signal: options.signal });
  try {
    loaded.reset(options.initial);
    const run = runner(loaded, P, rho, peak, settings, options, 'rmse' in goal);
    const patchwise = settings.solver === 'omp' || settings.solver === 'aiht' || settings.solver === 'cosamp';
    if ('S' in goal) return { ...(await run(goal.S)), engine: loaded.info };
    const standingOut = async (sigma: number) => {
      const price = atomPrice(settings.solver, D.N, D.L) * sigma ** 2;
      if (settings.solver === 'joint-omp') return { price };
      const S = await drive(significantAtoms(D, Y, rho ?? solverDefaults.rho.admm * spectralNormSquared(D), price), {
        signal: options.signal,
      });
      return patchwise ? Math.round(S / P) * P : S;
    };
    if ('sigma' in goal) return { ...(await run(await standingOut(goal.sigma))), engine: loaded.info };
    const { result } = await fewestAtoms(
      async (S) => {
        const solution = await run(S);
        return { ...solution, error: (await options.errorOf?.(solution.codes)) ?? solution.rmse };
      },
      goal.rmse,
      { unit: patchwise ? P : 1, first: 5 * P, most: Math.min(D.N, D.L) * P, show: showError(budget, D.N, peak) },
    );
    const { error: _, ...solution } = result;
    return { ...solution, engine: loaded.info };
  } finally {
    loaded.dispose();
  }
}

/** A function that solves at a budget S, going on from the iterate where its last call ended. */
function runner(
  loaded: Loaded,
  P: number,
  rho: number | null,
  peak: number,
  { solver, refit, maxIterations, tolerance: relative }: Settings,
  { signal, onProgress }: SolveOptions,
  searching: boolean,
): (spending: Spending) => Promise<Omit<Solution, 'engine'>> {
  const tolerance = relative * peak;
  return async (spending) => {
    const S = typeof spending === 'number' ? spending : 0;
    const s = Math.floor(S / P);
    let furthest = 0;
    let last: HistoryEntry | undefined;
    const tell = (fraction: number) => {
      furthest = Math.max(furthest, fraction);
      onProgress?.({ fraction: furthest, k: last?.k, rmse: last?.rmse, ...(searching ? { trying: S } : {}) });
    };
    const watch = { signal, onFraction: tell };

    const joint = async (step: typeof loaded.qpm) => {
      const within = (fraction: number) => tell(((last?.k ?? 0) + fraction) / maxIterations);
      const onEntry = (entry: HistoryEntry) => {
        last = entry;
        within(0);
      };
      return iterate(
        () => step.call(loaded, S, rho as number, { signal, onFraction: within }),
        () => loaded.keep(),
        { maxIterations, tolerance, onEntry },
      );
    };
    const patchwise = async (sweep: () => Promise<readonly StepReport[]>) => {
      const start = performance.now();
      const reports = await sweep();
      const ms = performance.now() - start;
      const history = reports.map((report, i) => ({ k: i + 1, ...report, ms }));
      return { history, stopReason: 'complete' as const, rmse: reports[reports.length - 1].rmse };
    };
    const stop = { maxIterations, tolerance };
    const outcomes = {
      qpm: () => joint(loaded.qpm),
      admm: () => joint(loaded.admm),
      'joint-omp': () => patchwise(() => loaded.jointOmp(spending, watch)),
      omp: () => patchwise(() => loaded.omp(s, watch)),
      aiht: () => patchwise(() => loaded.aiht(s, stop, watch)),
      cosamp: () => patchwise(() => loaded.cosamp(s, stop, watch)),
    };
    const { history, stopReason, rmse } = await outcomes[solver]();
    const refitted = refit ? await loaded.refit({ signal }) : rmse;
    tell(1);
    const codes = loaded.codes();
    return {
      codes,
      solver,
      budget: typeof spending === 'number' ? S : nonzeros(codes),
      nonzeros: nonzeros(codes),
      rmse: refitted,
      rho,
      iterations: history.length,
      stopReason,
      history,
    };
  };
}

/** ρ as the formulas have it; null for a solver without one, which is spared the norm of D. */
function penalty(D: Dictionary, { solver, rho }: Settings): number | null {
  if (!hasPenalty(solver)) return null;
  return typeof rho === 'object' ? rho.absolute : rho * spectralNormSquared(D);
}

/** How an error a patch reads in the terms of the budget that asked for it. */
function showError(budget: Budget, N: number, peak: number): (error: number) => string {
  const sample = (error: number) => error / Math.sqrt(N);
  if ('psnr' in budget) return (error) => `${psnrOf(sample(error), peak).toFixed(2)} dB`;
  if ('sigma' in budget) return (error) => `σ = ${sample(error).toPrecision(4)}`;
  return (error) => `an RMSE of ${error.toPrecision(4)} a patch`;
}

/** max |Y|; refuses NaN, infinities and numbers out of range. */
function* largestSample(signals: Signals): Work<number> {
  const { N, P } = signals;
  let most = 0;
  for (const { from, Y } of runsOf(signals, PATCHES_A_YIELD)) {
    finish(refuseBadNumber(Y, (i) => `signals sample (row ${i % N}, signal ${from + Math.floor(i / N)})`));
    most = Math.max(most, largest(Y));
    yield from / P;
  }
  return most;
}
