/** The work of one thread on the blocks of a colour tile. A block belongs to one thread, so the result does not depend on their number. */
import type { Surroundings } from '../../../denoisers/learned/blocks.js';
import { COLOUR_HALO, type Layer, SQUARE } from '../../../denoisers/learned/colour-model.js';
import { readPicture, type SiteGrid, sitesOf, writePicture } from '../../../denoisers/learned/picture.js';
import type { Rectangle, Size } from '../../../image/rectangle.js';
import type { Work } from '../../../work.js';
import { paddedChannels, tilesOf } from '../kernels/network.js';
import { callOf, type NetworkKernels, networkKernel } from '../kernels/signatures.js';
import { claimIndices, type SharedWords } from './claim-indices.js';

/** A place of the network in the scratch of a thread: its scale, where it begins, and the bytes of a site and of a row with its rim. */
export interface PlaceLayout {
  readonly scale: number;
  readonly offset: number;
  readonly site: number;
  readonly row: number;
}

/** A layer: its code, its tables, and the sites that nothing later needs. */
export interface LayerLayout extends Pick<Layer, 'kind' | 'from' | 'into'> {
  readonly name: string;
  readonly tables: readonly number[];
  /** Sites from each edge: of those that are written, for `up` of those that are read. */
  readonly skipped: number;
}

/** The addresses of all arrays, as plain data that can be sent to threads. */
export interface NetworkLayout extends SharedWords, Surroundings {
  readonly size: Size;
  readonly blocks: readonly Rectangle[];
  /** The planes of the tile, and those of the result. */
  readonly planes: readonly number[];
  readonly results: readonly number[];
  /** The deviations of their noise. */
  readonly deviations: readonly number[];
  readonly places: readonly PlaceLayout[];
  readonly layers: readonly LayerLayout[];
  readonly scratches: readonly number[];
  readonly scratchBytes: number;
}

/** What a thread needs for its work. */
export interface NetworkWorkplace {
  readonly layout: NetworkLayout;
  readonly memory: WebAssembly.Memory;
  readonly kernels: NetworkKernels;
  readonly thread: number;
}

/** The kernels of all layers. */
export function kernelsOf(exports: WebAssembly.Exports, { layers }: NetworkLayout): NetworkKernels {
  return Object.fromEntries(layers.map(({ name }) => [name, callOf(exports, name, networkKernel)]));
}

/** Denoises blocks until none is left; yields how much all threads have done. */
export function* shareOfPictures(workplace: NetworkWorkplace): Work<void> {
  const { layout, memory, thread } = workplace;
  const { blocks, layers, size, deviations, scratches, scratchBytes } = layout;
  const words = new Int32Array(memory.buffer);
  const scratch = new Float32Array(memory.buffer, scratches[thread], scratchBytes / 4);
  const planesAt = (at: readonly number[]) =>
    at.map((address) => new Float32Array(memory.buffer, address, size.width * size.height));
  const [{ offset, site, row }] = layout.places;
  const grid: SiteGrid = { first: (offset + row + site) / 4, site: site / 4, row: row / 4 };
  for (const n of claimIndices(workplace, blocks.length)) {
    // The rims are zero, and so is what lies beyond a block that is smaller than another.
    scratch.fill(0);
    readPicture(blocks[n], planesAt(layout.planes), size, deviations, layout, scratch, grid);
    const sites = sitesOf(blocks[n], layout);
    for (const layer of layers) {
      const rows = sites.rows / 2 ** layout.places[layer.kind === 'up' ? layer.from : layer.into].scale;
      for (let y = layer.skipped; y < rows - layer.skipped; y++) {
        if (Atomics.load(words, layout.stop / 4) === 1) return;
        layerRow(workplace, layer, y, sites.columns);
        yield Atomics.load(words, layout.done / 4) / (blocks.length * layers.length);
      }
      Atomics.add(words, layout.done / 4, 1);
    }
    writePicture(scratch, grid, deviations, blocks[n], planesAt(layout.results), size.width);
  }
}

/** One row of a layer: for `up` the row that is read, otherwise the row that is written. */
function layerRow(
  { layout, kernels, thread }: NetworkWorkplace,
  { kind, from, into, name, tables, skipped: x }: LayerLayout,
  y: number,
  finest: number,
): void {
  const siteAt = (p: number, row: number, column: number) => {
    const place = layout.places[p];
    return layout.scratches[thread] + place.offset + (row + 1) * place.row + (column + 1) * place.site;
  };
  const columns = finest / 2 ** layout.places[kind === 'up' ? from : into].scale - 2 * x;
  const tiles = tilesOf(columns);
  const run = kernels[name];
  if (kind === 'up') {
    for (const [t, table] of tables.entries()) {
      run({ from: siteAt(from, y, x), into: siteAt(into, 2 * y + (t >> 1), 2 * x + (t & 1)), table, ...tiles });
    }
  } else {
    const first = kind === 'same' ? siteAt(from, y - 1, x - 1) : siteAt(from, 2 * y, 2 * x);
    run({ from: first, into: siteAt(into, y, x), table: tables[0], ...tiles });
  }
}

/** The sites from each edge that each layer need not compute, as the surroundings of a block are not part of the result. */
export function skippedSites(
  layers: readonly Pick<Layer, 'kind' | 'from' | 'into' | 'mode'>[],
  places: number,
): number[] {
  // From the last layer to the first: how far from the edge the later ones read each place.
  const needed = Array.from({ length: places }, (_, p) => (p === 0 ? COLOUR_HALO / SQUARE : Number.POSITIVE_INFINITY));
  const skipped = layers.map(() => 0);
  for (const [k, { kind, from, into, mode }] of [...layers.entries()].reverse()) {
    const written = needed[into];
    skipped[k] = kind === 'up' ? Math.floor(written / 2) : written;
    if (mode === 'set' || mode === 'rectify') needed[into] = Number.POSITIVE_INFINITY;
    const read = { same: written - 1, down: 2 * written, up: skipped[k] }[kind];
    needed[from] = Math.max(0, Math.min(needed[from], read));
  }
  return skipped;
}

/** The places of a network in a scratch, for blocks of up to this many sites at the finest scale. */
export function placesFor(
  places: readonly { readonly scale: number; readonly channels: number }[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): { readonly places: readonly PlaceLayout[]; readonly bytes: number } {
  const coarsest = Math.max(...places.map(({ scale }) => scale));
  // Tiles of sites are whole at the coarsest scale, and what is written of them is twice as long at the next.
  const room = columns / 2 ** coarsest + tilesOf(columns / 2 ** coarsest).surplus;
  let bytes = 0;
  const laid = places.map(({ scale, channels }) => {
    const site = 4 * paddedChannels(channels);
    const row = site * (room * 2 ** (coarsest - scale) + 2);
    const place = { scale, offset: bytes, site, row };
    // One more row: the last tile may read beyond the last site.
    bytes += row * (rows / 2 ** scale + 3);
    return place;
  });
  return { places: laid, bytes };
}
