/** Arrays and groups of a Zarr, and the samples of their chunks. */
import type { RasterSamples, Refuse } from 'ght-images';
import { codedLength, mostCoded, uncoded } from './zarr-codings.js';
import type { ZarrFiles } from './zarr-files.js';
import { fieldsOf, sampleArrays } from './zarr-layout.js';
import { type ArrayMetadata, arrayOfFormat2, arrayOfFormat3, type Fields, type Sharding } from './zarr-metadata.js';

/** A group: attributes alone. */
export interface ZarrGroup {
  readonly kind: 'group';
  /** The format of the Zarr. */
  readonly format: 2 | 3;
  readonly attributes: Fields;
}

/** An array of samples in chunks. */
export interface ZarrArray extends ArrayMetadata {
  readonly kind: 'array';
  /** The format of the Zarr. */
  readonly format: 2 | 3;
  /** Samples from one to the next along each axis of a chunk. */
  readonly strides: readonly number[];
  /** The samples of a chunk, all of them; those that are not stored have the fill value. */
  readChunk(place: readonly number[], signal?: AbortSignal): Promise<RasterSamples>;
}

/** Opens a group or an array in a folder of a Zarr, which is '' for the Zarr itself; undefined if there is none. */
export async function openNode(
  files: ZarrFiles,
  folder: string,
  refuse: Refuse,
  signal?: AbortSignal,
): Promise<ZarrGroup | ZarrArray | undefined> {
  const within = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  const read = async (name: string) => {
    const value = await files.document(within(name), signal);
    if (value === undefined) return undefined;
    const fields = fieldsOf(value);
    if (!fields || Array.isArray(value)) throw new Error(`${within(name)} is not an object`);
    return fields;
  };
  const document = await read('zarr.json');
  if (document) {
    checkFormat(document, 3, within('zarr.json'));
    if (document.node_type === 'group')
      return { kind: 'group', format: 3, attributes: fieldsOf(document.attributes) ?? {} };
    if (document.node_type !== 'array') throw new Error(`${within('zarr.json')} is neither an array nor a group`);
    return { ...arrayIn(files, within, arrayOfFormat3(document, refuse), refuse), format: 3 };
  }
  const array = await read('.zarray');
  const group = array ? undefined : await read('.zgroup');
  if (!array && !group) return undefined;
  const attributes = (await read('.zattrs')) ?? {};
  if (array) {
    checkFormat(array, 2, within('.zarray'));
    return { ...arrayIn(files, within, arrayOfFormat2(array, attributes, refuse), refuse), format: 2 };
  }
  return { kind: 'group', format: 2, attributes };
}

function checkFormat(document: Fields, format: number, name: string): void {
  if (document.zarr_format !== format) throw new Error(`${name} has zarr_format ${String(document.zarr_format)}`);
}

function arrayIn(
  files: ZarrFiles,
  within: (name: string) => string,
  metadata: ArrayMetadata,
  refuse: Refuse,
): Omit<ZarrArray, 'format'> {
  const { chunks, type, coding, sharding, fill } = metadata;
  const Samples = sampleArrays[type];
  const count = chunks.reduce((product, side) => product * side, 1);
  const length = count * Samples.BYTES_PER_ELEMENT;
  const shards = sharding && shardsIn(files, sharding, chunks, mostCoded(coding, length));
  const read = async (place: readonly number[], signal?: AbortSignal) => {
    if (shards) return shards((shard) => within(metadata.fileOf(shard)), place, signal);
    return files.read(within(metadata.fileOf(place)), mostCoded(coding, length), signal);
  };
  return {
    ...metadata,
    kind: 'array',
    strides: stridesOf(chunks, coding.order),
    async readChunk(place, signal) {
      const coded = await read(place, signal);
      if (!coded) {
        if (fill !== undefined) return new Samples(count).fill(fill);
        const rule = `must have all chunks, since it has no fill value, but ${place.join('/')} is missing`;
        throw refuse(rule, 'write the chunk or a fill_value');
      }
      const bytes = await uncoded(coded, coding, length).catch((cause: unknown) => {
        throw new Error(`chunk ${place.join('/')}: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        });
      });
      // The bytes belong to this chunk alone, and are copied only if samples cannot begin where they do.
      const { buffer, byteOffset } = bytes;
      const usable = buffer instanceof ArrayBuffer && byteOffset % Samples.BYTES_PER_ELEMENT === 0;
      const samples = usable ? new Samples(buffer, byteOffset, count) : new Samples(new Uint8Array(bytes).buffer);
      if (coding.littleEndian !== LITTLE_ENDIAN_MACHINE) reverseBytes(samples);
      for (let i = 0; i < coding.differences; i++) addUp(samples);
      return samples;
    },
  };
}

const LITTLE_ENDIAN_MACHINE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function reverseBytes(samples: RasterSamples): void {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  if (samples.BYTES_PER_ELEMENT === 2) bytes.swap16();
  else if (samples.BYTES_PER_ELEMENT === 4) bytes.swap32();
  else if (samples.BYTES_PER_ELEMENT === 8) bytes.swap64();
}

/** The samples from their differences: sums are of the samples' type, as in NumPy. */
function addUp(samples: RasterSamples): void {
  for (let i = 1; i < samples.length; i++) samples[i] += samples[i - 1];
}

/** Samples from one to the next along each axis, if they are stored in this order of axes. */
function stridesOf(chunks: readonly number[], order: readonly number[]): readonly number[] {
  const strides = new Array<number>(chunks.length).fill(1);
  let stride = 1;
  for (const axis of [...order].reverse()) {
    strides[axis] = stride;
    stride *= chunks[axis];
  }
  return strides;
}

/** A place that means that a chunk of a shard is not stored. */
const ABSENT = 0xffff_ffff_ffff_ffffn;
/** Indexes are small compared with chunks, and needed for many of them. */
const MOST_INDEXES = 16;

/** Reads chunks out of shards. */
function shardsIn(files: ZarrFiles, sharding: Sharding, chunks: readonly number[], most: number) {
  const perShard = sharding.shape.map((side, axis) => side / chunks[axis]);
  const count = perShard.reduce((product, side) => product * side, 1);
  const length = codedLength(sharding.index, 16 * count) ?? 0;
  const indexes = new Map<string, DataView | undefined>();

  const indexOf = async (name: string, signal?: AbortSignal): Promise<DataView | undefined> => {
    if (indexes.has(name)) return indexes.get(name);
    const range = sharding.indexAtEnd ? { last: length } : { offset: 0, length };
    const coded = await files.readRange(name, range, signal);
    const bytes = coded && (await uncoded(coded, sharding.index, 16 * count));
    const index = bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    indexes.set(name, index);
    if (indexes.size > MOST_INDEXES) {
      const [oldest] = indexes.keys();
      indexes.delete(oldest);
    }
    return index;
  };

  return async (
    nameOf: (shard: readonly number[]) => string,
    place: readonly number[],
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined> => {
    const name = nameOf(place.map((at, axis) => Math.floor(at / perShard[axis])));
    const index = await indexOf(name, signal);
    if (!index) return undefined;
    const inside = place.reduce((sum, at, axis) => sum * perShard[axis] + (at % perShard[axis]), 0);
    const { littleEndian } = sharding.index;
    const [offset, size] = [0, 8].map((byte) => index.getBigUint64(16 * inside + byte, littleEndian));
    if (offset === ABSENT && size === ABSENT) return undefined;
    if (size > BigInt(most) || size === 0n || offset > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new Error(`the index of ${name} is damaged`);
    }
    const bytes = await files.readRange(name, { offset: Number(offset), length: Number(size) }, signal);
    if (!bytes) throw new Error(`${name} has disappeared`);
    return bytes;
  };
}
