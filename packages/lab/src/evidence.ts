/** Evidence from the findings, in forms that several claims need. */
import type { SolverName } from 'ght';
import { competitors, paperSolvers, titleOf } from './contenders.js';
import type { Findings } from './experiments/index.js';
import type { Filling, Missing } from './experiments/inpainting.js';
import type { RecoveryRun } from './experiments/synthetic.js';
import type { Outcome } from './report.js';
import type { Run } from './setting.js';

/** A time that grows by less than this factor counts as flat. */
const FLAT = 1.25;
export const flatRule =
  `Growth of the time from the lower to the upper third of the budgets. Confirmed: at most ×${FLAT} for both, more for every ` +
  'competitor. Partly: only the time per iteration is that flat, or both grow less than every competitor.';

export function grade(confirmed: boolean, partly: boolean): Outcome {
  return confirmed ? 'confirmed' : partly ? 'partly' : 'not reproduced';
}

/** Confirmed if all conditions hold, partly if some do. */
export function gradeAll(holds: readonly boolean[]): Outcome {
  return grade(holds.every(Boolean), holds.some(Boolean));
}

/** A text about each of the two algorithms of the paper, from a value for each. */
export function forBoth(values: readonly number[], text: (value: number, title: string) => string): string {
  return paperSolvers.map((solver, i) => text(values[i], titleOf(solver))).join(', ');
}

/** Whether both global algorithms stay within a tolerance of CoSaMP at every budget. */
export function matches(
  runs: readonly RecoveryRun[],
  measure: 'mismatch' | 'rmse',
  allowed: (theirs: number) => number,
  what: string,
) {
  const cosamp = of(runs, 'cosamp');
  const holds = paperSolvers.map((solver) =>
    of(runs, solver).every((run) => run[measure] <= allowed(find(cosamp, ({ s }) => s === run.s)[measure])),
  );
  const last = Math.max(...runs.map(({ s }) => s));
  const shown = [...paperSolvers, 'cosamp' as const].map((solver) => {
    const worst = Math.max(...of(runs, solver).map((run) => run[measure]));
    return `${titleOf(solver)} ${worst.toFixed(3)}`;
  });
  return { measured: `largest ${what} up to s = ${last}: ${shown.join(', ')}`, outcome: gradeAll(holds) };
}

/** The runs of all solvers at all budgets, on one image. */
interface Runs {
  readonly runs: readonly Run[];
}

/** In how many of the (image, budget) cases a condition on the solvers' RMSE holds. */
export function share(images: readonly Runs[], holds: (at: (solver: SolverName) => number) => boolean) {
  const cases = images.flatMap(({ runs }) => budgetsOf(runs).map((s) => holds((solver) => pick(runs, solver, s).rmse)));
  const held = cases.filter(Boolean).length;
  return {
    measured: `in ${held} of ${cases.length} cases`,
    outcome: grade(held === cases.length, held >= 0.75 * cases.length),
  };
}

/** How the times of both kinds of solvers grow from the lower to the upper third of the budgets. */
export function flatInBudget(images: readonly Runs[]) {
  const growth = (solver: SolverName, value: (run: Run) => number) => {
    const third = (upper: boolean) =>
      sum(
        images.flatMap(({ runs }) => {
          const budgets = budgetsOf(runs);
          const count = Math.max(1, Math.floor(budgets.length / 3));
          const chosen = upper ? budgets.slice(-count) : budgets.slice(0, count);
          return chosen.map((s) => value(pick(runs, solver, s)));
        }),
      );
    return third(true) / third(false);
  };
  const seconds = (solver: SolverName) => growth(solver, (run) => run.seconds);
  const [ours, steps, theirs] = [
    paperSolvers.map(seconds),
    paperSolvers.map((solver) => growth(solver, perIteration)),
    competitors.map(seconds),
  ];
  const list = (names: readonly SolverName[], values: number[]) =>
    names.map((solver, i) => `${titleOf(solver)} ×${values[i].toFixed(2)}`).join(', ');
  const flat = (values: number[]) => values.every((value) => value <= FLAT);
  return {
    measured: `${list(paperSolvers, ours)} (per iteration ${steps.map((step) => `×${step.toFixed(2)}`).join(' and ')}); ${list(competitors, theirs)}`,
    outcome: grade(
      flat(ours) && theirs.every((value) => value > FLAT),
      flat(steps) || Math.max(...ours) < Math.min(...theirs),
    ),
  };
}

/** For each image, σ and global algorithm: its PSNR minus that of the best competitor. */
export function gains(images: Findings['denoising']['images'], sigmas: readonly number[]): number[] {
  return images.flatMap(({ runs }) =>
    sigmas.flatMap((sigma) => {
      const at = (name: SolverName) => find(runs, (run) => run.sigma === sigma && run.solver === name).psnr;
      return paperSolvers.map((solver) => at(solver) - Math.max(...competitors.map(at)));
    }),
  );
}

/** Whether inpainting from codes beats the smoothest filling, and by how much on average for each mask. */
export function fillingGains({ images, masks }: Findings['inpainting']) {
  const over = (filling: Filling, missing: Missing) =>
    images.map(({ runs }) => {
      const at = (name: Filling) => find(runs, (run) => run.missing === missing && run.filling === name).psnr;
      return at(filling) - at('biharmonic');
    });
  const cases = masks.flatMap((missing) => over('joint-omp', missing));
  const wins = cases.filter((gain) => gain > 0).length;
  const means = (filling: Filling) =>
    masks.map((missing) => {
      const gain = average(over(filling, missing)).toFixed(2);
      return `${gain} dB ${missing === 'text' ? 'for text' : `at ${100 * missing}% missing`}`;
    });
  return {
    measured: `better in ${wins} of ${cases.length} cases; mean gain ${means('joint-omp').join(', ')} (ght inpaint: ${means('balanced').join(', ')})`,
    outcome: grade(wins === cases.length, 2 * wins >= cases.length),
  };
}

/** The largest relative increase from one entry to the next. */
export function largestRise(values: readonly number[]): number {
  return values.slice(1).reduce((most, value, i) => Math.max(most, value / values[i] - 1), 0);
}

/** The lowest RMSE of the patch-wise algorithms. */
export function nearest(at: (solver: SolverName) => number): number {
  return Math.min(...competitors.map(at));
}

export function of<R extends Run>(runs: readonly R[], solver: SolverName): R[] {
  return runs.filter((run) => run.solver === solver);
}

export function pick(runs: readonly Run[], solver: SolverName, s: number): Run {
  return find(runs, (run) => run.solver === solver && run.s === s);
}

export function find<T>(values: readonly T[], wanted: (value: T) => boolean): T {
  const found = values.find(wanted);
  if (found === undefined) throw new Error('the findings lack a run that a claim is about');
  return found;
}

function budgetsOf(runs: readonly Run[]): number[] {
  return [...new Set(runs.map(({ s }) => s))].sort((a, b) => a - b);
}

export function perIteration({ seconds, iterations }: Run): number {
  return seconds / iterations;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function average(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Three significant digits. */
export function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}
