/** One pass of a recipe on a GPU: its kernels, the lists of its groups, and the runs for a batch of references. */
import type { TileNoise } from '../../../denoisers/denoiser.js';
import type { Pass } from '../../../denoisers/groups/recipes.js';
import { kaiser } from '../../../denoisers/groups/window.js';
import type { Batch, BufferScope, Buffers, Gpu, Kernel } from '../gpu.js';
import { eigenvectorsKernel } from '../kernels/groups/eigenvectors.js';
import { filterFits, filterKernel, groupsTogether } from '../kernels/groups/filters.js';
import {
  gatherKernel,
  lowRankFits,
  projectKernel,
  scratchFloats,
  tridiagonalKernel,
} from '../kernels/groups/lowrank.js';
import { matchingKernel, type Spread, spreadOf } from '../kernels/groups/matching.js';
import { isAlone, listWords } from '../kernels/groups/target.js';
import { brightnessKernel } from '../kernels/groups/whitening.js';

/** The planes of a picture. */
export type Picture = readonly GPUBuffer[];

/** The buffers that a pass works on. */
export interface PassBuffers extends Scratch {
  /** The part of the references; see kernels/groups/target.ts. */
  readonly part: GPUBuffer;
  readonly from: Picture;
  readonly guide: Picture;
  /** The four arrays of sums of each plane; see kernels/groups/aggregation.ts. */
  readonly sums: readonly Picture[];
  readonly noise?: NoiseTables;
}

/** Noise that depends on brightness and frequency: the brightnesses, and the deviations of each plane. */
export interface NoiseTables {
  readonly brightness: GPUBuffer;
  readonly deviations: readonly GPUBuffer[];
}

/** The tables of a noise. The last row of deviations is there twice, so that each has a next one. */
export function noiseTables(scope: BufferScope, { brightness, deviations }: TileNoise): NoiseTables {
  return {
    brightness: scope.bufferOf(Float32Array.from(brightness)),
    deviations: deviations.map((rows) =>
      scope.bufferOf(Float32Array.from([...rows, rows[rows.length - 1]].flatMap((row) => [...row]))),
    ),
  };
}

/** Adds the runs for a batch of this many references. */
export type RunBatch = (runs: Batch, count: number) => void;

/** Why a pass does not run on a GPU; undefined if it does. */
export function refusalOf(pass: Pass): string | undefined {
  if (pass.volumes) return 'patches are not followed through pages on GPUs';
  if (!isAlone(pass) && !spreadOf(pass)) {
    return `groups of ${pass.members} patches within ${pass.reach} pixels do not fit into a workgroup`;
  }
  if (pass.filter.kind === 'rank') {
    return lowRankFits(pass)
      ? undefined
      : `singular bases of ${pass.patch}×${pass.patch} patches are not written for GPUs`;
  }
  return filterFits(pass) ? undefined : `groups of ${pass.members} patches do not fit into a workgroup`;
}

/** Operations of a batch: 10 to 50 ms on the GPU of a laptop, so that an abort is noticed soon. */
const BATCH_OPERATIONS = 2 ** 35;
/** A software adapter is slower by at least this factor. */
const SOFTWARE_SLOWDOWN = 64;
/** An addition to the sums of a pixel costs as much as this many other operations. */
const ADDITION_OPERATIONS = 200;

/** Operations of an eigenproblem of N×N, in N³. */
const EIGENPROBLEM_OPERATIONS = 20;
/** Bytes of any buffer between the kernels of the low-rank filter, at most: half of what every GPU can bind. */
const SCRATCH_BYTES = 2 ** 26;

/** References per batch, by the work for each. */
export function referencesPerBatch(pass: Pass, { software }: Gpu): number {
  const { patch, reach, members, filter } = pass;
  const N = patch * patch;
  const matching = 2 * N * (2 * reach + 1) ** 2;
  const filtering =
    members * N * (ADDITION_OPERATIONS + 12 * patch) + (filter.kind === 'rank' ? EIGENPROBLEM_OPERATIONS * N ** 3 : 0);
  const most = filter.kind === 'rank' ? SCRATCH_BYTES / (4 * scratchFloats(pass).samples) : Number.POSITIVE_INFINITY;
  const operations = BATCH_OPERATIONS / (software ? SOFTWARE_SLOWDOWN : 1);
  return Math.max(1, Math.floor(Math.min(most, operations / (matching + filtering))));
}

/** The kernels of a pass, by name. */
export type PassKernels = Readonly<Record<string, Kernel>>;

/** Compiles the kernels of a pass. */
export async function compilePass(gpu: Gpu, pass: Pass, whitened: boolean): Promise<PassKernels> {
  const codes: Record<string, string> = {
    ...(isAlone(pass) ? {} : { matching: matchingKernel(pass, spreadOf(pass) as Spread) }),
    ...(whitened ? { brightness: brightnessKernel(pass) } : {}),
    ...(pass.filter.kind === 'rank' ? lowRankCodes(pass, whitened) : { filter: filterKernel(pass, whitened) }),
  };
  const compiled = Object.entries(codes).map(async ([name, code]) => [name, await gpu.kernel(code, name)] as const);
  return Object.fromEntries(await Promise.all(compiled));
}

function lowRankCodes(pass: Pass, whitened: boolean): Record<string, string> {
  return {
    gather: gatherKernel(pass, whitened),
    tridiagonal: tridiagonalKernel(pass),
    eigenvectors: eigenvectorsKernel(pass),
    project: projectKernel(pass, whitened),
  };
}

/** What lies between the kernels of a pass: the lists of the groups, and the arrays of the low-rank filter (kernels/groups/lowrank.ts). */
export type Scratch = Readonly<Record<'lists' | keyof ReturnType<typeof scratchFloats>, GPUBuffer>>;

/** Scratch that is large enough for each of some passes, with this many references per batch. */
export function scratchFor(
  scope: BufferScope,
  passes: readonly { readonly pass: Pass; readonly batch: number }[],
  whitened: boolean,
): Scratch {
  const words = { lists: 0, samples: 0, basis: 0, tridiagonal: 0, vectors: 0 };
  const grow = (name: keyof Scratch, needed: number) => {
    words[name] = Math.max(words[name], needed);
  };
  for (const { pass, batch } of passes) {
    if (needsLists(pass, whitened)) grow('lists', listWords(pass) * batch);
    if (pass.filter.kind !== 'rank') continue;
    const floats = scratchFloats(pass);
    for (const name of ['samples', 'basis', 'tridiagonal', 'vectors'] as const) grow(name, floats[name] * batch);
  }
  const buffer = (name: keyof Scratch) => scope.buffer(4 * words[name]);
  return {
    lists: buffer('lists'),
    samples: buffer('samples'),
    basis: buffer('basis'),
    tridiagonal: buffer('tridiagonal'),
    vectors: buffer('vectors'),
  };
}

/** The runs of a batch of references. */
export function preparePass(scope: BufferScope, pass: Pass, kernels: PassKernels, buffers: PassBuffers): RunBatch {
  const window = scope.bufferOf(Float32Array.from(kaiser(pass.patch, pass.window)), GPUBufferUsage.UNIFORM);
  const allRuns = [
    ...groupRuns(kernels, buffers),
    ...(pass.filter.kind === 'rank'
      ? lowRankRuns(kernels, buffers, window)
      : filterRuns(pass, kernels, buffers, window)),
  ];
  return (runs, count) => {
    for (const run of allRuns) run(runs, count);
  };
}

/** Whether a pass needs lists: of members, or of the brightness of each reference. */
function needsLists(pass: Pass, whitened: boolean): boolean {
  return !isAlone(pass) || whitened;
}

/** A kernel with its buffers, with one workgroup per batch of groups. */
function runOf(kernel: Kernel, buffers: Buffers, together = 1): RunBatch {
  const bound = kernel.bind(buffers);
  return (runs, count) => {
    runs.run(kernel, bound, Math.ceil(count / together));
  };
}

/** The sums of a plane, as kernels name them. */
export function namedSums([valuesLow, valuesHigh, weightsLow, weightsHigh]: Picture) {
  return { valuesLow, valuesHigh, weightsLow, weightsHigh };
}

/** Finds the groups, and their brightness where the noise depends on it. */
function groupRuns(kernels: PassKernels, { part, guide, noise, lists }: PassBuffers): RunBatch[] {
  const matched = { part, guide: guide[0], lists };
  return [
    ...(kernels.matching ? [runOf(kernels.matching, matched)] : []),
    ...(noise ? [runOf(kernels.brightness, { ...matched, brightness: noise.brightness })] : []),
  ];
}

/** Filters the groups on all planes by the threshold or the Wiener filter. */
function filterRuns(pass: Pass, kernels: PassKernels, buffers: PassBuffers, window: GPUBuffer): RunBatch[] {
  const { part, from, guide, sums, noise, lists } = buffers;
  return from.map((plane, c) => {
    const filtered = {
      ...{ part, noisy: plane, window, ...namedSums(sums[c]) },
      ...(pass.filter.kind === 'wiener' ? { pilot: guide[c] } : {}),
      ...(needsLists(pass, noise !== undefined) ? { lists } : {}),
      ...(noise ? { deviations: noise.deviations[c] } : {}),
    };
    return runOf(kernels.filter, filtered, groupsTogether(pass));
  });
}

/** Filters the groups on all planes by their singular values. The planes follow each other in the same scratch. */
function lowRankRuns(kernels: PassKernels, buffers: PassBuffers, window: GPUBuffer): RunBatch[] {
  const { part, from, sums, noise, lists, samples, basis, tridiagonal, vectors } = buffers;
  const reduce = runOf(kernels.tridiagonal, { part, lists, samples, basis, tridiagonal });
  const solve = runOf(kernels.eigenvectors, { part, lists, tridiagonal, basis, vectors });
  return from.flatMap((plane, c) => {
    const whitening: Buffers = noise ? { deviations: noise.deviations[c] } : {};
    const gathered = { part, plane, lists, samples, ...whitening };
    const projected = { part, lists, samples, vectors, window, ...namedSums(sums[c]), ...whitening };
    return [runOf(kernels.gather, gathered), reduce, solve, runOf(kernels.project, projected)];
  });
}
