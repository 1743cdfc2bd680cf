import type { Event } from '../worker/protocol.js';
import { RequestError } from './client.js';

/** An error message, and the remedy that the page offers. */
export interface Notice {
  readonly message: string;
  readonly remedy?: { readonly title: string; readonly act: () => void };
}

/** Called when a task starts, and when none is running any more. */
export interface TaskWatcher {
  readonly onStart: () => void;
  readonly onEnd: () => void;
}

/** The time left is shown only after this share of a task and this many seconds: before, it is a guess. */
const [TELLING_FRACTION, TELLING_SECONDS] = [0.04, 2];

/** The kind of the current task. */
export type Task = 'open' | 'represent' | 'compare' | 'denoise' | 'restore' | 'codes' | 'measure';

/** Runs one task at a time: a new one ends the last. Holds its progress, and the error if it fails. */
export class Runner {
  task = $state<Task>();
  fraction = $state(0);
  doing = $state('');
  /** The seconds that the current task will still take, once they can be estimated. */
  secondsLeft = $state<number>();
  notice = $state.raw<Notice>();
  #running: AbortController | undefined;
  /** When the task first reported its progress: what came before, such as the start of threads, does not come again. */
  #first: { readonly seconds: number; readonly fraction: number } | undefined;
  readonly #watchers: TaskWatcher[] = [];
  /** Set when the worker, and with it the image, was lost: nothing else can run until an image is opened again. */
  #lost: Notice | undefined;

  constructor(
    /** Reopens the image with each side divided by n: the remedy if it does not fit. */
    private readonly reopen: (n: number) => void,
  ) {}

  /** Adds a watcher. */
  watch(watcher: TaskWatcher): void {
    this.#watchers.push(watcher);
  }

  /** Whether the worker was lost and no image has been opened since. */
  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Runs a task and reports its error. The signal is aborted if the task is cancelled or another one starts. */
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
    this.secondsLeft = undefined;
    this.#first = undefined;
    for (const { onStart } of this.#watchers) onStart();
    try {
      await work(stop.signal);
      if (task === 'open') this.#lost = undefined;
    } catch (error) {
      this.report(error, reopen);
    } finally {
      if (this.#running === stop) this.#ended();
    }
  }

  /** Reads the progress from a worker's event. */
  progress(event: Event): void {
    if (event.kind !== 'progress') return;
    this.fraction = event.fraction;
    this.doing = event.doing ?? '';
    const now = performance.now() / 1000;
    this.#first ??= { seconds: now, fraction: event.fraction };
    const [seconds, done] = [now - this.#first.seconds, event.fraction - this.#first.fraction];
    const telling = done >= TELLING_FRACTION && seconds >= TELLING_SECONDS;
    this.secondsLeft = telling ? (seconds * (1 - event.fraction)) / done : undefined;
  }

  #ended(): void {
    this.#running = undefined;
    this.task = undefined;
    for (const { onEnd } of this.#watchers) onEnd();
  }

  /** Stops the task: immediately for the page, as soon as possible for the worker. */
  cancel(): void {
    this.#running?.abort();
    this.#ended();
  }

  /** Shows an error; a cancellation is not one. */
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

  /** Called when the worker was lost: every later request gets this notice, until an image is opened again. */
  lose(notice: Notice): void {
    this.task = undefined;
    this.#lost = notice;
    this.notice = notice;
  }
}
