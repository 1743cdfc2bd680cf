import type { ExperimentName } from './catalogue.js';
import { judge } from './claims.js';
import { estimateSeconds, probeMachine } from './estimate.js';
import { experiments, type Findings } from './experiments/index.js';
import { type Finished, finishedRuns, keyOf } from './finished.js';
import { loadAverage, thisMachine } from './machine.js';
import type { Report } from './report.js';
import type { Setting } from './setting.js';
import type { ReportStore } from './store.js';

/** The options of a run, besides its setting. */
export interface RunOptions {
  /** Version of the program, stated in the report. Results of another version are not reused. */
  readonly version: string;
  /** Where finished experiments are stored. */
  readonly store: ReportStore;
  /**
   * Whether to reuse the experiments that an earlier run with the same setting has finished. Otherwise their results are
   * removed and all experiments are run.
   *
   * @default false
   */
  readonly resume?: boolean;
}

/** The progress of a run. */
export interface RunProgress {
  /** Fraction of the estimated time of all experiments to run, from 0 to 1. */
  readonly fraction: number;
  /** The experiment that is running. */
  readonly doing: ExperimentName;
}

/** A run that is ready to start. */
export interface PlannedRun {
  /** Experiments whose results are reused from an earlier run. */
  readonly kept: readonly ExperimentName[];
  /** Experiments to run, one after the other. */
  readonly toRun: readonly ExperimentName[];
  /** Estimated seconds on this machine. */
  readonly seconds: number;
  /** Runs them, stores each as soon as it is finished, and returns the report on all. */
  run(onProgress?: (progress: RunProgress) => void): Promise<Report>;
}

/** Determines which experiments an earlier run has finished and, from a short trial, how long the others will take. */
export async function planRun(
  names: readonly ExperimentName[],
  setting: Setting,
  { version, store, resume = false }: RunOptions,
): Promise<PlannedRun> {
  const finished = finishedRuns(store, keyOf(setting, version));
  if (!resume) await Promise.all(names.map((name) => finished.remove(name)));
  const done = new Map<ExperimentName, Finished>();
  for (const name of names) {
    const result = await finished.load(name);
    if (result) done.set(name, result);
  }
  const { engine, speed } = await probeMachine(setting);
  const toRun = names.filter((name) => !done.has(name));
  const estimates = toRun.map((name) => estimateSeconds(name, setting.quick, speed));
  const seconds = estimates.reduce((sum, estimate) => sum + estimate, 0);

  async function run(onProgress?: (progress: RunProgress) => void): Promise<Report> {
    const load = loadAverage();
    let before = 0;
    for (const [i, name] of toRun.entries()) {
      const report = (fraction: number) =>
        onProgress?.({ fraction: (before + fraction * estimates[i]) / seconds, doing: name });
      report(0);
      const start = performance.now();
      const data = await experiments[name].run({ ...setting, onProgress: report });
      const result = { seconds: (performance.now() - start) / 1000, data };
      await finished.save(name, result);
      done.set(name, result);
      before += estimates[i];
    }
    return reportOn(
      names.map((name) => [name, done.get(name) as Finished] as const),
      { setting, version, engine, load },
    );
  }

  return { kept: [...done.keys()], toRun, seconds, run };
}

/** The circumstances of a run, for the report. */
interface Circumstances {
  readonly setting: Setting;
  readonly version: string;
  readonly engine: Report['engine'];
  /** Before the run. */
  readonly load: number;
}

function reportOn(
  results: readonly (readonly [ExperimentName, Finished])[],
  { setting: { quick, seed, images, collection }, version, engine, load }: Circumstances,
): Report {
  const findings = Object.fromEntries(results.map(([name, { data }]) => [name, data])) as Partial<Findings>;
  return {
    date: new Date().toISOString(),
    version,
    quick,
    seed,
    machine: thisMachine(load),
    engine,
    images: images.map(({ name, source, image: { width, height } }) => ({ name, source, width, height })),
    collection: collection.map(({ name, source }) => ({ name, source })),
    findings,
    seconds: Object.fromEntries(results.map(([name, { seconds }]) => [name, seconds])),
    verdicts: judge(findings),
  };
}
