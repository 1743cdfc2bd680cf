/** Who is alive: workers, and coordinators of a run. An entry expires by itself when its process no longer renews it. */
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';

/** Milliseconds after which a silent process counts as gone, and between two signs of life. */
const EXPIRY = 10_000;
const RENEWAL = 3_000;

/** The host and the number of this process, of letters that names may have. */
export const processName = () => `${hostname().replace(/[^\w.-]/g, '-')}-${process.pid}`;

const entryKey = (register: string, name: string) => `${register}:${name}`;

/** What a worker says about itself. */
export interface WorkerEntry {
  /** The fingerprint of its arithmetic. */
  readonly fingerprint: string;
  /** Its version. */
  readonly version: string;
  /** The names of its plans. */
  readonly plans: readonly string[];
  /** The names of its roots. */
  readonly roots: readonly string[];
  /** Bytes that the work of a tile may take; null for no limit. */
  readonly memory: number | null;
  /** The run, pass and tile it works on, or null. */
  readonly tile: string | null;
}

/** Enters a process into a register, and keeps it there until `leave`. */
export async function enter(
  redis: Redis,
  register: string,
  name: string,
  entry: () => object,
): Promise<{ renew(): Promise<void>; leave(): Promise<void> }> {
  const renew = async () => {
    await redis.set(entryKey(register, name), JSON.stringify(entry()), 'PX', EXPIRY);
    await redis.sadd(register, name);
  };
  await renew();
  const timer = setInterval(() => void renew().catch(() => {}), RENEWAL);
  timer.unref();
  return {
    renew,
    leave: async () => {
      clearInterval(timer);
      await redis.unlink(entryKey(register, name));
      await redis.srem(register, name);
    },
  };
}

/** The entries of all living processes of a register, by name. Those of dead ones are removed. */
export async function living<Entry>(redis: Redis, register: string): Promise<Map<string, Entry>> {
  const names = (await redis.smembers(register)).sort();
  if (names.length === 0) return new Map();
  const entries = await redis.mget(names.map((name) => entryKey(register, name)));
  const dead = names.filter((_, i) => entries[i] === null);
  if (dead.length > 0) await redis.srem(register, dead);
  return new Map(
    names.flatMap((name, i) => {
      const text = entries[i];
      return text === null ? [] : [[name, JSON.parse(text) as Entry]];
    }),
  );
}
