/** The threads of `ght serve`. Each runs one job at a time; what does not find a free one waits, in the order in which it came. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { JobFailure } from './failure.js';
import type { FromThread, JobRequest, JobResult, ToThread } from './protocol.js';

/** The limits of a pool. */
export interface PoolLimits {
  /** Jobs that run at once. */
  readonly concurrency: number;
  /** Milliseconds that a job may run. */
  readonly timeoutMs: number;
}

/** How a job goes on. */
export interface JobWatch {
  /** Ends the job: it is not answered then. */
  readonly signal: AbortSignal;
  /** Called when the wait is over. */
  readonly onStart: () => void;
  readonly onProgress: (progress: { readonly fraction: number; readonly doing?: string }) => void;
}

/** A job that failed. */
export class FailedJob extends Error {
  constructor(readonly failure: JobFailure) {
    super(failure.message);
  }
}

/** Milliseconds in which a thread has to stop; after that it is terminated. */
const GRACE_MS = 2000;

interface Job {
  readonly request: Omit<JobRequest, 'threads'>;
  readonly watch: JobWatch;
  resolve(result: JobResult): void;
  reject(error: Error): void;
}

/** Runs jobs in threads. */
export class JobPool {
  readonly #limits: PoolLimits;
  readonly #idle: Worker[] = [];
  readonly #waiting: Job[] = [];
  readonly #all = new Set<Worker>();
  #running = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running;
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs a job, after those that came before it. */
  run(request: Job['request'], watch: JobWatch): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const job = { request, watch, resolve, reject };
      const leave = () => {
        const at = this.#waiting.indexOf(job);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(watch.signal.reason);
      };
      watch.signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#running >= this.#limits.concurrency) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#running++;
    this.#perform(job)
      .then(job.resolve, job.reject)
      .finally(() => {
        this.#running--;
        this.#next();
      });
    this.#next();
  }

  #worker(): Worker {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const worker = new Worker(new URL('./job-worker.js', import.meta.url));
    this.#all.add(worker);
    worker.once('exit', () => {
      this.#all.delete(worker);
      const at = this.#idle.indexOf(worker);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return worker;
  }

  /** Does one job in one thread. */
  #perform({ request, watch: { signal, onStart, onProgress } }: Job): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker();
      onStart();
      // A job that is alone gets all cores. The number of threads changes no bit of the result.
      const threads = Math.max(
        1,
        Math.floor(availableParallelism() / Math.max(1, this.#running + this.#waiting.length)),
      );
      const { timeoutMs } = this.#limits;
      let grace: NodeJS.Timeout | undefined;
      let ended: Error | undefined;
      const stop = (reason: Error) => {
        ended ??= reason;
        worker.postMessage('stop' satisfies ToThread);
        grace ??= setTimeout(() => void worker.terminate(), GRACE_MS);
      };
      const onAbort = () => stop(signal.reason);
      const late = setTimeout(() => stop(tooLate(timeoutMs)), timeoutMs);
      const finish = (act: () => void) => {
        clearTimeout(late);
        clearTimeout(grace);
        signal.removeEventListener('abort', onAbort);
        worker.off('message', onMessage);
        worker.off('error', onError);
        worker.off('exit', onExit);
        act();
      };
      const onMessage = (answer: FromThread) => {
        if ('progress' in answer) return onProgress(answer.progress);
        finish(() => {
          this.#idle.push(worker);
          if (ended) reject(ended);
          else if ('result' in answer) resolve(answer.result);
          else reject(new FailedJob(answer.failure));
        });
      };
      const onExit = () => finish(() => reject(ended ?? new Error('the thread of the job has ended')));
      // After an error comes the exit.
      const onError = (error: Error) => {
        ended ??= error;
      };
      worker.on('message', onMessage);
      worker.on('error', onError);
      worker.on('exit', onExit);
      signal.addEventListener('abort', onAbort, { once: true });
      const { body } = request;
      worker.postMessage({ ...request, threads } satisfies ToThread, [body.buffer]);
      if (signal.aborted) onAbort();
    });
  }
}

function tooLate(ms: number): FailedJob {
  const message = `the work must end within ${ms / 1000} seconds: send a smaller image, or choose a faster quality`;
  return new FailedJob({ status: 504, kind: 'resource', message });
}
