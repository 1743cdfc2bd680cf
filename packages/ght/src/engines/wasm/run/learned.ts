/** Runs the learned denoiser on the kernels: the memory of a tile, and a team over its blocks. */
import type { Tile } from '../../../denoisers/denoiser.js';
import { blocksOf, type LearnedRunner, MOST_SIDE, surrounded } from '../../../denoisers/learned/blocks.js';
import { type LearnedModel, SAMPLES, STRIDE } from '../../../denoisers/learned/model.js';
import { SHIPPED_ATOMS } from '../../../denoisers/learned/shipped.js';
import { drive } from '../../../work.js';
import { padded } from '../../shape.js';
import {
  analysisTable,
  compression,
  learnedModule,
  listOf,
  paddedSites,
  SITE,
  synthesisTable,
} from '../kernels/learned.js';
import { callsOf, learnedKernels } from '../kernels/signatures.js';
import { Arena } from './arena.js';
import { type LearnedLayout, RIM, shareOfBlocks } from './learned-jobs.js';
import type { KernelOptions } from './recipe.js';
import { alone, type Team, workers } from './team.js';

/** Threads that an estimate counts with: more are rare, and each takes about 12 MB. */
const USUAL_THREADS = 8;

/** Approximate bytes for a picture of this size: its planes, those of the result, and the codes of a block per thread. */
export function learnedBytes(width: number, height: number, channels: number): number {
  const blocks = channels * blocksOf({ width, height }).length;
  const codes = 4 * MOST_SIDE ** 2 * (SHIPPED_ATOMS / STRIDE ** 2 + 3);
  return 8 * width * height * channels + Math.min(USUAL_THREADS, blocks) * codes;
}

/** Runs the model, tile after tile. */
export function learnedRunner(model: LearnedModel, options: KernelOptions): LearnedRunner {
  // One memory for all tiles: unused memories are collected late, and would accumulate.
  let reused: WebAssembly.Memory | undefined;
  return {
    bytes: learnedBytes,
    async run(tile, signal, onFraction) {
      const memory = new LearnedMemory(model, tile, options, reused);
      reused = memory.memory;
      const { layout } = memory;
      const team = await memory.team(signal);
      try {
        for (let c = 0; c < tile.channels; c++) {
          await drive(tile.read(c, memory.floats(layout.planes[c], tile.width * tile.height)), { signal });
        }
        const total = layout.blocks.length * tile.channels * model.steps;
        const onPoll = onFraction && (() => onFraction(Math.min(1, memory.words(layout.done, 1)[0] / total)));
        await team.run(undefined, { signal }, onPoll);
        return layout.results.map((at) => memory.floats(at, tile.width * tile.height));
      } finally {
        team.dispose();
      }
    },
  };
}

/** The memory for a tile. */
class LearnedMemory extends Arena {
  readonly layout: LearnedLayout;
  readonly #module: Uint8Array<ArrayBuffer>;
  readonly #shared: boolean;

  constructor(model: LearnedModel, tile: Tile, { threads, fma }: KernelOptions, before?: WebAssembly.Memory) {
    super(1024, threads > 1, 'denoise the image in parts', before);
    this.#shared = threads > 1;
    const { width, height, channels } = tile;
    const { atoms, steps } = model;
    const blocks = blocksOf(tile);
    const sizes = blocks.map((block) => surrounded(block));
    const columns = paddedSites(Math.max(...sizes.map((size) => size.width)) / STRIDE);
    const rows = Math.max(...sizes.map((size) => size.height)) / STRIDE;
    const row = SITE * (columns + RIM.before + RIM.after);
    const picture = row * (rows + RIM.before + RIM.after);
    const [codes, lists] = [3 * picture, 3 * picture + 4 * atoms * columns * rows];
    const plane = () => this.take(4 * padded(width * height));
    const planes = () => Array.from({ length: channels }, plane);
    const { lanes, places } = compression(atoms);
    const tables = {
      lanes: this.#place(lanes),
      places: this.#place(places),
      steps: Array.from({ length: steps }, (_, k) => this.#step(model, k)),
    };
    this.layout = {
      ...{ atoms, blocks, sites: columns, row, picture, codes, lists, steps: tables.steps },
      size: { width, height },
      planes: planes(),
      results: planes(),
      scratches: Array.from({ length: Math.min(threads, blocks.length * channels) }, () =>
        this.take(lists + columns * listOf(atoms).bytes),
      ),
      stop: this.take(64),
      next: this.take(64),
      done: this.take(64),
    };
    this.#module = learnedModule(
      { atoms, sites: columns, row, lanes: tables.lanes, places: tables.places },
      fma,
      this.#shared,
    );
  }

  /** The threads, each with the code. */
  async team(signal?: AbortSignal): Promise<Team<undefined, void>> {
    const { memory, layout } = this;
    const module = await WebAssembly.compile(this.#module);
    if (this.#shared)
      return workers<undefined, void>({ kind: 'learned', module, places: [{ memory, layout }] }, signal);
    const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
    const place = { layout, memory, thread: 0, kernels: callsOf(exports, learnedKernels) };
    return alone(() => shareOfBlocks(place));
  }

  #step({ steps, atoms, A, B, D, kappa }: LearnedModel, k: number) {
    const [from, to] = [k * atoms * SAMPLES, (k + 1) * atoms * SAMPLES];
    // r has the patches of B subtracted; the last step adds those of D to zeros.
    const synthesis = k < steps - 1 ? synthesisTable(B.subarray(from, to), atoms, -1) : synthesisTable(D, atoms, 1);
    return {
      A: this.#place(analysisTable(A.subarray(from, to), atoms)),
      kappa: this.#place(kappa.slice(k * atoms, (k + 1) * atoms)),
      B: this.#place(synthesis),
    };
  }

  #place(values: Float32Array | Uint32Array | Uint8Array): number {
    const at = this.take(values.byteLength);
    new Uint8Array(this.memory.buffer, at, values.byteLength).set(
      new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    );
    return at;
  }
}
