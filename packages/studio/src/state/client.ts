import type { Event, FromWorker, RequestKind, Requests, ToWorker } from '../worker/protocol.js';

/** A request that the worker could not fulfil, with a message for the page. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  constructor(
    message: string,
    /** True if it was cancelled; the user is not notified then. */
    readonly aborted: boolean,
    /** For an image that is too large: the factor by which each side must be reduced. */
    readonly reduce?: number,
  ) {
    super(message);
  }
}

interface Pending {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: RequestError) => void;
  readonly onEvent?: (event: Event) => void;
}

interface AskOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: Event) => void;
  readonly toTheEnd?: boolean;
}

/** The page's side of the communication with its worker. */
export class Client {
  #worker: Worker | undefined;
  readonly #pending = new Map<number, Pending>();
  #next = 1;

  constructor(
    private readonly start: () => Worker,
    /** Called when the worker has died and everything it held is lost. */
    private readonly onLost: (message: string) => void,
  ) {}

  /**
   * Sends a request; events arrive while it is processed. After an abort the promise rejects at once, whatever the worker does.
   * With `toTheEnd` it settles only when the worker has answered, for callers that must know its state: an abort may come too
   * late.
   */
  ask<K extends RequestKind>(
    kind: K,
    ask: Requests[K]['ask'],
    { signal, onEvent, toTheEnd = false }: AskOptions = {},
  ): Promise<Requests[K]['reply']> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#send({ cancel: id });
        if (toTheEnd) return;
        this.#pending.delete(id);
        reject(new RequestError('cancelled', true));
      };
      if (signal?.aborted) return reject(new RequestError('cancelled', true));
      signal?.addEventListener('abort', cancel, { once: true });
      const done = () => signal?.removeEventListener('abort', cancel);
      this.#pending.set(id, {
        resolve: (reply) => {
          done();
          resolve(reply as Requests[K]['reply']);
        },
        reject: (error) => {
          done();
          reject(error);
        },
        onEvent,
      });
      this.#send({ id, kind, ask });
    });
  }

  #send(message: ToWorker): void {
    this.#worker ??= this.#started();
    this.#worker.postMessage(message);
  }

  #started(): Worker {
    const worker = this.start();
    let heard = false;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      heard = true;
      this.#receive(data);
    };
    worker.onerror = ({ message }) => {
      worker.terminate();
      this.#worker = undefined;
      // A worker that never sent a message has not started: its script was not loaded, or not completely.
      const said = heard
        ? `The computation stopped unexpectedly (${message || 'out of memory'}).`
        : `A part of this page could not be loaded${message ? ` (${message})` : ''}. Reload the page.`;
      const lost = new RequestError(said, false);
      for (const { reject } of this.#pending.values()) reject(lost);
      this.#pending.clear();
      this.onLost(lost.message);
    };
    return worker;
  }

  #receive(data: FromWorker): void {
    const pending = this.#pending.get(data.id);
    if (!pending) return;
    if ('event' in data) {
      pending.onEvent?.(data.event);
      return;
    }
    this.#pending.delete(data.id);
    if ('reply' in data) {
      pending.resolve(data.reply);
      return;
    }
    const { message, aborted, reduce } = data.failure;
    pending.reject(new RequestError(message, aborted, reduce));
  }
}
