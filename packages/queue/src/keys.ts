/**
 * The names of everything in Redis. All keys begin with `ght:`, so that an access list can confine a user to them.
 *
 * BullMQ keeps the jobs that wait or run, in one queue per fingerprint: a worker that computes other bits never sees them. Answers
 * are kept in hashes of our own, because they are binary, and because one command then removes those of a pass.
 */

/** What all keys begin with; also the prefix of BullMQ. */
export const PREFIX = 'ght';

/** The queue of the workers with this fingerprint. */
export const queueName = (fingerprint: string): string => `tiles-${fingerprint}`;

/** The name of a job. BullMQ adds no second job with the same name, which is how a run is resumed or shared. */
export const jobName = (run: string, attempt: string, pass: string, tile: number): string =>
  `${jobPrefix(run, attempt)}${pass}-${tile}`;

/** What the names of the jobs of an attempt begin with. Jobs of an earlier one never stand for those of a later one. */
export const jobPrefix = (run: string, attempt: string): string => `${run}-${attempt}-`;

/** The tile of a job of this pass, or undefined for other jobs. */
export function tileOf(job: string, run: string, attempt: string, pass: string): number | undefined {
  const prefix = `${jobPrefix(run, attempt)}${pass}-`;
  const rest = job.slice(prefix.length);
  return job.startsWith(prefix) && /^\d+$/.test(rest) ? Number(rest) : undefined;
}

/** The keys of records. */
export const keys = {
  /** A set: the names of all runs. */
  runs: `${PREFIX}:runs`,
  /** A hash: what is known about a run. */
  run: (run: string) => `${PREFIX}:run:${run}`,
  /** A set: the names of the passes of an attempt so far. */
  passes: (run: string, attempt: string) => `${PREFIX}:run:${run}:${attempt}:passes`,
  /** A hash: work, argument and number of tiles of a pass. */
  pass: (run: string, attempt: string, pass: string) => `${PREFIX}:run:${run}:${attempt}:pass:${pass}`,
  /** A hash: the answers of a pass by tile. */
  answers: (run: string, attempt: string, pass: string) => `${PREFIX}:run:${run}:${attempt}:answers:${pass}`,
  /** A list: the latest failures of a run. */
  failures: (run: string) => `${PREFIX}:run:${run}:failures`,
  /** The register of the coordinators of a run. */
  coordinators: (run: string) => `${PREFIX}:run:${run}:coordinators`,
  /** The register of the workers. */
  workers: `${PREFIX}:workers`,
} as const;
