/** Who is alive: workers, and coordinators of a run. An entry expires by itself when its process no longer renews it. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { OptionError } from 'ght';
import { accepted, type Check } from 'ght/check';
import type { Redis } from 'ioredis';
import { messageOf, replyOf } from './connection-errors.js';
import { printable } from './printable.js';
import { jsonIn, NAME } from './wire.js';

/** Milliseconds after which a silent process counts as gone, between two signs of life, and between two tries to get a name. */
const EXPIRY_MS = 10_000;
const RENEWAL_MS = 3_000;
const RETRY_MS = 500;

/**
 * A name that no other process has, of letters that names may have. Host and process number are for people: containers may have the
 * same host name, and all their processes number 1.
 */
export const uniqueName = () =>
  `${hostname()
    .replace(/[^\w.-]/g, '-')
    .slice(0, 100)}-${process.pid}-${randomBytes(4).toString('hex')}`;

const entryKey = (register: string, name: string) => `${register}:${name}`;

/** Writes an entry that is free or our own: ours begin with our identity. */
const RENEW = `
local now = redis.call('get', KEYS[1])
if now and string.sub(now, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** Removes an entry of our own. */
const LEAVE = `
local now = redis.call('get', KEYS[1])
if now and string.sub(now, 1, #ARGV[1]) == ARGV[1] then return redis.call('unlink', KEYS[1]) end
return 0`;

/**
 * Enters a process into a register, and keeps it there until `leave`. A name that another process has is refused; that of a process
 * which was killed is free after ten seconds, for which this waits.
 */
export async function enter(
  redis: Redis,
  register: string,
  name: string,
  entry: () => object,
  onWarning: (warning: string) => void = () => {},
): Promise<{ renew(): Promise<void>; leave(): Promise<void> }> {
  const key = entryKey(register, name);
  const id = randomBytes(8).toString('hex');
  const own = `{"id":"${id}"`;
  const write = async () => {
    const json = JSON.stringify({ id, ...entry() });
    // A value of another type is no entry of a process.
    const written = await redis.eval(RENEW, 1, key, own, json, EXPIRY_MS).catch((error: unknown) => {
      if (replyOf(error) !== 'WRONGTYPE') throw error;
      return redis.set(key, json, 'PX', EXPIRY_MS).then(() => 1);
    });
    await redis.sadd(register, name).catch((error: unknown) => {
      if (replyOf(error) !== 'WRONGTYPE') throw error;
      onWarning(`${register} in Redis is no register, so that ${name} is not listed: remove this key`);
    });
    return written === 1;
  };
  for (const end = Date.now() + EXPIRY_MS + RENEWAL_MS; !(await write()); await sleep(RETRY_MS)) {
    if (Date.now() < end) continue;
    const rule = 'must not be that of another process that is running';
    throw new OptionError('name', rule, name, 'give each worker a name of its own, or none');
  }
  const renew = async () => {
    if (await write()) return;
    onWarning(`another process has taken the name ${name}: give each a name of its own`);
  };
  const timer = setInterval(() => void renew().catch(() => {}), RENEWAL_MS);
  timer.unref();
  return {
    renew,
    leave: async () => {
      clearInterval(timer);
      if ((await redis.eval(LEAVE, 1, key, own)) === 1) await redis.srem(register, name).catch(() => {});
    },
  };
}

/** The entries of all living processes of a register, by name. Those of dead ones are removed; what is no entry is reported. */
export async function activeEntries<Entry>(
  redis: Redis,
  register: string,
  check: Check<Entry>,
  onJunk: (warning: string) => void = () => {},
): Promise<Map<string, Entry>> {
  const names = await redis.smembers(register).catch((error: unknown) => {
    if (replyOf(error) !== 'WRONGTYPE') throw error;
    onJunk(`${register} in Redis is no register (${messageOf(error)}): remove this key`);
    return [];
  });
  const found = new Map<string, Entry>();
  if (names.length === 0) return found;
  names.sort();
  const entries = await redis.mget(names.map((name) => entryKey(register, name)));
  const dead = names.filter((_, i) => entries[i] === null);
  if (dead.length > 0) await redis.srem(register, dead);
  for (const [i, name] of names.entries()) {
    const text = entries[i];
    if (text === null) continue;
    const entry = NAME.test(name) && accepted((json, path) => check(jsonIn(String(json), path), path), text);
    if (entry) found.set(name, entry);
    else onJunk(`${register} in Redis holds "${printable(name, 60)}", which is no entry of a process: remove it`);
  }
  return found;
}
