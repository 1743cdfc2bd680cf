import type { LearnKind, LearnRequests } from '../worker/learn-protocol.js';

/** Sends a request of the story to the worker. */
export type AskLesson = <K extends LearnKind>(
  kind: K,
  ask: LearnRequests[K]['ask'],
  signal?: AbortSignal,
) => Promise<LearnRequests[K]['reply']>;

/** An answer together with its question. */
export interface Answer<K extends LearnKind> {
  readonly ask: LearnRequests[K]['ask'];
  readonly reply: LearnRequests[K]['reply'];
}

/** The answer for a control that moves: one request at a time, and of those that wait only the latest is sent. */
export class Live<K extends LearnKind> {
  /** The latest answer; while a control moves, it may belong to a position that was passed. */
  answer = $state.raw<Answer<K>>();
  #wanted: LearnRequests[K]['ask'] | undefined;
  #running = false;
  /** Another number for every picture: answers for the last one are dropped. */
  #picture = 0;

  constructor(
    private readonly kind: K,
    private readonly ask: AskLesson,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Requests the answer for this position. */
  want(ask: LearnRequests[K]['ask']): void {
    this.#wanted = ask;
    if (!this.#running) void this.#serve();
  }

  /** Forgets everything, for another picture. */
  clear(): void {
    this.#picture++;
    this.#wanted = undefined;
    this.answer = undefined;
  }

  async #serve(): Promise<void> {
    this.#running = true;
    try {
      while (this.#wanted) {
        const [ask, picture] = [this.#wanted, this.#picture];
        this.#wanted = undefined;
        const reply = await this.ask(this.kind, ask);
        if (picture === this.#picture) this.answer = { ask, reply };
      }
    } catch (error) {
      this.onError(error);
    } finally {
      this.#running = false;
    }
  }
}

/** The answers for every position of a control, computed one after the other, the chosen position first. */
export class Sweep<K extends LearnKind> {
  /** By position; undefined where the answer has not arrived. */
  answers = $state.raw<readonly (LearnRequests[K]['reply'] | undefined)[]>([]);
  /** The last answer for a chosen position, to be shown until the next one arrives; it may be of the sweep before. */
  latest = $state.raw<LearnRequests[K]['reply']>();
  #running: AbortController | undefined;

  constructor(
    private readonly kind: K,
    private readonly ask: AskLesson,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Starts again with these requests, one per position. `chosen` is the position that is shown, asked before each request. */
  async start(asks: readonly LearnRequests[K]['ask'][], chosen: () => number): Promise<void> {
    this.#running?.abort();
    const stop = new AbortController();
    this.#running = stop;
    this.answers = asks.map(() => undefined);
    try {
      for (let missing = this.#missing(chosen()); missing >= 0; missing = this.#missing(chosen())) {
        const reply = await this.ask(this.kind, asks[missing], stop.signal);
        if (stop.signal.aborted) return;
        this.answers = this.answers.map((each, i) => (i === missing ? reply : each));
        if (missing === chosen()) this.latest = reply;
      }
    } catch (error) {
      if (!stop.signal.aborted) this.onError(error);
    }
  }

  /** Forgets everything, for another picture. */
  clear(): void {
    this.#running?.abort();
    this.answers = [];
    this.latest = undefined;
  }

  /** The chosen position, or the first without an answer; −1 if there is none. */
  #missing(chosen: number): number {
    return this.answers[chosen] === undefined && chosen in this.answers ? chosen : this.answers.indexOf(undefined);
  }
}
