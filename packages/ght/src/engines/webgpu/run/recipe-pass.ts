/** One pass of a recipe on a GPU: its kernels, the lists of its groups, and the runs for a batch of references. */
import type { TileNoise } from '../../../denoisers/denoiser.js';
import type { Pass } from '../../../groups/recipes.js';
import { kaiser } from '../../../groups/window.js';
import type { Batch, Gpu, Room } from '../gpu.js';
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
export interface PassBuffers {
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
export function noiseTables(room: Room, { brightness, deviations }: TileNoise): NoiseTables {
  return {
    brightness: room.bufferOf(Float32Array.from(brightness)),
    deviations: deviations.map((rows) =>
      room.bufferOf(Float32Array.from([...rows, rows[rows.length - 1]].flatMap((row) => [...row]))),
    ),
  };
}

/** Adds the runs for a batch of so many references. */
export type RunBatch = (runs: Batch, count: number) => void;

/** Why a pass does not run on a GPU; undefined if it does. */
export function refusalOf(pass: Pass): string | undefined {
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
/** A program on the CPU is slower by this factor, and more. */
const SOFTWARE = 64;
/** An addition to the sums of a pixel costs as much as so many other operations. */
const ADDITION = 200;

/** Operations of an eigenproblem of N×N, in N³. */
const EIGENPROBLEM = 20;
/** Bytes of any buffer between the kernels of the low-rank filter, at most: half of what every GPU can bind. */
const SCRATCH_BYTES = 2 ** 26;

/** References per batch, by the work for each. */
export function referencesPerBatch(pass: Pass, { software }: Gpu): number {
  const { patch, reach, members, filter } = pass;
  const N = patch * patch;
  const matching = 2 * N * (2 * reach + 1) ** 2;
  const filtering = members * N * (ADDITION + 12 * patch) + (filter.kind === 'rank' ? EIGENPROBLEM * N ** 3 : 0);
  const most = filter.kind === 'rank' ? SCRATCH_BYTES / (4 * scratchFloats(pass).samples) : Number.POSITIVE_INFINITY;
  const operations = BATCH_OPERATIONS / (software ? SOFTWARE : 1);
  return Math.max(1, Math.floor(Math.min(most, operations / (matching + filtering))));
}

/** Compiles the kernels of a pass, allocates what they need for a batch, and gives the runs of a batch. */
export async function preparePass(
  gpu: Gpu,
  room: Room,
  pass: Pass,
  buffers: PassBuffers,
  batch: number,
): Promise<RunBatch> {
  const words = needsLists(pass, buffers) ? listWords(pass) * batch : 0;
  const lists = await gpu.allocated(() => room.buffer(4 * words));
  const group = await groupRuns(gpu, pass, buffers, lists);
  const runsOf = pass.filter.kind === 'rank' ? lowRankRuns : filterRuns;
  const filter = await runsOf(gpu, room, pass, buffers, lists, batch);
  return (runs, count) => {
    group(runs, count);
    filter(runs, count);
  };
}

/** Whether a pass needs lists: of members, or of the brightness of each reference. */
function needsLists(pass: Pass, { noise }: PassBuffers): boolean {
  return !isAlone(pass) || noise !== undefined;
}

/** Finds the groups, and their brightness where the noise depends on it. */
async function groupRuns(gpu: Gpu, pass: Pass, buffers: PassBuffers, lists: GPUBuffer): Promise<RunBatch> {
  const { part, guide, noise } = buffers;
  const bindings = { 0: part, 1: guide[0], 2: lists };
  const matching = isAlone(pass)
    ? undefined
    : await gpu.kernel(matchingKernel(pass, spreadOf(pass) as Spread), 'matching');
  const brightness = noise && (await gpu.kernel(brightnessKernel(pass), 'brightness'));
  const [matchingBound, brightnessBound] = [
    matching?.bind(bindings),
    noise && brightness?.bind({ ...bindings, 3: noise.brightness }),
  ];
  return (runs, count) => {
    if (matching && matchingBound) runs.run(matching, matchingBound, count);
    if (brightness && brightnessBound) runs.run(brightness, brightnessBound, count);
  };
}

/** The Kaiser window of a pass. */
function windowOf(room: Room, pass: Pass): GPUBuffer {
  return room.bufferOf(Float32Array.from(kaiser(pass.patch, pass.window)), GPUBufferUsage.UNIFORM);
}

/** The sums of a plane at their bindings. */
function sumsFrom([valuesLow, valuesHigh, weightsLow, weightsHigh]: Picture): Record<number, GPUBuffer> {
  return { 5: valuesLow, 6: valuesHigh, 7: weightsLow, 8: weightsHigh };
}

/** Filters the groups on all planes by the threshold or the Wiener filter. */
async function filterRuns(gpu: Gpu, room: Room, pass: Pass, buffers: PassBuffers, lists: GPUBuffer): Promise<RunBatch> {
  const { part, from, guide, sums, noise } = buffers;
  const kernel = await gpu.kernel(filterKernel(pass, noise !== undefined), `filter: ${pass.filter.kind}`);
  const window = windowOf(room, pass);
  const bound = from.map((plane, c) => {
    const bindings: Record<number, GPUBuffer> = { 0: part, 1: plane, 4: window, ...sumsFrom(sums[c]) };
    if (pass.filter.kind === 'wiener') bindings[2] = guide[c];
    if (needsLists(pass, buffers)) bindings[3] = lists;
    if (noise) bindings[9] = noise.deviations[c];
    return kernel.bind(bindings);
  });
  return (runs, count) => {
    for (const plane of bound) runs.run(kernel, plane, Math.ceil(count / groupsTogether(pass)));
  };
}

/** Filters the groups on all planes by their singular values. The planes follow each other in the same scratch. */
async function lowRankRuns(
  gpu: Gpu,
  room: Room,
  pass: Pass,
  { part, from, sums, noise }: PassBuffers,
  lists: GPUBuffer,
  batch: number,
): Promise<RunBatch> {
  const whitened = noise !== undefined;
  const gather = await gpu.kernel(gatherKernel(pass, whitened), 'gather');
  const reduce = await gpu.kernel(tridiagonalKernel(pass), 'tridiagonal');
  const solve = await gpu.kernel(eigenvectorsKernel(pass), 'eigenvectors');
  const project = await gpu.kernel(projectKernel(pass, whitened), 'project');
  const floats = scratchFloats(pass);
  const [samples, basis, tridiagonal, vectors] = await gpu.allocated(() =>
    [floats.samples, floats.basis, floats.tridiagonal, floats.vectors].map((each) => room.buffer(4 * each * batch)),
  );
  const window = windowOf(room, pass);
  const reduceBound = reduce.bind({ 0: part, 1: lists, 2: samples, 3: basis, 4: tridiagonal });
  const solveBound = solve.bind({ 0: part, 1: lists, 2: tridiagonal, 3: basis, 4: vectors });
  const planes = from.map((plane, c) => {
    const gathering: Record<number, GPUBuffer> = { 0: part, 1: plane, 2: lists, 3: samples };
    if (noise) gathering[4] = noise.deviations[c];
    const projecting: Record<number, GPUBuffer> = { 0: part, 1: lists, 2: samples, 3: vectors, 4: window };
    Object.assign(projecting, sumsFrom(sums[c]));
    if (noise) projecting[9] = noise.deviations[c];
    return { gather: gather.bind(gathering), project: project.bind(projecting) };
  });
  return (runs, count) => {
    for (const plane of planes) {
      runs.run(gather, plane.gather, count);
      runs.run(reduce, reduceBound, count);
      runs.run(solve, solveBound, count);
      runs.run(project, plane.project, count);
    }
  };
}
