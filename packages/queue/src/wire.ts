/** What is read from Redis, with the checks that it must pass: anybody who has the password may have written it. */
import { type ErrorKind, isGhtError } from 'ght';
import {
  type Check,
  listOf,
  MessageError,
  nullable,
  number,
  oneOf,
  optional,
  record,
  refuse,
  text,
  whole,
} from 'ght/check';
import { decodeData } from 'ght-tiles';
import { ATTEMPT } from './attempt.js';
import { printable } from './printable.js';

/** Names of runs, passes and workers: they are parts of keys. */
export const NAME = /^[\w.-]{1,200}$/;
const name = text(NAME);
const label = text(undefined, 200);

/** What a job says: which tile of which attempt, and which workers have tried or refused it. */
export interface TileMessage {
  readonly run: string;
  readonly attempt: string;
  readonly pass: string;
  readonly tile: number;
  readonly failedAt?: readonly string[];
  readonly refusedBy?: readonly string[];
}

/** The largest number of a tile. */
const LAST_TILE = 2 ** 31;

export const tileMessage: Check<TileMessage> = record<TileMessage>({
  run: name,
  attempt: text(ATTEMPT),
  pass: name,
  tile: whole(0, LAST_TILE),
  failedAt: optional(listOf(name)),
  refusedBy: optional(listOf(name)),
});

/** What a run is, as its coordinator writes it. */
export interface RunRecord {
  readonly plan: string;
  readonly request: unknown;
  /** The versions of the sources, by name. */
  readonly sources: Readonly<Record<string, string>>;
  readonly version: string;
  readonly fingerprint: string;
  /** Bytes that the work of a tile needs; 0 if that is not known. */
  readonly memory: number;
}

/** `running` also after its coordinator was killed: workers go on until no job is left. */
export type RunMark = 'running' | 'done' | 'failed' | 'cancelled';

export const runMark: Check<RunMark> = oneOf('running', 'done', 'failed', 'cancelled');

/** The fields of a hash, as Redis returns them. */
export type Fields = Readonly<Record<string, Buffer | undefined>>;

/** A run, from the fields of its hash. */
export function runRecord(fields: Fields): RunRecord {
  const field = (key: string) => fields[key]?.toString();
  return {
    plan: label(field('plan'), 'run.plan'),
    request: dataIn(fields.request, 'run.request'),
    sources: versions(jsonIn(field('sources'), 'run.sources'), 'run.sources'),
    version: label(field('version'), 'run.version'),
    fingerprint: label(field('fingerprint'), 'run.fingerprint'),
    memory: whole()(Number(field('memory')), 'run.memory'),
  };
}

const versions: Check<Record<string, string>> = (value, path) => {
  const sources = record<Record<string, string>>({})(value, path);
  for (const [key, version] of Object.entries(sources)) text()(version, `${path}.${key.slice(0, 200)}`);
  return sources;
};

/** The work and the argument of a pass, as workers read them. */
export interface PassRecord {
  readonly work: string;
  readonly argument: unknown;
}

/** A pass, from the fields of its hash. */
export function passRecord(fields: Fields): PassRecord {
  return { work: label(fields.work?.toString(), 'pass.work'), argument: dataIn(fields.argument, 'pass.argument') };
}

/** Encoded data; anything else is a {@link MessageError}. */
export function dataIn(bytes: Buffer | undefined, path: string): unknown {
  if (bytes === undefined) throw refuse(path, 'must be there', undefined);
  try {
    return decodeData(bytes);
  } catch (error) {
    if (!isGhtError(error, 'input')) throw error;
    throw new MessageError(path, error.rule, error.value, 'start the run again', { cause: error });
  }
}

/** The value of JSON. */
export function jsonIn(json: string | undefined, path: string): unknown {
  try {
    return JSON.parse(json ?? '');
  } catch {
    throw refuse(path, 'must be JSON', json);
  }
}

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

const workerFields = record<WorkerEntry>({
  fingerprint: label,
  version: label,
  plans: listOf(label),
  roots: listOf(label),
  memory: nullable(number),
  tile: nullable(text()),
});

/** The entry of a worker, fit to be printed. */
export const workerEntry: Check<WorkerEntry> = (value, path) => {
  const { fingerprint, version, plans, roots, memory, tile } = workerFields(value, path);
  return {
    fingerprint: printable(fingerprint),
    version: printable(version),
    plans: plans.map((plan) => printable(plan)),
    roots: roots.map((root) => printable(root)),
    memory,
    tile: tile === null ? null : printable(tile),
  };
};

/** The entry of a coordinator: it only says that it is there. */
export const coordinatorEntry: Check<object> = record<object>({});

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

const failureFields = record<Failure>({
  pass: name,
  tile: whole(0, LAST_TILE),
  worker: name,
  reason: text(undefined, 2 ** 16),
  kind: optional(oneOf('option', 'input', 'resource', 'environment')),
  at: label,
});

/** A failure, fit to be printed. */
export const failure: Check<Failure> = (value, path) => {
  const { pass, tile, worker, reason, kind, at } = failureFields(value, path);
  return { pass, tile, worker, reason: printable(reason), ...(kind && { kind }), at: printable(at) };
};

/** A pass as data. */
export interface QueuedPass {
  /** The name, unique in the run. */
  readonly name: string;
  /** The kind of pass. */
  readonly work: string;
  readonly argument: unknown;
  /** The number of tiles. */
  readonly tiles: number;
}
