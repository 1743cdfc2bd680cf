/** The HTTP server of `ght serve`. It only speaks HTTP: jobs are done by a pool of threads. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { refusalOf } from './access.js';
import { type JobEvent, JobEvents } from './events.js';
import { badRequest, type JobFailure } from './failure.js';
import { Metrics } from './metrics.js';
import { openApi } from './openapi.js';
import { operations } from './operations.js';
import { FailedJob, JobPool, type PoolLimits } from './pool.js';
import type { JobResult } from './protocol.js';

/** How a server is set up. */
export interface ServiceOptions extends PoolLimits {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** What clients must know; undefined if everyone on this machine may ask. */
  readonly token?: string;
  /** Requests that may wait for a thread. */
  readonly waiting: number;
  readonly mostBytes: number;
  readonly mostPixels: number;
  /** The commands, for their description. */
  readonly commands: readonly Command[];
  readonly version: string;
}

/** A server that runs. */
export interface Service {
  readonly url: string;
  /** Refuses new requests, ends when those that run or wait are answered. */
  close(): Promise<void>;
}

const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;
/** The most characters of a report in a header. Clients take 16 KiB of headers in all. */
const LONGEST_REPORT = 4096;
/** Milliseconds in which a client has to send its request. */
const REQUEST_MS = 60_000;

/** Starts the server. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const service = new HttpService(options);
  await service.listen();
  return service;
}

class HttpService implements Service {
  readonly #options: ServiceOptions;
  readonly #pool: JobPool;
  readonly #events = new JobEvents();
  readonly #metrics = new Metrics();
  readonly #server: Server;
  #description: string | undefined;
  /** Requests for jobs that are not answered yet, also those whose bodies are still being sent. */
  #open = 0;
  #closing = false;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#pool = new JobPool(options);
    this.#server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: 10_000 }, (request, response) => {
      this.#answer(request, response).catch((error: Error) => fail(response, internal(error)));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, this.#options.host, resolve);
    });
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    // Streams of jobs that never began would keep it open.
    const idle = setInterval(() => {
      if (this.#pool.running + this.#pool.waiting === 0) this.#events.close();
      this.#server.closeIdleConnections();
    }, 50);
    await closed;
    clearInterval(idle);
    await this.#pool.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = addressOf(request);
    const name = pathname.slice(1);
    const isOperation = Object.hasOwn(operations, name);
    const [, job] = /^\/jobs\/([^/]+)\/events$/.exec(pathname) ?? [];
    const failure = this.#refusal(request, pathname, isOperation ? 'POST' : 'GET', isOperation || job !== undefined);
    if (failure) {
      if (failure.status === 405) response.setHeader('Allow', isOperation ? 'POST' : 'GET');
      fail(response, failure);
    } else if (isOperation) await this.#operate(name, searchParams, request, response);
    else if (job !== undefined) this.#follow(job, response);
    else if (pathname === '/metrics') sendText(response, 'text/plain; version=0.0.4', this.#metrics.text(this.#pool));
    else if (pathname === '/health') this.#health(response);
    else {
      this.#description ??= JSON.stringify(openApi(this.#options.commands, this.#options.version));
      sendText(response, 'application/json', this.#description);
    }
  }

  /** Why a request is not answered; undefined if it is. */
  #refusal(request: IncomingMessage, path: string, allowed: string, isKnown: boolean): JobFailure | undefined {
    const isOpen = path === '/health' || path === '/openapi.json';
    const refusal = isOpen ? undefined : refusalOf(request, this.#options.token);
    if (refusal) return refused(refusal);
    if (!isKnown && !isOpen && path !== '/metrics') {
      return requestFailure(404, `there is no ${path.slice(0, 80)}: GET /openapi.json lists what there is`);
    }
    return request.method === allowed ? undefined : requestFailure(405, `the method must be ${allowed}`);
  }

  #health(response: ServerResponse): void {
    const { running, waiting } = this.#pool;
    if (this.#closing) {
      fail(response, stopping());
      return;
    }
    sendText(response, 'application/json', JSON.stringify({ status: 'ok', running, waiting }));
  }

  #follow(job: string, response: ServerResponse): void {
    if (!isJobName(job)) {
      fail(response, jobNameFailure(job));
      return;
    }
    if (this.#events.isFull) {
      fail(response, busy('too many clients follow jobs'));
      return;
    }
    this.#events.open(job, response, headers);
  }

  /** Runs an operation, and counts its answer. */
  async #operate(
    name: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const begin = performance.now();
    const client = new AbortController();
    response.once('close', () => client.abort(new Error('the client has left')));
    const job = query.get('job') ?? randomUUID();
    response.setHeader('Ght-Job', isJobName(job) ? job : '');
    // Another request that runs may have this name: its streams are not this one's.
    const isOwn = isJobName(job) && !this.#events.has(job);
    const report = (event: JobEvent) => {
      if (isOwn) this.#events.send(job, event);
    };
    report({ event: 'waiting' });
    this.#open++;
    const refusal = isOwn ? this.#jobRefusal() : jobNameFailure(job);
    const result = refusal
      ? Promise.reject(new FailedJob(refusal))
      : this.#result(name, query, request, client.signal, report);
    const answered = result.then(
      (result) => {
        sendResult(response, result, request.headers.accept ?? '');
        report({ event: 'done', status: 200 });
        return 200;
      },
      (error: Error) => {
        const failure = error instanceof FailedJob ? error.failure : internal(error);
        // 499 is what servers write down for a client that has left.
        const status = client.signal.aborted ? 499 : failure.status;
        report({ event: 'failed', status, message: failure.message });
        // What is still being sent would only be thrown away.
        if (!request.complete) response.setHeader('Connection', 'close');
        fail(response, failure);
        return status;
      },
    );
    const status = await answered.finally(() => this.#open--);
    this.#metrics.count(name, status, (performance.now() - begin) / 1000);
  }

  /** Why no job is begun, before the body of its request is read: bodies take memory too. */
  #jobRefusal(): JobFailure | undefined {
    if (this.#closing) return stopping();
    const { concurrency, waiting } = this.#options;
    return this.#open > concurrency + waiting ? busy('too many requests wait') : undefined;
  }

  async #result(
    operation: string,
    query: URLSearchParams,
    request: IncomingMessage,
    signal: AbortSignal,
    report: (event: JobEvent) => void,
  ): Promise<JobResult> {
    const { mostBytes, mostPixels } = this.#options;
    const body = await bodyOf(request, mostBytes);
    signal.throwIfAborted();
    const { 'content-type': type = '', accept = '' } = request.headers;
    return this.#pool.run(
      { operation, query: [...query].filter(([name]) => name !== 'job'), type, accept, body, mostPixels },
      {
        signal,
        onStart: () => report({ event: 'running' }),
        onProgress: (progress) => report({ event: 'progress', ...progress }),
      },
    );
  }
}

/** The body of a request, in memory of its own. */
async function bodyOf(request: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new FailedJob({
      ...requestFailure(413, `the body must have at most ${most} bytes: send a smaller image`),
      kind: 'resource',
    });
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > most) throw tooLarge();
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

function sendResult(response: ServerResponse, { report, image }: JobResult, accept: string): void {
  const isReport = !image || /(^|,)\s*application\/json\b/i.test(accept);
  if (!isReport) {
    const { type, bytes } = image;
    response.writeHead(200, {
      ...headers,
      'Content-Type': type,
      'Content-Length': bytes.length,
      'Ght-Report': inHeader(report),
    });
    response.end(bytes);
    return;
  }
  const { type, bytes } = image ?? {};
  const whole =
    image && bytes
      ? { ...JSON.parse(report), result: { type, base64: Buffer.from(bytes).toString('base64') } }
      : undefined;
  sendText(response, 'application/json', whole ? JSON.stringify(whole) : report);
}

/** A report in ASCII. What is too long for a header is reduced to its sentences and the time. */
function inHeader(report: string): string {
  const ascii = (text: string) =>
    text.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const whole = ascii(report);
  if (whole.length <= LONGEST_REPORT) return whole;
  const { task, messages, seconds } = JSON.parse(report);
  const short = ascii(JSON.stringify({ task, messages, seconds }));
  return short.length <= LONGEST_REPORT ? short : JSON.stringify({ task, seconds });
}

function sendText(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { ...headers, 'Content-Type': `${type}; charset=utf-8` }).end(text);
}

function fail(response: ServerResponse, { status, kind, message }: JobFailure): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (status === 429 || status === 503) response.setHeader('Retry-After', '5');
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' });
  response.end(`${JSON.stringify({ error: message, kind })}\n`);
}

function requestFailure(status: number, message: string): JobFailure {
  return { status, kind: 'request', message };
}

function refused(status: 401 | 403): JobFailure {
  if (status === 401)
    return requestFailure(401, 'the header Authorization must be Bearer with the token of the server');
  return requestFailure(
    403,
    'the header Host must name this machine, and Origin no other site: set a token to serve others',
  );
}

/** More than this server takes at once, from however many clients. */
function busy(reason: string): JobFailure {
  return { status: 429, kind: 'resource', message: `${reason}: try again later` };
}

function stopping(): JobFailure {
  return { status: 503, kind: 'resource', message: 'the server stops: try again later' };
}

function internal(error: Error): JobFailure {
  return { status: 500, kind: 'internal', message: `internal error: ${error.message}` };
}

function isJobName(job: string): boolean {
  return /^[\w-]{1,64}$/.test(job);
}

/** What is wrong with the name of a job that is not that of this request. */
function jobNameFailure(job: string): JobFailure {
  if (isJobName(job)) return requestFailure(409, `a job named ${job} runs already: choose another name`);
  return badRequest('job', 'must have at most 64 letters, digits, - and _', job.slice(0, 80), 'choose another name');
}

/** The path and the query of a request; an address that is none has no path. */
function addressOf({ url = '/' }: IncomingMessage): Pick<URL, 'pathname' | 'searchParams'> {
  return URL.canParse(url, 'http://host')
    ? new URL(url, 'http://host')
    : { pathname: '', searchParams: new URLSearchParams() };
}
