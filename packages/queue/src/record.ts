/** What Redis knows about a run, beside the jobs that wait: its request, its passes, its answers and its failures. */
import { EnvironmentError, type ErrorKind, InputError, isGhtError, OptionError, ResourceError } from 'ght';
import { type Data, decodeData, encodeData, type Pass } from 'ght-tiles';
import type { Redis } from 'ioredis';
import { keys } from './keys.js';

/** What a run is, as its coordinator writes it. */
export interface RunRecord {
  readonly plan: string;
  readonly request: Data;
  /** The versions of the sources, by name. */
  readonly sources: Readonly<Record<string, string>>;
  readonly version: string;
  readonly fingerprint: string;
  /** Bytes that the work of a tile needs; 0 if that is not known. */
  readonly memory: number;
}

/** `running` also after its coordinator was killed: workers go on until no job is left. */
export type RunMark = 'running' | 'done' | 'failed' | 'cancelled';

/** A failed attempt at a tile. */
export interface Failure {
  /** The pass. */
  readonly pass: string;
  /** The number of the tile. */
  readonly tile: number;
  /** The worker that tried. */
  readonly worker: string;
  /** Why it failed. */
  readonly reason: string;
  /** What kind of error it was; undefined for a defect. */
  readonly kind?: ErrorKind;
  /** When, as a date in ISO 8601. */
  readonly at: string;
}

/** What the work of a pass is told, as workers read it. */
export interface ToldPass {
  readonly work: string;
  readonly argument: Data;
}

/** Failures kept per run. */
const MOST_FAILURES = 100;

/** Writes a run, or writes it again after the server lost it. */
export async function writeRun(redis: Redis, run: string, record: RunRecord): Promise<void> {
  const { plan, request, sources, version, fingerprint, memory } = record;
  await redis
    .multi()
    .hset(keys.run(run), {
      ...{ plan, version, fingerprint, memory, sources: JSON.stringify(sources), state: 'running' },
      request: Buffer.from(encodeData(request)),
    })
    .hsetnx(keys.run(run), 'started', new Date().toISOString())
    .sadd(keys.runs, run)
    .exec();
}

/** Writes a pass. Request and argument are kept once, not in every job: a thousand tiles would hold a thousand copies. */
export async function writePass(redis: Redis, run: string, { name, work, argument, tiles }: Pass): Promise<void> {
  await redis
    .multi()
    .hset(keys.pass(run, name), { work, tiles: tiles.length, argument: Buffer.from(encodeData(argument)) })
    .sadd(keys.passes(run), name)
    .hset(keys.run(run), 'pass', name)
    .exec();
}

/** A run as workers read it; undefined if there is none. */
export async function readRun(redis: Redis, run: string): Promise<(RunRecord & { state: RunMark }) | undefined> {
  const fields = await redis.hgetallBuffer(keys.run(run));
  const text = (name: string) => fields[name]?.toString() ?? '';
  if (!fields.request || !fields.plan) return undefined;
  return {
    plan: text('plan'),
    request: decodeData(fields.request),
    sources: JSON.parse(text('sources')),
    version: text('version'),
    fingerprint: text('fingerprint'),
    memory: Number(text('memory')),
    state: text('state') as RunMark,
  };
}

/** A pass as workers read it; undefined if there is none. */
export async function readPass(redis: Redis, run: string, pass: string): Promise<ToldPass | undefined> {
  const { work, argument } = await redis.hgetallBuffer(keys.pass(run, pass));
  return work && argument && { work: work.toString(), argument: decodeData(argument) };
}

export async function mark(redis: Redis, run: string, state: RunMark): Promise<void> {
  await redis.hset(keys.run(run), 'state', state);
}

/** The state of a run, or null if the server knows nothing about it. */
export function stateOf(redis: Redis, run: string): Promise<string | null> {
  return redis.hget(keys.run(run), 'state');
}

/** Stores an answer, but none of a run that was cancelled, finished or removed meanwhile: nobody would remove it again. */
const STORE = `
local state = redis.call('hget', KEYS[1], 'state')
if state == 'running' or state == 'failed' then return redis.call('hset', KEYS[2], ARGV[1], ARGV[2]) end
return -1`;

export async function storeAnswer(redis: Redis, run: string, pass: string, tile: number, answer: Data): Promise<void> {
  await redis.eval(STORE, 2, keys.run(run), keys.answers(run, pass), tile, Buffer.from(encodeData(answer)));
}

export async function addFailure(redis: Redis, run: string, failure: Failure): Promise<void> {
  const key = keys.failures(run);
  await redis.multi().rpush(key, JSON.stringify(failure)).ltrim(key, -MOST_FAILURES, -1).exec();
}

export async function failuresOf(redis: Redis, run: string): Promise<Failure[]> {
  return (await redis.lrange(keys.failures(run), 0, -1)).map((text) => JSON.parse(text) as Failure);
}

/** Removes passes, answers and failures, at once or after so many seconds; the record itself stays for `runs`. */
export async function removeAnswers(redis: Redis, run: string, after = 0): Promise<void> {
  const passes = await redis.smembers(keys.passes(run));
  const own = passes.flatMap((pass) => [keys.pass(run, pass), keys.answers(run, pass)]);
  const all = [keys.passes(run), keys.failures(run), ...own];
  if (after === 0) await redis.unlink(...all);
  else for (const key of all) await redis.expire(key, after);
}

/** The runs in progress that need another fingerprint. */
export async function runsOfOthers(redis: Redis, fingerprint: string): Promise<{ run: string; needed: string }[]> {
  const names = await redis.smembers(keys.runs);
  const fields = await Promise.all(names.map((run) => redis.hmget(keys.run(run), 'fingerprint', 'state')));
  return names.flatMap((run, i) => {
    const [needed, state] = fields[i];
    return needed !== null && needed !== fingerprint && state === 'running' ? [{ run, needed }] : [];
  });
}

/** What went wrong, in one line. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const text = (message || String(error)).split('\n')[0];
  return code === 'ENOSPC' || code === 'EDQUOT' ? `the disk is full (${text})` : text;
}

/** The kind of an error, for {@link failedTile}. */
export function kindOf(error: unknown): ErrorKind | undefined {
  if (isGhtError(error)) return error.kind;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'resource' : undefined;
}

/** The error of a run that cannot go on, of the kind that the worker reported. */
export function failedTile(pass: string, tile: number, reason: string, kind: ErrorKind = 'environment'): Error {
  const kinds = { option: OptionError, input: InputError, resource: ResourceError, environment: EnvironmentError };
  const remedy = 'repair it, and start the same command again: tiles that are done are kept';
  return new kinds[kind](`tile ${tile} of pass ${pass}`, 'must be computed by a worker', reason, remedy);
}
