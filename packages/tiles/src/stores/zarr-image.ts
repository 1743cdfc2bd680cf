/** An image in a Zarr: the array of its full size, what its axes are, and the planes of a window. */
import { stat } from 'node:fs/promises';
import { InputError, type Samples } from 'ght';
import { asSamples, type ImageMetadata, type RasterSamples, type Resolution } from 'ght-images';
import { intact, type Refuse } from 'ght-images/node';
import type { Rectangle } from '../picture.js';
import { abortable, checkAddress, isAddress, refusingFor, type SourceOptions } from './source-options.js';
import { piecesIn } from './windows.js';
import { openNode, type ZarrArray } from './zarr-array.js';
import { ZarrFiles } from './zarr-files.js';
import { fieldsOf, recordOf, sampleArrays, type ZarrRecord } from './zarr-layout.js';

/** The most bytes of a chunk: a document of a few bytes could ask for any number, and decoders need some of them twice. */
const MOST_CHUNK_BYTES = 2 ** 29;
const MOST_PIXELS_PER_SIDE = 2 ** 31;
/** As many as a TIFF has. */
const MOST_CHANNELS = 2 ** 16 - 1;

/** An image that was opened. */
export interface ZarrImage {
  readonly files: ZarrFiles;
  readonly array: ZarrArray;
  /** The attributes of the group, or of an array without one. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The letters of the axes, one for each dimension. */
  readonly axes: readonly string[];
  /** What the attributes of a group say about its image. */
  readonly multiscale?: Multiscale;
  /** Of an image that was written here. */
  readonly record?: ZarrRecord;
  readonly refuse: Refuse;
}

/** Opens the image in a Zarr folder, or at an address where http is allowed. */
export async function openZarrImage(name: string, options: SourceOptions): Promise<ZarrImage> {
  checkAddress(name, options);
  const refuse = refusingFor(name, options);
  const { signal } = options;
  const files = new ZarrFiles(name, options, refuse);
  const open = (folder: string) =>
    abortable(() => intact(openNode(files, folder, refuse, signal), 'Zarr', refuse), signal);
  const node = (await open('')) ?? (await refuseAbsent(name, refuse));
  const record = recordOf(node.attributes, (rule) => refuse(rule, 'write it again') as InputError);
  if (record && !record.finished) {
    throw refuse('must be finished', 'run the command that writes it once more, until it ends');
  }
  const { attributes } = node;
  const image = node.kind === 'array' ? undefined : multiscaleOf(attributes, refuse);
  const array = image ? await open(await intact(folderOf(image.path), 'Zarr', refuse)) : node;
  if (array?.kind !== 'array') {
    const rule = `must have the picture that its attributes name, in ${image?.path.slice(0, 50)}`;
    throw refuse(rule, 'fetch or write it again');
  }
  const named = image ? image.axes.map(({ name }) => name) : array.axes;
  const axes = named?.map((letter) => letter.toLowerCase()) ?? guessed(array.shape, refuse);
  return { files, array, attributes, axes, refuse, ...(image && { multiscale: image }), ...(record && { record }) };
}

/** The folder of a picture that the attributes of a group name. It lies inside the group. */
async function folderOf(path: string): Promise<string> {
  const parts = path
    .replace(/\/$/, '')
    .split('/')
    .filter((part) => part !== '.');
  const inside = parts.length > 0 && parts.every((part) => part !== '' && part !== '..' && !/[\\\0]/.test(part));
  if (!inside)
    throw new Error(`its attributes name the folder ${JSON.stringify(path.slice(0, 50))}, which is not inside it`);
  return parts.join('/');
}

/** Refuses a folder that is no Zarr, or is not there. */
async function refuseAbsent(name: string, refuse: Refuse): Promise<never> {
  const there = isAddress(name) || (await stat(name).catch(() => undefined));
  if (!there) throw refuse('must be an existing file', 'check the path', InputError);
  const rule = 'must be a Zarr, with zarr.json or .zarray in it';
  throw refuse(rule, 'this is another folder; name the folder of the image', InputError);
}

/** What OME-Zarr says about an image. */
export interface Multiscale {
  /** The folder of its full size. */
  readonly path: string;
  /** Its axes, each with the distance from one sample to the next. */
  readonly axes: readonly { readonly name: string; readonly unit?: string; readonly scale: number }[];
  readonly resolution?: Resolution;
  /** What viewers read. */
  readonly ome?: ImageMetadata['ome'];
}

/** The picture in full size that the attributes of OME-Zarr name. */
function multiscaleOf(attributes: unknown, refuse: Refuse): Multiscale {
  const ome = fieldsOf(fieldsOf(attributes)?.ome) ?? fieldsOf(attributes);
  const scales = fieldsOf(listOf(ome?.multiscales)[0]);
  const dataset = fieldsOf(listOf(scales?.datasets)[0]);
  const axes = listOf(scales?.axes).map((axis) => fieldsOf(axis));
  const names = axes.map((axis) => axis?.name);
  if (typeof dataset?.path !== 'string' || !names.every((name) => typeof name === 'string')) {
    const rule = 'must be an OME-Zarr image or a Zarr array';
    throw refuse(rule, 'this is another group; name the folder of the image in it');
  }
  const steps = [...listOf(dataset.coordinateTransformations), ...listOf(scales?.coordinateTransformations)];
  const scale = (axis: number) =>
    steps.reduce<number>((product, step) => {
      const factor = Number(listOf(fieldsOf(step)?.scale)[axis] ?? 1);
      return fieldsOf(step)?.type === 'scale' ? product * factor : product;
    }, 1);
  const [y, x] = [names.length - 2, names.length - 1];
  const [tall, wide] = [scale(y) * unitOf(axes[y]?.unit), scale(x) * unitOf(axes[x]?.unit)];
  const known = tall > 0 && wide > 0 && Number.isFinite(1 / tall) && Number.isFinite(1 / wide);
  return {
    path: dataset.path,
    axes: axes.map((axis, i) => ({
      name: names[i] as string,
      scale: scale(i),
      ...(typeof axis?.unit === 'string' && { unit: axis.unit }),
    })),
    ...viewersIn(scales?.name, ome?.omero),
    ...(known && { resolution: { x: 1 / wide, y: 1 / tall, unit: 'centimetre' } }),
  };
}

function viewersIn(name: unknown, omero: unknown): Pick<Multiscale, 'ome'> {
  const shown = fieldsOf(omero);
  const named = typeof name === 'string';
  return named || shown ? { ome: { ...(named && { name }), ...(shown && { omero: shown }) } } : {};
}

/** A value as a list; an empty one if it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Units of OME-Zarr in centimetres; NaN for none and for those of other things than pictures. */
function unitOf(name: unknown): number {
  const units: Readonly<Record<string, number>> = {
    ...{ angstrom: 1e-8, nanometer: 1e-7, micrometer: 1e-4, millimeter: 0.1, centimeter: 1, meter: 100 },
    ...{ inch: 2.54, kilometer: 1e5 },
  };
  return (typeof name === 'string' ? units[name] : undefined) ?? Number.NaN;
}

/** The axes of an array that does not name them, where only one order makes sense. */
function guessed(shape: readonly number[], refuse: Refuse): readonly string[] {
  if (shape.length === 2) return ['y', 'x'];
  if (shape.length === 3 && shape[0] <= 4 && shape[2] > 4) return ['c', 'y', 'x'];
  if (shape.length === 5) return ['t', 'c', 'z', 'y', 'x'];
  throw refuse(`must name its axes, which the shape ${shape.join('×')} leaves open`, 'write dimension_names');
}

/** Refuses shapes without pixels, and chunks that are too large. */
export function checkShape({ shape, chunks, type }: ZarrArray, channels: number, refuse: Refuse): void {
  const sound = (value: number) => value > 0 && value < MOST_PIXELS_PER_SIDE;
  if (!shape.every(sound)) throw refuse(`must have pixels, not ${shape.join('×')}`, 'give another image');
  if (channels > MOST_CHANNELS) {
    throw refuse(`must have at most ${MOST_CHANNELS} channels, not ${channels}`, 'save the channels you want');
  }
  const bytes = chunks.reduce((product, side) => product * side, sampleArrays[type].BYTES_PER_ELEMENT);
  if (!chunks.every(sound) || bytes > MOST_CHUNK_BYTES) {
    const rule = `must have chunks of at most ${MOST_CHUNK_BYTES} bytes, not ${chunks.join('×')} samples`;
    throw refuse(rule, 'save it again with smaller chunks');
  }
}

/**
 * The planes of a window, chunk by chunk: one for each place along the axis `channel`, if there is one. `at` has the place along each of the
 * other axes, which is the first without it.
 */
export async function readWindow(
  array: ZarrArray,
  channel: number | undefined,
  window: Rectangle,
  signal: AbortSignal | undefined,
  at: readonly number[] = [],
): Promise<Samples[]> {
  const { strides, chunks, shape } = array;
  const rank = shape.length;
  const chunk = { width: chunks[rank - 1], height: chunks[rank - 2] };
  const fixed = Array.from({ length: rank - 2 }, (_, axis) => (axis === channel ? 0 : (at[axis] ?? 0)));
  const inside = fixed.reduce((sum, index, axis) => sum + (index % chunks[axis]) * strides[axis], 0);
  const planes = channel === undefined ? 1 : array.shape[channel];
  const deep = channel === undefined ? 1 : array.chunks[channel];
  const Elements = sampleArrays[array.type];
  const all: RasterSamples[] = Array.from({ length: planes }, () => new Elements(window.width * window.height));
  for (let group = 0; group * deep < planes; group++) {
    for (const piece of piecesIn(window, chunk)) {
      const place = [...fixed.map((index, axis) => Math.floor(index / chunks[axis])), 0, 0];
      if (channel !== undefined) place[channel] = group;
      place[rank - 2] = piece.row;
      place[rank - 1] = piece.column;
      const data = await array.readChunk(place, signal);
      const [down, right] = [strides[rank - 2], strides[rank - 1]];
      for (let plane = group * deep; plane < Math.min(planes, (group + 1) * deep); plane++) {
        const first = inside + (channel === undefined ? 0 : (plane - group * deep) * strides[channel]);
        for (let y = 0; y < piece.height; y++) {
          let from = first + (piece.top - piece.row * chunk.height + y) * down;
          from += (piece.left - piece.column * chunk.width) * right;
          let to = (piece.top - window.top + y) * window.width + piece.left - window.left;
          for (let x = 0; x < piece.width; x++, from += right, to++) all[plane][to] = data[from];
        }
      }
    }
  }
  return all.map(asSamples);
}
