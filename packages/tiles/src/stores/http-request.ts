import { InputError, isGhtError, OptionError } from 'ght';
import type { Refuse } from 'ght-images/node';

/** The longest wait for a server, in milliseconds. */
const DEFAULT_TIMEOUT = 30_000;

/** What a server answered. */
export interface Answer {
  /** The status of the response. */
  readonly status: number;
  /** Its headers. */
  readonly headers: Headers;
  /** Its body, or nothing if it was not wanted. */
  readonly bytes: Uint8Array;
}

/** A request for bytes. */
export interface BytesRequest {
  /** Headers to send. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The most bytes of the body, decided by the status and the headers; 0 reads no body. May throw. */
  readonly most: (response: Response) => number;
  /** The longest time without an answer or without progress, in milliseconds. */
  readonly timeout?: number;
  /** Stops the request. */
  readonly signal?: AbortSignal;
}

/**
 * Requests an address, with a limit on the length of the body and on the time without progress, since a server may send without end or
 * stop in the middle. When this returns or throws, nothing of the request is left that would keep the process from exiting.
 */
export async function requestBytes(url: string, request: BytesRequest, refuse: Refuse): Promise<Answer> {
  const { headers, most, timeout = DEFAULT_TIMEOUT, signal } = request;
  if (!(timeout > 0 && timeout < 2 ** 31)) {
    throw new OptionError('timeout', 'must be a number of milliseconds above 0', timeout, `try ${DEFAULT_TIMEOUT}`);
  }
  signal?.throwIfAborted();
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener('abort', end);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, timeout);
  try {
    // A compressed body would have neither the length nor the places of the bytes that are asked for.
    const sent = { ...headers, 'Accept-Encoding': 'identity' };
    const response = await fetch(url, { headers: sent, signal: ending.signal });
    const limit = most(response);
    if (limit > 0) checkEncoding(response, refuse);
    const bytes = limit > 0 ? await bodyOf(response, limit, refuse, () => timer.refresh()) : new Uint8Array(0);
    return { status: response.status, headers: response.headers, bytes };
  } catch (cause) {
    signal?.throwIfAborted();
    if (isGhtError(cause)) throw cause;
    if (late) {
      const rule = `must be on a server that answers, which this one has not done for ${timeout / 1000} s`;
      throw refuse(rule, 'try again later, or fetch it first', InputError, { cause });
    }
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw refuse(`must be reachable (${reason})`, 'check the address', InputError, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    // Closes the connection if there is more of the body.
    end();
  }
}

function checkEncoding({ headers }: Response, refuse: Refuse): void {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw refuse(`must be on a server that does not compress what it sends (${encoding})`, 'fetch it first');
  }
}

async function bodyOf({ body }: Response, most: number, refuse: Refuse, progress: () => void): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    progress();
    length += part.length;
    if (length > most) {
      throw refuse(`must be on a server that sends at most the ${most} bytes that are expected`, 'fetch it first');
    }
    parts.push(part);
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts, length);
}

/** The error of a status that has no content. */
export function unreachable(status: number, refuse: Refuse) {
  return refuse(`must be reachable (HTTP ${status})`, 'check the address');
}

/** What of a response differs when the content at its address does. */
export function contentTag(headers: Headers): string {
  return `${headers.get('etag') ?? ''}|${headers.get('last-modified') ?? ''}`;
}
