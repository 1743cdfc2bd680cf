/**
 * How a picture lies in a folder as OME-Zarr 0.5 (Zarr format 3); docs/files.md has the layout for users.
 *
 *     zarr.json            the group: `ome` for viewers, `ght` with the run and all that is written back unchanged
 *     0/zarr.json          the picture: planes, rows, columns; opacity is the last plane
 *     0/c/PLANE/ROW/COLUMN a chunk, compressed with zstd
 *     1/ 2/ …              half the size each, down to one chunk
 */
import { type InputError, OptionError } from 'ght';
import type { ImageMetadata } from 'ght-images';
import type { Picture } from '../picture.js';
import { planesOf } from './windows.js';

/** What `zarr.json` says of a picture that was written here. */
export interface ZarrRecord {
  /** The identity of the run that writes it. */
  readonly run: string;
  /** Whether all chunks and levels are there. */
  readonly finished: boolean;
  /** The side of a chunk. */
  readonly chunk: number;
  /** The picture. */
  readonly picture: Picture;
}

/** A picture of a pyramid: each level has half the size of the one before. */
export interface Level {
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
}

/** The largest side of a chunk that is written. */
export const LARGEST_CHUNK = 4096;

const micrometres = { inch: 25_400, centimetre: 10_000 } as const;

/** What holds the samples of a type, by its name in Zarr. */
export const sampleArrays = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** The name of a sample in Zarr. */
export type SampleType = keyof typeof sampleArrays;

const sampleTypes = Object.keys(sampleArrays) as SampleType[];

/** The sample type of a picture; an OptionError where Zarr has none for it. */
export function sampleTypeOf({ sample, depth }: Pick<Picture, 'sample' | 'depth'>): SampleType {
  const type = sampleTypes.find((name) => name === `${sample}${depth}`);
  if (type) return type;
  throw new OptionError(
    'picture',
    `must have samples of ${sampleTypes.join(', ')}`,
    `${sample}${depth}`,
    'use another',
  );
}

/** What a sample of a Zarr type is, or undefined for types that are no samples. */
export function sampleOf(type: string): Pick<Picture, 'sample' | 'depth'> | undefined {
  if (!sampleTypes.some((name) => name === type)) return undefined;
  const [, sample, depth] = /^(u?int|float)(\d+)$/.exec(type) ?? [];
  return { sample: sample as Picture['sample'], depth: Number(depth) as Picture['depth'] };
}

/** The levels of a picture, down to one that fits in a chunk. */
export function levelsOf({ width, height }: Level, chunk: number): Level[] {
  const levels = [{ width, height }];
  for (let last = levels[0]; Math.max(last.width, last.height) > chunk; levels.push(last)) {
    last = { width: Math.ceil(last.width / 2), height: Math.ceil(last.height / 2) };
  }
  return levels;
}

/** The `zarr.json` of an array in chunks that are compressed with zstd. */
export function arrayDocument(type: SampleType, shape: readonly number[], chunkShape: readonly number[]): object {
  return {
    ...{ zarr_format: 3, node_type: 'array', shape, data_type: type },
    chunk_grid: { name: 'regular', configuration: { chunk_shape: chunkShape } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    codecs: [
      { name: 'bytes', configuration: { endian: 'little' } },
      { name: 'zstd', configuration: { level: 1, checksum: false } },
    ],
    attributes: {},
  };
}

/** The `zarr.json` of a level. */
export function levelDocument(picture: Picture, { width, height }: Level, chunk: number): object {
  const shape = [planesOf(picture), height, width];
  return { ...arrayDocument(sampleTypeOf(picture), shape, [1, chunk, chunk]), dimension_names: ['c', 'y', 'x'] };
}

/** The `zarr.json` of the group. Only levels that are complete are named, so that viewers find all they look for. */
export function groupDocument(record: ZarrRecord): object {
  const { run, finished, chunk, picture } = record;
  const levels = finished ? levelsOf(picture, chunk) : [picture];
  const { unit, x, y } = pixelSize(picture.metadata);
  const space = { type: 'space', ...(unit && { unit }) };
  const datasets = levels.map((_, level) => {
    const factor = 2 ** level;
    // A pixel of a level lies in the middle of those it is the mean of.
    const shift = (factor - 1) / 2;
    const scale = { type: 'scale', scale: [1, factor * y, factor * x] };
    const translation = { type: 'translation', translation: [0, shift * y, shift * x] };
    return { path: String(level), coordinateTransformations: level === 0 ? [scale] : [scale, translation] };
  });
  const axes = [
    { name: 'c', type: 'channel' },
    { name: 'y', ...space },
    { name: 'x', ...space },
  ];
  const { name = 'image', omero = omeroOf(picture) } = picture.metadata?.ome ?? {};
  return {
    ...{ zarr_format: 3, node_type: 'group' },
    attributes: {
      ome: {
        version: '0.5',
        multiscales: [{ name, type: 'mean', axes, datasets }],
        ...(omero && { omero }),
      },
      ght: { run, finished, chunk, picture: { ...picture, metadata: encodeMetadata(picture.metadata) } },
    },
  };
}

/** The size of a pixel: in micrometres, or of no unit where only the ratio of its sides is known. */
export function pixelSize({ resolution }: ImageMetadata = {}): { unit?: string; x: number; y: number } {
  if (!resolution) return { x: 1, y: 1 };
  const { x, y, unit } = resolution;
  if (unit === 'none') return { x: y / x, y: 1 };
  return { unit: 'micrometer', x: micrometres[unit] / x, y: micrometres[unit] / y };
}

/** How viewers mix the planes: red, green and blue as such, opacity not at all. */
function omeroOf({ channels, alpha, sample, depth }: Picture): object | undefined {
  if (channels !== 3 || sample !== 'uint' || depth > 16) return undefined;
  const end = 2 ** depth - 1;
  const window = { min: 0, max: end, start: 0, end };
  const colours = [
    { label: 'red', color: 'FF0000', active: true, window },
    { label: 'green', color: '00FF00', active: true, window },
    { label: 'blue', color: '0000FF', active: true, window },
    { label: 'opacity', color: 'FFFFFF', active: false, window },
  ];
  return { channels: colours.slice(0, alpha ? 4 : 3) };
}

/** The metadata that are bytes. */
const binary = ['icc', 'exif', 'xmp', 'iptc', 'pngChunks'] as const;

/** Metadata as plain JSON, bytes in base64. */
export function encodeMetadata({ imageJ, ...rest }: ImageMetadata = {}): object {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const encoded = binary.flatMap((key) => (rest[key] ? [[key, base64(rest[key])]] : []));
  return {
    ...rest,
    ...Object.fromEntries(encoded),
    ...(imageJ && { imageJ: { counts: imageJ.counts, bytes: base64(imageJ.bytes) } }),
  };
}

/** What `zarr.json` says under `ght`, or undefined where it says nothing: then the folder was not written here. */
export function recordOf(attributes: unknown, refuse: (rule: string) => InputError): ZarrRecord | undefined {
  const ght = fieldsOf(fieldsOf(attributes)?.ght);
  if (!ght) return undefined;
  const picture = fieldsOf(ght.picture);
  const whole = (value: unknown, most: number) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= most;
  const sound =
    typeof ght.run === 'string' &&
    typeof ght.finished === 'boolean' &&
    whole(ght.chunk, LARGEST_CHUNK) &&
    picture !== undefined &&
    whole(picture.width, 2 ** 31) &&
    whole(picture.height, 2 ** 31) &&
    whole(picture.channels, 2 ** 16) &&
    typeof picture.alpha === 'boolean' &&
    sampleOf(`${picture.sample}${picture.depth}`) !== undefined;
  if (!sound) throw refuse('must have attributes as they were written');
  const metadata = decodeMetadata(fieldsOf(picture.metadata) ?? {});
  const { run, finished, chunk } = ght as Pick<ZarrRecord, 'run' | 'finished' | 'chunk'>;
  const { width, height, channels, alpha, sample, depth } = picture as unknown as Picture;
  return {
    ...{ run, finished, chunk },
    picture: { width, height, channels, alpha, sample, depth, ...(Object.keys(metadata).length > 0 && { metadata }) },
  };
}

/** What `encodeMetadata` made. */
export function decodeMetadata(stored: Readonly<Record<string, unknown>>): ImageMetadata {
  const { resolution, description, axes, bands, imageJ, lookup, ome, notRead, fits, white } = stored;
  const bytes = (text: unknown) => (typeof text === 'string' ? new Uint8Array(Buffer.from(text, 'base64')) : undefined);
  const { counts, bytes: packed } = fieldsOf(imageJ) ?? {};
  const entries = bytes(packed);
  return {
    ...Object.fromEntries(binary.flatMap((key) => (bytes(stored[key]) ? [[key, bytes(stored[key])]] : []))),
    ...(fieldsOf(resolution) && { resolution: resolution as ImageMetadata['resolution'] }),
    ...(typeof description === 'string' && { description }),
    ...(fieldsOf(ome) && { ome: ome as ImageMetadata['ome'] }),
    ...(bands === true && { bands }),
    ...(Array.isArray(lookup) && { lookup: lookup.map(Number) }),
    ...(entries && Array.isArray(counts) && { imageJ: { counts: counts.map(Number), bytes: entries } }),
    ...(typeof axes === 'string' && { axes: axes as ImageMetadata['axes'] }),
    ...(Array.isArray(notRead) && { notRead: notRead.map(String) }),
    ...(Array.isArray(fits) && { fits: fits.map(String) }),
    ...(typeof white === 'number' && { white }),
  };
}

/** A value as an object whose fields can be looked at, or undefined if it is none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}
