/** What a Redis server refuses, as errors with a remedy. */
import { EnvironmentError, isGhtError, ResourceError } from 'ght';
import { printable } from './printable.js';

/** What an error says. A host with several addresses gives an AggregateError without a message. */
export function messageOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return printable(message || code || String(error));
}

/** The replies of a server that say what to do, by their first word. */
const REPLIES: Readonly<Record<string, readonly [rule: string, remedy: string]>> = {
  OOM: [
    'must have memory left',
    'raise maxmemory of the server, or remove runs with ght runs --clean; then start the same command again',
  ],
  WRONGTYPE: [
    'must hold under ght: only what ght has written',
    'a key has another type: remove it, or use another database of the server',
  ],
  MISCONF: ['must be able to save its data', 'free space on the disk of the server'],
  NOPERM: ['must allow the commands and keys of the queue', 'give the user the access list of the documentation'],
  READONLY: ['must accept writing', 'give the address of the primary server'],
};

/** The first word of a refusal by the server, such as OOM; undefined for other errors. */
export function replyOf(error: unknown): string | undefined {
  const { name, message = '', previousErrors } = error as Error & { previousErrors?: readonly unknown[] };
  // A transaction says only that one of its commands was refused.
  const [first] = previousErrors ?? [];
  if (first !== undefined) return replyOf(first);
  if (name !== 'ReplyError') return undefined;
  // A refusal inside a script is quoted: "ERR ... -OOM command not allowed".
  const inScript = /(?:^|[\s:-])(OOM|WRONGTYPE|MISCONF|NOPERM|READONLY) /.exec(message)?.[1];
  return inScript ?? /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
}

/** An error of the server as one that says what to do; other errors stay as they are. `address` has no password. */
export function serverError(error: unknown, address: string): unknown {
  const reply = isGhtError(error) ? undefined : replyOf(error);
  if (reply === undefined) return error;
  const [rule, remedy] = REPLIES[reply] ?? ['must accept the commands of the queue', 'check the server'];
  const Kind = reply === 'OOM' ? ResourceError : EnvironmentError;
  return new Kind('queue', `${rule} (${messageOf(error)})`, address, remedy, { cause: error });
}
