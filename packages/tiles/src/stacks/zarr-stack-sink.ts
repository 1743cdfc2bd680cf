/** Stacks as OME-Zarr 0.5 or 0.4, with levels of half the size each. The folder takes its name when it is complete. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Image, OptionError } from 'ght';
import { lengthOf, type PageAxis, type PagePlace, pageAxes, reordered } from 'ght-images';
import { destinationOf, removeStrays, temporaryFor, writingErrorOf } from 'ght-images/node';
import type { Picture } from '../picture.js';
import { halve } from '../stores/pyramid.js';
import { planesOf, someAtOnce } from '../stores/windows.js';
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
import { StackParts } from './stack-parts.js';
import type { StackFacts } from './stack-source.js';
import { STACK_ATTRIBUTES } from './zarr-stack.js';

/** Writes a page, and says whether one is there from an earlier run. */
export interface ZarrPages {
  readonly write: (place: PagePlace, image: Image) => Promise<void>;
  readonly has: (place: PagePlace) => Promise<boolean>;
  /** The pages in parts, whose places are given by their numbers. */
  readonly parts: (placed: (page: number) => PagePlace) => StackParts;
  /** Writes the smaller levels of a page whose parts are all there. */
  readonly finish: (place: PagePlace) => Promise<void>;
}

/** How a stack becomes a Zarr. */
export interface ZarrStackOptions {
  /** What errors call the folder. */
  readonly parameter: string;
  /** The name of the run; see {@link writeZarrStack}. */
  readonly run?: string;
  /** The side of a chunk. @default 512 */
  readonly chunk?: number;
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
  { parameter, run, chunk = 512 }: ZarrStackOptions,
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
    const layout = layoutOf(facts, { ...facts.picture, ...kind }, chunk);
    await mkdir(temporary, { recursive: run !== undefined });
    const folder = new ZarrFolder(temporary, parameter);
    for (const [name, document] of documentsOf(layout)) await folder.writeJson(name, document);
    const planes = planesOf(layout.picture);
    const partsOf = (placed: (page: number) => PagePlace) => {
      const prefix = (page: number, plane: number) => prefixOf(layout, placed(page), 0, plane, planes);
      return new StackParts(folder, layout.picture, chunk, prefix, () => {
        isWorthKeeping = run !== undefined;
      });
    };
    await fill({
      parts: partsOf,
      finish: (place) =>
        finishPage(
          partsOf(() => place),
          layout,
          place,
        ),
      async has(place) {
        const isThere = run !== undefined && (await hasPage(folder, layout, place));
        isWorthKeeping ||= isThere;
        return isThere;
      },
      async write(place, { planes: channels, alpha }) {
        const parts = partsOf(() => place);
        const { width, height } = layout.picture;
        await parts.write(0, { left: 0, top: 0, width, height }, alpha ? [...channels, alpha] : channels);
        await finishPage(parts, layout, place);
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
export function unfinishedFor(target: string, run: string): string {
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
  /** The side of a chunk. */
  readonly chunk: number;
  readonly attributes: object;
}

/** The axes of the input if it is a Zarr, or those that the stack has in the order of OME-Zarr. */
function layoutOf(facts: StackFacts, picture: Picture, chunk: number): Layout {
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
  const levels = levelsOf(picture, chunk);
  const format = kept.zarr?.format ?? 3;
  const layout = { format, axes, lengths, type: sampleTypeOf(picture), picture, levels, chunk };
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
function* documentsOf({ format, axes, lengths, type, levels, attributes, chunk }: Layout): Generator<[string, object]> {
  if (format === 3) yield ['zarr.json', { zarr_format: 3, node_type: 'group', attributes }];
  else {
    yield ['.zgroup', { zarr_format: 2 }];
    yield ['.zattrs', attributes];
  }
  const chunks = [...lengths.map(() => 1), chunk, chunk];
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
  for (const level of layout.levels.keys()) {
    for (const { name } of chunksOf(layout, place, level)) if (!(await folder.has(name))) return false;
  }
  return true;
}

/** The chunks of a page on a level. */
function* chunksOf(layout: Layout, place: PagePlace, level: number) {
  const { levels, chunk, picture } = layout;
  const { width, height } = levels[level];
  const planes = planesOf(picture);
  for (let plane = 0; plane < planes; plane++) {
    const prefix = prefixOf(layout, place, level, plane, planes);
    for (let row = 0; row * chunk < height; row++) {
      for (let column = 0; column * chunk < width; column++) {
        yield { name: `${prefix}/${row}/${column}`, plane, row, column };
      }
    }
  }
}

/** Writes the smaller levels of a page, chunk by chunk. */
async function finishPage(parts: StackParts, layout: Layout, place: PagePlace): Promise<void> {
  const { picture, levels } = layout;
  const planes = planesOf(picture);
  const packer = await zstd();
  for (let level = 1; level < levels.length; level++) {
    const before = levels[level - 1];
    await someAtOnce(chunksOf(layout, place, level), async ({ name, plane, row, column }) => {
      const prefix = prefixOf(layout, place, level - 1, plane, planes);
      const samples = parts.empty();
      await halve(samples, { row, column }, before, layout, async (y, x) => {
        const from = await parts.read(`${prefix}/${y}/${x}`);
        if (!from) throw new Error(`the chunk ${prefix}/${y}/${x} was removed`);
        return from;
      });
      await parts.folder.write(name, await packer.encode(bytesOf(samples)));
    });
  }
}
