/** The kernels of pursuits on one problem: their constants, the rows that do not fit into workgroup memory, and their runs. */
import { EngineFailure } from '../../../errors.js';
import type { Watch } from '../../../work.js';
import { rightVectors, type Shape, singularValues } from '../../shape.js';
import type { Bound, Gpu, Room } from '../gpu.js';
import {
  BINDINGS,
  bytesBesideRows,
  type PursuitForm,
  rowVectors,
  tablePlaces,
  workgroupBytes,
} from '../kernels/pursuit.js';
import { teamFor } from '../kernels/team.js';
import type { Ranges } from './ranges.js';

/** Bytes of the rows of all teams, at most, where they are in a buffer; and teams, which is more than a GPU runs at once. */
const ROWS = { bytes: 2 ** 27, teams: 4096 };
/** Depths of kernels are multiples of this, so that there are few of them. */
const GRAIN = 4;
/** Workgroup memory that is used on a software adapter, which takes seconds to compile the clearing of more. */
const SOFTWARE_BYTES = 2 ** 11;
/** Atoms of all patches between two looks at the abort signal: some milliseconds. */
const ATOMS_PER_BATCH = 2 ** 22;

/** A run of a kernel over patches of a range. */
export interface PursuitRun {
  /** The range, by its place in the list. */
  readonly range: number;
  /** How many patches, from the first, or of the list that the kernel reads. */
  readonly count: number;
  /** What the kernel binds besides. */
  readonly buffers: Readonly<Record<number, Bound>>;
  /** Its task besides, in words. */
  readonly task: readonly number[];
}

/** A number of float32 as a word of a task. */
export function floatWord(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0];
}

/** The kernels of pursuits on one problem. */
export class Pursuits {
  readonly gpu: Gpu;
  /** Atoms of a support at most. */
  readonly most: number;
  /** The task of the next run of a kernel. It is written before each; runs that were submitted before keep theirs. */
  readonly task: GPUBuffer;
  /** For a binding that is not read. */
  readonly nothing: GPUBuffer;
  #tables: GPUBuffer | undefined;
  #rows: GPUBuffer | undefined;

  constructor(
    readonly ranges: Ranges,
    private readonly room: Room,
  ) {
    const { N, L, R4 } = ranges.shape;
    this.gpu = ranges.gpu;
    this.most = Math.min(N, L, R4);
    this.task = room.buffer(64, GPUBufferUsage.UNIFORM);
    this.nothing = room.buffer(16);
  }

  /** Runs a kernel of supports of up to so many atoms, a team per patch, batch after batch. */
  async run(
    { make, label, depth }: { make: (form: PursuitForm) => string; label: string; depth: number },
    runs: readonly PursuitRun[],
    watch?: Watch,
  ): Promise<void> {
    const { gpu } = this;
    const all = runs.reduce((sum, { count }) => sum + count, 0);
    if (all === 0) return;
    const form = this.#formFor(depth);
    const kernel = await gpu.kernel(make(form), label);
    const teams = form.rowsInBuffer ? await this.#widenRows(form) : 0;
    const tables = await this.#tablesOf();
    const rows = form.rowsInBuffer ? { [BINDINGS.rows]: this.#rows as GPUBuffer } : {};
    const length = Math.ceil(ATOMS_PER_BATCH / depth);
    let done = 0;
    let before = Promise.resolve();
    for (const run of runs) {
      const { c } = this.ranges.list[run.range];
      const constants = { [BINDINGS.c]: c, [BINDINGS.tables]: tables, [BINDINGS.task]: this.task, ...rows };
      const buffers = kernel.bind({ ...constants, ...run.buffers });
      for (let first = 0; first < run.count; first += length) {
        const count = Math.min(length, run.count - first);
        this.room.write(this.task, Uint32Array.of(first, count, teams, ...run.task));
        gpu
          .batch()
          .run(kernel, buffers, teams ? Math.min(teams, count) : count)
          .submit();
        // The GPU has a batch while the host waits for the one before it.
        const now = gpu.done(watch?.signal);
        now.catch(() => {});
        await before;
        before = now;
        done += count;
        watch?.onFraction?.(done / all);
      }
    }
    await before;
  }

  /**
   * The depths of the kernels for supports of about `expected` atoms and at most `most`. The fewer rows a kernel has room for, the more
   * patches a GPU works on at once, so the few deep ones have kernels of their own.
   */
  depthsFor(expected: number, most: number): number[] {
    const depths = [2, 4].map((times) => Math.max(8, GRAIN * Math.ceil((times * expected) / GRAIN)));
    return [...new Set([...depths.filter((depth) => depth < most && this.#fits(depth)), most])];
  }

  #fits(depth: number): boolean {
    const { limits, software } = this.gpu;
    const bytes = software ? SOFTWARE_BYTES : limits.maxComputeWorkgroupStorageSize;
    return workgroupBytes({ shape: this.ranges.shape, depth }) <= bytes;
  }

  /** The form for supports of so many atoms. With rows in a buffer one kernel is as good for more. */
  #formFor(atoms: number): PursuitForm {
    const { gpu, most } = this;
    const { shape } = this.ranges;
    const rounded = Math.min(most, GRAIN * Math.ceil(atoms / GRAIN));
    const rowsInBuffer = !this.#fits(rounded);
    const depth = rowsInBuffer ? most : rounded;
    if (bytesBesideRows({ shape, depth }) > gpu.limits.maxComputeWorkgroupStorageSize)
      throw new EngineFailure('webgpu', `supports of ${depth} atoms do not fit into its workgroup memory`);
    return { team: teamFor(gpu.lanes), shape, depth, rowsInBuffer };
  }

  /** Makes room for rows in a buffer; gives the number of teams that have some. */
  async #widenRows(form: PursuitForm): Promise<number> {
    const each = 16 * rowVectors(form);
    const { maxStorageBufferBindingSize: binding } = this.gpu.limits;
    const teams = Math.max(1, Math.min(ROWS.teams, Math.floor(Math.min(binding, ROWS.bytes) / each)));
    if (!this.#rows || this.#rows.size < teams * each)
      this.#rows = await this.gpu.allocated(() => this.room.buffer(teams * each));
    return teams;
  }

  async #tablesOf(): Promise<GPUBuffer> {
    this.#tables ??= await this.gpu.allocated(() => this.room.bufferOf(tablesOf(this.ranges.shape)));
    return this.#tables;
  }
}

/** The constants of a dictionary, as `tablePlaces` says. The atoms have length 1 here; an atom of zeros is one that cannot join. */
function tablesOf(shape: Shape): Float32Array {
  const { L, L4, R4 } = shape;
  const places = tablePlaces(shape);
  const tables = new Float32Array(4 * places.end);
  const [V, sigma] = [rightVectors(shape), singularValues(shape)];
  const atoms = new Float64Array(L * R4);
  for (let l = 0; l < L; l++) {
    const atom = atoms.subarray(l * R4, (l + 1) * R4);
    for (let i = 0; i < R4; i++) atom[i] = sigma[i] * V[l * R4 + i];
    const length = Math.sqrt(atom.reduce((sum, value) => sum + value * value, 0));
    tables[4 * places.lengths + l] = length || 1;
    tables[4 * places.fresh + l] = length > 0 ? 1 : 0;
    for (let i = 0; i < R4; i++) {
      if (length > 0) atom[i] /= length;
      tables[4 * places.byCoordinate + i * L4 + l] = atom[i];
      tables[4 * places.byAtom + l * R4 + i] = atom[i];
    }
  }
  for (let l = 0; l < L; l++) {
    for (let j = 0; j <= l; j++) {
      let product = 0;
      for (let i = 0; i < R4; i++) product += atoms[l * R4 + i] * atoms[j * R4 + i];
      tables[4 * places.gram + l * L4 + j] = product;
      tables[4 * places.gram + j * L4 + l] = product;
    }
  }
  return tables;
}
