/** Connections to Redis: address, credentials, TLS, and what the server must be set to. */
import { readFileSync } from 'node:fs';
import { EnvironmentError, InputError, OptionError } from 'ght';
import { Redis, type RedisOptions } from 'ioredis';
import { messageOf, serverError } from './connection-errors.js';

/** How the server is reached. */
export interface ServerOptions {
  /** The user. @default that of the address, or the environment variable GHT_REDIS_USER */
  readonly user?: string;
  /** The password. @default that of the address, or the environment variable GHT_REDIS_PASSWORD */
  readonly password?: string;
  /**
   * For `rediss://`: the certificate of the authority that signed the server's certificate, as PEM text.
   * @default the file named by the environment variable GHT_REDIS_CA, or the authorities that Node trusts
   */
  readonly ca?: string;
  /** Called with what is wrong but does not stop the work, in one line. */
  readonly onWarning?: (warning: string) => void;
}

const REMEDY = 'give redis://host:port/ or, with TLS, rediss://user@host:port/';

/** The address without user and password, for messages. */
export function shownAddress(url: string): string {
  const { protocol, host, pathname } = parsed(url);
  return `${protocol}//${host}${pathname}`;
}

function parsed(url: string): URL {
  // An address that cannot be parsed may still hold a password, so it is not shown.
  if (!URL.canParse(url)) throw new OptionError('address of the queue', 'must be a URL', 'something else', REMEDY);
  const address = new URL(url);
  if (!['redis:', 'rediss:'].includes(address.protocol) || address.hostname === '') {
    const rule = 'must begin with redis:// or rediss:// and name a host';
    throw new OptionError('address of the queue', rule, `${address.protocol}//${address.host}`, REMEDY);
  }
  return address;
}

/** A part of an address. What cannot be decoded may be a password, so it is not shown. */
function decoded(part: string, what: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    const rule = `must have a ${what} in which % is written as %25, and other special characters in the same way`;
    const remedy = 'encode it, or use GHT_REDIS_USER and GHT_REDIS_PASSWORD, which take them as they are';
    throw new OptionError('address of the queue', rule, 'something else', remedy);
  }
}

function authorityIn(path: string): string {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (cause) {
    const rule = `must name a file that can be read (${(cause as NodeJS.ErrnoException).code})`;
    throw new InputError('GHT_REDIS_CA', rule, path, 'correct the path, or unset it', { cause });
  }
  if (pem.includes('-----BEGIN')) return pem;
  throw new InputError(
    'GHT_REDIS_CA',
    'must name a certificate as PEM text',
    path,
    'begin with -----BEGIN CERTIFICATE',
  );
}

/** The options of a connection. Once connected, it is restored for ever, and commands wait meanwhile. */
export function redisOptions(url: string, options: ServerOptions = {}) {
  const { protocol, hostname, port, pathname, username, password } = parsed(url);
  const { env } = process;
  const db = pathname.slice(1);
  if (!/^\d*$/.test(db))
    throw new OptionError('address of the queue', 'must end with the number of a database', db, REMEDY);
  const ca = options.ca ?? (env.GHT_REDIS_CA ? authorityIn(env.GHT_REDIS_CA) : undefined);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    db: Number(db),
    username: options.user ?? (decoded(username, 'user') || env.GHT_REDIS_USER),
    password: options.password ?? (decoded(password, 'password') || env.GHT_REDIS_PASSWORD),
    tls: protocol === 'rediss:' ? { ca } : undefined,
    connectTimeout: 5000,
    // BullMQ asks for this: a command waits until the server is back.
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(100 * times, 1000),
  } satisfies RedisOptions;
}

/** A connection that works; an EnvironmentError says why there is none. */
export async function connect(url: string, options: ServerOptions = {}): Promise<Redis> {
  const settings = redisOptions(url, options);
  const { retryStrategy } = settings;
  let works = false;
  // A wrong address or password is reported at once; a connection that worked before is restored.
  const retry = (times: number) => (works ? retryStrategy(times) : null);
  const redis = new Redis({ ...settings, lazyConnect: true, retryStrategy: retry });
  let reason: unknown;
  redis.on('error', (error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    works = true;
  } catch (error) {
    redis.disconnect();
    const remedy = `${messageOf(reason ?? error)}; check that it runs, and check address, user, password and certificate`;
    throw new EnvironmentError('queue', 'must be a Redis server that accepts the user', shownAddress(url), remedy, {
      cause: reason ?? error,
    });
  }
  redis.removeAllListeners('error');
  tellOnce(redis, url, options.onWarning);
  return redis;
}

/** What an emitter of connection errors offers: Redis itself and the classes of BullMQ. */
interface Fallible {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Passes on each warning once, up to a number: somebody else may write the names in them. */
export function onceEach(onWarning: (warning: string) => void = () => {}): (warning: string) => void {
  const given = new Set<string>();
  return (warning) => {
    if (given.has(warning) || given.size >= MOST_WARNINGS) return;
    given.add(warning);
    onWarning(warning);
  };
}

const MOST_WARNINGS = 1000;

/** Passes on the errors of a connection that is being restored, each once. Without a listener they would end the process. */
export function tellOnce(connection: Fallible, url: string, onWarning?: (warning: string) => void): void {
  const once = onceEach(onWarning);
  connection.on('error', (error) => {
    once(`the queue at ${shownAddress(url)} reports: ${messageOf(error)}; waiting for it`);
  });
}

/** Runs some work, and says what to do if the server refuses it. */
export async function withServerErrors<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw serverError(error, shownAddress(url));
  }
}

/** What could lose answers: a server that evicts keys, or that keeps nothing on disk. */
export async function checkServer(redis: Redis, url: string, onWarning: (warning: string) => void = () => {}) {
  const info = await redis.info();
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const version = field('redis_version') ?? '0';
  const [major, minor = 0] = version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2)) {
    throw new EnvironmentError('queue', 'must be Redis 6.2 or newer', version, 'start a newer server');
  }
  const policy = field('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    onWarning(`maxmemory-policy of ${shownAddress(url)} is ${policy}: answers may get lost; set it to noeviction`);
  }
  if (field('aof_enabled') === '0') {
    onWarning(`appendonly of ${shownAddress(url)} is no: a restart of the server loses the runs; set it to yes`);
  }
}
