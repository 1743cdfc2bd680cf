/** The kernels of pursuits on one problem: their constants, the rows that do not fit into workgroup memory, and their runs. */
import { EngineFailure } from '../../../errors.js';
import type { Watch } from '../../../work.js';
import { rightVectors, type Shape, singularValues } from '../../shape.js';
import type { BufferScope, Buffers, Gpu } from '../gpu.js';
import { bytesBesideRows, type PursuitForm, rowFloats, tablePlaces, workgroupBytes } from '../kernels/pursuit.js';
import { teamFor } from '../kernels/team.js';
import type { Ranges } from './ranges.js';

/** Bytes of the rows of all teams, at most, where they are in a buffer; and teams, which is more than a GPU runs at once. */
const ROWS = { bytes: 2 ** 27, teams: 4096 };
/** Depths of kernels, in multiples of the expected number of atoms; those that remain have a kernel for whole supports. */
const STAGES = [3, 4.5];
/** Those depths are multiples of this, so that there are few kernels. */
const DEPTH_MULTIPLE = 4;
/** Workgroup memory that is used on a software adapter, which takes seconds to compile the clearing of more. */
const SOFTWARE_BYTES = 2 ** 11;
/** Atoms of all patches between two looks at the abort signal: some milliseconds. */
const ATOMS_PER_BATCH = 2 ** 22;
/** Batches that the GPU may have before it: waiting for each would leave it idle in between. */
const MAX_BATCHES_IN_FLIGHT = 4;

/** A kernel of pursuits, or of fits to given supports, for supports of up to this many atoms. */
export interface PursuitKernel {
  readonly make: (form: PursuitForm) => string;
  readonly label: string;
  readonly depth: number;
  readonly given: boolean;
}

/** A run of a kernel over patches of a range. */
export interface PursuitRun {
  /** The range, by its place in the list. */
  readonly range: number;
  /** How many patches, from the first, or of the list that the kernel reads. */
  readonly count: number;
  /** What the kernel binds besides. */
  readonly buffers: Buffers;
  /** Its task besides, in words. */
  readonly task: readonly number[];
}

/** The kernels of pursuits on one problem. */
export class Pursuits {
  readonly gpu: Gpu;
  /** Atoms of a pursuit's support at most. */
  readonly most: number;
  /** Atoms of a given support at most, in which some may depend on others. */
  readonly mostGiven: number;
  /** The task of the next run of a kernel. It is written before each; runs that were submitted before keep theirs. */
  readonly task: GPUBuffer;
  /** For a binding that is not read. */
  readonly nothing: GPUBuffer;
  #tables: GPUBuffer | undefined;
  #rows: GPUBuffer | undefined;

  constructor(
    readonly ranges: Ranges,
    private readonly scope: BufferScope,
  ) {
    const { shape } = ranges;
    const { N, L, R4 } = shape;
    this.gpu = ranges.gpu;
    this.most = Math.min(N, L, R4);
    const bytes = (depth: number) => bytesBesideRows({ shape, depth, given: true });
    const free = this.gpu.limits.maxComputeWorkgroupStorageSize - bytes(0);
    this.mostGiven = Math.min(L, Math.floor(free / (bytes(1) - bytes(0))));
    this.task = scope.buffer(64, GPUBufferUsage.UNIFORM);
    this.nothing = scope.buffer(16);
  }

  /** Runs a kernel, a team per patch, batch after batch. The last of them may still be under way: what reads their results waits. */
  async run({ make, label, depth, given }: PursuitKernel, runs: readonly PursuitRun[], watch?: Watch): Promise<void> {
    const { gpu } = this;
    const all = runs.reduce((sum, { count }) => sum + count, 0);
    if (all === 0) return;
    const form = this.#formFor(depth, given);
    const kernel = await gpu.kernel(make(form), label);
    const teams = form.rowsInBuffer ? await this.#widenRows(form) : 0;
    const tables = await this.#tablesOf();
    const rows: Buffers = form.rowsInBuffer ? { rows: this.#rows as GPUBuffer } : {};
    const length = Math.ceil(ATOMS_PER_BATCH / depth);
    let done = 0;
    const inFlight: Promise<void>[] = [];
    for (const run of runs) {
      const { c } = this.ranges.list[run.range];
      const constants = { c, tables, task: this.task, ...rows };
      const buffers = kernel.bind({ ...constants, ...run.buffers });
      for (let first = 0; first < run.count; first += length) {
        watch?.signal?.throwIfAborted();
        const count = Math.min(length, run.count - first);
        this.scope.write(this.task, Uint32Array.of(first, count, teams, ...run.task));
        gpu.submit(kernel, buffers, teams ? Math.min(teams, count) : count);
        const submitted = gpu.done(watch?.signal);
        submitted.catch(() => {});
        inFlight.push(submitted);
        if (inFlight.length > MAX_BATCHES_IN_FLIGHT) await inFlight.shift();
        done += count;
        watch?.onFraction?.(done / all);
      }
    }
  }

  /**
   * The depths of the kernels for supports of about `expected` atoms and at most `most`. The fewer rows a kernel has room for, the more
   * patches a GPU works on at once, so the few deep ones have kernels of their own.
   */
  depthsFor(expected: number, most: number, given: boolean): number[] {
    const depths = STAGES.map((times) => Math.max(8, DEPTH_MULTIPLE * Math.ceil((times * expected) / DEPTH_MULTIPLE)));
    return [...new Set([...depths.filter((depth) => depth < most && this.#fits(depth, given)), most])];
  }

  #fits(depth: number, given: boolean): boolean {
    const { limits, software } = this.gpu;
    const bytes = software ? SOFTWARE_BYTES : limits.maxComputeWorkgroupStorageSize;
    return workgroupBytes({ shape: this.ranges.shape, depth, given }) <= bytes;
  }

  /** The form for supports of this many atoms. With rows in a buffer one kernel is as good for more. */
  #formFor(atoms: number, given: boolean): PursuitForm {
    const { gpu, most, mostGiven } = this;
    const { shape } = this.ranges;
    const rowsInBuffer = !this.#fits(atoms, given);
    const depth = rowsInBuffer ? (given ? mostGiven : most) : atoms;
    if (bytesBesideRows({ shape, depth, given }) > gpu.limits.maxComputeWorkgroupStorageSize)
      throw new EngineFailure(`supports of ${depth} atoms do not fit into its workgroup memory`);
    return { team: teamFor(gpu.lanes), shape, depth, given, rowsInBuffer };
  }

  /** Makes room for rows in a buffer; returns the number of teams that have some. */
  async #widenRows(form: PursuitForm): Promise<number> {
    const each = 4 * rowFloats(form);
    const { maxStorageBufferBindingSize: binding } = this.gpu.limits;
    const teams = Math.max(1, Math.min(ROWS.teams, Math.floor(Math.min(binding, ROWS.bytes) / each)));
    if (!this.#rows || this.#rows.size < teams * each)
      this.#rows = await this.gpu.allocated(() => this.scope.buffer(teams * each));
    return teams;
  }

  async #tablesOf(): Promise<GPUBuffer> {
    this.#tables ??= await this.gpu.allocated(() => this.scope.bufferOf(tablesOf(this.ranges.shape)));
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
