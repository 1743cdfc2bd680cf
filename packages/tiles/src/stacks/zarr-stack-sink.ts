/** Stacks as OME-Zarr 0.5 or 0.4, with levels of half the size each. The folder takes its name when it is complete. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Image, OptionError } from 'ght';
import { lengthOf, type PageAxis, type PagePlace, pageAxes, type RasterSamples, reordered, toRaster } from 'ght-images';
import { destinationOf, removeStrays, temporaryFor, writingErrorOf } from 'ght-images/node';
import type { Picture } from '../picture.js';
import { means } from '../stores/pyramid.js';
import { planesOf } from '../stores/windows.js';
import { bytesOf, ZarrFolder, zstd } from '../stores/zarr-chunks.js';
import { listOf } from '../stores/zarr-image.js';
import {
  arrayDocument,
  encodeMetadata,
  fieldsOf,
  type Level,
  levelsOf,
  pixelSize,
  type SampleType,
  sampleArrays,
  sampleTypeOf,
} from '../stores/zarr-layout.js';
import type { StackFacts } from './stack-source.js';
import { STACK_ATTRIBUTES } from './zarr-stack.js';

/** The side of a chunk. */
const CHUNK = 512;

/** Writes a page, and says whether one is there from an earlier run. */
export interface ZarrPages {
  readonly write: (place: PagePlace, image: Image) => Promise<void>;
  readonly has: (place: PagePlace) => Promise<boolean>;
}

/**
 * Writes the pages that `fill` gives into a new folder, which appears whole or not at all. If the run has a name, the folder of one that was
 * stopped stays under another name, and the next run of that name continues it.
 */
export async function writeZarrStack(
  path: string,
  facts: StackFacts,
  kind: Pick<Picture, 'sample' | 'depth'>,
  fill: (pages: ZarrPages) => Promise<void>,
  parameter: string,
  run?: string,
): Promise<void> {
  const target = await destinationOf(path);
  const occupied = await readdir(target).then(
    (names) => names.length > 0,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  if (occupied) throw new OptionError(parameter, 'must be a new folder', path, 'remove it or choose another name');
  await removeStrays(dirname(target));
  const temporary = run === undefined ? temporaryFor(target) : unfinishedFor(target, run);
  let isWorthKeeping = false;
  try {
    const layout = layoutOf(facts, { ...facts.picture, ...kind });
    await mkdir(temporary, { recursive: run !== undefined });
    const folder = new ZarrFolder(temporary, parameter);
    for (const [name, document] of documentsOf(layout)) await folder.writeJson(name, document);
    await fill({
      async has(place) {
        const isThere = run !== undefined && (await hasPage(folder, layout, place));
        isWorthKeeping ||= isThere;
        return isThere;
      },
      async write(place, image) {
        await writePage(folder, layout, place, image);
        isWorthKeeping = run !== undefined;
      },
    });
    await rename(temporary, target);
  } catch (error) {
    if (!isWorthKeeping) await rm(temporary, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (!/^E[A-Z0-9]+$/.test(String(code))) throw error;
    const Kind = writingErrorOf(error as NodeJS.ErrnoException);
    throw new Kind(parameter, `must be writable (${code})`, path, 'choose a place that can be written to', {
      cause: error,
    });
  }
}

/** Where the folder of a run is until it is complete. */
function unfinishedFor(target: string, run: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([target, run]))
    .digest('hex')
    .slice(0, 16);
  return join(dirname(target), `.${basename(target).slice(0, 40)}.${name}.unfinished`);
}

/** How a stack lies in a Zarr. */
interface Layout {
  readonly format: 2 | 3;
  readonly axes: readonly string[];
  /** The lengths of the axes but y and x. */
  readonly lengths: readonly number[];
  readonly type: SampleType;
  readonly picture: Picture;
  readonly levels: readonly Level[];
  readonly attributes: object;
}

/** The axes of the input if it is a Zarr, or those that the stack has in the order of OME-Zarr. */
function layoutOf(facts: StackFacts, picture: Picture): Layout {
  const { stack, kept } = facts;
  const samples = planesOf(picture);
  if (samples > 1 && lengthOf(stack, 'c') > 1) {
    const rule = 'must not end in .zarr for pages in colour that also have channels';
    throw new OptionError('output', rule, `${samples} samples per pixel`, 'use .tif or .npy');
  }
  const present = (name: PageAxis) => (name === 'c' ? samples : 1) > 1 || stack.axes.some((axis) => axis.name === name);
  const axes = kept.zarr?.axes ?? [...pageAxes.filter(present), 'y', 'x'];
  const lengths = axes
    .slice(0, -2)
    .map((name) => (name === 'c' && samples > 1 ? samples : lengthOf(stack, name as PageAxis)));
  const levels = levelsOf(picture, CHUNK);
  const format = kept.zarr?.format ?? 3;
  const layout = { format, axes, lengths, type: sampleTypeOf(picture), picture, levels };
  return { ...layout, attributes: attributesOf(facts, layout) };
}

/** The attributes of the group: those of the input, with the levels that are written. */
function attributesOf(
  { stack, picture, kept }: StackFacts,
  { format, axes, levels }: Omit<Layout, 'attributes'>,
): object {
  const { attributes: given = {} } = kept.zarr ?? {};
  const before = fieldsOf(given.ome) ?? given;
  const scales = fieldsOf(listOf(before.multiscales)[0]);
  const base = scales
    ? listOf(fieldsOf(listOf(scales.datasets)[0])?.coordinateTransformations)
    : scaleOf(stack, picture, axes);
  const datasets = levels.map((_, level) => ({
    path: String(level),
    coordinateTransformations: levelled(base, level, axes.length),
  }));
  const image = {
    ...(scales ?? { axes: axesOf(stack, picture, axes), name: stack.name ?? 'image' }),
    ...(format === 2 && { version: '0.4' }),
    ...{ type: 'mean', datasets },
  };
  const omero = before.omero ?? omeroOf(stack, picture);
  const ome = { ...before, multiscales: [image], ...(omero !== undefined && { omero }) };
  const sorted = axes.flatMap((name) => stack.axes.filter((axis) => axis.name === name));
  const own = {
    ...(planesOf(picture) > 1 && { samples: planesOf(picture), alpha: picture.alpha }),
    ...(stack.labels && { labels: reordered(stack.labels, stack, { axes: sorted }) }),
    ...(picture.metadata && { metadata: encodeMetadata(picture.metadata) }),
  };
  const { ome: _, multiscales: __, omero: ___, [STACK_ATTRIBUTES]: ____, ...others } = given;
  const mine = Object.keys(own).length > 0 ? { [STACK_ATTRIBUTES]: own } : {};
  return format === 3 ? { ...others, ome: { version: '0.5', ...ome }, ...mine } : { ...others, ...ome, ...mine };
}

const types: Readonly<Record<string, string>> = { t: 'time', c: 'channel' };

function axesOf(stack: StackFacts['stack'], { metadata }: Picture, axes: readonly string[]): object[] {
  return axes.map((name) => {
    const unit =
      name === 'y' || name === 'x' ? pixelSize(metadata).unit : stack.axes.find((axis) => axis.name === name)?.unit;
    return { name, type: types[name] ?? 'space', ...(unit && { unit }) };
  });
}

function scaleOf(stack: StackFacts['stack'], { metadata }: Picture, axes: readonly string[]): object[] {
  const { x, y } = pixelSize(metadata);
  const scale = axes.map((name) =>
    name === 'x' ? x : name === 'y' ? y : (stack.axes.find((axis) => axis.name === name)?.step ?? 1),
  );
  return [{ type: 'scale', scale }];
}

/** The transformations of a level: a pixel lies in the middle of those it is the mean of. */
function levelled(base: readonly unknown[], level: number, rank: number): unknown {
  if (level === 0) return base;
  const vector = (type: string, otherwise: number) => {
    const step = base.map(fieldsOf).find((each) => each?.type === type);
    return Array.from({ length: rank }, (_, axis) => Number(listOf(step?.[type])[axis] ?? otherwise));
  };
  const factor = 2 ** level;
  const [scale, shift] = [vector('scale', 1), vector('translation', 0)];
  const inPlane = (axis: number) => axis >= rank - 2;
  return [
    { type: 'scale', scale: scale.map((value, axis) => (inPlane(axis) ? factor * value : value)) },
    {
      type: 'translation',
      translation: shift.map((value, axis) => (inPlane(axis) ? value + ((factor - 1) / 2) * scale[axis] : value)),
    },
  ];
}

/** How viewers show the channels, where the stack says it. */
function omeroOf({ channels }: StackFacts['stack'], { sample, depth }: Picture): object | undefined {
  if (!channels) return undefined;
  const full = sample === 'uint' && depth <= 16 ? 2 ** depth - 1 : 1;
  return {
    channels: channels.map(({ name, colour = 'FFFFFF', range = [0, full] }, i) => ({
      ...{ label: name ?? `channel ${i}`, color: colour, active: true },
      window: { min: Math.min(0, range[0]), max: Math.max(full, range[1]), start: range[0], end: range[1] },
    })),
  };
}

/** The documents, by the names of their files. */
function* documentsOf({ format, axes, lengths, type, levels, attributes }: Layout): Generator<[string, object]> {
  if (format === 3) yield ['zarr.json', { zarr_format: 3, node_type: 'group', attributes }];
  else {
    yield ['.zgroup', { zarr_format: 2 }];
    yield ['.zattrs', attributes];
  }
  const chunks = [...lengths.map(() => 1), CHUNK, CHUNK];
  for (const [level, { width, height }] of levels.entries()) {
    const shape = [...lengths, height, width];
    if (format === 3) yield [`${level}/zarr.json`, { ...arrayDocument(type, shape, chunks), dimension_names: axes }];
    else yield [`${level}/.zarray`, arrayOfFormat2(type, shape, chunks)];
  }
}

function arrayOfFormat2(type: SampleType, shape: readonly number[], chunks: readonly number[]): object {
  const bytes = sampleArrays[type].BYTES_PER_ELEMENT;
  const dtype = `${bytes === 1 ? '|' : '<'}${type[0]}${bytes}`;
  return {
    ...{ zarr_format: 2, shape, chunks, dtype, order: 'C', fill_value: 0, filters: null },
    ...{ compressor: { id: 'zstd', level: 1 }, dimension_separator: '/' },
  };
}

/** The folder of the chunks of a plane of a page on a level; a page has this many planes. */
function prefixOf({ axes, format }: Layout, place: PagePlace, level: number, plane: number, planes: number): string {
  const at = axes.slice(0, -2).map((name) => (name === 'c' && planes > 1 ? plane : (place[name as PageAxis] ?? 0)));
  return [level, ...(format === 3 ? ['c'] : []), ...at].join('/');
}

/** Whether all chunks of a page are there. */
async function hasPage(folder: ZarrFolder, layout: Layout, place: PagePlace): Promise<boolean> {
  const planes = planesOf(layout.picture);
  for (const [level, { width, height }] of layout.levels.entries()) {
    for (let plane = 0; plane < planes; plane++) {
      const prefix = prefixOf(layout, place, level, plane, planes);
      for (let row = 0; row * CHUNK < height; row++) {
        for (let column = 0; column * CHUNK < width; column++) {
          if (!(await folder.has(`${prefix}/${row}/${column}`))) return false;
        }
      }
    }
  }
  return true;
}

/** Writes the chunks of a page on all levels. */
async function writePage(folder: ZarrFolder, layout: Layout, place: PagePlace, image: Image): Promise<void> {
  const { picture, levels, type } = layout;
  const { width, height } = picture;
  const packer = await zstd();
  const all = image.alpha ? [...image.planes, image.alpha] : image.planes;
  for (const [plane, samples] of all.entries()) {
    let data = toRaster({ width, height, planes: [samples], peak: 1 }, picture.sample, picture.depth).rows(0, height);
    for (const [level, size] of levels.entries()) {
      if (level > 0) data = halved(data, levels[level - 1], size, picture.sample !== 'float');
      const prefix = prefixOf(layout, place, level, plane, all.length);
      for (let row = 0; row * CHUNK < size.height; row++) {
        for (let column = 0; column * CHUNK < size.width; column++) {
          const chunk = chunkOf(data, size, row, column, sampleArrays[type]);
          await folder.write(`${prefix}/${row}/${column}`, await packer.encode(bytesOf(chunk)));
        }
      }
    }
  }
}

/** A plane of the next level. */
function halved(from: RasterSamples, size: Level, next: Level, whole: boolean): RasterSamples {
  const Elements = from.constructor as new (length: number) => RasterSamples;
  const to = new Elements(next.width * next.height);
  means(from, size, size.width, to, 0, whole, next.width);
  return to;
}

/** A chunk, filled up with zeros at the right and bottom. */
function chunkOf(
  data: RasterSamples,
  { width, height }: Level,
  row: number,
  column: number,
  Elements: new (length: number) => RasterSamples,
): RasterSamples {
  const chunk = new Elements(CHUNK * CHUNK);
  const [left, top] = [column * CHUNK, row * CHUNK];
  const columns = Math.min(CHUNK, width - left);
  for (let y = 0; y < Math.min(CHUNK, height - top); y++) {
    const from = (top + y) * width + left;
    chunk.set(data.subarray(from, from + columns), y * CHUNK);
  }
  return chunk;
}
