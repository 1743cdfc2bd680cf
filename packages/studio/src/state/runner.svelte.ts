import type { Event } from '../worker/protocol.js';
import { RequestError } from './client.js';

/** What went wrong, and the one thing that can be done about it here. */
export interface Notice {
  readonly message: string;
  readonly remedy?: { readonly title: string; readonly act: () => void };
}

/** What is being worked on. */
export type Task = 'open' | 'represent' | 'compare' | 'denoise' | 'codes';

/** Runs one task at a time: a new one ends the last. Says how far it is, and what went wrong. */
export class Runner {
  task = $state<Task>();
  fraction = $state(0);
  doing = $state('');
  notice = $state.raw<Notice>();
  #running: AbortController | undefined;
  /** Set when the worker was lost, and with it the image: until an image is open again, nothing else can run. */
  #lost: Notice | undefined;

  constructor(
    /** Opens the image that is open once more, at an n-th of its size: the remedy for what does not fit. */
    private readonly reopen: (n: number) => void,
  ) {}

  /** Whether the worker was lost, and no image has been opened since. */
  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Runs a task and reports its error. The signal is aborted when it is cancelled or another task begins. */
  async run(task: Task, work: (signal: AbortSignal) => Promise<unknown>, reopen = this.reopen): Promise<void> {
    if (this.#lost && task !== 'open') {
      this.notice = this.#lost;
      return;
    }
    this.#running?.abort();
    const stop = new AbortController();
    this.#running = stop;
    this.task = task;
    this.fraction = 0;
    this.doing = '';
    try {
      await work(stop.signal);
      if (task === 'open') this.#lost = undefined;
    } catch (error) {
      this.report(error, reopen);
    } finally {
      if (this.#running === stop) {
        this.#running = undefined;
        this.task = undefined;
      }
    }
  }

  /** Takes the progress out of what a task's worker tells. */
  progress(event: Event): void {
    if (event.kind !== 'progress') return;
    this.fraction = event.fraction;
    this.doing = event.doing ?? '';
  }

  /** Stops the task, at once for the page and as soon as possible for the worker. */
  cancel(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.task = undefined;
  }

  /** Says what went wrong; a cancel is no error. */
  report(error: unknown, reopen = this.reopen): void {
    if (error instanceof RequestError && error.aborted) return;
    if (this.#lost) {
      this.notice = this.#lost;
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    const reduce = error instanceof RequestError ? error.reduce : undefined;
    const remedy = reduce && { title: `Open at 1/${reduce} of its size`, act: () => reopen(reduce) };
    this.notice = { message, ...(remedy ? { remedy } : {}) };
  }

  /** The worker was lost: whatever is asked for from now on is answered with this notice, until an image is open again. */
  lose(notice: Notice): void {
    this.task = undefined;
    this.#lost = notice;
    this.notice = notice;
  }
}
