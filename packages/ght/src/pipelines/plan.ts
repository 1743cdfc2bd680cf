/**
 * A plan describes a task on an image of any size as passes over its parts. A pass is the same work on every part; its argument and
 * its answers are plain data. An executor decides where the parts are computed: here, or by workers on many machines. A whole image
 * is one part, which is passed by reference.
 *
 * The work on a part depends on the context, the argument and the number of the part alone. So it may be repeated or moved to another
 * worker, and an interrupted run continues when the same work is requested again.
 */
import type { Check } from './check.js';

/** The work on one part. */
export interface Job<Argument> {
  /** The number of the part. */
  readonly part: number;
  /** The argument of the pass. */
  readonly argument: Argument;
  /** Stops the work. */
  readonly signal?: AbortSignal;
  /** Called with the fraction of this part that is done, and the name of the step if there are several. */
  readonly onFraction?: (fraction: number, step?: string) => void;
}

/** A kind of pass. The checks restore the types of argument and answer after they were sent to another machine. */
export interface Pass<Context, Argument, Answer> {
  /** The name, unique in the plan. */
  readonly name: string;
  readonly argument: Check<Argument>;
  readonly answer: Check<Answer>;
  /** Does the work on a part. */
  work(context: Context, job: Job<Argument>): Promise<Answer>;
}

/** How a pass is performed. */
export interface PassOptions {
  /** The number of parts. */
  readonly parts: number;
  /** The approximate share of the whole run, for progress. */
  readonly share: number;
  /** The name of this pass, unique in the run. @default the name of its kind */
  readonly name?: string;
}

/** Performs a pass; the answers are in the order of the parts. */
export type Perform<Context> = <Argument, Answer>(
  pass: Pass<Context, Argument, Answer>,
  argument: Argument,
  options: PassOptions,
) => Promise<readonly Answer[]>;

/** A task as passes over parts. */
export interface Plan<Context, Result> {
  /** The name by which workers know the plan. */
  readonly name: string;
  /** The kinds of passes by name, for workers, which receive names and data. */
  readonly work: Readonly<Record<string, RemoteWork<Context>>>;
  /** Performs one pass after the other. Runs in one place. */
  run(context: Context, perform: Perform<Context>): Promise<Result>;
}

/** The work of a pass on data of unknown type. The data are checked before the context is needed, so before any file is opened. */
export type RemoteWork<Context> = (job: Job<unknown>) => (context: Context) => Promise<unknown>;

/** The work of passes by name. */
export function workByName<Context>(...passes: readonly NamedWork<Context>[]): Plan<Context, unknown>['work'] {
  return Object.fromEntries(passes.map(({ name, remote }) => [name, remote]));
}

/** A pass for a worker. */
export interface NamedWork<Context> {
  readonly name: string;
  readonly remote: RemoteWork<Context>;
}

/** A pass together with the form in which workers know it. */
export function definePass<Context, Argument, Answer>(
  pass: Pass<Context, Argument, Answer>,
): Pass<Context, Argument, Answer> & NamedWork<Context> {
  const remote: RemoteWork<Context> = (job) => {
    const checked = { ...job, argument: pass.argument(job.argument, 'argument') };
    return (context) => pass.work(context, checked);
  };
  return { ...pass, remote };
}

/** Progress of a run. */
export interface RunProgress {
  /** From 0 to 1, never decreasing. */
  readonly fraction: number;
  /** The name of the pass. */
  readonly pass: string;
  /** The step within a part, if it has several. */
  readonly step?: string;
  /** Parts of this pass that are done. */
  readonly done: number;
  /** Parts of this pass. */
  readonly parts: number;
}

/** Abort signal and progress callback of a run. */
export interface RunWatch {
  /** Stops the run; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called regularly. */
  readonly onProgress?: (progress: RunProgress) => void;
}

/** Intermediate results by name. What is lost is computed again. */
export interface Scratch {
  /** The stored value, or undefined. */
  get(key: string): Promise<unknown>;
  /** Stores plain data in full or not at all. */
  put(key: string, value: unknown): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
}
