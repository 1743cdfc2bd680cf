/** What Redis knows about a run, apart from the jobs that wait: its request, its passes, its answers and its failures. */
import { EnvironmentError, type ErrorKind, InputError, isGhtError, OptionError, ResourceError } from 'ght';
import { accepted } from 'ght/check';
import { encodeData } from 'ght-tiles';
import type { Redis } from 'ioredis';
import { keys } from './keys.js';
import { printable } from './printable.js';
import type { QueuedPass } from './wire.js';
import {
  type Failure,
  failure,
  jsonIn,
  NAME,
  type PassRecord,
  passRecord,
  type RunMark,
  type RunRecord,
  runRecord,
} from './wire.js';

/** Failures kept per run. */
const MOST_FAILURES = 100;

/**
 * Writes a run and marks it as running. One that was interrupted, cancelled or has failed keeps its attempt; a new one, and one that
 * was done, begins with the attempt that is given. Returns the attempt.
 */
const BEGIN = `
local state = redis.call('hget', KEYS[1], 'state')
local attempt = redis.call('hget', KEYS[1], 'attempt')
if not attempt or (state ~= 'running' and state ~= 'failed' and state ~= 'cancelled') then attempt = ARGV[1] end
redis.call('hset', KEYS[1], 'state', 'running', 'attempt', attempt)
redis.call('hsetnx', KEYS[1], 'started', ARGV[2])
for i = 3, #ARGV, 2 do redis.call('hset', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('sadd', KEYS[2], ARGV[#ARGV])
return attempt`;

export async function beginRun(redis: Redis, run: string, record: RunRecord, attempt: string): Promise<string> {
  const { plan, request, sources, version, fingerprint, memory } = record;
  const fields = { plan, version, fingerprint, memory, sources: JSON.stringify(sources) };
  return String(
    await redis.eval(
      BEGIN,
      2,
      keys.run(run),
      keys.runs,
      attempt,
      new Date().toISOString(),
      ...Object.entries(fields).flat(),
      'request',
      Buffer.from(encodeData(request)),
      'name',
      run,
    ),
  );
}

/** Writes a pass. Request and argument are kept once, not in every job: a thousand tiles would hold a thousand copies. */
export async function writePass(redis: Redis, run: string, attempt: string, pass: QueuedPass): Promise<void> {
  const { name, work, argument, tiles } = pass;
  await redis
    .multi()
    .hset(keys.pass(run, attempt, name), { work, tiles, argument: Buffer.from(encodeData(argument)) })
    .sadd(keys.passes(run, attempt), name)
    .hset(keys.run(run), 'pass', name)
    .exec();
}

/** A run as workers read it; undefined if there is none. */
export async function readRun(redis: Redis, run: string): Promise<RunRecord | undefined> {
  const fields = await redis.hgetallBuffer(keys.run(run));
  return fields.request || fields.plan ? runRecord(fields) : undefined;
}

/** A pass as workers read it; undefined if there is none. */
export async function readPass(
  redis: Redis,
  run: string,
  attempt: string,
  pass: string,
): Promise<PassRecord | undefined> {
  const fields = await redis.hgetallBuffer(keys.pass(run, attempt, pass));
  return fields.work || fields.argument ? passRecord(fields) : undefined;
}

/** Marks a run, but not one of a later attempt. */
const MARK = `
if redis.call('hget', KEYS[1], 'attempt') == ARGV[1] then return redis.call('hset', KEYS[1], 'state', ARGV[2]) end
return -1`;

export async function markAttempt(redis: Redis, run: string, attempt: string, state: RunMark): Promise<void> {
  await redis.eval(MARK, 1, keys.run(run), attempt, state);
}

/** Marks a run, whatever its attempt is. */
export async function mark(redis: Redis, run: string, state: RunMark): Promise<void> {
  await redis.hset(keys.run(run), 'state', state);
}

/** The state of a run and its attempt; null if the server knows nothing about it. */
export async function stateOf(redis: Redis, run: string): Promise<{ state: string | null; attempt: string | null }> {
  const [state, attempt] = await redis.hmget(keys.run(run), 'state', 'attempt');
  return { state, attempt };
}

/** Whether an attempt at a run is in progress: it has neither ended nor begun again. */
export async function goesOn(redis: Redis, run: string, attempt: string): Promise<boolean> {
  const now = await stateOf(redis, run);
  return now.state === 'running' && now.attempt === attempt;
}

/** Stores an answer, but none of an attempt that has ended: it would never be removed. */
const STORE = `
local now = redis.call('hmget', KEYS[1], 'state', 'attempt')
if now[1] == 'running' and now[2] == ARGV[3] then return redis.call('hset', KEYS[2], ARGV[1], ARGV[2]) end
return -1`;

/** Stores an answer; false if the attempt has ended. */
export async function storeAnswer(
  redis: Redis,
  { run, attempt, pass, tile }: { run: string; attempt: string; pass: string; tile: number },
  answer: unknown,
): Promise<boolean> {
  const bytes = Buffer.from(encodeData(answer));
  const stored = await redis.eval(STORE, 2, keys.run(run), keys.answers(run, attempt, pass), tile, bytes, attempt);
  return stored !== -1;
}

export async function addFailure(redis: Redis, run: string, failed: Failure): Promise<void> {
  const key = keys.failures(run);
  await redis.multi().rpush(key, JSON.stringify(failed)).ltrim(key, -MOST_FAILURES, -1).exec();
}

/** The latest failures; what is none is left out. */
export async function failuresOf(redis: Redis, run: string): Promise<Failure[]> {
  const texts = await redis.lrange(keys.failures(run), -MOST_FAILURES, -1);
  return texts.flatMap((text) => accepted((json, path) => failure(jsonIn(String(json), path), path), text) ?? []);
}

/** Removes passes, answers and failures, at once or after this many seconds; the record itself stays for `runs`. */
export async function removeAnswers(redis: Redis, run: string, attempt: string, after = 0): Promise<void> {
  const passes = await redis.smembers(keys.passes(run, attempt));
  const own = passes.flatMap((pass) => [keys.pass(run, attempt, pass), keys.answers(run, attempt, pass)]);
  const all = [keys.passes(run, attempt), keys.failures(run), ...own];
  if (after === 0) await redis.unlink(...all);
  else for (const key of all) await redis.expire(key, after);
}

/** The names of all runs; what cannot be one is reported. */
export async function namesOfRuns(redis: Redis, onJunk: (warning: string) => void = () => {}): Promise<string[]> {
  const names = await redis.smembers(keys.runs);
  for (const name of names) if (!NAME.test(name)) onJunk(`${keys.runs} holds what is no run: "${printable(name, 60)}"`);
  return names.filter((name) => NAME.test(name));
}

/** The runs in progress that need another fingerprint. */
export async function runsOfOthers(redis: Redis, fingerprint: string): Promise<{ run: string; needed: string }[]> {
  const names = await namesOfRuns(redis);
  // A record of another type than a hash belongs to no run.
  const read = (run: string) => redis.hmget(keys.run(run), 'fingerprint', 'state').catch(() => [null, null]);
  const fields = await Promise.all(names.map(read));
  return names.flatMap((run, i) => {
    const [needed, state] = fields[i];
    return needed !== null && needed !== fingerprint && state === 'running' ? [{ run, needed: printable(needed) }] : [];
  });
}

/** What went wrong, in one line. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const text = printable((message || String(error)).split('\n')[0]);
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
  const parameter = `pass ${pass}, tile ${tile}`;
  return new kinds[kind](parameter, 'must be computed by a worker', printable(reason, 2000), remedy);
}
