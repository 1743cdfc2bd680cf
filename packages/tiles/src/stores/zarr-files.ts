/**
 * The files of a Zarr in a folder or at an address. Nothing is read that is not an ordinary file or is longer than expected, and a file
 * that is read a second time must be as it was: a Zarr that changes during a run would give a mixture of two pictures.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from 'ght';
import type { Refuse } from 'ght-images';
import { changed, openFileBytes } from './file-bytes.js';
import { contentTag, requestBytes, unreachable } from './http-request.js';
import { isAddress, type SourceOptions } from './source-options.js';

/** The part of a file: from a place on, or at its end. */
export type FileRange = { readonly offset: number; readonly length: number } | { readonly last: number };

/** Bytes of a file. */
interface Stored {
  readonly bytes: Uint8Array;
  /** Differs from that of any other file of this name, as this process sees it. */
  readonly version: string;
  /** What of it other machines see too. */
  readonly stamp?: string;
}

/** Where files are: a folder or an address. */
interface FilePlace {
  /** The content of a file of at most this many bytes; undefined if there is none. */
  read(name: string, most: number, signal?: AbortSignal): Promise<Stored | undefined>;
  /** A part of a file. */
  readRange(name: string, range: FileRange, signal?: AbortSignal): Promise<Stored | undefined>;
  /** The version of a file, without its content if that is possible. */
  versionOf(name: string, most: number, signal?: AbortSignal): Promise<string | undefined>;
}

/** The number of files whose versions are remembered. */
const MOST_REMEMBERED = 2 ** 18;
const MOST_DOCUMENT_BYTES = 2 ** 24;

/** The files of a Zarr, which do not change. */
export class ZarrFiles {
  readonly #place: FilePlace;
  readonly #refuse: Refuse;
  /** In the order of their first use; undefined for files that are not there. */
  readonly #versions = new Map<string, string | undefined>();
  /** The documents, which distinguish one picture from another. */
  readonly #documents = new Map<string, Stored | undefined>();

  constructor(name: string, options: SourceOptions, refuse: Refuse) {
    this.#refuse = refuse;
    this.#place = isAddress(name) ? httpPlace(name, options, refuse) : folderPlace(name, refuse);
  }

  /** The fields of a document; undefined if there is none. */
  async document(name: string, signal?: AbortSignal): Promise<unknown> {
    const stored = await this.#place.read(name, MOST_DOCUMENT_BYTES, signal);
    this.#documents.set(name, stored);
    return stored && JSON.parse(Buffer.from(stored.bytes).toString());
  }

  /** A hash of the documents, and of their times if they are files. */
  version(): string {
    const hash = createHash('sha256');
    for (const [name, stored] of [...this.#documents].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (stored)
        hash
          .update(name)
          .update(stored.bytes)
          .update(stored.stamp ?? '');
    }
    return hash.digest('hex').slice(0, 32);
  }

  /** Refuses a Zarr whose documents have changed. */
  async checkDocuments(signal?: AbortSignal): Promise<void> {
    const check = async ([name, stored]: [string, Stored | undefined]) => {
      if (!stored) return;
      const now = await this.#place.versionOf(name, MOST_DOCUMENT_BYTES, signal);
      if (now !== stored.version) throw changed(this.#refuse);
    };
    const ends = await Promise.allSettled([...this.#documents].map(check));
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure) throw failure.reason;
  }

  /** The content of a file of at most this many bytes; undefined if there is none. */
  async read(name: string, most: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#same(name, await this.#place.read(name, most, signal))?.bytes;
  }

  /** A part of a file; undefined if there is no such file. */
  async readRange(name: string, range: FileRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#same(name, await this.#place.readRange(name, range, signal))?.bytes;
  }

  #same(name: string, stored: Stored | undefined): Stored | undefined {
    if (this.#versions.has(name)) {
      if (this.#versions.get(name) !== stored?.version) throw changed(this.#refuse);
      return stored;
    }
    this.#versions.set(name, stored?.version);
    if (this.#versions.size > MOST_REMEMBERED) {
      const [oldest] = this.#versions.keys();
      this.#versions.delete(oldest);
    }
    return stored;
  }
}

function folderPlace(folder: string, refuse: Refuse): FilePlace {
  const about =
    (name: string): Refuse =>
    (rule, remedy, ...rest) =>
      refuse(`must have sound files, which ${name} is not: it ${rule}`, remedy, ...rest);
  /** Whether there is something of this name. A file in place of a folder is damage. */
  const identity = (name: string) =>
    stat(join(folder, name), { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return undefined;
      throw about(name)(`must be readable (${cause.code})`, 'check the folder', InputError, { cause });
    });
  const open = async (name: string) => {
    const there = await identity(name);
    return there && { file: await openFileBytes(join(folder, name), about(name)), inode: there.ino };
  };
  const versionOf = async (name: string) => {
    const there = await identity(name);
    return there && `${there.size}-${there.mtimeNs}-${there.ino}`;
  };
  return {
    versionOf,
    async read(name, most, signal) {
      const opened = await open(name);
      if (!opened) return undefined;
      const { file, inode } = opened;
      try {
        if (file.size > most) throw tooLong(name, most, refuse);
        const bytes = await file.read(0, file.size, signal);
        return { bytes, version: `${file.version}-${inode}`, stamp: file.version };
      } finally {
        await file.close();
      }
    },
    async readRange(name, range, signal) {
      const opened = await open(name);
      if (!opened) return undefined;
      const { file, inode } = opened;
      try {
        const length = 'last' in range ? range.last : range.length;
        const offset = 'last' in range ? file.size - range.last : range.offset;
        return { bytes: await file.read(offset, length, signal), version: `${file.version}-${inode}` };
      } finally {
        await file.close();
      }
    },
  };
}

function tooLong(name: string, most: number, refuse: Refuse) {
  return refuse(`must have files as long as expected, but ${name} has more than ${most} bytes`, 'save it again');
}

function httpPlace(address: string, { timeout }: SourceOptions, refuse: Refuse): FilePlace {
  const root = new URL(address);
  const urlOf = (name: string) => {
    const url = new URL(root);
    url.pathname = `${root.pathname.replace(/\/$/, '')}/${name.split('/').map(encodeURIComponent).join('/')}`;
    return url.href;
  };
  const request = (name: string, headers: Record<string, string>, most: number, signal?: AbortSignal) => {
    const wanted = ({ status }: Response) => (status === 200 || status === 206 ? Math.max(1, most) : 0);
    return requestBytes(urlOf(name), { headers, most: wanted, timeout, signal }, refuse);
  };
  /** What the server says of its content, or else the content itself. */
  const versionOf = (headers: Headers, bytes: Uint8Array) => {
    const tag = contentTag(headers);
    return tag === '|' ? createHash('sha256').update(bytes).digest('hex') : tag;
  };
  const read: FilePlace['read'] = async (name, most, signal) => {
    const { status, headers, bytes } = await request(name, {}, most, signal);
    if (status === 404) return undefined;
    if (status !== 200) throw unreachable(status, refuse);
    return { bytes, version: `${bytes.length}-${versionOf(headers, bytes)}` };
  };
  return {
    read,
    versionOf: async (name, most, signal) => (await read(name, most, signal))?.version,
    async readRange(name, range, signal) {
      const length = 'last' in range ? range.last : range.length;
      const wanted = 'last' in range ? `-${range.last}` : `${range.offset}-${range.offset + range.length - 1}`;
      const { status, headers, bytes } = await request(name, { Range: `bytes=${wanted}` }, length, signal);
      if (status === 404) return undefined;
      if (status !== 206) {
        const rule = `must be on a server that answers with ranges, for ${name} (HTTP ${status})`;
        throw refuse(rule, 'fetch it first');
      }
      const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '');
      const [start, end, total] = (match?.slice(1) ?? []).map(Number);
      const first = 'last' in range ? total - range.last : range.offset;
      if (!match || start !== first || end !== first + length - 1 || bytes.length !== length) {
        const rule = `must be on a server that sends the bytes ${wanted} of ${name}, not ${match?.[0] ?? 'others'}`;
        throw refuse(rule, 'fetch it first');
      }
      // Without a tag, a part of a file cannot be distinguished from that of another one of the same length.
      return { bytes, version: `${total}-${contentTag(headers)}` };
    },
  };
}
