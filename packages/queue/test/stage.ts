/** What the tests on a real server share: a folder with a source, processes, and the result that must come out. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Data } from 'ght/check';
import { runHere } from 'ght/plans';
import type { Places, TiledTask } from 'ght-tiles';
import { type Files, type QueueRunnerOptions, queueRunner, rootedPlaces } from '../src/index.js';
import { startRedis, type TestServer } from './redis.js';
import { toyFiles, toyTask } from './toy.js';

/** What the toy plan returns. */
export interface Result {
  readonly mean: number;
  readonly written: readonly number[];
}

export type Request = {
  readonly input: string;
  readonly output: string;
  readonly tiles: number;
  readonly length: number;
} & {
  readonly [key: string]: Data;
};

/** The context of the toy plan. */
export interface Context {
  readonly request: Request;
  readonly places: Places;
}

/** The toy task, with its types. */
export const task = toyTask as unknown as TiledTask<Request, Context, Result>;

export const FINGERPRINT = 'abcdef012345';

/** A process whose lines can be waited for. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** The first line that matches, once it is there. */
  line(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The error of work that must fail. */
export async function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('it did not fail'),
    (error) => error,
  );
}

/** Waits until something is so; fails after a while. */
export async function until<T>(what: string, test: () => T | Promise<T>, seconds = 60): Promise<NonNullable<T>> {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(20)) {
    const value = await test();
    if (value) return value;
  }
  throw new Error(`waited in vain for ${what}`);
}

const files = toyFiles() as unknown as Files;

export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'ght-queue-'));
  readonly root = join(this.folder, 'data');
  readonly log = join(this.folder, 'log');
  readonly #children: Child[] = [];
  server!: TestServer;

  constructor() {
    mkdirSync(this.root);
    mkdirSync(join(this.folder, 'redis'));
  }

  async start(...args: Parameters<typeof startRedis> extends [string, ...infer Rest] ? Rest : never): Promise<this> {
    this.server = await startRedis(join(this.folder, 'redis'), ...args);
    return this;
  }

  /** A request on a source of this many tiles. */
  request(tiles: number, more: Record<string, Data> = {}): Request {
    const length = 16;
    const bytes = Uint8Array.from({ length: tiles * length }, (_, i) => (i * i * 7 + i) % 251);
    writeFileSync(join(this.root, 'source'), bytes);
    return { input: 'data:source', output: 'data:out', tiles, length, ...more };
  }

  options(more: Partial<QueueRunnerOptions> = {}): QueueRunnerOptions {
    return { roots: { data: this.root }, files, fingerprint: FINGERPRINT, backoff: 50, ...more };
  }

  runner(more: Partial<QueueRunnerOptions> = {}) {
    return queueRunner(this.server.url, this.options(more));
  }

  /** The result of the plan in this process, tile after tile, and the bytes that it writes to another sink. */
  async expected(request: Request): Promise<{ result: Result; files: Record<string, string> }> {
    const places = rootedPlaces({ roots: { data: this.root }, files })('alone');
    const alone = { ...request, output: 'data:alone' };
    const result = await runHere(task.plan, await task.open(alone, places));
    const written = this.written('alone');
    rmSync(join(this.root, 'alone'), { recursive: true });
    return { result, files: written };
  }

  /** The files of a sink, in hexadecimal. */
  written(sink = 'out'): Record<string, string> {
    const folder = join(this.root, sink);
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'hex')]));
  }

  /** How often each tile was begun, such as { 'sum 3': 1 }. */
  begun(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const line of this.logged()) {
      const [work, tile] = line.split(' ');
      if (work === 'stopped') continue;
      counts[`${work} ${tile}`] = (counts[`${work} ${tile}`] ?? 0) + 1;
    }
    return counts;
  }

  logged(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').trim().split('\n') : [];
  }

  /** Starts a worker, and waits until it takes tiles. */
  async worker(
    options: Record<string, unknown> = {},
    environment: NodeJS.ProcessEnv = {},
    nodeOptions: readonly string[] = [],
  ): Promise<Child> {
    const child = this.#child('worker.js', options, environment, nodeOptions);
    await child.line(/^ready$/);
    return child;
  }

  coordinator(request: Request, options: Record<string, unknown> = {}): Child {
    return this.#child('coordinator.js', { request, ...options });
  }

  #child(
    script: string,
    options: Record<string, unknown>,
    environment: NodeJS.ProcessEnv = {},
    nodeOptions: readonly string[] = [],
  ): Child {
    const given = { url: this.server.url, roots: { data: this.root }, fingerprint: FINGERPRINT, ...options };
    const path = fileURLToPath(new URL(script, import.meta.url));
    const env = { ...process.env, TOY_LOG: this.log, ...environment };
    const child = spawn(process.execPath, [...nodeOptions, path, JSON.stringify(given)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    let rest = '';
    const take = (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const line = (pattern: RegExp) => {
      return until(`${pattern} of ${script}`, () => {
        const found = lines.find((text) => pattern.test(text));
        if (!found && child.exitCode !== null) throw new Error(`${script} ended: ${lines.join('\n')}${rest}`);
        return found;
      });
    };
    const kill = async (signal: NodeJS.Signals) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    };
    this.#children.push({ process: child, lines, line, kill });
    return this.#children[this.#children.length - 1];
  }

  async end(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill('SIGKILL')));
    await this.server?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A task of somebody who writes jobs as they like: one tile of a pass with this work and argument. */
export function forged(name: string, work: string, argument: unknown): TiledTask<Request, null, null> {
  const anything = (value: unknown) => value;
  const pass = { name: work, argument: anything, answer: anything, work: async () => null };
  const plan: TiledTask<Request, null, null>['plan'] = {
    name,
    work: {},
    run: async (_, perform) => {
      await perform(pass, argument, { parts: 1, share: 1, name: 'forged' });
      return null;
    },
  };
  return { name, plan, open: async () => null, has: () => false, work: async () => null };
}
