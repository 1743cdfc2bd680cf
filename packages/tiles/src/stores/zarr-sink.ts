import { readdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { InputError, OptionError, type Samples } from 'ght';
import { toRaster } from 'ght-images';
import { makeFolder } from 'ght-images/node';
import type { Picture, Rectangle } from '../picture.js';
import type { Sink } from '../sink.js';
import { ChunkFiles } from './chunk-files.js';
import { buildPyramid } from './pyramid.js';
import { checkWindow, copyRows, piecesIn, planesOf, someAtOnce } from './windows.js';
import { ZarrFolder } from './zarr-chunks.js';
import {
  fieldsOf,
  groupDocument,
  LARGEST_CHUNK,
  levelDocument,
  recordOf,
  sampleTypeOf,
  type ZarrRecord,
} from './zarr-layout.js';

/** How a Zarr is written. */
export interface ZarrSinkOptions {
  /** The identity of the run. A folder of the same run is continued; a folder of another run is never touched. */
  readonly run: string;
  /** The picture to create. Without it, the folder must have been created before, perhaps by another process. */
  readonly picture?: Picture;
  /** The side of a chunk in pixels: a multiple of 16 from 16 to 4096. @default 512 */
  readonly chunk?: number;
  /** What errors call the folder. @default 'output' */
  readonly parameter?: string;
}

/** The side of a chunk if none is given. */
const DEFAULT_CHUNK = 512;

/**
 * Writes a picture into a folder as OME-Zarr 0.5, chunk by chunk and each by renaming, so that a killed run leaves no half chunk.
 * Several processes may write different windows at once. `finish` builds the pyramid.
 */
export async function zarrSink(path: string, options: ZarrSinkOptions): Promise<Sink> {
  const folder = new ZarrFolder(path, options.parameter ?? 'output');
  const record = await claim(folder, options);
  const { picture, chunk } = record;
  const chunks = new ChunkFiles(folder, record);

  const writePlane = async (window: Rectangle, samples: Samples, plane: number) => {
    const { left, top, width, height } = window;
    const raster = toRaster({ width, height, planes: [samples], peak: 1 }, picture.sample, picture.depth);
    const data = raster.rows(0, height);
    const Elements = data.constructor as new (length: number) => typeof data;
    await someAtOnce(piecesIn(window, { width: chunk, height: chunk }), async (piece) => {
      // Chunks at the right and bottom are as large as all others, and filled up with zeros.
      const content = new Elements(chunk * chunk);
      const from = { data, at: (piece.top - top) * width + piece.left - left, stride: width };
      copyRows(from, { data: content, at: 0, stride: chunk }, piece.width, piece.height);
      await chunks.write(0, plane, piece.row, piece.column, content);
    });
  };

  return {
    picture,
    chunk: { width: chunk, height: chunk },
    async has(window) {
      checkWindow(window, picture);
      for (const { row, column } of piecesIn(window, { width: chunk, height: chunk })) {
        for (let plane = 0; plane < planesOf(picture); plane++) {
          if (!(await chunks.isIntact(0, plane, row, column))) return false;
        }
      }
      return true;
    },
    async write(window, planes) {
      checkWhole(window, picture, chunk);
      const [count, size] = [planesOf(picture), window.width * window.height];
      if (planes.length !== count || planes.some(({ length }) => length !== size)) {
        const rule = `must be ${count} of ${size} samples each`;
        throw new OptionError(
          'planes',
          rule,
          planes.map(({ length }) => length),
          'give all planes of the window',
        );
      }
      for (const [plane, samples] of planes.entries()) await writePlane(window, samples, plane);
    },
    async finish(signal) {
      const now = await recordIn(folder);
      if (now?.finished) return;
      await buildPyramid(folder, record, signal);
      await folder.writeJson('zarr.json', groupDocument({ ...record, finished: true }));
    },
    async close() {},
  };
}

/** Makes the folder, or finds that it is of the same run. */
async function claim(folder: ZarrFolder, options: ZarrSinkOptions): Promise<ZarrRecord> {
  const { run, picture, chunk = DEFAULT_CHUNK } = options;
  const { path, parameter } = folder;
  checkChunk(chunk);
  const present = await recordIn(folder);
  if (present) {
    if (present.run !== run) {
      const rule = 'must be a new folder, or one of the same run';
      throw new OptionError(parameter, rule, path, 'remove it or choose another name: another run wrote it');
    }
    const same = !picture || (isDeepStrictEqual(plain(present.picture), plain(picture)) && present.chunk === chunk);
    if (!same) {
      const rule = 'must hold the picture of its run';
      throw new OptionError(parameter, rule, path, 'remove it: it was begun with another picture or chunk size');
    }
    // A run may be killed between its first two documents.
    const name = '0/zarr.json';
    const document = levelDocument(present.picture, present.picture, present.chunk);
    if (!(await folder.has(name))) await folder.writeJson(name, document);
    return present;
  }
  if (!picture) {
    throw new InputError(parameter, 'must be a Zarr that was begun by the run', path, 'start the run again');
  }
  sampleTypeOf(picture);
  await makeFolder(path, 'must be a folder or a place to make one', parameter);
  // What a killed run leaves before the first document is a hidden temporary file.
  const others = (await readdir(path)).filter((name) => !name.startsWith('.'));
  if (others.length > 0) {
    const remedy = `remove it or choose another name: it has other files in it, such as "${others[0]}"`;
    throw new OptionError(parameter, 'must be a new or empty folder', path, remedy);
  }
  const record = { run, finished: false, chunk, picture };
  await folder.writeJson('zarr.json', groupDocument(record));
  await folder.writeJson('0/zarr.json', levelDocument(picture, picture, chunk));
  return record;
}

function checkChunk(chunk: number): void {
  // Halves of chunks make the next level, and a TIFF has no other tiles.
  if (chunk % 16 === 0 && chunk >= 16 && chunk <= LARGEST_CHUNK) return;
  const rule = `must be a multiple of 16 from 16 to ${LARGEST_CHUNK}`;
  throw new OptionError('chunk', rule, chunk, 'use 512 or 1024');
}

/** What is recorded in a folder; undefined if there is no folder, or another program wrote it. */
export async function recordIn(folder: ZarrFolder): Promise<ZarrRecord | undefined> {
  const bytes = await folder.read('zarr.json');
  if (!bytes) return undefined;
  const refuse = (rule: string) => new InputError(folder.parameter, rule, folder.path, 'choose another folder');
  try {
    return recordOf(fieldsOf(JSON.parse(bytes.toString()))?.attributes, refuse);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A picture as it is compared: without undefined fields, and profiles as plain bytes. */
function plain({ width, height, channels, alpha, sample, depth, metadata = {} }: Picture): object {
  const present = Object.entries(metadata).filter(([, value]) => value !== undefined);
  const bytes = present.map(([key, value]) => [key, value instanceof Uint8Array ? Array.from(value) : value] as const);
  return { width, height, channels, alpha, sample, depth, metadata: new Map(bytes) };
}

/** Refuses a window that has only a part of a chunk: two writers could share one. */
function checkWhole(window: Rectangle, picture: Picture, chunk: number): void {
  checkWindow(window, picture);
  const { left, top } = window;
  const [right, bottom] = [left + window.width, top + window.height];
  const ends = (right % chunk === 0 || right === picture.width) && (bottom % chunk === 0 || bottom === picture.height);
  if (left % chunk === 0 && top % chunk === 0 && ends) return;
  throw new OptionError('window', `must begin and end at multiples of ${chunk}`, window, 'write whole chunks');
}
