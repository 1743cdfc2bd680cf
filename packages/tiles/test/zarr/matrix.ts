/** Stores of other programs with digests of their samples, as make_zarrs.py makes them, and damaged copies of them. */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isGhtError, randomSource } from 'ght';
import { digestOf, type MatrixOptions, type MatrixReport } from '../../../images/test/tiff/matrix.js';

/** A store of the matrix. */
export interface ZarrEntry {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The digest of its samples; null for a kind that must be refused. */
  readonly samples: string | null;
}

/** Reads the stores of a matrix. */
export function readZarrMatrix(path: URL | string = new URL('./zarrs.json.gz', import.meta.url)): ZarrEntry[] {
  const entries: readonly { name: string; files: Record<string, string>; samples: string | null }[] = JSON.parse(
    gunzipSync(readFileSync(path)).toString(),
  );
  return entries.map(({ name, files, samples }) => {
    const contents = Object.entries(files).map(([path, text]) => [path, Buffer.from(text, 'base64')] as const);
    return { name, files: new Map(contents), samples };
  });
}

/** Reads the store in a folder into its planes; throws a GhtError for what it does not read. */
export type ZarrReader = (folder: string) => Promise<readonly ArrayLike<number>[]>;

/** What is done to each store: nothing, `cuts` files that are cut, `flips` files with a changed bit. */
export interface ZarrMatrixOptions extends MatrixOptions {
  /** An existing folder for the stores; what this writes there is removed. */
  readonly folder: string;
}

/**
 * Reads all stores, intact, cut and damaged: each must be exact or refused in one line. A changed bit of a chunk without a checksum
 * may give other samples, but the same ones whatever was read before: nothing comes from memory that was not written.
 */
export async function runZarrMatrix(
  entries: readonly ZarrEntry[],
  read: ZarrReader,
  { cuts, flips, seed, folder }: ZarrMatrixOptions,
): Promise<MatrixReport> {
  const random = randomSource(seed);
  const report: MatrixReport = { exact: 0, refused: 0, undetected: 0, wrong: [] };
  const own = join(folder, 'store.zarr');
  const others = Array.from({ length: 8 }, (_, i) => join(folder, `other-${i}.zarr`));
  for (const other of others) await writeStore(other, entries[random.below(entries.length)].files);
  for (const entry of entries) {
    const { name, files, samples } = entry;
    await writeStore(own, files);
    const whole = await outcomeOf(read, own);
    if (samples === null ? whole.refused : whole.digest === samples) report[samples === null ? 'refused' : 'exact']++;
    else report.wrong.push(`${name}: ${whole.digest ? 'other samples' : whole.message}`);
    for (let i = 0; i < cuts + flips; i++) {
      const [path, content] = [...files][random.below(files.size)];
      if (content.length === 0) continue;
      const at = random.below(content.length);
      const bit = 1 << random.below(8);
      const flipped = i >= cuts;
      const damaged = flipped ? Uint8Array.from(content) : content.subarray(0, at);
      if (flipped) damaged[at] ^= bit;
      await writeFile(join(own, path), damaged);
      const first = await outcomeOf(read, own);
      await outcomeOf(read, others[random.below(others.length)]);
      const second = await outcomeOf(read, own);
      await writeFile(join(own, path), content);
      const what = flipped ? `${path}, byte ${at} changed by ${bit}` : `${path} cut to ${at} bytes`;
      judge(`${name}: ${what}`, first, second, samples, !isSealed(entry, path, flipped));
    }
  }
  for (const place of [own, ...others]) await rm(place, { recursive: true, force: true });
  return report;

  function judge(what: string, first: Outcome, second: Outcome, samples: string | null, forgiven: boolean) {
    if (first.digest !== second.digest || first.refused !== second.refused) report.wrong.push(`${what}: two answers`);
    else if (first.refused) report.refused++;
    else if (first.digest === undefined) report.wrong.push(`${what}: ${first.message}`);
    else if (first.digest === samples) report.exact++;
    else if (forgiven) report.undetected++;
    else report.wrong.push(`${what}: other samples`);
  }
}

/** Whether damage to a file must be noticed: cuts always are, changed bits where there is a checksum. */
function isSealed({ name }: ZarrEntry, path: string, flipped: boolean): boolean {
  // A bit of a document may turn one sound store into another one.
  if (/(zarr\.json|\.z\w+)$/.test(path)) return !flipped;
  // The end of a shard that is cut may be taken for an index if that has no checksum.
  if (/shards/.test(name)) return !flipped && /start|crc32c/.test(name);
  return !flipped || /gzip|(^| )zlib|crc32|adler32/.test(name);
}

async function writeStore(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

interface Outcome {
  readonly digest?: string;
  readonly refused: boolean;
  readonly message?: string;
}

async function outcomeOf(read: ZarrReader, folder: string): Promise<Outcome> {
  try {
    return { digest: digestOf(await read(folder)), refused: false };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { refused: isGhtError(error) && !/[\n\r]/.test(message), message };
  }
}
