/** The memory of a running recipe: three pictures, the sums of two sets of bands, constants, and one scratch per thread. */

import type { Tile, TileNoise, TilePages } from '../../../denoisers/denoiser.js';
import { slotsOf } from '../../../denoisers/groups/denoiser.js';
import { bandOf, leastBand } from '../../../denoisers/groups/extent.js';
import { places } from '../../../denoisers/groups/matching.js';
import { isPass, type Pass, type Slot, type Step, volumePass } from '../../../denoisers/groups/recipes.js';
import { transformOf } from '../../../denoisers/groups/transforms.js';
import { SEARCH, type Stack, type VolumePlace, volumePlaces } from '../../../denoisers/groups/volumes.js';
import { kaiser } from '../../../denoisers/groups/window.js';
import { transpose } from '../../../math/matrix.js';
import { randomSource } from '../../../math/random.js';
import { padded, paddedRows } from '../../shape.js';
import type { GroupProgram } from '../kernels/groups/module.js';
import { type GroupScratch, groupScratch, type NoiseTable, type PassTables } from '../kernels/groups/target.js';
import { windowVectors } from '../kernels/groups/volumes.js';
import { Arena } from './arena.js';
import type { GroupLayout, References, VolumeLayout } from './group-layout.js';

/** A stack of pages, and the number of threads that work on it. */
interface StackOptions extends TilePages {
  readonly threads: number;
  readonly band: number;
}

/** The memory layout for a picture of one size, or for the pages of a stack. */
export class GroupMemory extends Arena implements GroupProgram {
  readonly width: number;
  readonly height: number;
  readonly layout: GroupLayout;
  readonly scratch: GroupScratch;
  readonly tables: readonly (PassTables | undefined)[];
  readonly noise: NoiseTable | undefined;

  constructor(
    readonly recipe: readonly Step[],
    { width, height, channels, noise, pages }: Pick<Tile, 'width' | 'height' | 'channels' | 'noise' | 'pages'>,
    threads: number,
    band = bandOf(recipe),
    before?: WebAssembly.Memory,
  ) {
    super(1024, threads > 1, 'denoise the image in parts', before);
    this.width = width;
    this.height = height / (pages?.count ?? 1);
    const bytes = 4 * padded(width * height);
    const plane = () => this.take(bytes);
    const picture = () => Array.from({ length: channels }, plane);
    const pair = () => Array.from({ length: channels }, () => [plane(), plane()] as const);
    const used = slotsOf(recipe);
    const slot = (name: Slot) => (used.has(name) ? picture() : []);
    const tables = recipe.map((step) => (isPass(step) ? this.#tables(step, noise !== undefined) : undefined));
    this.noise = noise && this.#noise(noise);
    this.scratch = groupScratch(recipe.filter(isPass).flatMap((pass) => [pass, volumePass(pass)]));
    this.tables = tables;
    this.layout = {
      recipe,
      bytes,
      slots: { noisy: slot('noisy'), pilot: slot('pilot'), joint: slot('joint') },
      sums: pair(),
      weights: pair(),
      deviations: this.noise?.deviations,
      references: recipe.map((step, i) =>
        isPass(step) && !step.volumes ? this.#references(step, (tables[i] as PassTables).columns, band) : undefined,
      ),
      scratches: Array.from({ length: threads }, () => this.take(this.scratch.bytes)),
      volumes: recipe.some((step) => isPass(step) && step.volumes)
        ? this.#volumes({ ...(pages ?? { count: 1, kept: [0, 1] }), threads, band }, noise)
        : undefined,
      stop: this.take(64),
      next: this.take(64),
      done: this.take(64),
    };
  }

  #place(values: Float32Array): number {
    const at = this.take(4 * values.length);
    this.floats(at, values.length).set(values);
    return at;
  }

  #noise({ brightness, deviations }: TileNoise): NoiseTable {
    return {
      count: brightness.length,
      brightness: this.#place(Float32Array.from(brightness)),
      deviations: deviations.map((rows) =>
        this.#place(Float32Array.from([...rows, rows[rows.length - 1]].flatMap((row) => [...row]))),
      ),
    };
  }

  #tables(pass: Pass, whitened: boolean): PassTables {
    const { patch, filter } = pass;
    const random = randomSource(1);
    const columns = places(this.width, pass);
    const columnsAt = this.take(4 * columns.length);
    this.words(columnsAt, columns.length).set(columns.map((x) => 4 * x));
    const shared = { window: this.#place(Float32Array.from(kaiser(patch, pass.window))), columns: columnsAt };
    const start = Float32Array.from({ length: 5 * patch ** 2 }, () => random.normal());
    const startAt = filter.kind === 'rank' ? this.#place(start) : 0;
    // Whitened patches are coefficients of the DCT.
    const name = whitened ? 'dct' : filter.kind === 'rank' ? undefined : filter.transform;
    if (!name) return { ...shared, A: 0, AT: 0, B: 0, BT: 0, start: startAt };
    const { analysis, synthesis } = transformOf(name, patch);
    return {
      ...shared,
      A: this.#place(paddedRows(analysis)),
      AT: this.#place(paddedRows(transpose(analysis))),
      B: this.#place(paddedRows(synthesis)),
      BT: this.#place(paddedRows(transpose(synthesis))),
      start: startAt,
    };
  }

  /** What following patches through the pages of a stack needs. */
  #volumes(
    { count: pages, kept, alike, motions, origin, threads, band }: StackOptions,
    noise: TileNoise | undefined,
  ): VolumeLayout {
    const { width, height, recipe } = this;
    const stack: Stack = { width, height, pages, kept, alike, motions, origin };
    const all = Array.from({ length: pages }, (_, page) => page);
    const reach = Math.max(SEARCH, ...recipe.map((step) => (isPass(step) && step.volumes ? step.volumes.reach : 0)));
    const sums = windowVectors(2 * reach + 1) * 16 * (2 * reach + 1);
    return {
      ...{ stack, noise, lists: this.scratch.lists, depths: this.take(8 * pages) },
      passes: recipe.map((step) => {
        if (!isPass(step) || !step.volumes) return undefined;
        const pass = { ...step, volumes: step.volumes };
        const high = Math.max(band, leastBand(pass));
        const bands: { page: number; row: VolumePlace }[][] = [];
        let rows = 0;
        for (const page of all) {
          for (const row of volumePlaces(height, pass, stack, page)) {
            const band = Math.floor(row.at / high);
            bands[band] ??= [];
            bands[band].push({ page, row });
            rows++;
          }
        }
        return { bands, rows, columns: all.map((page) => volumePlaces(width, pass, stack, page)) };
      }),
      windows: Array.from({ length: threads }, () => this.take(sums)),
      columns: Array.from({ length: threads }, () => this.take(4 * width)),
    };
  }

  #references(pass: Pass, columns: number, band: number): References {
    const height = Math.max(band, leastBand(pass));
    const rows = places(this.height, pass);
    const bands: number[][] = [];
    for (const y of rows) {
      const n = Math.floor(y / height);
      bands[n] ??= [];
      bands[n].push(y);
    }
    const count = places(this.width, pass).length;
    return { bands, columns, count, total: count * rows.length };
  }
}
