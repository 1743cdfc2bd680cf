/** Files of other programs with digests of their samples, as make_tiffs.py makes them, and damaged copies of them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { isGhtError, randomSource } from 'ght';

/** A file of the matrix. */
export interface MatrixEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The digest of its samples; null for a kind that must be refused. */
  readonly samples: string | null;
}

/** Reads the files of a matrix. */
export function readMatrix(path: URL | string = new URL('./tiffs.json.gz', import.meta.url)): MatrixEntry[] {
  const entries: readonly { name: string; bytes: string; samples: string | null }[] = JSON.parse(
    gunzipSync(readFileSync(path)).toString(),
  );
  return entries.map(({ name, bytes, samples }) => ({ name, bytes: Buffer.from(bytes, 'base64'), samples }));
}

/** SHA-256 over all samples as float64, row by row, channels of a pixel side by side. */
export function digestOf(planes: readonly ArrayLike<number>[]): string {
  const [{ length }] = planes;
  const samples = new Float64Array(length * planes.length);
  for (const [channel, plane] of planes.entries()) {
    for (let i = 0; i < length; i++) samples[i * planes.length + channel] = plane[i];
  }
  return createHash('sha256').update(new Uint8Array(samples.buffer)).digest('hex');
}

/** Reads a file into its planes, opacity last; throws a GhtError for what it does not read. */
export type MatrixReader = (bytes: Uint8Array) => Promise<readonly ArrayLike<number>[]>;

/** The counts of a run, and what went wrong. */
export interface MatrixReport {
  exact: number;
  refused: number;
  /** Damaged samples that the format cannot detect. */
  undetected: number;
  readonly wrong: string[];
}

/** What is done to each file: nothing, `cuts` cuts, `flips` changed bytes. */
export interface MatrixOptions {
  readonly cuts: number;
  readonly flips: number;
  readonly seed: number;
}

/** Reads all files, whole, cut and damaged: each must be exact or refused in one line. */
export async function runMatrix(
  entries: readonly MatrixEntry[],
  read: MatrixReader,
  { cuts, flips, seed }: MatrixOptions,
): Promise<MatrixReport> {
  const random = randomSource(seed);
  const report: MatrixReport = { exact: 0, refused: 0, undetected: 0, wrong: [] };
  for (const { name, bytes, samples } of entries) {
    const whole = await outcomeOf(read, bytes);
    if (samples === null ? whole.refused : whole.digest === samples) report[samples === null ? 'refused' : 'exact']++;
    else report.wrong.push(`${name}: ${whole.digest ? 'other samples' : whole.message}`);
    for (let i = 0; i < cuts; i++) {
      const length = random.below(bytes.length);
      judge(`${name}, cut to ${length} bytes`, await outcomeOf(read, bytes.subarray(0, length)), samples, false);
    }
    // Only Deflate and LERC have checksums.
    const sealed = /zip|lerc|DEFLATE|LERC/.test(name);
    for (let i = 0; i < flips; i++) {
      const [at, bit] = [random.below(bytes.length), 1 << random.below(8)];
      const damaged = Uint8Array.from(bytes);
      damaged[at] ^= bit;
      // A bit of the directory may turn one sound file into another one.
      const inData = at > 8 && at < firstDirectory(bytes);
      const what = `${name}, byte ${at} changed by ${bit}`;
      judge(what, await outcomeOf(read, damaged), samples, !(sealed && inData));
    }
  }
  return report;

  function judge(what: string, outcome: Outcome, samples: string | null, forgiven: boolean) {
    if (outcome.refused) report.refused++;
    else if (outcome.digest === undefined) report.wrong.push(`${what}: ${outcome.message}`);
    else if (outcome.digest === samples) report.exact++;
    else if (forgiven) report.undetected++;
    else report.wrong.push(`${what}: other samples`);
  }
}

interface Outcome {
  readonly digest?: string;
  readonly refused: boolean;
  readonly message?: string;
}

async function outcomeOf(read: MatrixReader, bytes: Uint8Array): Promise<Outcome> {
  try {
    return { digest: digestOf(await read(bytes)), refused: false };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { refused: isGhtError(error) && !/[\n\r]/.test(message), message };
  }
}

/** Where the first directory begins: libtiff writes it after the samples of a file. */
function firstDirectory(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = bytes[0] === 0x49;
  const big = view.getUint16(2, little) === 43;
  return big ? Number(view.getBigUint64(8, little)) : view.getUint32(4, little);
}
