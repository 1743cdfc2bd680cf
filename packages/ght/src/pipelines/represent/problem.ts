/**
 * The patches of images that are read in parts, and their problem. A part is a run of whole chunks of the patches, in the order of
 * the whole: row by row, plane after plane, image after image.
 */

import { type Energies, type Followed, type LoadedPart, outsideOf } from '../../engines/engine.js';
import { chooseEngine } from '../../engines/engines.js';
import { EnvironmentError } from '../../errors.js';
import { decorrelation, isColour } from '../../image/colour.js';
import type { Samples } from '../../image/image.js';
import type { PartedImage } from '../../image/parted-image.js';
import { extractRun, type PatchGrid, pixelsOf } from '../../image/patches.js';
import type { Rectangle, Size } from '../../image/rectangle.js';
import type { Floats, Signals } from '../../image/signals.js';
import { type Budget, resolveBudget } from '../../sparse/budget/budget.js';
import type { Codes } from '../../sparse/codes/codes.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import { type Bracket, CHUNK, type Sample, type Tries } from '../../sparse/solvers/bracket.js';
import type { Spending } from '../../sparse/solvers/joint-omp.js';
import type { StepReport } from '../../sparse/solvers/loop.js';
import { estimateBracket } from '../../sparse/solvers/price-search.js';
import { drive, type Watch } from '../../work.js';
import type { Settings } from '../solve/options.js';
import { shiftedCodes, shiftedDictionary, shiftedEntry, shiftedSignals, type Units, unitsOf } from '../solve/units.js';
import { layOutPatches, type RepresentOptions, resolveRepresentOptions } from './options.js';

/** What all parts have in common. */
export interface ImageProblem {
  readonly settings: Settings;
  /** The dictionary in the units of the user. */
  readonly dictionary: Dictionary;
  readonly images: readonly ImagePatches[];
  /** Patches of all planes of all images, and the chunks that they fill. */
  readonly P: number;
  readonly chunks: number;
  readonly budget: Budget;
  /** The number of nonzeros that may be used; undefined for a target, which needs a search. */
  readonly S: number | undefined;
  /** Atoms of a patch at most. */
  readonly longest: number;
  /** The units in which it is solved, if they are others. */
  readonly units: Units | undefined;
  /** The full scale, and the largest sample. */
  readonly peak: number;
  readonly most: number;
}

/** The patches of one of the images: those of its planes, from number `first` of all on. */
export interface ImagePatches {
  readonly grid: PatchGrid;
  readonly planes: number;
  /** Whether the planes are red, green and blue. */
  readonly colour: boolean;
  readonly first: number;
}

/** An image that is read part by part, as one of several. */
type Readable = readonly { readonly image: PartedImage }[];

/** A run of whole chunks. */
export interface ChunkRun {
  readonly first: number;
  readonly chunks: number;
}

/** The problem of images of these sizes, whose largest sample is `most` in the axes in which they are represented. */
export function imageProblem(
  sizes: readonly { readonly image: Size; readonly planes: number }[],
  options: RepresentOptions,
  peak: number,
  most: number,
): ImageProblem {
  const settings = resolveRepresentOptions(options);
  const { grids, P, D, budget } = layOutPatches(options, settings, sizes, peak, most);
  const images: ImagePatches[] = [];
  let first = 0;
  for (const [k, { planes }] of sizes.entries()) {
    images.push({ grid: grids[k], planes, colour: isColour(planes, options.channels), first });
    first += grids[k].count * planes;
  }
  const goal = resolveBudget(budget, D.N, D.L, P, peak);
  const chunks = Math.ceil(P / CHUNK);
  const longest = Math.min(D.N, D.L);
  const units = unitsOf(D, most);
  const S = 'S' in goal ? goal.S : undefined;
  return { settings, dictionary: D, images, P, chunks, budget, S, longest, units, peak, most };
}

/** All patches, which are read one part after the other while they are loaded into an engine. */
export function streamedPatches(problem: ImageProblem, images: Readable, signal?: AbortSignal): Signals {
  const { P, dictionary } = problem;
  let ready: { readonly from: number; readonly signals: Signals } | undefined;
  return {
    ...{ N: dictionary.N, P },
    async prepare(from, count) {
      ready = { from, signals: await readRuns(problem, images, planeRuns(problem, from, from + count), signal) };
    },
    read(from, into) {
      if (!ready) throw new Error('signals are read before they are ready');
      ready.signals.read(from - ready.from, into);
    },
  };
}

/** All patches of planes that are in memory. */
export function patchesIn(planes: readonly (readonly Samples[])[], problem: ImageProblem): Signals {
  const { P, dictionary, images } = problem;
  const { N } = dictionary;
  const read = (from: number, into: Floats) => {
    let at = 0;
    for (const { image, plane, first, count } of planeRuns(problem, from, from + into.length / N)) {
      extractRun(images[image].grid, planes[image][plane], first, into.subarray(at, at + count * N));
      at += count * N;
    }
  };
  return { N, P, read };
}

/** The bracket in which λ of all patches is expected, from the samples of the untiled run. */
export async function estimatedBracket(
  problem: ImageProblem,
  images: Readable,
  signal?: AbortSignal,
): Promise<Bracket> {
  const priceOf = async (sample: Sample, share: Spending, deep: number, bracket: Bracket) => {
    const signals = await readRuns(problem, images, sampledRuns(problem, sample), signal);
    return inPart(problem, signals, { signal }, (part) => part.price(share as number, deep, bracket, { signal }));
  };
  return estimateBracket(problem.P, budgetOf(problem), problem.longest, priceOf);
}

/** Follows the paths of a part within a bracket. */
export async function followPart(
  problem: ImageProblem,
  images: Readable,
  run: ChunkRun,
  bracket: Bracket,
  tries: Tries,
  watch: Watch = {},
): Promise<{ readonly followed: Followed; readonly energies: Energies }> {
  const signals = await readPart(problem, images, run, watch.signal);
  const expected = (budgetOf(problem) * signals.P) / problem.P;
  return inPart(problem, signals, watch, async (part) => {
    return { followed: await part.follow(bracket, tries, expected, watch), energies: part.energies };
  });
}

/** The codes of a part at the price that was found, and the squared errors of its chunks. */
export async function commitPart(
  problem: ImageProblem,
  images: Readable,
  run: ChunkRun,
  followed: Followed,
  threshold: number,
  ties: number,
  watch: Watch = {},
): Promise<{ readonly codes: Codes; readonly errors: Float64Array }> {
  const { units } = problem;
  const signals = await readPart(problem, images, run, watch.signal);
  const { codes, errors } = await inPart(problem, signals, watch, (part) =>
    part.commit(followed, threshold, ties, watch),
  );
  return { codes: units ? shiftedCodes(codes, units.y - units.d) : codes, errors };
}

/** S of a problem that is solved in parts. */
export function budgetOf({ S }: ImageProblem): number {
  if (S === undefined) throw new Error('a target is searched for in one place');
  return S;
}

/** Runs work on a part that is loaded into an engine. */
async function inPart<T>(
  { dictionary, units, settings, peak, most }: ImageProblem,
  signals: Signals,
  watch: Watch,
  work: (part: LoadedPart) => Promise<T>,
): Promise<T> {
  const { engine } = await chooseEngine(settings.engine, { reach: most / peak });
  if (!engine.loadPart) {
    const rule = 'must be wasm for an image in parts';
    throw new EnvironmentError('engine', rule, engine.name, 'use wasm on a host that has it, or represent the whole');
  }
  const D = units ? shiftedDictionary(dictionary, units.d) : dictionary;
  const Y = units ? shiftedSignals(signals, -units.y) : signals;
  const part = await engine.loadPart(D, Y, settings, { signal: watch.signal });
  try {
    return await work(part);
  } finally {
    part.dispose();
  }
}

/** Patches of one plane of an image: from number `first` of that plane on. */
interface PatchRun {
  readonly image: number;
  readonly plane: number;
  readonly first: number;
  readonly count: number;
}

/** The patches of a sample: runs within a row of a plane. */
function sampledRuns(problem: ImageProblem, { step, each }: Sample): PatchRun[] {
  const { P, chunks, images } = problem;
  const runs: PatchRun[] = [];
  for (let chunk = 0; chunk < chunks; chunk += step) {
    for (const run of planeRuns(problem, chunk * CHUNK, Math.min(P, chunk * CHUNK + each))) {
      const { columns } = images[run.image].grid;
      for (let { first, count: left } = run; left > 0; ) {
        const count = Math.min(left, columns - (first % columns));
        runs.push({ ...run, first, count });
        first += count;
        left -= count;
      }
    }
  }
  return runs;
}

/** The patches of a part: one run per plane. */
function readPart(problem: ImageProblem, images: Readable, run: ChunkRun, signal?: AbortSignal): Promise<Signals> {
  const end = Math.min(problem.P, (run.first + run.chunks) * CHUNK);
  return readRuns(problem, images, planeRuns(problem, run.first * CHUNK, end), signal);
}

/** The patches from number `from` of all to `end`, one run per plane. */
function planeRuns({ images }: Pick<ImageProblem, 'images'>, from: number, end: number): PatchRun[] {
  const runs: PatchRun[] = [];
  // The image of the first patch: a set may have many images, and is read in many runs.
  let [image, after] = [0, images.length];
  while (after - image > 1) {
    const middle = (image + after) >> 1;
    if (images[middle].first <= from) image = middle;
    else after = middle;
  }
  for (let at = from; at < end; ) {
    const { grid, planes, first: begin } = images[image];
    const plane = Math.floor((at - begin) / grid.count);
    if (plane === planes) {
      image++;
      continue;
    }
    const first = (at - begin) % grid.count;
    const count = Math.min(end - at, grid.count - first);
    runs.push({ image, plane, first, count });
    at += count;
  }
  return runs;
}

/** Reads the pixels of runs of patches, as signals one after the other. */
async function readRuns(
  { images: layout, dictionary: { N } }: ImageProblem,
  images: Readable,
  runs: readonly PatchRun[],
  signal?: AbortSignal,
): Promise<Signals> {
  const pieces: { from: number; first: number; count: number; at: Rectangle; plane: Samples; grid: PatchGrid }[] = [];
  let P = 0;
  for (const { image, plane, first, count } of runs) {
    const { grid, colour } = layout[image];
    const { columns } = grid;
    const [top, bottom] = [Math.floor(first / columns), Math.floor((first + count - 1) / columns)];
    const wide = top < bottom;
    const patches = { left: wide ? 0 : first % columns, top, width: wide ? columns : count, height: bottom - top + 1 };
    const at = pixelsOf(grid, patches);
    const read = await images[image].image.read(at);
    const planes = colour ? await drive(decorrelation(read), { signal }) : read;
    pieces.push({ from: P, first, count, at, plane: planes[plane], grid });
    P += count;
  }
  const read = (from: number, into: Floats) => {
    for (const piece of pieces) {
      const begin = Math.max(from, piece.from);
      const end = Math.min(from + into.length / N, piece.from + piece.count);
      if (begin >= end) continue;
      const own = into.subarray((begin - from) * N, (end - from) * N);
      extractRun(piece.grid, piece.plane, piece.first + begin - piece.from, own, piece.at);
    }
  };
  return { N, P, read };
}

/**
 * The report of a run in the units of the user, from what all parts have answered, in their order: the energies and the squared
 * errors of their chunks.
 */
export function partsReport(
  { P, units }: ImageProblem,
  energies: readonly Energies[],
  errors: readonly Float64Array[],
  threshold: number,
): Pick<StepReport, 'rmse' | 'threshold'> {
  let error = 0;
  for (const own of errors) for (const chunk of own) error += chunk;
  const joined = (of: keyof Energies) => Float64Array.from(energies.flatMap((own) => Array.from(own[of])));
  const outside = outsideOf({ all: joined('all'), within: joined('within') });
  const entry = { k: 1, ms: 0, rmse: Math.sqrt((error + outside) / P), threshold, kept: 0 };
  const { rmse, threshold: shown } = units ? shiftedEntry(entry, units, true) : entry;
  return { rmse, threshold: shown };
}
