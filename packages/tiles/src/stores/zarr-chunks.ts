/** Files of a Zarr folder: chunks and documents, each there in full or not at all. */
import { constants } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError, isGhtError } from 'ght';
import { IncompleteInstallation, unpackZstd, writeFileAtomically } from 'ght-images/node';
import { loadZarrita } from './zarrita.js';

/** The most bytes of a document. */
const MOST_DOCUMENT_BYTES = 2 ** 26;

/** A compression of bytes. */
interface Encoder {
  encode(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

let loading: Promise<Encoder> | undefined;

/** zstd at the level that the documents name: about half the time of gzip, for files of nearly the same size. */
export function zstd(): Promise<Encoder> {
  loading ??= loadZarrita().then(async ({ registry }) => {
    const Zstd = await registry.get('zstd')?.();
    if (!Zstd) throw new IncompleteInstallation('the zstd codec of zarrita', 'it is not registered');
    return Zstd.fromConfig({ level: 1 }, undefined as never) as unknown as Encoder;
  });
  return loading;
}

/** The bytes of a typed array. */
export function bytesOf(samples: ArrayBufferView): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** Goes on without a file that is not there. */
function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** The folder of a Zarr. */
export class ZarrFolder {
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(
    readonly path: string,
    readonly parameter: string,
  ) {}

  /** Whether there is a file of this name. */
  has(name: string): Promise<boolean> {
    return stat(join(this.path, name)).then(
      (there) => there.isFile(),
      () => false,
    );
  }

  /** The names in a folder; none if there is no folder. */
  list(name: string): Promise<string[]> {
    return readdir(join(this.path, name)).catch(() => []);
  }

  /**
   * The content of a file of at most this many bytes, or undefined if there is none. It is that of one moment, even if another process
   * replaces the file, since files are written by renaming.
   */
  async read(name: string, most: number = MOST_DOCUMENT_BYTES): Promise<Buffer | undefined> {
    const path = join(this.path, name);
    const there = await stat(path).catch(ignoreAbsence);
    if (!there) return undefined;
    // Opening a FIFO may wait forever. Another program may put one there right now, for which the flag is.
    if (!there.isFile()) throw this.#notOrdinary(path);
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(ignoreAbsence);
    if (!file) return undefined;
    try {
      const now = await file.stat();
      if (!now.isFile()) throw this.#notOrdinary(path);
      if (now.size > most) {
        const rule = `must be a file of at most ${most} bytes, not ${now.size}`;
        throw new InputError(this.parameter, rule, path, 'remove it and run the command again');
      }
      return await file.readFile();
    } finally {
      await file.close();
    }
  }

  #notOrdinary(path: string): InputError {
    const rule = 'must be an ordinary file, not a folder, a pipe or a device';
    return new InputError(this.parameter, rule, path, 'remove it and run the command again');
  }

  /** The bytes of a chunk, exactly `length` of them; undefined if it is missing, cut or damaged. */
  async readChunk(name: string, length: number): Promise<Uint8Array | undefined> {
    if (!(await this.has(name))) return undefined;
    // Noise takes a little more than before.
    const most = length + Math.ceil(length / 8) + 2 ** 16;
    const packed = await this.read(name, most).catch((error: unknown) => {
      if (isGhtError(error)) return undefined;
      throw error;
    });
    const bytes = packed && (await unpackZstd(packed, length).catch(() => undefined));
    return bytes?.length === length ? bytes : undefined;
  }

  /** Writes a file by renaming, in a folder that is made if needed. */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    const file = join(this.path, name);
    const folder = dirname(file);
    if (!this.#made.has(folder)) this.#made.set(folder, mkdir(folder, { recursive: true }));
    // A folder that cannot be made gives the error of a file that cannot be written.
    await this.#made.get(folder)?.catch(() => {});
    await writeFileAtomically(file, bytes, this.parameter);
  }

  /** Writes a document. */
  writeJson(name: string, document: object): Promise<void> {
    return this.write(name, Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`));
  }
}

/** The name of a chunk's file. */
export function chunkName(level: number, plane: number, row: number, column: number): string {
  return `${level}/c/${plane}/${row}/${column}`;
}
