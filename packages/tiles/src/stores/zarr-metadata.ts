/** The documents of Zarr arrays: `.zarray` of format 2 and `zarr.json` of format 3, with every field checked. */
import type { Refuse } from 'ght-images';
import { type Coding, codingOf, type ElementType, type NamedCodec, numpyType, unread } from './zarr-codings.js';
import { fieldsOf, type SampleType, sampleOf } from './zarr-layout.js';

/** The fields of a document. */
export type Fields = Readonly<Record<string, unknown>>;

/** Chunks that lie together in one file, with an index of their places. */
export interface Sharding {
  /** The shape of a file, in samples. */
  readonly shape: readonly number[];
  readonly index: Coding;
  readonly indexAtEnd: boolean;
}

/** An array, as its document describes it. */
export interface ArrayMetadata {
  readonly shape: readonly number[];
  /** The shape of a chunk. */
  readonly chunks: readonly number[];
  readonly type: SampleType;
  readonly coding: Coding;
  readonly sharding?: Sharding;
  /** The value of samples that are not stored; undefined if the document leaves it open. */
  readonly fill?: number;
  /** The name of the file of a chunk or shard. */
  readonly fileOf: (place: readonly number[]) => string;
  readonly attributes: Fields;
  readonly axes?: readonly string[];
}

const INDEX_TYPE: ElementType = { name: 'uint64', bytes: 8 };
/** The most chunks of a shard: its index is read as a whole. */
const MOST_IN_SHARD = 2 ** 20;

/** Reads the document of an array of format 2. */
export function arrayOfFormat2(document: Fields, attributes: Fields, refuse: Refuse): ArrayMetadata {
  const { dtype, order, filters, compressor, dimension_separator: separator = '.' } = document;
  const known = typeof dtype === 'string' ? numpyType(dtype) : undefined;
  if (!known) throw otherType(typeof dtype === 'string' ? dtype : 'a structure', refuse);
  const type = sampleType(known.type, refuse);
  const shape = sides(document.shape, 'shape', refuse);
  const chunks = sides(document.chunks, 'chunks', refuse);
  if (order !== 'C' && order !== 'F') throw unsound('order', order, refuse);
  if (separator !== '.' && separator !== '/') throw unsound('dimension_separator', separator, refuse);
  const codecs = [
    ...(order === 'F' ? [{ name: 'transpose', configuration: { order } }] : []),
    ...listOrNull(filters, 'filters', refuse).map((filter) => codecOfFormat2(filter, refuse)),
    ...(compressor === null || compressor === undefined ? [] : [codecOfFormat2(compressor, refuse)]),
  ];
  return {
    ...{ shape, chunks, type: type.name, attributes },
    coding: codingOf(codecs, type, checkRank(shape, chunks, refuse), refuse, known.littleEndian),
    fill: document.fill_value === null ? undefined : fillOf(document.fill_value, type, refuse),
    fileOf: (place) => place.join(separator),
  };
}

function codecOfFormat2(value: unknown, refuse: Refuse): NamedCodec {
  const { id, ...configuration } = fieldsOf(value) ?? {};
  if (typeof id !== 'string') throw unsound('compressor or filters', value, refuse);
  return { name: id, configuration };
}

const FIELDS = new Set([
  ...['zarr_format', 'node_type', 'shape', 'data_type', 'chunk_grid', 'chunk_key_encoding', 'fill_value', 'codecs'],
  ...['attributes', 'dimension_names', 'storage_transformers'],
]);

/** Reads the document of an array of format 3. */
export function arrayOfFormat3(document: Fields, refuse: Refuse): ArrayMetadata {
  for (const [name, value] of Object.entries(document)) {
    if (FIELDS.has(name) || fieldsOf(value)?.must_understand === false) continue;
    throw refuse(`must have the fields of Zarr format 3, not "${name.slice(0, 50)}"`, 'save it again without it');
  }
  if (listOrNull(document.storage_transformers, 'storage_transformers', refuse).length > 0) {
    throw unread('storage_transformers', refuse);
  }
  const type = sampleType(named(document.data_type, 'data_type', refuse).name, refuse);
  const shape = sides(document.shape, 'shape', refuse);
  const grid = named(document.chunk_grid, 'chunk_grid', refuse);
  if (grid.name !== 'regular') throw refuse(`must have a regular grid of chunks, not ${grid.name}`, 'save it again');
  const chunks = sides(grid.configuration.chunk_shape, 'chunk_shape', refuse);
  checkRank(shape, chunks, refuse);
  const layout = {
    ...{ shape, type: type.name, attributes: fieldsOf(document.attributes) ?? {} },
    fill: fillOf(document.fill_value, type, refuse),
    fileOf: fileNaming(named(document.chunk_key_encoding, 'chunk_key_encoding', refuse), refuse),
    ...axesOf(document.dimension_names, shape.length, refuse),
  };
  const codecs = codecList(document.codecs, 'codecs', refuse);
  const sharding = codecs.find(({ name }) => name === 'sharding_indexed');
  if (!sharding) return { ...layout, chunks, coding: codingOf(codecs, type, shape.length, refuse) };
  if (codecs.length > 1) throw unread('sharding_indexed next to other codecs', refuse);
  return { ...layout, ...shardsOf(sharding, chunks, type, refuse) };
}

function shardsOf({ configuration }: NamedCodec, shard: readonly number[], type: ElementType, refuse: Refuse) {
  const { index_location: location = 'end' } = configuration;
  const chunks = sides(configuration.chunk_shape, 'chunk_shape', refuse);
  checkRank(shard, chunks, refuse);
  const count = shard.reduce((product, side, axis) => product * (side / chunks[axis]), 1);
  if (shard.some((side, axis) => side % chunks[axis] !== 0) || count > MOST_IN_SHARD) {
    const rule = `must have shards of up to ${MOST_IN_SHARD} whole chunks, not ${shard.join('×')} in ${chunks.join('×')}`;
    throw refuse(rule, 'save it again');
  }
  if (location !== 'start' && location !== 'end') throw unsound('index_location', location, refuse);
  const codecs = codecList(configuration.codecs, 'codecs', refuse);
  if (codecs.some(({ name }) => name === 'sharding_indexed')) throw unread('shards inside shards', refuse);
  const index = codingOf(codecList(configuration.index_codecs, 'index_codecs', refuse), INDEX_TYPE, 1, refuse);
  // Its length must be known before it is read.
  if (index.steps.some(({ compresses }) => compresses) || index.differences > 0) {
    throw unread('an index of shards that is compressed', refuse);
  }
  const coding = codingOf(codecs, type, shard.length, refuse);
  return { chunks, coding, sharding: { shape: shard, index, indexAtEnd: location === 'end' } };
}

/** How files of chunks are named: `c/0/1` or, as in format 2, `0.1`. */
function fileNaming({ name, configuration }: NamedCodec, refuse: Refuse): ArrayMetadata['fileOf'] {
  const { separator = name === 'v2' ? '.' : '/' } = configuration;
  if (name !== 'default' && name !== 'v2')
    throw refuse(`must have the chunk keys default or v2, not ${name}`, 'save it again');
  if (separator !== '.' && separator !== '/') throw unsound('separator', separator, refuse);
  return (place) => (name === 'v2' ? place : ['c', ...place]).join(separator);
}

/** Something with a name and perhaps a configuration; without one it may be the name alone. */
function named(value: unknown, field: string, refuse: Refuse): NamedCodec {
  if (typeof value === 'string') return { name: value, configuration: {} };
  const { name, configuration } = fieldsOf(value) ?? {};
  if (typeof name !== 'string') throw unsound(field, value, refuse);
  return { name, configuration: fieldsOf(configuration) ?? {} };
}

function codecList(value: unknown, field: string, refuse: Refuse): readonly NamedCodec[] {
  if (!Array.isArray(value)) throw unsound(field, value, refuse);
  return value.map((codec: unknown) => named(codec, field, refuse));
}

function listOrNull(value: unknown, field: string, refuse: Refuse): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw unsound(field, value, refuse);
  return value;
}

function axesOf(value: unknown, rank: number, refuse: Refuse): Pick<ArrayMetadata, 'axes'> {
  const names = listOrNull(value, 'dimension_names', refuse);
  if (names.length === 0 || names.every((name) => name === null)) return {};
  if (names.length !== rank || !names.every((name) => typeof name === 'string')) {
    throw unsound('dimension_names', value, refuse);
  }
  return { axes: names };
}

function sampleType(name: string, refuse: Refuse): ElementType & { readonly name: SampleType } {
  const sample = sampleOf(name);
  if (!sample) throw otherType(name, refuse);
  return { name: `${sample.sample}${sample.depth}` as SampleType, bytes: sample.depth / 8 };
}

function otherType(name: string, refuse: Refuse) {
  const rule = `must hold integers of 8 to 32 bits, or floats of 32 or 64 bits, not ${name.slice(0, 50)}`;
  return refuse(rule, 'convert it to float32');
}

/** Lengths along the axes. An axis of an array may be empty, which is refused where pixels are needed. */
function sides(value: unknown, field: string, refuse: Refuse): readonly number[] {
  const sound = (side: unknown) => Number.isSafeInteger(side) && (side as number) >= (field === 'shape' ? 0 : 1);
  if (!Array.isArray(value) || value.length > 32 || !value.every(sound)) throw unsound(field, value, refuse);
  return value;
}

function checkRank(shape: readonly number[], chunks: readonly number[], refuse: Refuse): number {
  if (shape.length === chunks.length) return shape.length;
  throw refuse(`must have chunks of ${shape.length} axes, not ${chunks.length}`, 'save it again');
}

/** The value of samples that are not stored, which must be one of the type. */
function fillOf(value: unknown, { name, bytes }: ElementType, refuse: Refuse): number {
  if (name.startsWith('float')) {
    const special = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, '-Infinity': Number.NEGATIVE_INFINITY };
    if (typeof value === 'number') return bytes === 4 ? Math.fround(value) : value;
    if (typeof value === 'string' && Object.hasOwn(special, value)) return special[value as keyof typeof special];
    const hex = typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x([0-9a-f]+)$/i.exec(value)?.[1];
    if (hex) return bytes === 4 ? Buffer.from(hex, 'hex').readFloatBE() : Buffer.from(hex, 'hex').readDoubleBE();
  } else if (Number.isSafeInteger(value)) {
    const least = name.startsWith('uint') ? 0 : -(2 ** (8 * bytes - 1));
    if ((value as number) >= least && (value as number) < least + 2 ** (8 * bytes)) return value as number;
  }
  throw unsound('fill_value', value, refuse);
}

function unsound(field: string, value: unknown, refuse: Refuse) {
  const text = String(JSON.stringify(value));
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return refuse(`must have a sound ${field} in its Zarr document, not ${shown}`, 'save it again: it is damaged');
}
