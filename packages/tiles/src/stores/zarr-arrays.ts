/** Small Zarr arrays of a single chunk: what accompanies the picture. */
import { InputError } from 'ght';
import { bytesOf, type ZarrFolder, zstd } from './zarr-chunks.js';
import { arrayDocument, fieldsOf } from './zarr-layout.js';

const types = { uint32: Uint32Array, int32: Int32Array, float64: Float64Array } as const;
type ArrayType = keyof typeof types;
/** The most numbers of an array that is read as a whole. */
const MOST_NUMBERS = 2 ** 27;
/** What holds the numbers of a type. */
export type ArrayData<Type extends ArrayType> = InstanceType<(typeof types)[Type]>;

/** Writes an array as one chunk, and its document after it. */
export async function writeNumbers<Type extends ArrayType>(
  folder: ZarrFolder,
  name: string,
  type: Type,
  shape: readonly number[],
  data: ArrayData<Type>,
): Promise<void> {
  const place = shape.map(() => 0).join('/');
  if (data.length > 0) await writeChunk(folder, `${name}/c/${place}`, data);
  const chunkShape = shape.map((side) => Math.max(1, side));
  await folder.writeJson(`${name}/zarr.json`, arrayDocument(type, shape, chunkShape));
}

/** Writes the numbers of a chunk. */
export async function writeChunk(folder: ZarrFolder, name: string, data: ArrayBufferView): Promise<void> {
  await folder.write(name, await (await zstd()).encode(bytesOf(data)));
}

/** Reads an array of this many dimensions that `writeNumbers` wrote; undefined where there is none. */
export async function readNumbers<Type extends ArrayType>(
  folder: ZarrFolder,
  name: string,
  type: Type,
  dimensions: number,
): Promise<{ readonly shape: readonly number[]; readonly data: ArrayData<Type> } | undefined> {
  const document = await readDocument(folder, `${name}/zarr.json`);
  if (!document) return undefined;
  const shape: unknown[] = Array.isArray(document.shape) ? document.shape : [];
  const sound =
    shape.length === dimensions && shape.every((side) => Number.isSafeInteger(side) && (side as number) >= 0);
  if (!sound || document.data_type !== type) throw damaged(folder, `${name}/zarr.json`);
  const sides = shape as number[];
  const length = sides.reduce((product, side) => product * side, 1);
  if (length > MOST_NUMBERS) throw damaged(folder, `${name}/zarr.json`);
  const data =
    length === 0
      ? (new types[type](0) as ArrayData<Type>)
      : await readChunk(folder, `${name}/c/${sides.map(() => 0).join('/')}`, type, length);
  return { shape: sides, data };
}

/** Reads the numbers of a chunk of known length. */
export async function readChunk<Type extends ArrayType>(
  folder: ZarrFolder,
  name: string,
  type: Type,
  length: number,
): Promise<ArrayData<Type>> {
  const bytes = await folder.readChunk(name, length * types[type].BYTES_PER_ELEMENT);
  if (!bytes) throw damaged(folder, name);
  const data = new types[type](length);
  bytesOf(data).set(bytes);
  return data as ArrayData<Type>;
}

/** The fields of a document, or undefined where there is none. */
export async function readDocument(
  folder: ZarrFolder,
  name: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bytes = await folder.read(name);
  if (!bytes) return undefined;
  try {
    const fields = fieldsOf(JSON.parse(bytes.toString()));
    if (fields) return fields;
  } catch {
    // Reported below.
  }
  throw damaged(folder, name);
}

/** The error of a file that is not as it was written. */
export function damaged(folder: ZarrFolder, name: string): InputError {
  const rule = `must have intact files, which ${name} is not`;
  return new InputError(folder.parameter, rule, folder.path, 'remove this file and run the command again');
}
