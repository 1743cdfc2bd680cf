/**
 * The commands as tools of the Model Context Protocol: JSON-RPC 2.0, one message per line. Arguments are paths of files in a folder, and
 * so are the results. Calls are done one after the other.
 */
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { InputError, OptionError } from 'ght';
import type { Context } from '../context.js';
import { listenToProgress } from '../output/progress.js';
import { argumentsOf } from './arguments.js';
import { failureOf } from './failure.js';
import { IMAGE, operations } from './operations.js';

/** The versions of the protocol that are spoken, the newest first. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;
const OUTPUT = 'output';
/** Codes of errors in JSON-RPC. */
const codes = { parse: -32700, request: -32600, method: -32601, parameters: -32602 } as const;

type Id = string | number;
interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}
interface Call {
  readonly id: Id;
  readonly name: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly progress?: Id;
}

/** A session over lines: `answer` takes each line that comes, and `send` each that goes. */
export class McpSession {
  readonly #folder: string;
  readonly #program: Command;
  readonly #runCommand: Context['run'];
  readonly #send: (line: string) => void;
  readonly #stops = new Map<Id, AbortController>();
  #last: Promise<void> = Promise.resolve();

  /** `folder` is a real path: nothing outside of it is read or written. */
  constructor(folder: string, program: Command, run: Context['run'], send: (line: string) => void) {
    this.#folder = folder;
    this.#program = program;
    this.#runCommand = run;
    this.#send = send;
  }

  /** Answers a message. */
  answer(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      this.#fail(null, codes.parse, 'the message must be JSON in one line');
      return;
    }
    const { id, method, params = {} } = Object(message) as Message;
    if (Array.isArray(message) || typeof method !== 'string' || typeof params !== 'object' || params === null) {
      this.#fail(id ?? null, codes.request, 'the message must be a request or a notification');
    } else if (id === undefined || id === null) this.#notice(method, params);
    else this.#request(id, method, params);
  }

  /** Ends when all calls are answered. */
  async finish(): Promise<void> {
    await this.#last;
  }

  /** Stops all calls. */
  stop(): void {
    for (const controller of this.#stops.values()) controller.abort();
  }

  #notice(method: string, { requestId }: Readonly<Record<string, unknown>>): void {
    if (method === 'notifications/cancelled') this.#stops.get(requestId as Id)?.abort();
  }

  #request(id: Id, method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'initialize') {
      const asked = VERSIONS.find((version) => version === params.protocolVersion);
      const serverInfo = { name: 'ght', title: 'Global hard thresholding', version: this.#program.version() };
      this.#result(id, { protocolVersion: asked ?? VERSIONS[0], capabilities: { tools: {} }, serverInfo });
    } else if (method === 'ping') this.#result(id, {});
    else if (method === 'tools/list') this.#result(id, { tools: toolsOf(this.#program.commands) });
    else if (method === 'tools/call') this.#call(id, params);
    else this.#fail(id, codes.method, `there is no method ${method}`);
  }

  #call(id: Id, { name, arguments: given = {}, _meta: meta }: Readonly<Record<string, unknown>>): void {
    if (typeof name !== 'string' || !Object.hasOwn(operations, name)) {
      this.#fail(id, codes.parameters, `there is no tool ${name}: the tools are ${Object.keys(operations).join(', ')}`);
      return;
    }
    if (this.#stops.has(id) || typeof given !== 'object' || given === null) {
      this.#fail(id, codes.request, 'a call must have an id of its own, and an object as arguments');
      return;
    }
    const controller = new AbortController();
    this.#stops.set(id, controller);
    const { progressToken: progress } = Object(meta) as { readonly progressToken?: Id };
    const call = { id, name, given: given as Call['given'], progress };
    this.#last = this.#last.then(() => this.#perform(call, controller.signal)).finally(() => this.#stops.delete(id));
  }

  async #perform({ id, name, given, progress: progressToken }: Call, signal: AbortSignal): Promise<void> {
    listenToProgress(({ fraction, doing }) => {
      if (progressToken === undefined || Number.isNaN(fraction)) return;
      const params = { progressToken, progress: fraction, total: 1, message: doing };
      this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    });
    try {
      signal.throwIfAborted();
      const text = await this.#run(name, given, signal);
      this.#result(id, { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) });
    } catch (error) {
      // A call that was cancelled gets no answer.
      if (signal.aborted) return;
      this.#result(id, { content: [{ type: 'text', text: failureOf(error).message }], isError: true });
    }
  }

  async #run(name: string, given: Call['given'], signal: AbortSignal): Promise<string> {
    const command = commandNamed(this.#program.commands, name);
    const { files, words, image } = operations[name];
    const values = new Map<string, string>();
    const paths = new Map<string, string>();
    for (const [field, value] of Object.entries(given)) {
      const text = String(value);
      if (field === OUTPUT && image) continue;
      if (field === IMAGE || (files.includes(field) && !words?.[field]?.test(text))) {
        paths.set(field, await this.#input(field, text));
      } else values.set(field, text);
    }
    const args = argumentsOf(name, command, values, paths);
    if (image) args.push(`--output=${await this.#output(String(given[OUTPUT] ?? ''))}`);
    const printed: string[] = [];
    const context = { print: (text: string) => printed.push(text), note: () => {}, stopped: { note: '' }, signal };
    await this.#runCommand([...args, '--json'], context);
    return printed.join('\n');
  }

  /** The path of a file in the folder, after all links are resolved. */
  async #input(field: string, path: string): Promise<string> {
    const real = await realpath(resolve(this.#folder, path)).catch(() => undefined);
    if (real === undefined || !this.#contains(real) || !(await stat(real)).isFile()) {
      throw new InputError(field, 'must be a file in the folder of this server', path, 'give its path in the folder');
    }
    return real;
  }

  /** The path of a result, in a folder that exists; what a link leads to must be in the folder too. */
  async #output(path: string): Promise<string> {
    const refuse = () =>
      new OptionError(OUTPUT, 'must be a file in the folder of this server', path, 'name a file such as clean.png');
    const wanted = resolve(this.#folder, path);
    const parent = await realpath(dirname(wanted)).catch(() => undefined);
    if (path === '' || parent === undefined || !this.#contains(parent)) throw refuse();
    const place = join(parent, basename(wanted));
    const there = await lstat(place).catch(() => undefined);
    if (there && !there.isFile()) throw refuse();
    return place;
  }

  #contains(real: string): boolean {
    return real === this.#folder || real.startsWith(this.#folder.endsWith(sep) ? this.#folder : this.#folder + sep);
  }

  #result(id: Id, result: object): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  #fail(id: Id | null, code: number, message: string): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

function commandNamed(commands: readonly Command[], name: string): Command {
  const command = commands.find((each) => each.name() === name);
  if (!command) throw new Error(`there is no command ${name}`);
  return command;
}

/** The tools, made of the commands and their flags. */
function toolsOf(commands: readonly Command[]): object[] {
  return Object.entries(operations).map(([name, { options, files, image }]) => {
    const command = commandNamed(commands, name);
    const flags = [...options, ...files].flatMap((field) => {
      const option = command.options.find(({ long }) => long === `--${field}`);
      if (!option) return [];
      const type = option.isBoolean() ? 'boolean' : ['string', 'number'];
      return [[field, { type, description: option.description }] as const];
    });
    const path = (description: string) => ({ type: 'string', description });
    const properties = {
      [IMAGE]: path('the image: a path in the folder'),
      ...(image && {
        [OUTPUT]: path('where the result is written: a path in the folder, whose extension is the format'),
      }),
      ...Object.fromEntries(flags),
    };
    const required = image ? [IMAGE, OUTPUT] : [IMAGE];
    const inputSchema = { type: 'object', properties, required, additionalProperties: false };
    return { name, title: command.summary(), description: command.description(), inputSchema };
  });
}
