/**
 * Sparse codes of an image of any size, in the Zarr of its picture; docs/files.md has the layout for users.
 *
 *     codes/zarr.json                          the grid of patches, the tiles, the full scale
 *     codes/dictionary/                        D, N×L, or codes/dictionary_a/ and codes/dictionary_b/ where D = A ⊗ B
 *     codes/counts/                            atoms per patch: planes, rows and columns of patches; a chunk per tile
 *     codes/tiles/PLANE/ROW/COLUMN/indices/    the atoms of the patches of a tile, patch after patch
 *     codes/tiles/PLANE/ROW/COLUMN/values/     their coefficients
 *
 * A tile is a rectangle of patches. Its counts are written last, so that a tile is there in full or not at all.
 */
import {
  atomsPerPatch,
  type Codes,
  type Dictionary,
  denseDictionary,
  InputError,
  type Matrix,
  nonzeros,
  OptionError,
  patchGrid,
  ResourceError,
  separableDictionary,
} from 'ght';
import type { CodedImage } from 'ght/npy';
import type { Rectangle } from '../picture.js';
import { checkWindow, piecesIn } from './windows.js';
import { damaged, readChunk, readDocument, readNumbers, writeChunk, writeNumbers } from './zarr-arrays.js';
import { ZarrFolder } from './zarr-chunks.js';
import { arrayDocument, fieldsOf } from './zarr-layout.js';
import { recordIn } from './zarr-sink.js';

/** What all tiles of codes have in common. */
export interface CodesLayout {
  /** The grid of each plane, the dictionary, and the full scale; opacity is in the picture. */
  readonly image: Pick<CodedImage, 'grid' | 'dictionary' | 'peak' | 'bands'>;
  /** The number of planes that are coded. */
  readonly planes: number;
  /** Patches per tile; tiles at the right and bottom may have fewer. */
  readonly tile: { readonly columns: number; readonly rows: number };
}

/** The place of a tile. */
export interface CodesTile {
  /** The plane. */
  readonly plane: number;
  /** The row among the tiles. */
  readonly row: number;
  /** The column among the tiles. */
  readonly column: number;
}

/** Codes that are written and read tile by tile. */
export interface CodesStore {
  /** What all tiles have in common. */
  readonly layout: CodesLayout;
  /** Whether a tile is there. */
  has(tile: CodesTile): Promise<boolean>;
  /** Writes the codes of a tile: its patches row by row. */
  write(tile: CodesTile, codes: Codes): Promise<void>;
  /** The codes of a rectangle of patches of a plane, row by row, whatever the tiles are. */
  read(plane: number, window: Rectangle): Promise<Codes>;
}

/** How codes are written. */
export interface CodesStoreOptions {
  /** The identity of the run that writes the picture. */
  readonly run: string;
  /** What all tiles have in common. Without it, the codes must have been begun before, perhaps by another process. */
  readonly layout?: CodesLayout;
  /** What errors call the folder. @default 'output' */
  readonly parameter?: string;
}

/** Begins or continues the codes in a Zarr that `zarrSink` has begun for the same run. */
export async function codesStore(path: string, options: CodesStoreOptions): Promise<CodesStore> {
  const folder = new ZarrFolder(path, options.parameter ?? 'output');
  const record = await recordIn(folder);
  if (record?.run !== options.run) {
    const rule = 'must be a Zarr that was begun by the same run';
    throw new OptionError(folder.parameter, rule, path, 'begin the picture first, or choose another name');
  }
  if (!(await folder.has('codes/zarr.json'))) {
    if (!options.layout) throw absent(folder);
    await writeLayout(folder, options.layout);
  }
  return storeIn(folder, options.layout ?? (await readLayout(folder)));
}

/** Opens the codes in a Zarr for reading. */
export async function openCodes(
  path: string,
  parameter = 'file',
): Promise<Pick<CodesStore, 'layout' | 'has' | 'read'>> {
  const folder = new ZarrFolder(path, parameter);
  return storeIn(folder, await readLayout(folder));
}

function absent({ parameter, path }: ZarrFolder): InputError {
  return new InputError(parameter, 'must have codes in it', path, 'write them with ght represent');
}

function storeIn(folder: ZarrFolder, layout: CodesLayout): CodesStore {
  const { planes, tile, image } = layout;
  const { columns, rows } = image.grid;
  const { L } = image.dictionary;
  const patches = { width: columns, height: rows };
  const size = tile.columns * tile.rows;
  const countsName = ({ plane, row, column }: CodesTile) => `codes/counts/c/${plane}/${row}/${column}`;
  const tileName = ({ plane, row, column }: CodesTile) => `codes/tiles/${plane}/${row}/${column}`;

  /** How many patches a tile has, along its sides. */
  const extentOf = ({ plane, row, column }: CodesTile) => {
    const extent = {
      columns: Math.min(tile.columns, columns - column * tile.columns),
      rows: Math.min(tile.rows, rows - row * tile.rows),
    };
    const known = Number.isInteger(plane) && plane >= 0 && plane < planes && row >= 0 && column >= 0;
    if (known && extent.columns > 0 && extent.rows > 0) return extent;
    throw new OptionError('tile', 'must be one of the image', { plane, row, column }, 'see the layout');
  };

  const readTile = async (place: CodesTile) => {
    const counts = await readChunk(folder, countsName(place), 'uint32', size);
    const [name, indicesName] = [tileName(place), `${tileName(place)}/indices`];
    const indices = (await readNumbers(folder, indicesName, 'int32', 1))?.data;
    const values = (await readNumbers(folder, `${name}/values`, 'float64', 1))?.data;
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (indices?.length !== total || values?.length !== total) throw damaged(folder, name);
    if (indices.some((index) => index < 0 || index >= L)) throw damaged(folder, indicesName);
    return { counts, indices, values };
  };

  return {
    layout,
    async has(place) {
      extentOf(place);
      return folder.has(countsName(place));
    },
    async write(place, codes) {
      const extent = extentOf(place);
      if (codes.P !== extent.columns * extent.rows || codes.L !== L) {
        const rule = `must be ${L}×${extent.columns * extent.rows}, as the tile is`;
        throw new OptionError('codes', rule, `${codes.L}×${codes.P}`, 'give the codes of the patches of this tile');
      }
      const count = nonzeros(codes);
      const name = tileName(place);
      await writeNumbers(folder, `${name}/indices`, 'int32', [count], codes.indices.slice(0, count));
      await writeNumbers(folder, `${name}/values`, 'float64', [count], codes.values.slice(0, count));
      const counts = new Uint32Array(size);
      const atoms = atomsPerPatch(codes);
      for (let y = 0; y < extent.rows; y++) {
        counts.set(atoms.subarray(y * extent.columns, (y + 1) * extent.columns), y * tile.columns);
      }
      await writeChunk(folder, countsName(place), counts);
    },
    async read(plane, window) {
      checkWindow(window, patches, 'patches');
      const P = window.width * window.height;
      const runs: Run[] = [];
      const atoms = new Int32Array(P);
      for (const piece of piecesIn(window, { width: tile.columns, height: tile.rows })) {
        const place = { plane, row: piece.row, column: piece.column };
        extentOf(place);
        const { counts, indices, values } = await readTile(place);
        const before = sumsBefore(counts);
        for (let y = 0; y < piece.height; y++) {
          const row = (piece.top - piece.row * tile.rows + y) * tile.columns;
          const first = row + piece.left - piece.column * tile.columns;
          const at = (piece.top - window.top + y) * window.width + piece.left - window.left;
          atoms.set(counts.subarray(first, first + piece.width), at);
          const [start, end] = [before[first], before[first + piece.width]];
          runs.push({ at, indices: indices.subarray(start, end), values: values.subarray(start, end) });
        }
      }
      return joined(L, atoms, runs);
    },
  };
}

/** The entries of patches side by side, from patch `at` of a window on. */
interface Run {
  readonly at: number;
  readonly indices: Int32Array;
  readonly values: Float64Array;
}

function sumsBefore(counts: Uint32Array): Float64Array {
  const sums = new Float64Array(counts.length + 1);
  for (const [i, count] of counts.entries()) sums[i + 1] = sums[i] + count;
  return sums;
}

function joined(L: number, atoms: Int32Array, runs: readonly Run[]): Codes {
  const total = atoms.reduce((sum, count) => sum + count, 0);
  if (total > 0x7fff_ffff) {
    throw new ResourceError('window', 'must have fewer than 2^31 atoms', total, 'read a smaller window');
  }
  const indptr = new Int32Array(atoms.length + 1);
  for (const [p, count] of atoms.entries()) indptr[p + 1] = indptr[p] + count;
  const [indices, values] = [new Int32Array(total), new Float64Array(total)];
  for (const run of runs) {
    indices.set(run.indices, indptr[run.at]);
    values.set(run.values, indptr[run.at]);
  }
  return { L, P: atoms.length, indptr, indices, values };
}

async function writeLayout(folder: ZarrFolder, { image, planes, tile }: CodesLayout): Promise<void> {
  const { grid, dictionary, peak, bands } = image;
  const matrices = dictionary.factors
    ? ([
        ['dictionary_a', dictionary.factors[0]],
        ['dictionary_b', dictionary.factors[1]],
      ] as const)
    : ([['dictionary', dictionary.atoms]] as const);
  for (const [name, matrix] of matrices) {
    const { rows, cols } = matrix;
    await writeNumbers(folder, `codes/${name}`, 'float64', [rows, cols], transposed(cols, rows, matrix.data));
  }
  const shape = [planes, grid.rows, grid.columns];
  await folder.writeJson('codes/counts/zarr.json', arrayDocument('uint32', shape, [1, tile.rows, tile.columns]));
  const { width, height, patch, stride } = grid;
  const codes = {
    width,
    height,
    patch,
    stride,
    planes,
    tile: { columns: tile.columns, rows: tile.rows },
    peak,
    ...(bands && { bands }),
  };
  // Last, since it shows that all the others are there.
  await folder.writeJson('codes/zarr.json', { zarr_format: 3, node_type: 'group', attributes: { ght: { codes } } });
}

async function readLayout(folder: ZarrFolder): Promise<CodesLayout> {
  const document = await readDocument(folder, 'codes/zarr.json');
  if (!document) throw absent(folder);
  const codes = fieldsOf(fieldsOf(fieldsOf(document.attributes)?.ght)?.codes);
  const tile = fieldsOf(codes?.tile);
  const sound = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
  const { width, height, patch, stride, planes, peak } = codes ?? {};
  if (
    ![width, height, patch, stride, planes, tile?.columns, tile?.rows].every(sound) ||
    !(typeof peak === 'number' && peak > 0)
  ) {
    throw damaged(folder, 'codes/zarr.json');
  }
  const grid = patchGrid(width as number, height as number, patch as number, stride as number);
  const dictionary = await readDictionary(folder);
  if (dictionary.N !== grid.patch ** 2) throw damaged(folder, 'codes/dictionary');
  const { columns, rows } = tile as { readonly columns: number; readonly rows: number };
  return {
    image: { grid, dictionary, peak, ...(codes?.bands === true && { bands: true }) },
    planes: planes as number,
    tile: { columns, rows },
  };
}

async function readDictionary(folder: ZarrFolder): Promise<Dictionary> {
  const matrix = async (name: string): Promise<Matrix | undefined> => {
    const stored = await readNumbers(folder, `codes/${name}`, 'float64', 2);
    if (!stored) return undefined;
    const [rows, cols] = stored.shape;
    return { rows, cols, data: transposed(rows, cols, stored.data) };
  };
  const [a, b] = [await matrix('dictionary_a'), await matrix('dictionary_b')];
  if (a && b) return separableDictionary(a, b);
  const dense = await matrix('dictionary');
  if (!dense) throw damaged(folder, 'codes/dictionary');
  return denseDictionary(dense.rows, dense.cols, dense.data);
}

/** The numbers of a matrix of `rows` rows, one row after the other, as columns one after the other. */
function transposed(rows: number, cols: number, data: Float64Array): Float64Array<ArrayBuffer> {
  const result = new Float64Array(data.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) result[c * rows + r] = data[r * cols + c];
  return result;
}
