/** The identity of a run: the same command on the same data gives the same name, which is how it is resumed or shared. */
import { createHash, type Hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The version of this package; all packages of a release have the same one. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/** Everything that the result of a run depends on. */
export interface Identity {
  /** The name of the plan. */
  readonly plan: string;
  /** What is asked for: names of images and options. */
  readonly request: unknown;
  /** The versions of the sources by their names. */
  readonly sources: Readonly<Record<string, string>>;
  /** The fingerprint of the arithmetic. */
  readonly fingerprint: string;
}

/** The name of a run: 16 hexadecimal digits. */
export function runName({ plan, request, sources, fingerprint }: Identity): string {
  const hash = createHash('sha256');
  update(hash, [plan, request, sources, version, fingerprint]);
  return hash.digest('hex').slice(0, 16);
}

/** Adds a value to a hash. The order of keys does not matter, and different values give different bytes. */
function update(hash: Hash, value: unknown): void {
  const add = (tag: string, text: string) => hash.update(`${tag}${text.length}:${text}`);
  if (ArrayBuffer.isView(value)) {
    add(Object.prototype.toString.call(value), String((value as Uint8Array).length));
    hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (Array.isArray(value)) {
    add('array', String(value.length));
    for (const member of value) update(hash, member);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const given = entries.flatMap(([key, member]) => (member === undefined ? [] : [[key, member] as const]));
    given.sort(([a], [b]) => (a < b ? -1 : 1));
    add('object', String(given.length));
    for (const [key, member] of given) {
      add('key', key);
      update(hash, member);
    }
  } else {
    add(typeof value, Object.is(value, -0) ? '-0' : String(value));
  }
}
