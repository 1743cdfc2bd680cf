/** Runs the network for colour pictures on the kernels: the memory of a tile, and a team over its blocks. */
import type { Tile } from '../../../denoisers/denoiser.js';
import { blocksOf, type LearnedRunner, MOST_SIDE } from '../../../denoisers/learned/blocks.js';
import { type ColourModel, PICTURE_CHANNELS, SQUARE } from '../../../denoisers/learned/colour-model.js';
import { deviationsOf, sitesOf } from '../../../denoisers/learned/picture.js';
import { drive } from '../../../work.js';
import { SHIPPED_VALUES } from '../../plain-colour.js';
import { padded } from '../../shape.js';
import { type LayerShape, layerName, networkModule, paddedChannels, weightTables } from '../kernels/network.js';
import { Arena } from './arena.js';
import { kernelsOf, type NetworkLayout, placesFor, shareOfPictures, skippedSites } from './network-jobs.js';
import type { KernelOptions } from './recipe.js';
import { alone, type Team, workers } from './team.js';

/** Threads that an estimate counts with: more are rare, and each takes about 16 MB. */
const USUAL_THREADS = 8;
/** Bytes of the weights of the shipped model. */
const WEIGHT_BYTES = 7e6;

/** Approximate bytes for a picture of this size: its planes, those of the result, and the values of a block per thread. */
export function colourBytes(width: number, height: number): number {
  const values = 4 * (MOST_SIDE / SQUARE) ** 2 * (SHIPPED_VALUES + PICTURE_CHANNELS);
  return 24 * width * height + WEIGHT_BYTES + Math.min(USUAL_THREADS, blocksOf({ width, height }).length) * values;
}

/** Runs the network, tile after tile. */
export function networkRunner(model: ColourModel, options: KernelOptions): LearnedRunner {
  // One memory for all tiles: unused memories are collected late, and would accumulate.
  let reused: WebAssembly.Memory | undefined;
  const tables = model.layers.map(weightTables);
  return {
    bytes: colourBytes,
    async run(tile, signal, onFraction) {
      const memory = new NetworkMemory(model, tables, tile, options, reused);
      reused = memory.memory;
      const { layout } = memory;
      const pixels = tile.width * tile.height;
      const team = await memory.team(signal);
      try {
        for (const [c, plane] of layout.planes.entries())
          await drive(tile.read(c, memory.floats(plane, pixels)), { signal });
        const total = layout.blocks.length * layout.layers.length;
        const onPoll = onFraction && (() => onFraction(Math.min(1, memory.words(layout.done, 1)[0] / total)));
        await team.run(undefined, { signal }, onPoll);
        return layout.results.map((at) => memory.floats(at, pixels));
      } finally {
        team.dispose();
      }
    },
  };
}

/** The memory for a tile. */
class NetworkMemory extends Arena {
  readonly layout: NetworkLayout;
  readonly #module: Uint8Array<ArrayBuffer>;
  readonly #shared: boolean;

  constructor(
    model: ColourModel,
    tables: readonly (readonly Float32Array[])[],
    tile: Tile,
    { threads, fma }: KernelOptions,
    before?: WebAssembly.Memory,
  ) {
    super(1024, threads > 1, 'denoise the image in parts', before);
    this.#shared = threads > 1;
    const { width, height, channels } = tile;
    const blocks = blocksOf(tile);
    const sites = blocks.map((block) => sitesOf(block, model));
    const { places, bytes } = placesFor(model.places, {
      columns: Math.max(...sites.map(({ columns }) => columns)),
      rows: Math.max(...sites.map(({ rows }) => rows)),
    });
    const shapes = model.layers.map(({ kind, mode, from, inputs, outputs }): LayerShape => {
      return { kind, mode, inputs: paddedChannels(inputs), outputs: paddedChannels(outputs), row: places[from].row };
    });
    const skipped = skippedSites(model.layers, places.length);
    const plane = () => this.take(4 * padded(width * height));
    const planes = () => Array.from({ length: channels }, plane);
    this.layout = {
      ...{ blocks, places, halo: model.halo, multiple: model.multiple, deviations: deviationsOf(tile.scales) },
      size: { width, height },
      layers: model.layers.map(({ kind, from, into }, k) => {
        const placed = tables[k].map((table) => this.#place(table));
        return { kind, from, into, name: layerName(shapes[k]), tables: placed, skipped: skipped[k] };
      }),
      planes: planes(),
      results: planes(),
      scratches: Array.from({ length: Math.min(threads, blocks.length) }, () => this.take(bytes)),
      scratchBytes: bytes,
      stop: this.take(64),
      next: this.take(64),
      done: this.take(64),
    };
    const unique = new Map(shapes.map((shape) => [layerName(shape), shape]));
    this.#module = networkModule([...unique.values()], fma, this.#shared);
  }

  /** The threads, each with the code. */
  async team(signal?: AbortSignal): Promise<Team<undefined, void>> {
    const { memory, layout } = this;
    const module = await WebAssembly.compile(this.#module);
    if (this.#shared)
      return workers<undefined, void>({ kind: 'network', module, places: [{ memory, layout }] }, signal);
    const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
    return alone(() => shareOfPictures({ layout, memory, thread: 0, kernels: kernelsOf(exports, layout) }));
  }

  #place(values: Float32Array): number {
    const at = this.take(values.byteLength);
    new Float32Array(this.memory.buffer, at, values.length).set(values);
    return at;
  }
}
