/** Progress of jobs as server-sent events, for clients that know the name of a job. */
import type { ServerResponse } from 'node:http';

/** The most streams that are open at once. */
const MOST_STREAMS = 256;
/** Milliseconds after which a comment is sent, so that no proxy closes a silent stream. */
const ALIVE_MS = 15_000;

/** What happened to a job. */
export type JobEvent =
  | { readonly event: 'waiting' | 'running' }
  | { readonly event: 'progress'; readonly fraction: number; readonly doing?: string }
  | { readonly event: 'done' | 'failed'; readonly status: number; readonly message?: string };

/** The streams by the names of their jobs. A stream may begin before its job. */
export class JobEvents {
  readonly #streams = new Map<string, Set<ServerResponse>>();
  readonly #last = new Map<string, JobEvent>();
  #count = 0;

  /** Whether another stream can be opened. */
  get isFull(): boolean {
    return this.#count >= MOST_STREAMS;
  }

  /** Whether a job of this name is not yet done. */
  has(job: string): boolean {
    return this.#last.has(job);
  }

  /** Sends what happens to a job, until it is done or the client leaves. */
  open(job: string, response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write(': open\n\n');
    const streams = this.#streams.get(job) ?? new Set();
    this.#streams.set(job, streams.add(response));
    this.#count++;
    const alive = setInterval(() => response.write(': alive\n\n'), ALIVE_MS);
    alive.unref();
    response.once('close', () => {
      clearInterval(alive);
      this.#count--;
      streams.delete(response);
      if (streams.size === 0) this.#streams.delete(job);
    });
    const last = this.#last.get(job);
    if (last) write(response, last);
  }

  /** Says what happened to a job. */
  send(job: string, event: JobEvent): void {
    const isEnd = event.event === 'done' || event.event === 'failed';
    if (isEnd) this.#last.delete(job);
    else this.#last.set(job, event);
    for (const response of this.#streams.get(job) ?? []) {
      write(response, event);
      if (isEnd) response.end();
    }
  }

  /** Ends all streams. */
  close(): void {
    for (const streams of this.#streams.values()) for (const response of streams) response.end();
  }
}

function write(response: ServerResponse, { event, ...data }: JobEvent): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
