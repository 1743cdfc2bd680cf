/** Files of a Zarr folder: chunks and documents, each there in full or not at all. */
import { access, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { IncompleteInstallation, writeFileAtomically } from 'ght-images/node';
import { loadZarrita } from './zarrita.js';

/** A compression of bytes. */
export interface Codec {
  encode(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array;
  decode(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

let loading: Promise<Codec> | undefined;

/** zstd at the level that the documents name: about half the time of gzip, for files of nearly the same size. */
export function zstd(): Promise<Codec> {
  loading ??= loadZarrita().then(async ({ registry }) => {
    const Zstd = await registry.get('zstd')?.();
    if (!Zstd) throw new IncompleteInstallation('the zstd codec of zarrita', 'it is not registered');
    return Zstd.fromConfig({ level: 1 }, undefined as never) as unknown as Codec;
  });
  return loading;
}

/** The bytes of a typed array. */
export function bytesOf(samples: ArrayBufferView): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
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
    return access(join(this.path, name)).then(
      () => true,
      () => false,
    );
  }

  /** The names in a folder; none where there is no folder. */
  list(name: string): Promise<string[]> {
    return readdir(join(this.path, name)).catch(() => []);
  }

  /** The content of a file, or undefined. */
  read(name: string): Promise<Buffer | undefined> {
    return readFile(join(this.path, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
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
